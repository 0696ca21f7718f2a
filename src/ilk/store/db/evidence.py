"""What a store keeps of a text, so that verdicts need no original: its evidence, as bytes.

Large sets are kept as 64-bit hashes, all others as 32-bit ids, which are the upper halves of those.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk import columns
from ilk.pairing.evidence import BOTH_WORDS, Evidence
from ilk.pairing.set_index import Sets
from ilk.store.db import packing


class Packed(NamedTuple):
    """What is kept of one text.

    Attributes:
        words: how many words it has.
        wide: whether its word shingles are 64-bit hashes.
        word_shingles: its set of word shingles, as bytes.
        character_shingles: its set of character shingles; None where it is not kept.
        masked_digest: of the text with each number written as 0; None for a blank text.
    """

    words: int
    wide: bool
    word_shingles: bytes
    character_shingles: bytes | None
    masked_digest: bytes | None

    @property
    def checksum(self) -> int:
        """A CRC-32 of all of it."""
        head = f"{self.words} {int(self.wide)} ".encode()
        parts = (self.word_shingles, self.character_shingles or b"", self.masked_digest or b"")
        checksum = zlib.crc32(head)
        for part in parts:
            checksum = zlib.crc32(part, checksum)
        return checksum


#: Evidence of a text without words.
NOTHING = Packed(0, False, b"", b"", None)


def packed(evidence: Evidence) -> list[Packed]:
    """Return the evidence of every text as bytes."""
    field = evidence.field
    rows = zip(
        field("words").to_pylist(),
        packing.sets_to_bytes(field("word_shingles")),
        packing.sets_to_bytes(field("word_hashes")),
        packing.sets_to_bytes(field("character_shingles")),
        field("masked_digest").to_pylist(),
        strict=True,
    )
    return [
        Packed(count, bool(hashes), hashes or ids, characters if count < BOTH_WORDS else None, mask)
        for count, ids, hashes, characters, mask in rows
    ]


def unpacked(some: Sequence[Packed | None], digests: pa.Array, raw: pa.Array) -> Evidence:
    """Return the evidence that stands in bytes; nothing is like a text of which none is kept.

    Args:
        some: n texts.
        digests, raw: of the normalised texts, and of their bytes.
    """
    known = [one or NOTHING for one in some]
    fields = {
        "digest": digests,
        "bytes_digest": raw,
        "masked_digest": pa.array([one.masked_digest for one in known], columns.DIGEST),
        "length": pa.nulls(len(known), pa.int64()),
        "words": pa.array([one.words for one in known], pa.uint32()),
        "word_shingles": packing.sets_from_bytes(list(map(_ids, known)), wide=False),
        "word_hashes": packing.sets_from_bytes(
            [one.word_shingles if one.wide else b"" for one in known], wide=True
        ),
        "character_shingles": _characters(known),
    }
    arrays = [fields[field.name] for field in columns.EVIDENCE]
    return Evidence(pa.StructArray.from_arrays(arrays, fields=list(columns.EVIDENCE)))


def word_sets(evidence: Sequence[Packed]) -> Sets:
    """The ids of word shingles, as an index takes them."""
    ids = [_ids(one) for one in evidence]
    merged = [
        len(one.word_shingles) // 8 - len(cut) // 4 if one.wide else 0
        for one, cut in zip(evidence, ids, strict=True)
    ]
    return Sets(packing.sets_from_bytes(ids, wide=False), pa.array(merged, pa.uint32()))


def character_sets(evidence: Sequence[Packed]) -> Sets:
    """The ids of character shingles, as an index takes them."""
    return Sets(_characters(evidence), pa.array([0] * len(evidence), pa.uint32()))


def _characters(evidence: Sequence[Packed]) -> pa.Array:
    return packing.sets_from_bytes([e.character_shingles or b"" for e in evidence], wide=False)


def _ids(evidence: Packed) -> bytes:
    """The ids of word shingles: the upper halves of their hashes, each once."""
    if not evidence.wide:
        return evidence.word_shingles
    hashes = packing.sets_from_bytes([evidence.word_shingles], wide=True).flatten()
    # Ascending hashes have ascending upper halves, so that equal ones are adjacent.
    ids = pc.unique(pc.shift_right(hashes, pa.scalar(32, pa.uint64()))).cast(pa.uint32())
    return packing.numbers_to_bytes(ids)
