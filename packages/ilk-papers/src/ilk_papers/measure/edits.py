"""Controlled edits: copies of a text that differ from it in a known way, by a known share.

They measure what a search finds: a copy that is not found is a miss, however documents are
labelled. Every kind of edit changes a share of the words; the white space and punctuation around
the others stay. In scripts without spaces, a word is a character.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from ilk.companions import kernels as _kernels
from ilk.plugins import Choice, OptionError
from ilk_papers.seeded import Draw, draw_ascending_sample, draw_below, seeded_draw

#: The kinds of edit: what happens to the chosen words.
KINDS = {
    "insert-own": "words of the text are repeated elsewhere",
    "insert-foreign": "words of another text are inserted",
    "delete": "words are removed",
    "replace": "words are replaced by words of another text",
    "move": "words are moved within the text",
    "numbers": "digits in numbers are replaced; the share is of the numbers",
    "noise": "single characters are misread, as by a scanner",
    "template": "the same beginning of another text is put around or into every text",
}

#: The kinds that need words of another text.
FOREIGN = ("insert-foreign", "replace", "template")

#: Where words are edited: all over the text, or in one place.
SPREADS = ("scattered", "block")

#: Words in a piece of a scattered template.
_PIECE = 8

#: Characters that scanners confuse with one another; the folded texts differ too.
CONFUSIONS = {
    "rn": "m",
    "cl": "d",
    "vv": "w",
    "ii": "u",
    "nn": "m",
    "li": "h",
    "m": "rn",
    "d": "cl",
    "w": "vv",
} | dict(
    zip(
        "hbecunftaogqvylisz01586BDEFGIOSZ日曰未末土士己大太人入ー一ソ",
        "bhcenutfoaqgyv1l52OlSBb8OFE61052曰日末未士土已太大入人一ーン",
        strict=True,
    )
)

_DIGIT = re.compile(r"\d")


class _Splice(NamedTuple):
    """A stretch of a text, from its first character to the one after it, and what replaces it."""

    start: int
    end: int
    replacement: str


def edit_text(
    text: str, kind: str, share: float, *, spread: str, seed: int | str, foreign: str = ""
) -> str:
    """Return a copy of a text with some words edited; always the same for the same arguments.

    At least one word is edited. A text in which there is nothing to edit is returned unchanged: one
    without words, without numbers (``numbers``), with a single word (``delete``, ``move``), or if
    the other text has no words. If words are equal, an edit may leave a text as it was.

    Args:
        text: the text to edit.
        kind: one of ``KINDS``.
        share: the part of the words to edit, above 0 and at most 1; for insertions, relative to the
            original words, so that 1 doubles the text.
        spread: one of ``SPREADS``. For a template, ``block`` means a header and a footer.
        seed: the seed of random choices.
        foreign: another text, for the kinds of ``FOREIGN``; if it is too short, its words are
            repeated.

    Raises:
        OptionError: an argument is out of bounds.
    """
    Choice(tuple(KINDS)).check("kind", kind)
    Choice(SPREADS).check("spread", spread)
    if not 0 < share <= 1:
        raise OptionError(f"share is {share!r}; it must be a number above 0 and at most 1.")
    words = _WordPlaces.find_in(text)
    other = _WordPlaces.find_in(foreign) if kind in FOREIGN else words
    if not words.places or not other.places:
        return text
    draw = seeded_draw(seed)
    return _splice_text(text, _EDITS[kind](words, other, share, spread, draw))


@dataclass(frozen=True, slots=True)
class _WordPlaces:
    """A text and the places of its words: the first character, and the one after the last."""

    text: str
    places: list[tuple[int, int]]

    @classmethod
    def find_in(cls, text: str) -> _WordPlaces:
        """Cut a text into words that do not overlap.

        The kernel's words overlap in scripts without spaces: there each is two adjacent characters.
        """
        _, starts, ends = _kernels.hash_and_locate_words(text, "fold")
        places: list[tuple[int, int]] = []
        end_of_last = 0
        for start, end in zip(starts.to_pylist(), ends.to_pylist(), strict=True):
            if start < end_of_last:
                before = places[-1][0]
                if before < start:
                    places[-1:] = [(before, start), (start, end_of_last)]
                start = end_of_last
            if start < end:
                places.append((start, end))
                end_of_last = end
        return cls(text, places)

    def __len__(self) -> int:
        return len(self.places)

    def count_of_share_at_least_one(self, share: float) -> int:
        """Return the number of words that make a share of all; at least one."""
        return _count_of_share_at_least_one(share, len(self))

    def text_of_run(self, run: range) -> str:
        """Return adjacent words, with the text between them."""
        return self.text[self.places[run[0]][0] : self.places[run[-1]][1]]

    def text_of_words_cyclically(self, first: int, count: int) -> str:
        """Return ``count`` words starting at one; after the last word comes the first."""
        pieces = []
        while count > 0:
            first %= len(self)
            run = range(first, min(first + count, len(self)))
            pieces.append(self.text_of_run(run))
            first, count = run.stop, count - len(run)
        return " ".join(pieces)

    def removal(self, run: range) -> _Splice:
        """Return the splice that removes words, with the white space after them."""
        start, end = self.places[run[0]][0], self.places[run[-1]][1]
        limit = self.places[run.stop][0] if run.stop < len(self) else end
        while end < limit and self.text[end].isspace():
            end += 1
        return _Splice(start, end, "")

    def insertion_before(self, word_number: int, piece: str) -> _Splice:
        """Return the splice that inserts words before a word, or after the last one."""
        place, end = self.places[min(word_number, len(self) - 1)]
        # Words that touch their neighbours are of a script without spaces.
        touching = (0 < word_number < len(self) and self.places[word_number - 1][1] == place) or (
            word_number + 1 < len(self) and self.places[word_number + 1][0] == end
        )
        space = "" if touching else " "
        if word_number < len(self):
            return _Splice(place, place, piece + space)
        return _Splice(end, end, space + piece)

    def replacement(self, run: range, piece: str) -> _Splice:
        """Return the splice that replaces words."""
        return _Splice(self.places[run[0]][0], self.places[run[-1]][1], piece)


def _splice_text(text: str, splices: Iterable[_Splice]) -> str:
    """Return the text with every stretch replaced; of two at one place, the one listed earlier
    comes first.

    Stretches do not overlap.
    """
    pieces, done = [], 0
    for start, end, piece in sorted(splices, key=lambda splice: splice[:2]):
        pieces += [text[done:start], piece]
        done = end
    return "".join(pieces) + text[done:]


def _count_of_share_at_least_one(share: float, total: int) -> int:
    return max(1, int(share * total + 0.5))


def _draw_numbers_below(draw: Draw, total: int, count: int, spread: str) -> list[int]:
    """Return some of the numbers below ``total``, ascending: anywhere, or adjacent ones."""
    if spread == "block":
        first = draw_below(draw, total - count + 1)
        return list(range(first, first + count))
    return draw_ascending_sample(draw, total, count)


def _draw_single_words_or_one_block(draw: Draw, total: int, count: int, spread: str) -> list[range]:
    """Return the words to edit: many runs of one word, or one run."""
    rows = _draw_numbers_below(draw, total, count, spread)
    if spread == "block":
        return [range(rows[0], rows[-1] + 1)]
    return [range(row, row + 1) for row in rows]


def _plan_insertions(
    words: _WordPlaces, foreign: _WordPlaces, share: float, spread: str, draw: Draw
) -> list[_Splice]:
    count = words.count_of_share_at_least_one(share)
    lengths = [count] if spread == "block" else [1] * count
    return [
        words.insertion_before(
            draw_below(draw, len(words) + 1),
            foreign.text_of_words_cyclically(draw_below(draw, len(foreign)), length),
        )
        for length in lengths
    ]


def _plan_deletions(
    words: _WordPlaces, _: _WordPlaces, share: float, spread: str, draw: Draw
) -> list[_Splice]:
    count = min(words.count_of_share_at_least_one(share), len(words) - 1)
    if not count:
        return []
    return [
        words.removal(run)
        for run in _draw_single_words_or_one_block(draw, len(words), count, spread)
    ]


def _plan_replacements(
    words: _WordPlaces, foreign: _WordPlaces, share: float, spread: str, draw: Draw
) -> list[_Splice]:
    return [
        words.replacement(
            run, foreign.text_of_words_cyclically(draw_below(draw, len(foreign)), len(run))
        )
        for run in _draw_single_words_or_one_block(
            draw, len(words), words.count_of_share_at_least_one(share), spread
        )
    ]


def _plan_moves(
    words: _WordPlaces, _: _WordPlaces, share: float, spread: str, draw: Draw
) -> list[_Splice]:
    count = min(words.count_of_share_at_least_one(share), len(words) - 1)
    if not count:
        return []
    splices = []
    for run in _draw_single_words_or_one_block(draw, len(words), count, spread):
        # Before itself, or before what follows it, it would not have moved.
        place = draw_below(draw, len(words) - len(run))
        place = place if place < run[0] else place + len(run) + 1
        splices += [words.insertion_before(place, words.text_of_run(run)), words.removal(run)]
    return splices


def _plan_number_changes(
    words: _WordPlaces, _: _WordPlaces, share: float, spread: str, draw: Draw
) -> list[_Splice]:
    stretches = [words.text[start:end] for start, end in words.places]
    numbers = [row for row, word in enumerate(stretches) if _DIGIT.search(word)]
    if not numbers:
        return []
    return [
        words.replacement(
            range(numbers[at], numbers[at] + 1), _replace_digits(stretches[numbers[at]], draw)
        )
        for at in _draw_numbers_below(
            draw, len(numbers), _count_of_share_at_least_one(share, len(numbers)), spread
        )
    ]


def _replace_digits(word: str, draw: Draw) -> str:
    """Return the word with every digit replaced by another one of its script."""

    def other(match: re.Match[str]) -> str:
        digit = int(match.group())
        return chr(ord(match.group()) - digit + (digit + 1 + draw_below(draw, 9)) % 10)

    return _DIGIT.sub(other, word)


def _plan_noise(
    words: _WordPlaces, _: _WordPlaces, share: float, spread: str, draw: Draw
) -> list[_Splice]:
    return [
        words.replacement(
            range(row, row + 1),
            _confuse_or_lose_one_character(words.text_of_run(range(row, row + 1)), draw),
        )
        for row in _draw_numbers_below(
            draw, len(words), words.count_of_share_at_least_one(share), spread
        )
    ]


def _confuse_or_lose_one_character(word: str, draw: Draw) -> str:
    """Return the word with one character misread; if no character can be misread, one is lost."""
    confusable = [
        (at, seen)
        for at in range(len(word))
        for seen in (word[at : at + 2], word[at])
        if seen in CONFUSIONS
    ]
    if confusable:
        at, shape = confusable[draw_below(draw, len(confusable))]
        return word[:at] + CONFUSIONS[shape] + word[at + len(shape) :]
    at = draw_below(draw, len(word))
    return word[:at] + word[at + 1 :]


def _plan_template_around_text_or_scattered(
    words: _WordPlaces, foreign: _WordPlaces, share: float, spread: str, draw: Draw
) -> list[_Splice]:
    count = words.count_of_share_at_least_one(share)
    if spread == "block":
        header, footer = foreign.text_of_words_cyclically(0, count - count // 2), ""
        if count > 1:
            footer = "\n" + foreign.text_of_words_cyclically(count - count // 2, count // 2)
        end = len(words.text)
        return [_Splice(0, 0, header + "\n"), _Splice(end, end, footer)]
    return [
        words.insertion_before(
            draw_below(draw, len(words) + 1),
            f"\n{foreign.text_of_words_cyclically(first, min(_PIECE, count - first))}\n",
        )
        for first in range(0, count, _PIECE)
    ]


_EDITS = {
    "insert-own": _plan_insertions,
    "insert-foreign": _plan_insertions,
    "delete": _plan_deletions,
    "replace": _plan_replacements,
    "move": _plan_moves,
    "numbers": _plan_number_changes,
    "noise": _plan_noise,
    "template": _plan_template_around_text_or_scattered,
}
