"""How a search finds candidates: the plan behind what is looked for."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import pyarrow as pa
import pyarrow.compute as pc

from ilk.errors import OptionError
from ilk.recipes.recipe import Recipe
from ilk.search import recall_model
from ilk.search.sought import Sought

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
        sought: what is looked for.
        pairing: the way candidates are found.
        radius: the nomination radius in bits; None where sets are paired.
        expected: the share of the pairs at that resemblance that are expected to be nominated, and
            of those just at it; None where there is no resemblance or no radius.
        wider: whether a wider radius would still be of use.
    """

    sought: Sought
    pairing: str
    radius: int | None = None
    expected: tuple[float, float] | None = None
    wider: bool = False

    @property
    def least(self) -> Fraction:
        """The least resemblance, which the exact pairing always has."""
        assert self.sought.resemblance is not None, "the exact pairing always has a threshold"
        return self.sought.resemblance

    @property
    def bits(self) -> int:
        """The radius, which the fingerprint pairing always has."""
        assert self.radius is not None, "the fingerprint pairing always has a radius"
        return self.radius


def planned(sought: Sought) -> Plan:
    """Return the plan that the options mean."""
    pairing = sought.pairing or ("exact" if sought.radius is None else "fingerprint")
    return nominating(sought) if pairing == "fingerprint" else Plan(sought, "exact")


def nominating(sought: Sought) -> Plan:
    """Return the plan by fingerprint: with a radius, and what it is expected to nominate.

    Where no radius is expected to nominate what is wanted, it is the widest that is planned for.
    """
    recipe, radius = sought.recipe, sought.radius
    if sought.resemblance is None:
        return Plan(sought, "fingerprint", radius)
    least = float(sought.resemblance)
    if radius is None:
        radius = radius_for(recipe, least, sought.shingle, float(sought.recall))
    expected = (
        recall_model.recall(recipe, least, sought.shingle, radius),
        recall_model.recall_at(recipe, least, sought.shingle, radius),
    )
    return Plan(sought, "fingerprint", radius, expected, radius < recall_model.widest(recipe))


def radius_for(recipe: Recipe, least: float, shingle: int, recall: float) -> int:
    """Return the least radius that nominates that share of the pairs at a least resemblance.

    It is the widest that is planned for, where none does.
    """
    found = recall_model.radius_for(recipe, least, shingle, recall)
    return recall_model.widest(recipe) if found is None else found


def fitted(plan: Plan, lengths: pa.Array, memory: int, recipe: Recipe) -> Plan:
    """Return the plan that fits in memory: by fingerprint where the shingle sets do not.

    Args:
        plan: the plan that the options mean.
        lengths: bytes of the texts whose shingle sets are to be joined.
        memory: bytes that may be used for them.
        recipe: of the fingerprints that connect documents where the sets do not fit.

    Raises:
        OptionError: they do not fit, and the user chose the exact pairing.
    """
    need = math.ceil(pc.sum(sets_size(lengths)).as_py() or 0)
    if plan.pairing != "exact" or need <= memory:
        return plan
    if plan.sought.pairing is not None:
        text_bytes = pc.sum(lengths).as_py()
        raise OptionError(
            f"the exact pairing of {_size(text_bytes)} of text needs about {_size(need)}, and "
            f"memory allows {_size(memory)}. Raise memory (--memory), or choose the fingerprint "
            "pairing (--pairing fingerprint)."
        )
    return nominating(replace(plan.sought, recipe=recipe))


def sets_size(lengths: pa.Array) -> pa.Array:
    """Return about the most bytes that shingle sets of texts and their join take (``float64``).

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


def promise(plan: Plan) -> str:
    """Return what the plan finds of what is looked for, in a sentence."""
    sought = plan.sought
    if sought.resemblance is None:
        return f"exact: every pair within {plan.radius} bits is here"
    least = float(sought.resemblance)
    if plan.expected is None:
        said = f"exact: every pair at resemblance >= {least} is here"
    else:
        said = (
            f"by fingerprint: pairs within {plan.radius} bits, verified at resemblance >= "
            f"{least}; {sought.measured or _expectation(plan, *plan.expected)}"
        )
        if sought.containment:
            said += "; containment is measured on those pairs alone"
    if sought.same_site is None:
        return said
    return f"{said}; of one site those at >= {float(sought.same_site)} alone"


def _expectation(plan: Plan, all_: float, at_least: float) -> str:
    """Return what the model expects of all pairs looked for, and of those at the resemblance."""
    said = f"expected to find {all_:.1%} of them, and {at_least:.1%} of those just at it"
    if all_ < plan.sought.recall:
        said += "; a wider radius finds more" if plan.wider else "; no wider radius is of use"
        said += ", --pairing exact finds all"
    return said
