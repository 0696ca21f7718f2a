"""Texts that know where each of their words was written first.

A text is a row of units: words, and what stands between words. In scripts without spaces a unit is
a character. A unit that is handed on to another text keeps its origin, and a new one gets a new
origin, even where it happens to be spelled alike.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, pairwise

from tests.reference.text import UNSPACED

#: Where the origins of new units come from.
Origins = Iterator[int]


@dataclass(frozen=True, slots=True)
class Unit:
    """A word, or what stands between two words, and the number of its origin."""

    text: str
    origin: int

    @property
    def is_word(self) -> bool:
        """Return whether it is a word, or a character of a word in a script without spaces."""
        return _is_word(self.text[0])

    @property
    def is_unspaced(self) -> bool:
        """Return whether it is a character of a script without spaces."""
        return any(low <= ord(self.text[0]) <= high for low, high in UNSPACED)


#: A text in units.
Traced = tuple[Unit, ...]


def traced(text: str, origins: Origins) -> Traced:
    """Cut a new text into units, each with an origin of its own."""
    pieces: list[str] = []
    for _, run in groupby(text, key=_is_word):
        letters = "".join(run)
        pieces += (
            letters if Unit(letters, 0).is_word and Unit(letters, 0).is_unspaced else [letters]
        )
    return tuple(Unit(piece, next(origins)) for piece in pieces)


def spelled(units: Traced) -> str:
    """The text as it reads."""
    return "".join(unit.text for unit in units)


def words(units: Traced) -> list[tuple[int, ...]]:
    """The origins of all words in order: in scripts without spaces, of every two characters."""
    found: list[tuple[int, ...]] = []
    for unspaced, run in groupby(units, key=lambda unit: unit.is_word and unit.is_unspaced):
        if unspaced:
            origins = [unit.origin for unit in run]
            found += list(pairwise(origins)) if len(origins) > 1 else [tuple(origins)]
        else:
            found += [(unit.origin,) for unit in run if unit.is_word]
    return found


def characters(units: Traced) -> list[tuple[int, int]]:
    """The origins of all characters, white space counted as ilk counts it: a run of it is one."""
    found: list[tuple[int, int]] = []
    for unit in units:
        text = unicodedata.normalize("NFKC", unit.text).casefold()
        if not unit.is_word:
            text = "".join(
                " " if space else "".join(run) for space, run in groupby(text, str.isspace)
            )
        found += [(unit.origin, place) for place in range(len(text))]
    return found


def _is_word(character: str) -> bool:
    return unicodedata.category(character)[0] in "LMN"
