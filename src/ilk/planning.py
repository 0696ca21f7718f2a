"""What a search looks for, and how: the plan behind a threshold in the user's own terms."""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass, field, replace
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

#: What that radius nominates of the pairs of word 3-shingles, measured on six collections (software
#: documentation, licences, drafts, laws in many languages).
RECALL = (
    "10 bits were measured to find 0.85 to 1.00 of the pairs at resemblance 0.8, and 0.99 of those "
    "at 0.9"
)

#: Bytes that shingle sets and their join take at most for a byte of ordinary text.
SETS_PER_TEXT = 3

_SIZE = re.compile(r"(?P<number>\d{1,15}(\.\d{1,9})?)\s*(?P<unit>[KMGT]?)B?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is looked for, and how candidates are found.

    Attributes:
        pairing: the way candidates are found.
        radius: the nomination radius in bits; None where sets are paired.
        resemblance: the least resemblance of a pair; None takes every pair within the radius.
        containment: the least containment; None looks for none.
        shingle: words per shingle.
        chosen: whether the user chose the pairing.
    """

    pairing: str
    radius: int | None
    resemblance: Fraction | None
    containment: Fraction | None
    shingle: int
    chosen: bool = field(default=False, compare=False)


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
    chosen = pairing is not None
    pairing = pairing or ("fingerprint" if by_radius else "exact")
    if pairing == "fingerprint" and radius is None:
        radius = RADIUS
    return Plan(
        pairing=pairing,
        radius=None if radius is None else checked_radius(radius),
        resemblance=None if resemblance is None else measures.threshold("resemblance", resemblance),
        containment=None if containment is None else measures.threshold("containment", containment),
        shingle=measures.shingle_width(shingle),
        chosen=chosen,
    )


def fitted(made: Plan, text_bytes: int, memory: int) -> Plan:
    """The plan that fits in memory: by fingerprint where the shingle sets do not.

    Args:
        made: the plan that the options mean.
        text_bytes: bytes of text whose shingle sets are to be joined.
        memory: bytes that may be used for them.

    Raises:
        OptionError: they do not fit, and the user chose the exact pairing.
    """
    need = text_bytes * SETS_PER_TEXT
    if made.pairing != "exact" or need <= memory:
        return made
    if made.chosen:
        raise OptionError(
            f"the exact pairing of {_size(text_bytes)} of text needs about {_size(need)}, and "
            f"memory allows {_size(memory)}. Raise memory (--memory), or choose the fingerprint "
            "pairing (--pairing fingerprint)."
        )
    return replace(made, pairing="fingerprint", radius=RADIUS)


def _size(count: int) -> str:
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            return f"{count} {unit}"
        count = math.ceil(count / 1000)
    return f"{count:,} GB"


def memory_limit(memory: str | int | None) -> int:
    """Bytes that the shingle sets may take: as said (``"2GB"``), or half of what is free.

    >>> memory_limit("1.5GB"), memory_limit(1000)
    (1500000000, 1000)

    Raises:
        OptionError: it is not a size.
    """
    if memory is None:
        return _free_memory() // 2
    match = _SIZE.fullmatch(str(memory).strip().upper())
    if match is None or isinstance(memory, bool):
        raise OptionError(
            f"memory is {memory!r}; it must be a size such as 2GB, 500MB or 10000000."
        )
    return int(Fraction(match["number"]) * 1000 ** " KMGT".index(match["unit"] or " "))


def _free_memory() -> int:
    """Bytes of memory that the system could give now; 4 GB where it does not tell."""
    try:
        pages = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        with open("/proc/meminfo") as told:
            lines = dict(line.split(":", 1) for line in told)
        return max(pages, int(lines["MemAvailable"].split()[0]) * 1024)
    except (AttributeError, KeyError, OSError, ValueError):
        return 4_000_000_000


def promise(made: Plan) -> str:
    """What the plan finds of what is looked for, in a sentence."""
    if made.resemblance is None:
        return f"exact: every pair within {made.radius} bits is here"
    least = str(float(made.resemblance))
    if made.pairing == "exact":
        return f"exact: every pair at resemblance >= {least} is here"
    return (
        f"by fingerprint: pairs within {made.radius} bits, verified at resemblance >= {least}; "
        f"{RECALL}" + ("; containment is measured on those alone" if made.containment else "")
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
