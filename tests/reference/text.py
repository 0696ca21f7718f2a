"""Texts as features, from the definitions: slow, short, and independent of the kernels."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Collection, Set
from fractions import Fraction

# The scripts written without spaces, as the kernels' room `characters` defines them.
UNSPACED = [
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x2E80, 0x2FDF),
    (0x3005, 0x3007),
    (0x3021, 0x302F),
    (0x3031, 0x303C),
    (0x3040, 0x30FF),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xA9E0, 0xA9FF),
    (0xAA60, 0xAA7F),
    (0xF900, 0xFAFF),
    (0x116D0, 0x116FF),
    (0x1AFF0, 0x1B16F),
    (0x20000, 0x3FFFF),
]

# Unicode White_Space beyond ASCII (PropList.txt).
SPACES = set("\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000") | {
    chr(c) for c in range(0x2000, 0x200B)
}


#: What each normalisation does, in order.
NORMALISATIONS = {
    "fold": ("NFKC", "casefold"),
    "nfcfold": ("NFC", "casefold"),
    "casefold": ("casefold",),
    "nfkc": ("NFKC",),
    "nfc": ("NFC",),
    "none": (),
}


def normalised(text: str, normalisation: str = "fold") -> str:
    """A Unicode form, full case folding, white space beyond ASCII as U+0020."""
    for step in NORMALISATIONS[normalisation]:
        if step == "casefold":
            text = text.casefold()
        elif step == "NFC":
            text = unicodedata.normalize("NFC", text)
        else:
            text = unicodedata.normalize("NFKC", text)
    return "".join(" " if c in SPACES else c for c in text)


def masked(text: str, masks: Collection[str]) -> str:
    """What is left of a normalised text that is not told apart by everything."""
    if "accents" in masks:
        letters = unicodedata.normalize("NFD", text)
        text = "".join(c for c in letters if unicodedata.combining(c) < 200)
        text = unicodedata.normalize("NFC", text)
    if "punctuation" in masks:
        text = "".join(c for c in text if _is_space(c) or unicodedata.category(c)[0] in "LMN")
    if "spaces" in masks:
        text = "".join(c for c in text if not _is_space(c))
    if "digits" in masks:
        text = re.sub(r"\d+", "0", text)
    return text


def _is_space(c: str) -> bool:
    return c in "\t\n\x0b\x0c\r " or c in SPACES


def collapsed(text: str) -> str:
    """White space runs become one space; at the ends they go."""
    return " ".join(word for word in _split(text) if word)


def _split(text: str) -> list[str]:
    words = [""]
    for c in text:
        if c in "\t\n\x0b\x0c\r ":
            words.append("")
        else:
            words[-1] += c
    return words


def words(text: str) -> list[str]:
    """Runs of letters, marks and digits; in unspaced scripts every two adjacent characters."""
    found: list[str] = []
    run, kind = "", ""
    for c in [*text, " "]:
        major = unicodedata.category(c)[0]
        if major == "M":
            this = kind or "spaced"
        elif major in "LN":
            unspaced = any(low <= ord(c) <= high for low, high in UNSPACED)
            this = "unspaced" if unspaced else "spaced"
        else:
            this = ""
        if this != kind and run:
            found += (
                [run] if kind == "spaced" else [run[i : i + 2] for i in range(max(1, len(run) - 1))]
            )
            run = ""
        kind = this
        run += c if this else ""
    return found


def shingles(tokens: list[str], width: int) -> list[tuple[str, ...]]:
    """Every `width` adjacent tokens; all of them, if there are fewer."""
    if not tokens:
        return []
    width = min(width, len(tokens))
    return [tuple(tokens[i : i + width]) for i in range(len(tokens) - width + 1)]


def features(
    text: str,
    unit: str,
    width: int,
    *,
    normalisation: str = "fold",
    masks: Collection[str] = (),
    stop: Collection[str] = (),
) -> list[tuple[str, ...]]:
    """The shingles of a text, repetitions included."""
    text = masked(normalised(text, normalisation), masks)
    if unit == "chars":
        return shingles(list(collapsed(text)), width)
    return shingles([word for word in words(text) if word not in stop], width)


@functools.lru_cache(maxsize=4096)
def shingle_set(text: str, unit: str, width: int) -> frozenset[tuple[str, ...]]:
    """The distinct shingles of a text; remembered, since brute force asks for them again."""
    return frozenset(features(text, unit, width))


@functools.lru_cache(maxsize=4096)
def word_count(text: str) -> int:
    """How many words a text has."""
    return len(words(normalised(text)))


def by_characters(a: str, b: str) -> bool:
    """Whether two texts are measured by characters: one is short, and the other is not long."""
    fewer, more = sorted((word_count(a), word_count(b)))
    return fewer < 50 and more < 100


def resemblance(a: str, b: str, width: int = 3) -> tuple[int, int, int]:
    """Shared shingles and those of each side, by the rule for short texts (Broder 1997, 2)."""
    unit, k = ("chars", 3) if by_characters(a, b) else ("words", width)
    left, right = (shingle_set(text, unit, k) for text in (a, b))
    return len(left & right), len(left), len(right)


def inside(a: str, b: str, width: int = 3) -> tuple[Fraction, Fraction]:
    """How much of the left text stands in the right one, and the other way round, by words.

    A text of fewer than 8 words stands there as a whole or not at all.
    """
    forms = [collapsed(normalised(text)) for text in (a, b)]
    if forms[0] == forms[1] and resemblance(a, b, width)[1]:
        return Fraction(1), Fraction(1)
    left, right = (shingle_set(text, "words", width) for text in (a, b))
    return _part(left, right, word_count(a)), _part(right, left, word_count(b))


def _part(own: Set[tuple[str, ...]], other: Set[tuple[str, ...]], words: int) -> Fraction:
    if not own:
        return Fraction(0)
    part = Fraction(len(own & other), len(own))
    return part if words >= 8 else Fraction(int(part))
