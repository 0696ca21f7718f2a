"""The recipes that are compared: what ``ilk.Recipe`` offers, and what it might.

Stop words are taken out of the texts before a recipe sees them. Weights by document frequency are
computed here, on the same words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

import pyarrow as pa

import ilk
from benchmarks.accuracy.recipes import stop
from benchmarks.accuracy.recipes.frequency import Table, simhash
from benchmarks.accuracy.recipes.prints import Prints

#: Units, widths, and the weights with which they are summed.
_Features = Sequence[tuple[str, int, Sequence[str]]]

_SIMHASH: _Features = (
    ("words", 1, ("binary", "tf", "log")),
    ("words", 2, ("binary", "log")),
    ("words", 3, ("binary", "log")),
    ("words", 5, ("binary",)),
    ("chars", 3, ("binary", "tf", "log")),
    ("chars", 5, ("binary", "log")),
    ("chars", 8, ("binary",)),
)
_SIMHASH_STOPPED: _Features = (
    ("words", 1, ("log",)),
    ("words", 2, ("log",)),
    ("words", 3, ("binary",)),
)
_MINHASH: _Features = (
    *(("words", width, ("binary",)) for width in (1, 2, 3, 5)),
    *(("chars", width, ("binary",)) for width in (3, 5, 8)),
)
_MINHASH_STOPPED: _Features = [("words", width, ("binary",)) for width in (1, 2, 3)]


class Way(Protocol):
    """A way from texts to fingerprints of 64 or 128 bits."""

    @property
    def kind(self) -> str:
        """``simhash`` or ``minhash``."""

    @property
    def features(self) -> str:
        """What is hashed and how it is weighed, as a table names it."""

    def prints(self, texts: pa.Array) -> Prints:
        """The fingerprints of n texts."""


@dataclass(frozen=True, slots=True)
class ByRecipe:
    """What a recipe makes of texts, all their words or all but the stop words."""

    recipe: ilk.Recipe
    stopped: bool

    @property
    def kind(self) -> str:
        """That of the recipe."""
        return self.recipe.kind

    @property
    def features(self) -> str:
        """Unit, width and weight, and whether stop words are left out."""
        weight = f" {self.recipe.weight}" if self.kind == "simhash" else ""
        return f"{self.recipe.unit}={self.recipe.width}{weight}{' stopped' * self.stopped}"

    def prints(self, texts: pa.Array) -> Prints:
        """The fingerprints that the product makes."""
        texts = stop.without(texts) if self.stopped else texts
        return Prints.of(ilk.fingerprint(texts, self.recipe))


@dataclass(frozen=True, slots=True)
class ByFrequency:
    """SimHash of words that count the more, the fewer texts have them."""

    weight: str
    table: Table

    kind: ClassVar[str] = "simhash"

    @property
    def features(self) -> str:
        """Words and their weight."""
        return f"words=1 {self.weight} idf"

    def prints(self, texts: pa.Array) -> Prints:
        """The fingerprints that a recipe with such a table would make."""
        return simhash(texts, self.table, logarithmic=self.weight == "log")


def ways(texts: pa.Array) -> list[Way]:
    """All that are compared, in the order of the tables.

    Args:
        texts: to learn from how common words are.
    """
    table = Table.learned(texts)
    return [
        *offered(),
        *_by_recipe("simhash", _SIMHASH_STOPPED, stopped=True),
        *_by_recipe("minhash", _MINHASH_STOPPED, stopped=True),
        *(ByFrequency(weight, table) for weight in ("binary", "log")),
    ]


def offered() -> list[ByRecipe]:
    """Those that the product has."""
    return [
        *_by_recipe("simhash", _SIMHASH, stopped=False),
        *_by_recipe("minhash", _MINHASH, stopped=False),
    ]


def named(way: Way, bits: int) -> str:
    """How tables name a way of a width."""
    return f"{way.kind}{bits} {way.features}"


def _by_recipe(kind: str, features: _Features, *, stopped: bool) -> list[ByRecipe]:
    return [
        ByRecipe(ilk.Recipe(kind=kind, bits=128, unit=u, width=w, weight=weight), stopped)
        for u, w, weights in features
        for weight in weights
    ]
