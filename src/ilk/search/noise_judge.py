"""The judge of noisy copies: one rule for two texts, for documents, for rows and for a store.

Only a pair that its shingle sets leave unalike is aligned, and only if the lengths of the two texts
allow an agreement. Texts that differ only in numbers are never noisy copies.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.arrow import verdicts
from ilk.search import noise_evidence
from ilk.search.noise_evidence import NoiseEvidence, NoiseLimits

#: Verdicts that an alignment may replace.
_UNALIKE = (verdicts.CONTAINED, verdicts.CONTAINS, verdicts.DIFFERENT)


def with_agreement_marking_noisy_pairs(
    pairs: pa.Table,
    texts: arrow.Texts,
    limits: NoiseLimits,
    *,
    masked_digests: pa.Array,
    evidence: NoiseEvidence | None = None,
    are_allowed: Callable[[pa.Table], pa.BooleanArray] | None = None,
    align_only_nominated: bool = False,
    align_every_verdict: bool = False,
    jobs: int = 1,
    follow_share: Callable[[float], object] | None = None,
) -> pa.Table:
    """Return pairs with their ``agreement``; those that agree and are unalike become ``noisy``.

    Args:
        pairs: ``left`` and ``right``, rows of the n texts, and ``verdict``, by shingle sets.
        texts: n texts; those that are aligned are read again. A null one agrees with none.
        limits: what makes a noisy copy.
        masked_digests: of the n texts.
        evidence: the noise evidence of the n texts; if None, it is made where a pair needs it.
        are_allowed: tells which pairs may be alike at all; None if all may.
        align_only_nominated: align different pairs only if their noise evidence nominates them. A
            store asks so, since its index also gives pairs that share little, by chance.
        align_every_verdict: also align pairs that are not unalike; they keep their verdict.
        jobs: threads.
        follow_share: takes the share of the alignments that is done, 0 to 1.

    Returns:
        The pairs in their order, with their verdicts, and ``agreement``: null if they do not agree.
    """
    unalike = pc.is_in(pairs["verdict"], pa.array(_UNALIKE))
    to_align = differ_beyond_numbers(pairs, masked_digests)
    if not align_every_verdict:
        to_align = pc.and_(to_align, unalike)
    if are_allowed is not None:
        to_align = pc.and_(to_align, are_allowed(pairs))
    rows = pc.indices_nonzero(to_align).cast(pa.int64())
    if not len(rows):
        return pairs.append_column("agreement", pa.nulls(len(pairs), pa.float64()))
    if evidence is None:
        evidence = NoiseEvidence.from_texts(texts, jobs)
    some = pairs.select(["left", "right", "verdict"]).take(rows)
    left, right = sides_of_pairs(some)
    fits = noise_evidence.have_lengths_that_allow_agreement(evidence, left, right, limits=limits)
    rows, some = rows.filter(fits), some.filter(fits)
    left, right = sides_of_pairs(some)
    shares = noise_evidence.measure_set_resemblances(evidence, left, right)
    some = some.append_column("resemblance", pc.max_element_wise(*shares))
    if align_only_nominated:
        is_inside = pc.not_equal(some["verdict"], verdicts.DIFFERENT)
        reach = noise_evidence.have_resemblances_at_limits(
            evidence, left, right, resemblances=shares, limits=limits
        )
        chosen = pc.or_(is_inside, reach)
        rows, some = rows.filter(chosen), some.filter(chosen)
    agreeing = noise_evidence.find_rows_of_agreeing_pairs(
        texts, some, limits, jobs=jobs, max_failures_in_a_row=None, follow_share=follow_share
    )
    place = pc.index_in(pa.arange(0, len(pairs)), value_set=rows.take(arrow.flat(agreeing["row"])))
    agreement = arrow.flat(agreeing["agreement"]).take(place)
    is_noisy = pc.and_(unalike, agreement.is_valid())
    verdict = pc.if_else(is_noisy, verdicts.NOISY, arrow.flat(pairs["verdict"]))
    return arrow.replace_columns(pairs, verdict=verdict).append_column("agreement", agreement)


def differ_beyond_numbers(pairs: pa.Table, masked_digests: pa.Array) -> pa.BooleanArray:
    """Return which pairs differ in more than their numbers, by the masked digests of all rows."""
    left, right = (masked_digests.take(side) for side in sides_of_pairs(pairs))
    return pc.invert(pc.fill_null(pc.equal(left, right), False))


class PairSides(NamedTuple):
    """The rows of pairs: a pair at each position."""

    left: pa.Array
    right: pa.Array


def sides_of_pairs(pairs: pa.Table) -> PairSides:
    """Return the columns ``left`` and ``right``, each in one piece."""
    return PairSides(arrow.flat(pairs["left"]), arrow.flat(pairs["right"]))
