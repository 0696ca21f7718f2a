"""The passages that two texts share, with their places in both."""

from __future__ import annotations

from dataclasses import dataclass

from ilk import _kernels
from ilk.options.table import checked, default


@dataclass(frozen=True, slots=True)
class Passage:
    """A run of words that stands in both texts; places are character offsets, the end excluded.

    ``text`` is the passage as the left text has it.
    """

    words: int
    left_start: int
    left_end: int
    right_start: int
    right_end: int
    text: str


def shared(left: str, right: str, *, min_words: int = default("min_words")) -> list[Passage]:
    """The runs of at least ``min_words`` words that stand in both texts, the longest first.

    Words are compared folded, so case, punctuation and white space do not count. Every word of
    ``left`` that lies in such a run is in exactly one passage; where a run stands in several
    places of ``right``, one is named.

    Raises:
        OptionError: ``min_words`` is not a whole number of at least 1.
    """
    least = checked("min_words", min_words)
    left_words, left_starts, left_ends = _kernels.word_places(left, "fold")
    right_words, right_starts, right_ends = _kernels.word_places(right, "fold")
    at_left, at_right, lengths = _kernels.shared_passages(left_words, right_words, least)
    found = []
    runs = zip(at_left.to_pylist(), at_right.to_pylist(), lengths.to_pylist(), strict=True)
    for a, b, words in runs:
        start, end = left_starts[a].as_py(), left_ends[a + words - 1].as_py()
        right_start, right_end = right_starts[b].as_py(), right_ends[b + words - 1].as_py()
        found.append(Passage(words, start, end, right_start, right_end, left[start:end]))
    return sorted(found, key=lambda passage: (-passage.words, passage.left_start))
