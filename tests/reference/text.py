"""Texts as features, from the definitions: slow, short, and independent of the kernels."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Collection
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
    if "punctuation_as_space" in masks:
        text = _put_spaces(text)
    if "punctuation" in masks:
        text = "".join(c for c in text if _is_space(c) or unicodedata.category(c)[0] in "LMN")
    if "spaces" in masks:
        text = "".join(c for c in text if not _is_space(c))
    if "digits" in masks:
        text = re.sub(r"\d+", "0", text)
    return text


def _put_spaces(text: str) -> str:
    """Punctuation and symbols as spaces, apostrophes within a word as nothing."""
    found = ""
    for place, c in enumerate(text):
        around = text[max(0, place - 1) : place] + text[place + 1 : place + 2]
        within = len(around) == 2 and all(unicodedata.category(n)[0] in "LMN" for n in around)
        if c in "'\u2019" and within and place:
            continue
        is_kept = _is_space(c) or unicodedata.category(c)[0] in "LMN"
        found += c if is_kept else " "
    return found


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


def of_words(a: str, b: str, width: int = 3) -> tuple[int, int, int]:
    """Shared shingles of words, and those of each side."""
    left, right = (shingle_set(text, "words", width) for text in (a, b))
    return len(left & right), len(left), len(right)


def stands(a: str, b: str, least: Fraction, width: int = 3) -> bool:
    """Whether the left text is contained in the right one, by words.

    A text of fewer than 8 words is contained as a whole or not at all.
    """
    shared, own, _ = of_words(a, b, width)
    return own > 0 and shared >= least * own and (word_count(a) >= 8 or shared == own)


def measures(counts: tuple[int, int, int]) -> tuple[float, float, float]:
    """Resemblance, and containment of the left and of the right, from the counts of shingles."""
    shared, left, right = counts
    union = max(1, left + right - shared)
    return shared / union, shared / max(1, left), shared / max(1, right)


#: Signs before a number; what stands between the numbers of one figure.
_SIGNS, _JOINS = "-+\u2212\u2013\u2010", " '.,:/-+()\u2019\u2044\u2010\u2012\u2013\u2014\u2212"

#: Codes of currencies.
_CODES = {
    "aed",
    "ars",
    "aud",
    "bgn",
    "brl",
    "cad",
    "chf",
    "clp",
    "cny",
    "czk",
    "dkk",
    "egp",
    "eur",
    "gbp",
    "hkd",
    "huf",
    "idr",
    "ils",
    "inr",
    "isk",
    "jpy",
    "krw",
    "kzt",
    "mxn",
    "myr",
    "ngn",
    "nok",
    "nzd",
    "pkr",
    "pln",
    "qar",
    "rub",
    "sar",
    "sek",
    "sgd",
    "thb",
    "twd",
    "uah",
    "usd",
    "zar",
}


def without_numbers(text: str) -> str:
    """A normalised text with every figure written as 0."""
    rest, done = re.sub(r"\d+(?:[.,]\d+)*", "0", text), ""
    while "0" in rest:
        before, rest = rest.split("0", 1)
        done = _without_end(done + before)
        rest = _after_figure(rest)
        while done.endswith("(") and rest.startswith(")") and not _ends_in_word(done[:-1]):
            done, rest = _without_end(done[:-1]), _after_currencies(rest[1:])
        done += "0"
    return done + rest


def _without_end(text: str) -> str:
    """The text without the signs and currencies at its end."""
    for end in (text, text.removesuffix(" ")):
        if end and unicodedata.category(end[-1]) == "Sc":
            return _without_end(end[:-1])
        if end and end[-1] in _SIGNS and not _ends_in_word(end[:-1]):
            return _without_end(end[:-1])
        if end[-3:] in _CODES and not _ends_in_word(end[:-3]):
            return _without_end(end[:-3])
    return text


def _after_figure(rest: str) -> str:
    """What follows a number, and all numbers that are joined to it."""
    at, last = 0, 0
    before = "0"
    while at < len(rest):
        if rest[at] == "0":
            last = at + 1
        elif not (rest[at] in _JOINS or unicodedata.category(rest[at]) == "Sc"):
            if not _begins_with_code(before, rest[at:]):
                break
            at += 2
        at += 1
        before = rest[at - 1]
    return _after_currencies(rest[last:])


def _after_currencies(rest: str) -> str:
    """The text without the currencies and one minus that it begins with."""
    for begin in (rest, rest.removeprefix(" ")):
        if begin and unicodedata.category(begin[0]) == "Sc":
            return _after_currencies(begin[1:])
        if _begins_with_code("0" if begin == rest else " ", begin):
            return _after_currencies(begin[3:])
    if rest[:1] in ("-", "\u2212") and rest[:1] and rest[1:2] in ("", " ", ")"):
        return rest[1:]
    return rest


def _begins_with_code(before: str, text: str) -> bool:
    after = text[3:4]
    ends = after in ("", "0") or not _ends_in_word(after)
    return text[:3] in _CODES and ends and not (_ends_in_word(before) and before != "0")


def _ends_in_word(text: str) -> bool:
    return text != "" and text[-1] != "0" and unicodedata.category(text[-1])[0] in "LMN"


def is_numeral(c: str) -> bool:
    """Whether NFKC takes from a character what it says of a number."""
    normal = unicodedata.normalize("NFKC", c)
    category = unicodedata.category(c)
    digits = any(unicodedata.category(each) == "Nd" for each in normal)
    return normal != c and category != "Nd" and (category in ("Nl", "No") or digits)


def digested(text: str) -> bytes:
    """What the digest is made of: the folded text, with numerals as they are."""
    form, plain = b"", ""
    for c in text:
        if is_numeral(c):
            form += normalised(plain).encode() + b"\xff" + c.encode()
            plain = ""
        else:
            plain += c
    form += normalised(plain).encode()
    return re.sub(rb"^ | $", b"", re.sub(rb"[\t\n\x0b\x0c\r ]+", b" ", form))


def has_word(text: str) -> bool:
    """Whether a text whose numbers are 0 has a word without a number in it."""
    return any("0" not in run for run in _runs(text))


def _runs(text: str) -> list[str]:
    """Runs of letters, marks and digits."""
    return "".join(c if unicodedata.category(c)[0] in "LMN" else " " for c in text).split()
