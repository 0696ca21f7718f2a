"""The passages of two texts, where they are in the texts as written, and the names that differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ilk import arrow
from ilk.base.run_options import Running
from ilk.search import passages
from ilk.search.passage_parts import CollectedWords, PassageRule
from ilk.search.passages import Passage
from ilk.search.programs import AsCode, NameChange, list_changed_names


class PairPassages(NamedTuple):
    """The passages of two texts.

    longest: the longest ones.
    number, words: how many there are, and of how many words.
    name_changes: the names that differ in the longest ones; None if not both are programs.
    """

    longest: list[Passage]
    number: int
    words: int
    name_changes: list[NameChange] | None


def find_pair_passages(
    texts: tuple[str, str],
    sources: Sequence[str | None],
    *,
    as_code: AsCode | None,
    rule: PassageRule,
    running: Running,
    max_shown: int,
) -> PairPassages:
    """Return the passages that two texts share, with their places in these texts.

    Args:
        texts, sources: both texts, and the names of their documents, which tell their languages.
        as_code: how programs are compared; None for texts.
        rule: what counts as a passage.
        running: threads and memory.
        max_shown: how many passages to return.
    """
    counted_texts = arrow.import_texts(
        list(texts) if as_code is None else as_code.replace_programs_by_words(texts, sources)
    )
    collected = CollectedWords(rule, running)
    collected.add_words_of(counted_texts)
    repeated = collected.find_repeated_and_release_words(passages.TWO, reference_size=1)
    shared = passages.longest_shared_passages(counted_texts, repeated, max_shown=max_shown)
    if as_code is None:
        return PairPassages(shared.longest, shared.number, shared.words, None)
    placed = _place_passages_and_list_changed_names(shared.longest, as_code, texts, sources)
    return PairPassages(placed.passages, shared.number, shared.words, placed.name_changes)


class _PlacedPassages(NamedTuple):
    """Passages as they are in two texts, and the names that differ in them.

    ``name_changes`` is None if one of the texts is no program.
    """

    passages: list[Passage]
    name_changes: list[NameChange] | None


def _place_passages_and_list_changed_names(
    word_passages: list[Passage],
    as_code: AsCode,
    texts: tuple[str, str],
    sources: Sequence[str | None],
) -> _PlacedPassages:
    """Return passages of what counts of two texts as they are in the texts themselves."""
    left, right = (as_code.parse_if_program(*one) for one in zip(texts, sources, strict=True))
    placed_passages = []
    for one in word_passages:
        left_start, left_end = one.left_start, one.left_end
        if left is not None:
            left_start, left_end = left.span_in_program(left_start, left_end)
        right_start, right_end = one.right_start, one.right_end
        if right is not None:
            right_start, right_end = right.span_in_program(right_start, right_end)
        placed_passages.append(
            Passage(
                words=one.words,
                left_start=left_start,
                left_end=left_end,
                right_start=right_start,
                right_end=right_end,
                text=texts[0][left_start:left_end],
            )
        )
    if left is None or right is None:
        return _PlacedPassages(placed_passages, None)
    runs = ((one.left_start, one.left_end, one.right_start, one.right_end) for one in word_passages)
    return _PlacedPassages(placed_passages, list_changed_names(texts, (left, right), runs))
