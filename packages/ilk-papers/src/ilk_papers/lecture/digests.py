"""The digests that the lecture names: how many bits they have, and what makes them digests.

A whole digest cannot be attacked here; one that is cut to a few bits can, and shows what each
further bit costs.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from itertools import count

from ilk_papers.frame import Exhibit, Value, make_exhibit
from ilk_papers.lecture import published

#: Bits to which digests are cut, so that a text or a collision is found in a moment.
CUTS = (8, 10, 12, 14)

#: Texts whose searches are averaged: a single search takes anything from one try on.
_TRIALS = 20


def digest_bits_if_available(name: str) -> int | None:
    """Return the bits of a digest; None if this machine's library does not have it."""
    try:
        return 8 * hashlib.new(name, usedforsecurity=False).digest_size
    except ValueError:
        return None


def first_bits_of_digest(text: str, bits: int, algorithm: str = "sha256") -> int:
    """Return the first bits of a text's digest."""
    digest = hashlib.new(algorithm, text.encode(), usedforsecurity=False).digest()
    return int.from_bytes(digest, "big") >> (8 * len(digest) - bits)


def count_tries_to_invert(target: int, bits: int, trial: int) -> int:
    """Return how many texts are tried until one has a given digest of a few bits."""
    return next(
        at for at in count(1) if first_bits_of_digest(f"guess {trial} {at}", bits) == target
    )


def count_tries_to_collide(bits: int, trial: int) -> int:
    """Return how many texts are tried until two of them have one digest of a few bits."""
    seen: set[int] = set()
    while (value := first_bits_of_digest(f"text {trial} {len(seen)}", bits)) not in seen:
        seen.add(value)
    return len(seen) + 1


def digest_sizes_table() -> Exhibit:
    """Show the digests of slide 14 with their bits, beside those of this machine's library."""
    rows: list[tuple[Value, ...]] = []
    for name, bits in published.DIGEST_BITS.items():
        found = digest_bits_if_available(name)
        rows.append((name, bits, found, "" if found else "not in the library of this machine"))
    columns = ("digest", "published", "computed", "note")
    return make_exhibit("digest-sizes", "Digests, and how many bits they have", columns, rows)


def digest_properties_table() -> Exhibit:
    """Show what makes a digest: it is quick, and neither inverted nor met by another text."""
    columns = ("bits", "tries to invert", "2^b", "tries to collide", "expected")
    note = (
        "A sound digest is quick to compute; nobody finds a text for a given digest; nobody "
        "changes a text and keeps its digest (see the table of over and ouer); and nobody finds "
        "two texts with one digest. The second and the fourth take enough bits: here SHA-256 is "
        f"cut to a few, and texts are tried until one fits (means of {_TRIALS} searches). One more "
        "bit doubles the tries to invert, and two more bits those to collide, which are expected "
        "after sqrt(pi 2^b / 2). Of MD5 and SHA-1 texts with one digest are known by now."
    )
    title = "Why a digest can stand for a page: what a digest of b bits withstands"
    return make_exhibit("digest-properties", title, columns, _property_rows(), note=note)


def _property_rows() -> Iterator[tuple[Value, ...]]:
    for bits in CUTS:
        tries_to_invert = [
            count_tries_to_invert(first_bits_of_digest(f"secret {trial}", bits), bits, trial)
            for trial in range(_TRIALS)
        ]
        tries_to_collide = [count_tries_to_collide(bits, trial) for trial in range(_TRIALS)]
        expected = math.sqrt(math.pi * 2**bits / 2)
        yield (
            bits,
            sum(tries_to_invert) / _TRIALS,
            2**bits,
            sum(tries_to_collide) / _TRIALS,
            expected,
        )
