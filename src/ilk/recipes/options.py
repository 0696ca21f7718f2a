"""Every option of a recipe: its name, what it may be, its unit and its help.

An option is checked here by itself; what two of them mean together is for ``ilk.recipes.recipe``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ilk.errors import OptionError
from ilk.features import hashes, stopwords

#: The hashes that the kernels know: ilk's own, XXH3, and SipHash-2-4, which takes a key.
KERNEL_HASHES = ("ilk64", "xxh3", "siphash")


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


@dataclass(frozen=True, slots=True)
class Named:
    """What an option may be, if it is the name of something that a recipe does not hold itself."""

    help: str
    pattern: re.Pattern[str]
    shape: str

    def check(self, name: str, value: object) -> None:
        """Refuse what is no name."""
        if value != "none" and not (isinstance(value, str) and self.pattern.fullmatch(value)):
            raise OptionError(f"{name} is {value!r}; it must be none or {self.shape}.")

    def read(self, written: str) -> str:
        """The value that stands in a recipe's string."""
        return written


#: The widths that each kind of fingerprint may have, in bits. 32 bits of 1-bit MinHash would leave
#: a resemblance of 0.8 uncertain by 0.2 (95 %), too little to nominate by.
WIDTHS = {"simhash": (32, 64, 128), "minhash": (64, 128)}

_DIGEST = re.compile("[0-9a-f]{16}", re.ASCII)

#: Every option of a recipe.
OPTIONS: dict[str, Choice | Bounds | Named] = {
    "kind": Choice("how features become a fingerprint", tuple(WIDTHS)),
    "bits": Choice("width of the fingerprint in bits; 64 or 128 for minhash", (32, 64, 128)),
    "unit": Choice("what a shingle is made of", ("words", "chars")),
    "width": Bounds("words or characters per shingle", 1, 64),
    "weight": Choice(
        "what a feature counts that occurs tf times: 1, tf, or 1 + ln(tf); 1 for minhash",
        ("binary", "tf", "log"),
    ),
    "normalisation": Choice(
        "fold: NFKC and case folding; nfcfold: NFC and case folding; casefold: case folding; nfkc; "
        "nfc; none: as it is",
        ("fold", "nfcfold", "casefold", "nfkc", "nfc", "none"),
    ),
    "minimum": Bounds("fewest distinct features that make a fingerprint", 1, 1_000_000),
    "hash": Choice("how features are hashed", (*KERNEL_HASHES, *hashes.HASHES)),
    "ties": Choice(
        "what a bit becomes on which the features tie: a fixed bit of its position, 0, or 1",
        ("fixed", "zero", "one"),
    ),
    "accents": Choice("accents of letters", ("kept", "stripped")),
    "digits": Choice("digits; masked: every run of them becomes one 0", ("kept", "masked")),
    "punctuation": Choice("punctuation and symbols between characters", ("kept", "dropped")),
    "spaces": Choice("white space between characters", ("kept", "dropped")),
    "stop": Named(
        "words that are left out: a language, whose list is named with its digest",
        stopwords.NAMED,
        "a language such as 'en', or one with the digest of its list such as 'en-883fc88a'",
    ),
    "table": Named(
        "weights by which those of features are multiplied, by the digest of their table",
        _DIGEST,
        "the digest of a table of weights, of 16 hexadecimal digits",
    ),
    "key": Named(
        "the key of siphash, by its digest",
        _DIGEST,
        "the digest of a key, of 16 hexadecimal digits",
    ),
}
