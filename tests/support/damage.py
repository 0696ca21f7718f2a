"""Files damaged at random, and how often a fuzz test tries."""

from __future__ import annotations

import os
import random

#: Seconds of a fuzz test among the long ones; ILK_FUZZ_SECONDS takes its place.
SECONDS = float(os.environ.get("ILK_FUZZ_SECONDS", "60"))


def damaged(content: bytes, draw: random.Random) -> bytes:
    """Return a document with some bytes changed, cut out, doubled or moved."""
    made = bytearray(content)
    for _ in range(draw.choice((1, 1, 2, 5, 20))):
        at, length = draw.randrange(len(made)), draw.choice((1, 1, 4, 60, 2000))
        change = draw.randrange(5)
        if change == 0:
            made[at] = draw.randrange(256)
        elif change == 1:
            made[at : at + length] = draw.randbytes(min(length, 60))
        elif change == 2:
            made[at:at] = made[at : at + length]
        elif change == 3 and len(made) > length + 1:
            del made[at : at + length]
        else:
            made[at : at + 4] = draw.choice((b"\xff\xff\xff\xff", b"\0\0\0\0", b"\x7f\xff\xff\xff"))
        made = made or bytearray(b"x")
    return bytes(made)
