"""What a search looks for, and how: the plan behind a threshold in the user's own terms."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction

import pyarrow as pa
import pyarrow.compute as pc

from ilk.errors import OptionError
from ilk.pairing import measures
from ilk.pairing.hamming import checked_radius
from ilk.search import recall_model
from ilk.search.recall_model import Fingerprinted

#: Ways to find candidates: by their shingle sets, all of them; or by their fingerprints.
PAIRINGS = ("exact", "fingerprint")

#: The least resemblance of near-duplicates, if nothing else is said.
RESEMBLANCE = 0.8

#: The least containment, where only the word is given.
CONTAINMENT = 0.95

#: What asks more of pairs of one site than of others, and how much that is. It was measured on
#: collections of labelled documents, each taken for a site: of the pairs of different families 70 %
#: go, and of the others half stay (docs/reference/sites.md).
STRICTER = "stricter"
SAME_SITE = 0.9

#: The share of the near-duplicates that fingerprints shall nominate, if nothing else is said.
RECALL = 0.99

#: Bytes that shingle sets and their join take at most for a byte of text: a set of words has a
#: shingle of 4 bytes for about 6 bytes of text, a set of characters one for every character.
_SETS_PER_TEXT = 1.5
_SETS_PER_SHORT_TEXT = 8.0

#: A text of fewer bytes may have so few words that it is measured by its characters.
_SHORT = 400


@dataclass(frozen=True, slots=True)
class Plan:
    """What is looked for, and how candidates are found.

    Attributes:
        pairing: the way candidates are found.
        radius: the nomination radius in bits; None where sets are paired.
        resemblance: the least resemblance of a pair; None takes every pair within the radius.
        containment: the least containment; None looks for none.
        shingle: words per shingle.
        expected: the share of the pairs at that resemblance that are expected to be nominated, and
            of those just at it; None where there is no resemblance or no radius.
        same_site: the least resemblance of a pair of one site; None asks for no more.
        wanted: the share that was asked for.
        wider: whether a wider radius would still be of use.
        chosen: whether the user chose the pairing.
        measured: what a calibration measured of that radius; None where nothing was.
    """

    pairing: str
    radius: int | None
    resemblance: Fraction | None
    containment: Fraction | None
    shingle: int
    same_site: Fraction | None = None
    expected: tuple[float, float] | None = field(default=None, compare=False)
    wanted: float = field(default=RECALL, compare=False)
    wider: bool = field(default=False, compare=False)
    chosen: bool = field(default=False, compare=False)
    measured: str | None = field(default=None, compare=False)


def plan(
    *,
    resemblance: float | None,
    containment: float | None,
    radius: int | None,
    similarity: str | float | None,
    shingle: int,
    pairing: str | None,
    recall: float | None,
    recipe: Fingerprinted,
    same_site: str | float | None = None,
    measured: str | None = None,
) -> Plan:
    """The plan that these options mean; ``ilk.find`` explains them.

    ``measured`` says what a calibration, of which the radius is, measured.

    Raises:
        OptionError: an option is out of bounds, or two contradict each other.
    """
    if pairing is not None and pairing not in PAIRINGS:
        raise OptionError(f"pairing is {pairing!r}; it must be one of {', '.join(PAIRINGS)}.")
    if radius is not None and similarity is not None:
        raise OptionError("radius and similarity say the same thing; give one of them.")
    if radius is not None and recall is not None:
        raise OptionError("the radius follows from the recall; give one of them.")
    if similarity is not None:
        radius = radius_for(similarity, recipe.bits)
    by_radius = radius is not None
    if resemblance is None and not by_radius:
        resemblance = RESEMBLANCE
    if by_radius and pairing == "exact":
        raise OptionError(
            "radius and similarity are about fingerprints; the exact pairing has no use for them. "
            "Leave them out, or choose the fingerprint pairing."
        )
    made = Plan(
        pairing=pairing or ("fingerprint" if by_radius else "exact"),
        radius=None if radius is None else checked_radius(radius, recipe.bits),
        resemblance=None if resemblance is None else measures.threshold("resemblance", resemblance),
        containment=None if containment is None else measures.threshold("containment", containment),
        shingle=measures.shingle_width(shingle),
        same_site=_same_site(same_site, resemblance),
        wanted=RECALL if recall is None else float(measures.threshold("recall", recall)),
        chosen=pairing is not None,
        measured=measured,
    )
    return nominating(made, recipe) if made.pairing == "fingerprint" else made


def _same_site(value: str | float | None, resemblance: float | None) -> Fraction | None:
    """The least resemblance of a pair of one site.

    Raises:
        OptionError: it is no share, or one below that of other pairs.
    """
    if value is None:
        return None
    if resemblance is None:
        raise OptionError(
            "same_site is a resemblance, and pairs within a radius are taken whatever theirs is; "
            "give resemblance too."
        )
    least = measures.threshold("resemblance", resemblance)
    if value == STRICTER:
        return max(least, measures.threshold("same_site", SAME_SITE))
    found = measures.threshold("same_site", value)
    if found < least:
        raise OptionError(
            f"same_site is {value}, below the resemblance {resemblance} that is asked of all "
            f"pairs; it must be at least that, or {STRICTER!r}."
        )
    return found


def nominating(made: Plan, recipe: Fingerprinted) -> Plan:
    """The plan by fingerprint: with a radius, and what it is expected to nominate.

    Where no radius is expected to nominate what is wanted, it is the widest that is planned for.
    """
    made = replace(made, pairing="fingerprint")
    if made.resemblance is None:
        return made
    least = float(made.resemblance)
    radius = made.radius
    if radius is None:
        found = recall_model.radius_for(recipe, least, made.shingle, made.wanted)
        radius = recall_model.widest(recipe) if found is None else found
    expected = (
        recall_model.recall(recipe, least, made.shingle, radius),
        recall_model.recall_at(recipe, least, made.shingle, radius),
    )
    wider = radius < recall_model.widest(recipe)
    return replace(made, radius=radius, expected=expected, wider=wider)


def fitted(made: Plan, lengths: pa.Array, memory: int, recipe: Fingerprinted) -> Plan:
    """The plan that fits in memory: by fingerprint where the shingle sets do not.

    Args:
        made: the plan that the options mean.
        lengths: bytes of the texts whose shingle sets are to be joined.
        memory: bytes that may be used for them.
        recipe: how the fingerprints are made.

    Raises:
        OptionError: they do not fit, and the user chose the exact pairing.
    """
    need = math.ceil(pc.sum(sets_size(lengths)).as_py() or 0)
    if made.pairing != "exact" or need <= memory:
        return made
    if made.chosen:
        text_bytes = pc.sum(lengths).as_py()
        raise OptionError(
            f"the exact pairing of {_size(text_bytes)} of text needs about {_size(need)}, and "
            f"memory allows {_size(memory)}. Raise memory (--memory), or choose the fingerprint "
            "pairing (--pairing fingerprint)."
        )
    return nominating(made, recipe)


def sets_size(lengths: pa.Array) -> pa.Array:
    """Bytes that the shingle sets of texts and their join take at most, about (``float64``).

    Args:
        lengths: bytes of each text; below ``_SHORT`` it may be measured by its characters.
    """
    factor = pc.if_else(pc.less(lengths, _SHORT), _SETS_PER_SHORT_TEXT, _SETS_PER_TEXT)
    return pc.multiply(lengths, factor)


def _size(count: int) -> str:
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            return f"{count} {unit}"
        count = math.ceil(count / 1000)
    return f"{count:,} GB"


def promise(made: Plan) -> str:
    """What the plan finds of what is looked for, in a sentence."""
    if made.resemblance is None or made.expected is None:
        if made.resemblance is None:
            return f"exact: every pair within {made.radius} bits is here"
        said = f"exact: every pair at resemblance >= {float(made.resemblance)} is here"
        return said + _of_one_site(made)
    said = (
        f"by fingerprint: pairs within {made.radius} bits, verified at resemblance >= "
        f"{float(made.resemblance)}; {made.measured or _expectation(made, *made.expected)}"
    )
    if made.containment:
        said += "; containment is measured on those pairs alone"
    return said + _of_one_site(made)


def _of_one_site(made: Plan) -> str:
    """What is asked of pairs of one site."""
    if made.same_site is None:
        return ""
    return f"; of one site those at >= {float(made.same_site)} alone"


def _expectation(made: Plan, all_: float, at_least: float) -> str:
    """What the model expects of all pairs looked for, and of those just at the resemblance."""
    said = f"expected to find {all_:.1%} of them, and {at_least:.1%} of those just at it"
    if all_ < made.wanted:
        said += "; a wider radius finds more" if made.wider else "; no wider radius is of use"
        said += ", --pairing exact finds all"
    return said


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
