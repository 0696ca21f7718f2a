"""What a store keeps of a text so that verdicts do not need the original: its checksum, its
sets.
"""

from __future__ import annotations

import zlib

from ilk.search.set_index import Packed
from ilk.search.text_evidence import TextEvidence


def checksum(kept: TextEvidence) -> int:
    """Return a CRC-32 of what is kept of a text; its digests are in its document's row."""
    found = zlib.crc32(b"%d %d " % (kept.words, kept.wide))
    if kept.length is not None:
        found = zlib.crc32(b"%d " % kept.length, found)
    for part in (kept.word_shingles, kept.character_shingles, kept.masked_digest):
        found = zlib.crc32(part or b"", found)
    return found


def word_set(kept: TextEvidence) -> Packed:
    """Return its word shingles, in the form for an index."""
    return Packed(kept.word_shingles, kept.wide)


def character_set(kept: TextEvidence) -> Packed:
    """Return its character shingles, in the form for an index."""
    return Packed(kept.character_shingles or b"")
