"""How much a store does at once; no answer depends on it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is done at once.

    Attributes:
        held: candidates of several texts that are held, and those of one more.
        measured: pairs that are measured.
        sample: documents, at most, whose shingles tell rare ones from common ones: what is known of
            shingles shall take little memory beside the documents.
        few: an index made of fewer documents is soon slow, as others come in.
    """

    held: int = 1 << 18
    measured: int = 1 << 17
    sample: int = 1 << 15
    few: int = 256


#: What a store does by default.
USUAL = Sizes()
