"""How a search finds candidates: its plan."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias

from ilk.arrow import verdicts
from ilk.search import noise_model, recall_model
from ilk.search.evidence import Thresholds
from ilk.search.measures import format_percent
from ilk.search.noise_evidence import NoiseLimits
from ilk.search.query import Query


class ExpectedRecall(NamedTuple):
    """The expected share of nominated pairs, of all at a resemblance and of those just at it."""

    of_all: float
    at_threshold: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchPlan:
    """The request of a search, and the way to find candidates.

    Attributes:
        query: the request.
        pairing: the way to find candidates.
        radius: the radius in bits within which fingerprints nominate; None if they do not.
        expected_recall: the expected share of nominated pairs, of all at that resemblance and of
            those just at it; None if there is no radius, or bits alone decide.
        wider: whether a wider radius would still help.
        numbers_only_is_alike: whether texts that differ only in numbers are alike, whatever they
            share.
    """

    query: Query
    pairing: str
    radius: int | None = None
    expected_recall: ExpectedRecall | None = None
    wider: bool = False
    numbers_only_is_alike: bool = False

    @property
    def thresholds(self) -> Thresholds:
        """What counts as near and contained; if bits alone decide, nothing is contained."""
        query = self.query
        containment = None if query.unverified else query.containment
        return Thresholds(query.resemblance, containment, self.numbers_only_is_alike)

    @property
    def noise_limits_if_sought(self) -> NoiseLimits | None:
        """The limits for noisy copies; None if those are not looked for."""
        rate = self.query.noise
        return None if rate is None else noise_model.limits_at_rate(rate)

    @property
    def required_radius(self) -> int:
        """The radius, which the fingerprint pairing always has."""
        assert self.radius is not None, "the fingerprint pairing always has a radius"
        return self.radius


def make_search_plan(query: Query, *, numbers_only_is_alike: bool = False) -> SearchPlan:
    """Return the plan for the options; by fingerprint, with a radius, and the share that it is
    expected to nominate.

    ``numbers_only_is_alike`` is for a search that shows what it finds: a deduplication drops only
    what shares enough, and fingerprints nominate only that. If no radius is expected to nominate
    the wanted share, it is the widest allowed.
    """
    recipe, radius = query.recipe, query.radius
    pairing = query.pairing or ("exact" if radius is None else "fingerprint")
    if pairing == "exact" or query.unverified:
        exact = pairing == "exact" and not query.unverified
        return SearchPlan(
            query=query,
            pairing=pairing,
            radius=radius,
            numbers_only_is_alike=numbers_only_is_alike and exact,
        )
    min_resemblance = float(query.resemblance)
    if radius is None:
        radius = recall_model.radius_for_recall_or_widest(
            recipe, min_resemblance, query.shingle, float(query.recall)
        )
    expected_recall = ExpectedRecall(
        of_all=recall_model.recall_from_resemblance(recipe, min_resemblance, query.shingle, radius),
        at_threshold=recall_model.recall_at_resemblance(
            recipe, min_resemblance, query.shingle, radius
        ),
    )
    wider = radius < recall_model.WIDEST[recipe.bits]
    return SearchPlan(
        query=query,
        pairing="fingerprint",
        radius=radius,
        expected_recall=expected_recall,
        wider=wider,
    )


#: What a promise is about: families with their clusters, pairs, or rows that stay.
PromiseSubject: TypeAlias = Literal["families", "pairs", "rows"]
FAMILIES: Literal["families"] = "families"
PAIRS: Literal["pairs"] = "pairs"
ROWS: Literal["rows"] = "rows"


def promise_sentence(plan: SearchPlan, subject: PromiseSubject = "families") -> str:
    """Return what is certain about a result, in a sentence.

    Args:
        plan: how it was found.
        subject: what the result shows.
    """
    query = plan.query
    if query.unverified:
        bits = verdicts.spell_within(plan.required_radius)
        return {
            FAMILIES: f"exact: every document {bits} of another is in its family",
            PAIRS: f"exact: every pair {bits} is here",
        }[subject]
    min_resemblance = float(query.resemblance)
    at = f"at resemblance >= {min_resemblance}"
    if plan.expected_recall is None:
        compared_row = "a row that stays" if query.keep_up_to else "another row"
        sentence = {
            FAMILIES: f"exact: every document {at} to another is in its family",
            PAIRS: f"exact: every pair {at} is here",
            ROWS: f"exact: every row {at} to {compared_row} is dropped",
        }[subject]
    else:
        sentence = (
            f"by fingerprint: pairs within {plan.radius} bits, verified at resemblance >= "
            f"{min_resemblance}; {_expectation_sentence(plan, plan.expected_recall)}"
        )
        if query.containment:
            sentence += "; containment is measured on those pairs alone"
    if query.base is not None:
        sentence += "; the ignored text is left out of all texts"
    if query.common_blocks is not None:
        sentence += "; common blocks are left out of all texts"
    if subject == ROWS:
        sentence += spell_rows_that_stay_unless_one(
            query, "; " if plan.expected_recall else ", except that "
        )
    if subject == ROWS and query.keep_numbers_only:
        sentence += "; rows that differ only in numbers stay"
    limits = plan.noise_limits_if_sought
    if limits is not None and query.noise is not None:
        sentence += f"; {_noise_sentence(limits, query.noise)}"
    if query.same_site is None:
        return sentence
    return f"{sentence}; of one site those at >= {float(query.same_site)} alone"


def spell_rows_that_stay_unless_one(query: Query, prefix: str = ", except that ") -> str:
    """Return how many rows of a cluster stay, as a part of a sentence that begins with ``prefix``
    if some stay; "" if it is one.
    """
    if query.keep_up_to == 0:
        return "; of rows that are like one another, none stays"
    if query.keep_up_to == 1:
        return ""
    return f"{prefix}up to {query.keep_up_to:,} rows of each cluster stay"


class NoisyRecall(NamedTuple):
    """The expected recall of copies of a clean text, and of pairs of two noisy copies."""

    of_one: float
    of_both: float


def expected_noisy_recall(limits: NoiseLimits, rate: Fraction) -> NoisyRecall:
    """Return the share of noisy copies that is expected to be nominated.

    Pairs of a clean text and one with that share of its characters wrong, and pairs of two such
    copies.
    """
    one_rate, min_resemblance = float(rate), float(limits.long)
    return NoisyRecall(
        of_one=noise_model.recall_at_rate(one_rate, min_resemblance),
        of_both=noise_model.recall_at_rate(
            noise_model.rate_between_copies(one_rate), min_resemblance
        ),
    )


def _noise_sentence(limits: NoiseLimits, rate: Fraction) -> str:
    one, both = (format_percent(share) for share in expected_noisy_recall(limits, rate))
    wrong = f"{float(rate * 100):g} %"
    return (
        f"noisy copies with {wrong} wrong characters are aligned at agreement >= "
        f"{float(limits.agreement):g}; expected to find at least {one} of copies of a clean text, "
        f"and {both} of pairs of such copies"
    )


def _expectation_sentence(plan: SearchPlan, expected_recall: ExpectedRecall) -> str:
    """Return what the model expects for all pairs sought, and for those just at the resemblance."""
    found = format_percent(expected_recall.of_all, plan.query.recall)
    just = format_percent(expected_recall.at_threshold)
    sentence = f"expected to find {found} of them, and {just} of those just at it"
    if expected_recall.of_all < plan.query.recall:
        sentence += "; a wider radius finds more" if plan.wider else "; no wider radius is of use"
        sentence += ", the exact pairing finds all"
    return sentence
