"""What a search looks for, and how: the plan behind a threshold in the user's own terms."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from ilk.errors import OptionError
from ilk.pairing import measures
from ilk.pairing.hamming import checked_radius

#: Ways to find candidates: by their shingle sets, all of them; or by their fingerprints.
PAIRINGS = ("exact", "fingerprint")

#: The least resemblance of near-duplicates, if nothing else is said.
RESEMBLANCE = 0.8

#: The least containment, where only the word is given.
CONTAINMENT = 0.95

#: The nomination radius of recipe v0: at 10 bits 0.999 of the pairs that share 80 % of their word
#: 5-shingles were nominated in the labelled sets, at 3 bits only 0.81 to 0.90 of those at 90 %.
RADIUS = 10


@dataclass(frozen=True, slots=True)
class Plan:
    """What is looked for, and how candidates are found.

    Attributes:
        pairing: the way candidates are found.
        radius: the nomination radius in bits; None where sets are paired.
        resemblance: the least resemblance of a pair; None takes every pair within the radius.
        containment: the least containment; None looks for none.
        shingle: words per shingle.
    """

    pairing: str
    radius: int | None
    resemblance: Fraction | None
    containment: Fraction | None
    shingle: int


def plan(
    *,
    resemblance: float | None,
    containment: float | None,
    radius: int | None,
    similarity: str | float | None,
    shingle: int,
    pairing: str | None,
    bits: int,
) -> Plan:
    """The plan that these options mean; ``ilk.find`` explains them.

    Raises:
        OptionError: an option is out of bounds, or two contradict each other.
    """
    if pairing is not None and pairing not in PAIRINGS:
        raise OptionError(f"pairing is {pairing!r}; it must be one of {', '.join(PAIRINGS)}.")
    if radius is not None and similarity is not None:
        raise OptionError("radius and similarity say the same thing; give one of them.")
    if similarity is not None:
        radius = radius_for(similarity, bits)
    by_radius = radius is not None
    if resemblance is None and not by_radius:
        resemblance = RESEMBLANCE
    if by_radius and pairing == "exact":
        raise OptionError(
            "radius and similarity are about fingerprints; the exact pairing has no use for them. "
            "Leave them out, or choose the fingerprint pairing."
        )
    pairing = pairing or ("fingerprint" if by_radius else "exact")
    if pairing == "fingerprint" and radius is None:
        radius = RADIUS
    return Plan(
        pairing=pairing,
        radius=None if radius is None else checked_radius(radius),
        resemblance=None if resemblance is None else measures.threshold("resemblance", resemblance),
        containment=None if containment is None else measures.threshold("containment", containment),
        shingle=measures.shingle_width(shingle),
    )


def radius_for(similarity: str | float, bits: int = 64) -> int:
    """The radius that a bit agreement allows: floor(bits x (1 - similarity)).

    Source: Roth 2013, section 2.2.2: 90 % of 64 bits allow 6 to differ.

    >>> radius_for("90%"), radius_for(0.9), radius_for(1)
    (6, 6, 0)

    Raises:
        OptionError: it is not a share from 0 to 1, or a percentage.
    """
    try:
        written = str(similarity).strip()
        share = Fraction(written.removesuffix("%")) / (100 if written.endswith("%") else 1)
    except (ValueError, ZeroDivisionError):
        share = Fraction(-1)
    if not 0 <= share <= 1:
        raise OptionError(
            f"similarity is {similarity!r}; it must be a share of equal bits such as 90% or 0.9."
        )
    return math.floor(bits * (1 - share))
