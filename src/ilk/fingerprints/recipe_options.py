"""Every option of a recipe: what it may be, its default and its help.

Each option is checked here by itself; ``ilk.fingerprints.recipe`` checks combinations.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ilk.base.kinds import Choice, Kind, Whole
from ilk.base.options import Option
from ilk.fingerprints import hashes, rabin, stopwords

#: The hashes that the kernels know: ilk's own, XXH3, and SipHash-2-4, which takes a key.
KERNEL_HASHES = ("ilk64", "xxh3", "siphash")

#: Every hash.
HASH_NAMES = (*KERNEL_HASHES, *hashes.HASHES, rabin.NAME)


@dataclass(frozen=True, slots=True)
class Named(Kind):
    """The name of something that a recipe does not contain itself, or ``none``."""

    pattern: re.Pattern[str]
    shape: str

    @property
    def described(self) -> str:
        """Return the shape of such names."""
        return f"none or {self.shape}"

    def _meant(self, value: object) -> object:
        named = isinstance(value, str) and (value == "none" or self.pattern.fullmatch(value))
        return value if named else None


#: The widths that each kind of fingerprint may have, in bits. With 32 bits of 1-bit MinHash, a
#: resemblance of 0.8 would be uncertain by 0.2 (95 %), which is too much to nominate by.
WIDTHS = {"simhash": (32, 64, 128), "minhash": (64, 128)}

_DIGEST = re.compile("[0-9a-f]{16}", re.ASCII)

#: Every option of a recipe, with its default.
OPTIONS: dict[str, Option] = {
    "kind": Option(Choice(tuple(WIDTHS)), "how features become a fingerprint", "minhash"),
    "bits": Option(
        Choice((32, 64, 128)), "width of the fingerprint in bits; 64 or 128 for minhash", 64
    ),
    "unit": Option(Choice(("words", "chars")), "what a shingle is made of", "words"),
    "width": Option(Whole(1, 64), "words or characters per shingle", 3),
    "weight": Option(
        Choice(("binary", "tf", "log")),
        "the weight of a feature that occurs tf times; binary: 1 (always for minhash); tf: tf; "
        "log: 1 + ln(tf)",
        "binary",
    ),
    "normalisation": Option(
        Choice(("fold", "nfcfold", "casefold", "nfkc", "nfc", "none")),
        "how case and Unicode forms are normalised; fold: NFKC and case folding; nfcfold: NFC and "
        "case "
        "folding; casefold: case folding alone; nfkc and nfc: the form alone; none: not at all",
        "fold",
    ),
    "minimum": Option(
        Whole(1, 1_000_000), "the least number of distinct features for a fingerprint", 3
    ),
    "hash": Option(
        Choice(HASH_NAMES),
        "how features are hashed",
        KERNEL_HASHES[0],
    ),
    "ties": Option(
        Choice(("fixed", "zero", "one")),
        "the value of a bit where the features tie; fixed: a fixed bit per position; zero: 0; one: "
        "1",
        "fixed",
    ),
    "accents": Option(Choice(("kept", "stripped")), "accents of letters", "kept"),
    "digits": Option(
        Choice(("kept", "masked")), "digits; masked: every run of them becomes one 0", "kept"
    ),
    "punctuation": Option(
        Choice(("kept", "dropped")), "punctuation and symbols between characters", "kept"
    ),
    "spaces": Option(Choice(("kept", "dropped")), "white space between characters", "kept"),
    "stop": Option(
        Named(
            stopwords.NAMED,
            "a language such as 'en', or one with the digest of its list such as 'en-883fc88a'",
        ),
        "words to leave out; a language, whose list is named with its digest",
        "none",
    ),
    "table": Option(
        Named(_DIGEST, "the digest of a table of weights, of 16 hexadecimal digits"),
        "a table of weights to multiply by, named by its digest",
        "none",
    ),
    "key": Option(
        Named(_DIGEST, "the digest of a key, of 16 hexadecimal digits"),
        "the key of siphash, named by its digest",
        "none",
    ),
}
