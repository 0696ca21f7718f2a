"""A recipe: the complete, named, versioned way from a text to its fingerprint.

Every option stands here once, with its unit, bounds, default and help. Whatever is stored or
written carries the recipe's string and digest; fingerprints of two recipes are never compared.

The string names every option in a fixed order::

    minhash64/words=3/weight=binary/fold/min=3/ilk64/v1

Read: 64 bits of MinHash over the set of 3-word shingles of NFKC and case-folded text, for texts of
at least 3 distinct shingles, hashed by ilk's own hash, all as version 1 defines them. Two kinds of
fingerprint are known: packed 1-bit MinHash (Broder 1997; Li and Koenig 2010), whose bits tell the
resemblance of sets, and SimHash (Charikar 2002), whose bits tell the cosine of weighted features::

    simhash64/words=1/weight=log/fold/min=3/ilk64/v1
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, fields
from typing import Any

from ilk.errors import OptionError, RecipeError

#: The version of the definitions (hash, Unicode tables, word rules) that this ilk implements.
VERSION = "v1"

#: The only feature hash so far; its definition is in the kernels' ``hash`` room.
HASH = "ilk64"


@dataclass(frozen=True, slots=True)
class Choice:
    """What an option may be, if it is one of a few words or numbers."""

    help: str
    allowed: tuple[str, ...] | tuple[int, ...]

    def check(self, name: str, value: object) -> None:
        """Refuse what is not allowed."""
        if type(value) is not type(self.allowed[0]) or value not in self.allowed:
            allowed = ", ".join(map(str, self.allowed))
            raise OptionError(f"{name} is {value!r}; it must be one of {allowed}.")

    def read(self, written: str) -> str | int:
        """The value that stands in a recipe's string."""
        return type(self.allowed[0])(written)


@dataclass(frozen=True, slots=True)
class Bounds:
    """What an option may be, if it is a whole number."""

    help: str
    low: int
    high: int

    def check(self, name: str, value: object) -> None:
        """Refuse what is out of bounds."""
        if type(value) is not int or not self.low <= value <= self.high:
            raise OptionError(
                f"{name} is {value!r}; it must be a whole number from {self.low} to {self.high}."
            )

    def read(self, written: str) -> int:
        """The value that stands in a recipe's string."""
        return int(written)


#: The widths that each kind of fingerprint may have, in bits. 32 bits of 1-bit MinHash would leave
#: a resemblance of 0.8 uncertain by 0.2 (95 %), too little to nominate by.
WIDTHS = {"simhash": (32, 64, 128), "minhash": (64, 128)}

#: Every option of a recipe.
OPTIONS: dict[str, Choice | Bounds] = {
    "kind": Choice("how features become a fingerprint", tuple(WIDTHS)),
    "bits": Choice("width of the fingerprint in bits; 64 or 128 for minhash", (32, 64, 128)),
    "unit": Choice("what a shingle is made of", ("words", "chars")),
    "width": Bounds("words or characters per shingle", 1, 64),
    "weight": Choice(
        "what a feature counts that occurs tf times: 1, tf, or 1 + ln(tf); 1 for minhash",
        ("binary", "tf", "log"),
    ),
    "normalisation": Choice("fold: NFKC and case folding; none: as it is", ("fold", "none")),
    "minimum": Bounds("fewest distinct features that make a fingerprint", 1, 1_000_000),
}

_STRING = re.compile(
    r"(?P<kind>[a-z]+?)(?P<bits>\d{1,9})"
    r"/(?P<unit>[a-z]+)=(?P<width>\d{1,9})"
    r"/weight=(?P<weight>[a-z]+)"
    r"/(?P<normalisation>[a-z]+)"
    r"/min=(?P<minimum>\d{1,9})"
    r"/(?P<hash>[a-z0-9]+)"
    r"/(?P<version>v\d{1,9})",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Recipe:
    """The complete way from a text to its fingerprint.

    Every field is an option of ``OPTIONS``, checked there.

    >>> str(Recipe(unit="chars", width=4))
    'minhash64/chars=4/weight=binary/fold/min=3/ilk64/v1'
    >>> Recipe.parse(str(Recipe())) == Recipe()
    True

    Raises:
        OptionError: an option is unknown or out of bounds.
    """

    kind: str = "minhash"
    bits: int = 64
    unit: str = "words"
    width: int = 3
    weight: str = "binary"
    normalisation: str = "fold"
    minimum: int = 3

    def __post_init__(self) -> None:
        """Check every option, and those that depend on the kind."""
        for field in fields(self):
            OPTIONS[field.name].check(field.name, getattr(self, field.name))
        if self.bits not in WIDTHS[self.kind]:
            allowed = " or ".join(map(str, WIDTHS[self.kind]))
            raise OptionError(f"bits is {self.bits}; it must be {allowed} for kind {self.kind!r}.")
        if self.kind == "minhash" and self.weight != "binary":
            raise OptionError(
                f"weight is {self.weight!r}; it must be 'binary' for kind 'minhash', which "
                "compares sets: a feature is in a set or not, however often the text has it."
            )

    @classmethod
    def parse(cls, string: str) -> Recipe:
        """The recipe that a string names.

        Raises:
            RecipeError: the string is not a recipe's, or of another version.
        """
        match = _STRING.fullmatch(string) if isinstance(string, str) else None
        if match is None:
            raise RecipeError(f"{string!r} is not a recipe; one reads like {str(cls())!r}.")
        options = match.groupdict()
        version, hash_name = options["version"], options["hash"]
        if version != VERSION or hash_name != HASH:
            raise RecipeError(
                f"{string!r} is of {hash_name}/{version}; this ilk computes {HASH}/{VERSION}. "
                "Fingerprint the texts again, or use the ilk that made it."
            )
        found: dict[str, Any] = {name: OPTIONS[name].read(options[name]) for name in OPTIONS}
        return cls(**found)

    def __str__(self) -> str:
        """Every option, in a fixed order."""
        return (
            f"{self.kind}{self.bits}/{self.unit}={self.width}/weight={self.weight}"
            f"/{self.normalisation}/min={self.minimum}/{HASH}/{VERSION}"
        )

    @property
    def digest(self) -> str:
        """16 hexadecimal digits that stand for the string where it is too long."""
        return hashlib.sha256(str(self).encode()).hexdigest()[:16]


#: SimHash of words: the Similarity Index of Roth 2013, for who asks by its ``similarity``. Texts of
#: one vocabulary are close, in whatever order their words stand.
SIMILARITY_INDEX = Recipe(kind="simhash", width=1, weight="log")
