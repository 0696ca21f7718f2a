"""How much a store does at once; results do not depend on it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is done at once.

    Attributes:
        held: candidates of several texts to hold, in addition to those of one more.
        measured: pairs to measure.
        sample: the most documents to sample for rare shingles: statistics of shingles should use
            little memory compared with the documents.
        few: an index made from fewer documents is soon slow, as others are added.
    """

    held: int = 1 << 18
    measured: int = 1 << 17
    sample: int = 1 << 15
    few: int = 256


#: The default sizes.
USUAL = Sizes()
