"""Options of a recipe, named recipes, and lists of stop words.

Each option is checked here by itself; ``ilk.fingerprints.recipe`` checks combinations. The lists of
stop words are those of the package ``stopwordsiso``, by language (``en``, ``de``, ...). A recipe
names a list with a digest of its entries, so another version of the list is another recipe.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from ilk.base.errors import MissingExtra, OptionError, RecipeMismatch
from ilk.base.kinds import Choice, Kind, UncheckedValue, Whole
from ilk.base.options import Option

#: The hashes that the kernels know: ilk's own, XXH3, and SipHash-2-4, which takes a key.
KERNEL_HASHES = ("ilk64", "xxh3", "siphash")

#: Options that make different texts equal; the kernels get those that are not ``kept``.
MASKS = ("accents", "digits", "punctuation", "spaces")

#: The hashes of other tools, with their widths in bits. MD5 (RFC 1321) is one number; of SHA-1 (RFC
#: 3174) the last 128 bits count; all others are as their authors have them, with seeds of 0.
OTHER_HASHES = {
    "md5": 128,
    "sha1": 128,
    "fnv1a32": 32,
    "fnv1a64": 64,
    "murmur32": 32,
    "murmur128": 128,
    "oaat": 32,
    "oaat64": 64,
    "lookup2": 64,
    "lookup3": 64,
    "java": 32,
}

#: Rabin's fingerprint of runs of UTF-16 units, and the only recipe that has it.
RABIN_HASH = "rabin64"
RABIN = f"simhash64/chars=4/weight=binary/ties=zero/none/min=1/{RABIN_HASH}/v1"

#: Every hash.
HASH_NAMES = (*KERNEL_HASHES, *OTHER_HASHES, RABIN_HASH)

#: A list as a recipe names it: language and digest.
STOP_LIST = re.compile(r"([a-z]{2})-([0-9a-f]{8})", re.ASCII)


@dataclass(frozen=True, slots=True)
class NameByPatternOrNone(Kind):
    """The name of something that a recipe does not contain itself, or ``none``."""

    pattern: re.Pattern[str]
    shape: str

    @property
    def allowed_values(self) -> str:
        """Return the shape of such names."""
        return f"none or {self.shape}"

    def _value_if_allowed_or_none(self, value: UncheckedValue) -> str | None:
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
        "case folding; casefold: case folding alone; nfkc, nfc: the form alone; none: not at all",
        "fold",
    ),
    "minimum": Option(
        Whole(1, 1_000_000), "the least number of distinct features for a fingerprint", 3
    ),
    "hash": Option(Choice(HASH_NAMES), "how features are hashed", KERNEL_HASHES[0]),
    "ties": Option(
        Choice(("fixed", "zero", "one")),
        "a bit where the features tie; fixed: a fixed bit per position; zero: 0; one: 1",
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
        NameByPatternOrNone(
            STOP_LIST,
            "a language such as 'en', or one with the digest of its list such as 'en-883fc88a'",
        ),
        "words to leave out; a language, whose list is named with its digest",
        "none",
    ),
    "table": Option(
        NameByPatternOrNone(_DIGEST, "the digest of a table of weights, of 16 hexadecimal digits"),
        "a table of weights to multiply by, named by its digest",
        "none",
    ),
    "key": Option(
        NameByPatternOrNone(_DIGEST, "the digest of a key, of 16 hexadecimal digits"),
        "the key of siphash, named by its digest",
        "none",
    ),
}

_COMMON = "weight=tf/ties=one/fold/stop=en-883fc88a/min=1/md5/v1"


@dataclass(frozen=True, slots=True)
class Preset:
    """A recipe with a name.

    Attributes:
        recipe: its string.
        source: where it comes from, and what was chosen where that source is silent.
        weighs: if it needs a table of weights, the name of the same recipe without one.
    """

    recipe: str
    source: str
    weighs: str | None = None


#: Every preset by its name.
PRESETS = {
    "default": Preset(
        "minhash64/words=3/weight=binary/fold/min=3/ilk64/v1", "docs/explanation/choosing.md"
    ),
    "precise": Preset(
        "minhash128/words=3/weight=binary/fold/min=3/ilk64/v1",
        "docs/explanation/choosing.md: for millions",
    ),
    "similarity-index": Preset(
        "simhash64/words=1/weight=log/fold/min=3/ilk64/v1", "Roth 2013, over words; radius 6"
    ),
    "manku2007": Preset(
        "simhash64/words=1/weight=log/fold/stop=en-883fc88a/min=1/ilk64/v1",
        "Manku, Jain and Das Sarma 2007, sections 2 and 4: words, case-folded, without stop words, "
        "weighted; they do not name the hash, and their weights are of their own corpus; "
        "radius 3",
    ),
    "roth2013": Preset(
        RABIN,
        "Roth 2013, section 2.4, which names the classes of Common Crawl, as its author's own tool "
        "calls them: the set of runs of 4 UTF-16 units as they stand, Rabin's fingerprint, ties "
        "zero; radius 6",
    ),
    "words-tf": Preset(
        f"simhash64/words=1/{_COMMON}",
        "the usual SimHash of small libraries: words, stop words dropped, MD5, ties one",
    ),
    "words-tfidf": Preset(
        f"simhash64/words=1/{_COMMON}",
        "the same, weighted by tf-idf: needs a table",
        weighs="words-tf",
    ),
    "holub": Preset(
        "simhash64/words=1/weight=tf/ties=zero/fold/min=1/lookup3/v1",
        "Holub's page on Charikar's hash: tokens, whole weights, signs; it does not tell which of "
        "Jenkins' hashes it means: lookup3 is the last",
    ),
    "holub-super": Preset(
        "simhash64/words=3/weight=tf/ties=zero/fold/min=1/lookup3/v1",
        "the same of super-tokens, which are tuples of words; how many is not said",
    ),
}


def stop_words_of_language(language: str) -> list[str]:
    """Return the list of a language, sorted.

    Raises:
        OptionError: there is no list of that language.
        MissingExtra: the lists are not installed.
    """
    try:
        import stopwordsiso
    except ImportError as error:
        raise MissingExtra("stopwordsiso", "stopwords") from error
    if language not in stopwordsiso.langs():
        known = ", ".join(sorted(stopwordsiso.langs()))
        raise OptionError(f"stop is {language!r}; it must be one of none, {known}.")
    return sorted(stopwordsiso.stopwords(language))


def stop_list_name_with_digest(language: str) -> str:
    """Return the name that a recipe gives to the installed list of a language: ``en-883fc88a``.

    The errors are those of ``stop_words_of_language``.
    """
    joined = "\n".join(stop_words_of_language(language))
    return f"{language}-{hashlib.sha256(joined.encode()).hexdigest()[:8]}"


def stop_words_of_list(list_name: str) -> list[str]:
    """Return the words of a list that a recipe names.

    Raises:
        RecipeMismatch: another version of the list is installed.
        MissingExtra: the lists are not installed.
    """
    language = list_name.split("-")[0]
    installed = stop_list_name_with_digest(language)
    if installed != list_name:
        raise RecipeMismatch(
            f"the recipe names the stop list {list_name}, but the installed one is {installed}. "
            "Install the version of stopwordsiso that made the fingerprints (0.7.1 for the "
            "presets), or fingerprint the texts again."
        )
    return stop_words_of_language(language)
