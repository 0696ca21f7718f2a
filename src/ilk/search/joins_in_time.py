"""Joins in which only documents that are near in time are alike.

A join that did not know of times would list all pairs of a family, however long that is. So large
families are joined in stretches of time, each as long as the window: two documents that are near
enough are in one stretch, or in two that follow each other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels, arrow
from ilk.search.evidence import Evidence
from ilk.search.evidence_joins import JoinCandidates, concatenate_candidates, filter_join_candidates
from ilk.search.meeting import Window

#: Families of fewer documents are joined whole: listing all their pairs takes milliseconds.
_LARGE = 1_000

#: Returns the pairs of the rows that an evidence joins; those below the number are a baseline.
JoinRows: TypeAlias = Callable[[Evidence, int], JoinCandidates]

_SETS = ("word_shingles", "word_hashes", "character_shingles")


def join_cutting_large_families_by_time(
    sets: Evidence,
    families: pa.Array,
    window: Window | None,
    *,
    baseline_size: int,
    join_rows: JoinRows,
) -> JoinCandidates:
    """Return the pairs that a join finds, of large families only those that may be near in time.

    Args:
        sets: the rows to join.
        families: for each row its family; no pair is in two.
        window: None joins all.
        baseline_size: how many rows, the first ones, are a baseline.
        join_rows: finds the pairs of the rows that an evidence joins.
    """
    if window is None:
        return join_rows(sets, baseline_size)
    family_of_joined = pc.if_else(sets.joined_texts_mask, families, pa.scalar(None, families.type))
    counts = arrow.flat(pc.drop_null(family_of_joined).value_counts())
    many = counts.field("values").filter(pc.greater_equal(counts.field("counts"), _LARGE))
    if not len(many):
        return join_rows(sets, baseline_size)
    is_large = pc.is_in(family_of_joined, value_set=many, skip_nulls=True)
    candidates = [join_rows(sets.with_joined_limited_to(pc.invert(is_large)), baseline_size)]
    rows = pc.indices_nonzero(is_large).cast(pa.int64())
    part = Evidence(sets.rows.take(rows), progress=sets.progress, jobs=sets.jobs)
    split = pc.sum(pc.less(rows, baseline_size)).as_py() or 0
    stretches = _time_stretch_numbers_or_zero(window, rows)
    # Each stretch together with the next one: first 0 and 1, 2 and 3; then 1 and 2, 3 and 4.
    for offset in (0, 1):
        groups = pc.shift_right(pc.add(stretches, offset), 1)
        left, right, shared = join_rows(_separate_sets_by_group(part, groups), split)
        is_wanted = pc.equal(groups.take(left), groups.take(right))
        if offset:
            # Pairs within one stretch were found in the first round.
            apart = pc.not_equal(stretches.take(left), stretches.take(right))
            is_wanted = pc.and_(is_wanted, apart)
        wanted_pairs = filter_join_candidates(JoinCandidates(left, right, shared), is_wanted)
        candidates.append(
            JoinCandidates(
                rows.take(wanted_pairs.left),
                rows.take(wanted_pairs.right),
                wanted_pairs.shared_id_counts,
            )
        )
    return concatenate_candidates(candidates)


def _time_stretch_numbers_or_zero(window: Window, rows: pa.Array) -> pa.Int64Array:
    """Return for each row the number of its stretch of time (``int64``, from 2 on); those without a
    time have one of their own.
    """
    times = window.times.take(rows)
    first = pc.min(times).as_py() or 0
    # The quotient of whole numbers that are not negative is rounded down.
    numbers = pc.divide(pc.subtract(times, first), max(1, window.span))
    return pc.fill_null(pc.add(numbers, 2), 0)


def _separate_sets_by_group(evidence: Evidence, groups: pa.Array) -> Evidence:
    """Return evidence in which the sets of two groups share nothing but by chance."""
    numbers = groups.dictionary_encode().indices.cast(pa.int64())
    shifted = {name: _kernels.shift_sets_by_group(evidence.field(name), numbers) for name in _SETS}
    return evidence.replace_fields(**shifted)
