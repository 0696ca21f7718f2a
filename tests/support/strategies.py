"""Texts and fingerprints as Hypothesis draws them."""

from __future__ import annotations

import random
import unicodedata
from typing import Any

from hypothesis import strategies as st

import ilk
from ilk.base.kinds import Choice
from ilk.fingerprints.recipe_options import (
    KERNEL_HASHES,
    OPTIONS,
    OTHER_HASHES,
    WIDTHS,
    stop_list_name_with_digest,
)

#: Characters that have gone wrong somewhere before, beside ordinary ones.
_DELICATE = (
    "aAzé7 \t\n\0-_'.ßﬁ…ΣςǅİıЖж漢字ーｶﾞ゛ก็ำ한"
    "\u1100\u1161\u11a8\u0301\u0327\u3099\u200d\u00ad\xa0\u2028\u1680½²Ⅷ\ufb01😀"
)


def _assigned(c: str) -> bool:
    return unicodedata.category(c) not in ("Cn", "Cs")


characters = st.one_of(
    st.sampled_from(_DELICATE),
    st.characters(exclude_categories=["Cs"], min_codepoint=0x80).filter(_assigned),
    st.characters(max_codepoint=0x7F),
)

texts = st.text(characters, max_size=60)

words = st.sampled_from(["to", "be", "or", "not", "that", "is", "the", "question", "漢字", "é"])

#: Texts of few words, so that shingles repeat and texts resemble one another.
prose = st.lists(words, max_size=120).map(" ".join)


def fingerprints_of(bits: int) -> st.SearchStrategy[int]:
    """Fingerprints as unsigned numbers, often near one another."""
    return st.one_of(
        st.integers(0, 2**bits - 1),
        st.integers(0, 15),
        st.sampled_from([0, 2**bits - 1, 2 ** (bits - 1), *(1 << j for j in range(0, bits, 7))]),
    )


fingerprints = fingerprints_of(64)


@st.composite
def options(draw: st.DrawFn, narrow: bool = False) -> dict[str, Any]:
    """Options of a recipe that go together; narrow shingles and low minima suit short texts."""
    kind = draw(st.sampled_from(list(WIDTHS)))
    unit = draw(st.sampled_from(["words", "chars"]))
    digest = st.text("0123456789abcdef", min_size=16, max_size=16)
    any_hash = draw(st.sampled_from(list(KERNEL_HASHES)))
    if kind == "simhash":
        any_hash = draw(st.sampled_from([any_hash, *OTHER_HASHES]))
        if draw(st.integers(0, 15)) == 0:
            return _fields(ilk.Recipe.parse("roth2013"))
    most = OTHER_HASHES.get(any_hash, 128)

    def one_of(name: str, usual: str, possible: bool = True) -> str:
        kind = OPTIONS[name].kind
        assert isinstance(kind, Choice)
        return str(draw(st.sampled_from(kind.allowed))) if possible else usual

    return {
        "kind": kind,
        "bits": draw(st.sampled_from([bits for bits in WIDTHS[kind] if bits <= most])),
        "unit": unit,
        "width": draw(st.integers(1, 5 if narrow else 64)),
        "weight": one_of("weight", "binary", kind == "simhash"),
        "normalisation": one_of("normalisation", "fold"),
        "minimum": draw(st.integers(1, 4 if narrow else 1_000_000)),
        "hash": any_hash,
        "ties": one_of("ties", "fixed", kind == "simhash"),
        "accents": one_of("accents", "kept"),
        "digits": one_of("digits", "kept"),
        "punctuation": one_of("punctuation", "kept", unit == "chars"),
        "spaces": one_of("spaces", "kept", unit == "chars"),
        "stop": draw(st.sampled_from(["none", STOP_LIST])) if unit == "words" else "none",
        "table": draw(st.one_of(st.just("none"), digest)) if kind == "simhash" else "none",
        "key": draw(digest) if any_hash == "siphash" else "none",
    }


def _fields(recipe: ilk.Recipe) -> dict[str, Any]:
    return {name: getattr(recipe, name) for name in OPTIONS}


#: A list of English stop words as recipes name it.
STOP_LIST = stop_list_name_with_digest("en")

#: A key for SipHash.
SECRET = bytes(range(16))


@st.composite
def _recipe(draw: st.DrawFn) -> ilk.Recipe:
    chosen = draw(options(narrow=True)) | {"table": "none", "key": "none"}
    return ilk.Recipe(**chosen, secret=SECRET if chosen["hash"] == "siphash" else None)


#: Recipes of every kind, their shingles narrow enough for short texts, their keys at hand.
recipes = _recipe()


_VOCABULARY = [*"abcdefgh", "漢字", "naïve", "to", "be", "question", "STRASSE", "ﬁn", "x1"]
_ORIGINALS = [random.Random(seed).choices(_VOCABULARY, k=400) for seed in range(3)]

#: Lengths in words around 0, the 50 below which a text is short, and the 100 below which it is not
#: long.
_ANY_LENGTH = (0, 1, 2, 3, 7, 20, 47, 48, 49, 50, 51, 52, 60, 75, 90, 98, 99, 100, 101, 150, 400)


@st.composite
def relative(draw: st.DrawFn, lengths: tuple[int, ...] = _ANY_LENGTH) -> str:
    """A text of about this many words that may resemble another one."""
    original = draw(st.sampled_from(_ORIGINALS))
    length = draw(st.sampled_from(lengths))
    start = draw(st.sampled_from([0, 0, 0, 1, 2, 10]))
    # A text that repeats itself has the shingles of a shorter one.
    period = draw(st.sampled_from([400, 400, 400, 400, 40]))
    found = [original[(start + at % period) % 400] for at in range(min(length, 400 - start))]
    places = st.one_of(st.integers(0, 89), st.integers(0, 399))
    for place, word in draw(st.lists(st.tuples(places, words), max_size=4)):
        if place < len(found):
            found[place] = word
    text = draw(st.sampled_from([" ", " ", "\n", ", ", "\u3000"])).join(found)
    return draw(st.sampled_from([text, text, text.upper(), f" {text}\t"]))


def relatives(*lengths: int, most: int = 12) -> st.SearchStrategy[list[str | None]]:
    """Columns of texts that resemble, contain and copy one another; nulls and blanks among them.

    Args:
        lengths: in words (about: a word of Chinese may count more than once); any if none is given.
        most: texts in a column.
    """
    one = relative(lengths or _ANY_LENGTH)
    odd = st.sampled_from([None, "", " \n\u3000", "!", "...", "\0"])
    row = one if lengths else st.one_of(one, one, one, one, odd)
    return st.lists(row, max_size=most)
