"""The tokeniser on texts of long and short runs of what has gone wrong somewhere before."""

from __future__ import annotations

import random
import unicodedata

import pytest

import ilk
from ilk import _kernels
from tests.reference import hashing
from tests.reference import text as reference

#: Texts per test; all together take five minutes.
TEXTS = 500

#: What texts are put together from: runs of one character, or of any of some.
_KINDS = (
    "aZ",
    "az09_ ",
    " \t\n\r\x0b\x0c\x1c\x00",
    "\xa0\u2003\u2028\u3000\u1680",
    "éßﬁǅİıΣς",
    "\u0301\u0327\u0345\u3099\u093c\u1dc0",
    "漢字ーｶﾞ゛か",
    "ก็ำำກຳ",
    "\u1100\u1161\u11a8한",
    "½²Ⅷ…㎏",
    "—–·’\u200d\u00ad\ufeff",
    "😀𝒜\U00020000",
)

#: Lengths at which blocks, registers and pieces of the kernels end, and around them.
_LENGTHS = (1, 1, 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 127, 130, 1000)


def _character(draw: random.Random) -> str:
    """Any character that this Python knows."""
    while True:
        found = chr(draw.choice((draw.randrange(0x3000), draw.randrange(0x110000))))
        if unicodedata.category(found) not in ("Cn", "Cs"):
            return found


def _text(draw: random.Random) -> str:
    parts = []
    for _ in range(draw.choice((1, 2, 3, 5, 10, 40))):
        pool = draw.choice((*_KINDS, "".join(_character(draw) for _ in range(3))))
        parts.append("".join(draw.choices(pool, k=draw.choice(_LENGTHS))))
    # Some texts are longer than a piece, which has 16 KiB.
    return "".join(parts) * draw.choice((1,) * 30 + (40,))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10))
def test_words_and_fingerprints_equal_the_oracle(seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(TEXTS):
        text = _text(draw)[:60_000]
        normalised = reference.normalised(text)
        hashes, starts, ends = (c.to_pylist() for c in _kernels.hash_and_locate_words(text, "fold"))
        assert hashes == [hashing.token(word) for word in reference.words(normalised)]
        assert all(0 <= start < end <= len(text) for start, end in zip(starts, ends, strict=True))
        unit, width = draw.choice(("words", "chars")), draw.choice((1, 2, 3, 8, 20, 40))
        recipe = ilk.Recipe(unit=unit, width=width, minimum=1)
        ids = set(hashing.feature_ids(text, unit, width))
        expected = hashing.minhash(sorted(ids), 64) if ids else None
        assert ilk.fingerprint([text], recipe).to_pylist() == [expected], text
