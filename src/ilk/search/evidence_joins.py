"""Every pair of texts at a resemblance or containment, found on their evidence.

A join returns a superset of the true pairs; the judge then drops the few others.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels, arrow
from ilk.arrow import verdicts
from ilk.base import resources
from ilk.base.errors import OptionError, TooManyPairs
from ilk.search.evidence import (
    LONG,
    MIDDLE,
    RUN_WORDS,
    Evidence,
    OneSite,
    Thresholds,
    spell_verdicts,
)
from ilk.search.measures import kernel_ratio_at_most

#: Which set of a row a join reads: none, that of words, or that of characters.
_NO_SET, _WORDS, _CHARACTERS = (pa.scalar(choice, pa.uint8()) for choice in _kernels.CHOICES)

#: The class of a row that is not joined, where its length class decides which set is read: those of
#: ``LENGTH_CLASSES`` begin at 1.
_NO_CLASS = pa.scalar(0, pa.uint8())

#: Memory of a join: fixed bytes, which only the error that asks for more adds; bytes per row to
#: connect rows, bytes per row to cluster them. Rows of the whole collection count, since the
#: kernels keep an entry for a row that is not joined too.
_FIXED_BYTES, _BYTES_PER_CONNECTED_ROW, _BYTES_PER_CLUSTERED_ROW = 10_000_000, 48, 112

#: Sets as the kernels take them: ids of words, ids of characters, which of the two each row uses
#: (``uint8``), hashes of words, and the threshold.
KernelSets: TypeAlias = tuple[pa.Array, pa.Array, pa.UInt8Array, pa.Array, tuple[int, int]]

#: The same, with the length class of each row instead of the set that it uses.
_KernelSetsByLengthClass: TypeAlias = tuple[
    pa.Array, pa.Array, pa.UInt8Array, pa.Array, tuple[int, int]
]

#: The numbers of the verdicts of pairs of one kind.
_SAME_VERDICT_NUMBERS = pa.array(
    [number for number, verdict in enumerate(verdicts.JUDGED) if verdict in verdicts.SAME],
    pa.uint8(),
)


class ContainmentCandidates(NamedTuple):
    """Pairs of rows that may be contained: the left text in the right one."""

    left: pa.Array
    right: pa.Array


class JoinCandidates(NamedTuple):
    """Pairs of rows that may be alike, and how many ids the sets that measure them share."""

    left: pa.Array
    right: pa.Array
    shared_id_counts: pa.Array


def judge_and_sort_pairs_of_one_kind(
    evidence: Evidence,
    candidates: JoinCandidates,
    thresholds: Thresholds,
    one_site: OneSite | None = None,
) -> pa.Table:
    """Return the pairs of one kind, as ``Evidence.judge_pairs`` measures them, sorted by row."""
    return spell_verdicts(
        judge_by_number_and_sort_pairs_of_one_kind(evidence, candidates, thresholds, one_site)
    )


def judge_by_number_and_sort_pairs_of_one_kind(
    evidence: Evidence,
    candidates: JoinCandidates,
    thresholds: Thresholds,
    one_site: OneSite | None = None,
) -> pa.Table:
    """Return the same pairs with the numbers of their verdicts, for callers that show no words."""
    # Before they are judged: then three columns are sorted, and not nine.
    left, right, shared_id_counts = _sort_by_row(candidates)
    judged = evidence.judge_pairs_by_number(
        left, right, thresholds, one_site=one_site, shared_id_counts=shared_id_counts
    )
    same = pc.is_in(judged["verdict"], _SAME_VERDICT_NUMBERS)
    return judged if pc.all(same).as_py() else judged.filter(same)


def _sort_by_row(candidates: JoinCandidates) -> JoinCandidates:
    """Return the candidates by left row, then by right row."""
    last = max(0, len(candidates.left) - 1)
    (a, c), (b, d) = ((rows.slice(0, last), rows.slice(1)) for rows in candidates[:2])
    back = pc.or_(pc.less(c, a), pc.and_(pc.equal(c, a), pc.less(d, b)))
    if not pc.any(back).as_py():  # Those of a single join are in order already.
        return candidates
    table = pa.table([*candidates], names=["left", "right", "shared"])
    order = pc.sort_indices(table, sort_keys=[("left", "ascending"), ("right", "ascending")])
    return JoinCandidates(*(column.take(order) for column in candidates))


def join_candidates_by_resemblance(
    evidence: Evidence, threshold: Fraction, max_pairs: int
) -> JoinCandidates:
    """Return every pair at a resemblance, left < right, and few others."""
    columns = _kernels.resemblance_self_join(
        _kernel_sets(evidence, _set_choices_by_length(evidence), threshold),
        _join_ratio_allowing_for_merged_hashes(evidence, threshold),
        max_pairs,
        evidence.jobs,
        evidence.kernel_callback_if_mapped_or_followed,
    )
    return concatenate_candidates(
        [
            _select_pairs_of_same_length_class(evidence, JoinCandidates(*columns)),
            *map(
                _put_lower_row_left_and_drop_self_pairs,
                _join_short_left_with_middle_and_long_right(
                    evidence, evidence, threshold, max_pairs
                ),
            ),
        ]
    )


def join_across_row_split(
    evidence: Evidence, first_right_row: int, threshold: Fraction, max_pairs: int
) -> JoinCandidates:
    """Return every pair at a resemblance of a row below the first right one and one from there on,
    and few others.
    """
    first = pc.less(pa.arange(0, len(evidence)), first_right_row)
    return join_left_selection_with_right(
        evidence.with_joined_limited_to(first),
        evidence.with_joined_limited_to(pc.invert(first)),
        threshold,
        max_pairs,
    )


def join_left_selection_with_right(
    left_selection: Evidence, right_selection: Evidence, threshold: Fraction, max_pairs: int
) -> JoinCandidates:
    """Return every pair at a resemblance of a row that the first joins and one of the second.

    Both are of the same texts, so rows have the same numbers.
    """
    own = _join_chosen_sets_if_any(
        _ChosenSets(left_selection, _set_choices_by_length(left_selection)),
        _ChosenSets(right_selection, _set_choices_by_length(right_selection)),
        threshold,
        max_pairs,
    )
    own = [_select_pairs_of_same_length_class(left_selection, pairs) for pairs in own]
    back = _join_short_left_with_middle_and_long_right(
        right_selection, left_selection, threshold, max_pairs
    )
    swapped_candidates = [JoinCandidates(right, left, shared) for left, right, shared in back]
    return concatenate_candidates(
        [
            *own,
            *_join_short_left_with_middle_and_long_right(
                left_selection, right_selection, threshold, max_pairs
            ),
            *swapped_candidates,
        ]
    )


def find_alike_short_and_longer_in_families(
    evidence: Evidence, families: pa.Array, threshold: Fraction, max_pairs: int
) -> pa.Table:
    """Return every pair at that resemblance of a short text and a longer one, judged.

    Both are of one family, so only families with texts of either kind are joined.
    """
    kinds = evidence.are_short, pc.invert(evidence.are_short)
    of_kinds = [families.filter(pc.and_(evidence.joined_texts_mask, kind)) for kind in kinds]
    mixed = pc.and_(*(pc.is_in(families, value_set=pc.unique(one)) for one in of_kinds))
    evidence = evidence.with_joined_limited_to(mixed)
    pairs = map(
        _put_lower_row_left_and_drop_self_pairs,
        _join_short_left_with_middle_and_long_right(evidence, evidence, threshold, max_pairs),
    )
    return judge_and_sort_pairs_of_one_kind(
        evidence, concatenate_candidates([*pairs]), Thresholds(threshold)
    )


class KernelJoinInput(NamedTuple):
    """Sets as the kernels take them, and the ratio at which they are joined."""

    sets: KernelSets
    ratio: tuple[int, int]


def kernel_input_of_length_class_join(evidence: Evidence, threshold: Fraction) -> KernelJoinInput:
    """Return the sets that are joined with sets of their own kind, and the ratio of that join."""
    return KernelJoinInput(
        _kernel_sets(evidence, _set_choices_by_length(evidence), threshold),
        _join_ratio_allowing_for_merged_hashes(evidence, threshold),
    )


def label_families_by_first_row(
    evidence: Evidence,
    threshold: Fraction,
    *,
    reserve_bytes: int = resources.UNBOUNDED,
    spill_folder: str | os.PathLike[str] | None = None,
    baseline_size: int = 0,
) -> pa.Array:
    """Return for each row the smallest row of everything that pairs connect with it.

    Args:
        reserve_bytes: bytes of memory that this may use besides the sets.
        spill_folder: the folder of files for what does not fit; None for the system's.
        baseline_size: the first rows, as many as these, make no pairs with one another.

    Raises:
        OptionError: it does not fit.
        OutputError: the disk is full.
    """
    reserve_left = _reserve_left_or_raise(reserve_bytes, _BYTES_PER_CONNECTED_ROW * len(evidence))
    folder = tempfile.gettempdir() if spill_folder is None else os.fspath(spill_folder)
    return _kernels.find_families(
        _kernel_sets_with_row_length_classes(evidence, threshold),
        _join_ratio_allowing_for_merged_hashes(evidence, threshold),
        baseline_size,
        _kernels.SpillRoom(reserve=reserve_left, folder=folder),
        evidence.jobs,
        evidence.kernel_callback_if_mapped_or_followed,
    )


def split_families_into_portions_that_fit(
    evidence: Evidence, families: pa.Array, threshold: Fraction, *, reserve_bytes: int
) -> Iterator[pa.BooleanArray]:
    """Yield which rows to join together: whole families of two or more, as many as fit.

    Args:
        families: of ``label_families_by_first_row``.
        reserve_bytes: bytes of memory that a join may use besides the sets.

    Raises:
        OptionError: a family does not fit.
    """
    reserve_left = _reserve_left_or_raise(reserve_bytes, _BYTES_PER_CLUSTERED_ROW * len(evidence))
    portions = _kernels.assign_portions_or_null_if_alone(
        _kernel_sets_with_row_length_classes(evidence, threshold), families, reserve_left
    )
    # At least one, perhaps empty: a request that does not fit is refused with the first.
    for number in range((pc.max(portions).as_py() or 0) + 1):
        yield pc.fill_null(pc.equal(portions, number), False)


def _reserve_left_or_raise(reserve_bytes: int, used_bytes: int) -> int:
    """Return how many bytes are left of a reserve."""
    if reserve_bytes < used_bytes:
        more = resources.spell_size_option_rounded_up(_FIXED_BYTES + used_bytes - reserve_bytes)
        raise OptionError(f"the search needs about {more} more memory. Allow it: --memory.")
    return reserve_bytes - used_bytes


def _kernel_sets_with_row_length_classes(
    evidence: Evidence, threshold: Fraction
) -> _KernelSetsByLengthClass:
    """Return all sets, and which of them measures each row, as the kernels take them."""
    classes = _kernels.length_classes(evidence.field("words"))
    return _kernel_sets(
        evidence, pc.if_else(evidence.joined_texts_mask, classes, _NO_CLASS), threshold
    )


def join_by_word_containment(
    evidence: Evidence, threshold: Fraction, max_pairs: int
) -> ContainmentCandidates:
    """Return all ordered pairs whose left text stands in the right one to this degree, by words."""
    if len(_containment_thresholds_by_length(evidence, threshold)) > 1:
        rows, nothing = pa.arange(0, len(evidence)), pa.array([], pa.int64())
        return join_rows_with_their_containers(
            evidence,
            threshold,
            contained_rows=rows,
            excluded_container_rows=nothing,
            max_pairs=max_pairs,
        )
    evidence = evidence.with_all_measured_by_words()
    left, right, _ = _kernels.containment_self_join(
        _kernel_sets(evidence, _set_choices_by_length(evidence), threshold),
        _join_ratio_allowing_for_merged_hashes(evidence, threshold),
        max_pairs,
        evidence.kernel_callback_if_mapped_or_followed,
    )
    return ContainmentCandidates(left, right)


def verify_containment_whole_if_short(
    evidence: Evidence, candidates: ContainmentCandidates, threshold: Fraction
) -> pa.Table:
    """Return the pairs whose left text is in the right one at ``threshold``, judged in words."""
    # Containment is requested, so also for texts that are near or equal.
    judged = evidence.with_all_measured_by_words().judge_pairs(
        candidates.left, candidates.right, Thresholds(threshold, threshold)
    )
    whole_only = pc.less(evidence.field("words").take(arrow.flat(judged["left"])), RUN_WORDS)
    lowest = pc.if_else(whole_only, 1.0, float(threshold))
    return judged.filter(pc.greater_equal(judged["containment_left"], lowest))


def find_largest_container_of_each(
    evidence: Evidence, threshold: Fraction
) -> ContainmentCandidates:
    """Return for each contained text the largest that contains it at ``threshold``, in words."""
    containers, words = pa.nulls(len(evidence), pa.int64()), evidence.with_all_measured_by_words()
    for rows, degree in _containment_thresholds_by_length(evidence, threshold):
        other = _kernels.find_largest_containers(
            _kernel_sets(words, _set_choices_by_length(words), degree),
            _join_ratio_allowing_for_merged_hashes(words, degree),
            evidence.kernel_callback_if_mapped_or_followed,
        )
        containers = pc.if_else(rows, other, containers)
    contained = pc.indices_nonzero(containers.is_valid()).cast(pa.int64())
    return ContainmentCandidates(contained, containers.drop_null())


def join_rows_with_their_containers(
    evidence: Evidence,
    threshold: Fraction,
    *,
    contained_rows: pa.Array,
    excluded_container_rows: pa.Array,
    max_pairs: int,
) -> ContainmentCandidates:
    """Return every pair of a contained row and another one in which it stands, by words.

    Excluded rows are no containers. Few pairs are below the threshold.

    Raises:
        TooManyPairs: there are more than ``max_pairs``.
    """
    rows, words = pa.arange(0, len(evidence)), evidence.with_all_measured_by_words()
    own, inside = _set_choices_by_length(words), pc.is_in(rows, value_set=contained_rows)
    others = pc.if_else(pc.is_in(rows, value_set=excluded_container_rows), _NO_SET, own)
    lefts, rights = [pa.array([], pa.int64())], [pa.array([], pa.int64())]
    for short, degree in _containment_thresholds_by_length(evidence, threshold):
        try:
            left, right, _ = _kernels.containment_join(
                _kernel_sets(words, pc.if_else(pc.and_(inside, short), own, _NO_SET), degree),
                _kernel_sets(words, others, degree),
                _join_ratio_allowing_for_merged_hashes(words, degree),
                max_pairs + len(evidence),  # Each row also stands in itself.
                evidence.kernel_callback_if_mapped_or_followed,
            )
        except TooManyPairs as error:
            raise TooManyPairs(error.count - len(evidence), max_pairs) from None
        other = pc.not_equal(left, right)
        lefts.append(left.filter(other))
        rights.append(right.filter(other))
    left, right = pa.concat_arrays(lefts), pa.concat_arrays(rights)
    if len(left) > max_pairs:
        raise TooManyPairs(len(left), max_pairs)
    return ContainmentCandidates(left, right)


class _RowsAtContainment(NamedTuple):
    """Rows, and the least containment at which they count."""

    rows: pa.BooleanArray
    containment: Fraction


def _containment_thresholds_by_length(
    evidence: Evidence, threshold: Fraction
) -> list[_RowsAtContainment]:
    """Return which rows must stand in others to which degree: the shortest ones as a whole."""
    whole_only = pc.less(evidence.field("words"), RUN_WORDS)
    # A text of fewer than RUN_WORDS words has at most RUN_WORDS - 1 shingles. The largest part of
    # it that is not the whole is this share: above it, both thresholds ask the same.
    if not whole_only.true_count or threshold > Fraction(RUN_WORDS - 2, RUN_WORDS - 1):
        return [_RowsAtContainment(pa.repeat(True, len(evidence)), threshold)]
    return [
        _RowsAtContainment(pc.invert(whole_only), threshold),
        _RowsAtContainment(whole_only, Fraction(1)),
    ]


def _set_choices_by_length(evidence: Evidence) -> pa.UInt8Array:
    """Return per row which set is compared with texts of the same kind."""
    return pc.if_else(
        evidence.joined_texts_mask, pc.if_else(evidence.are_short, _CHARACTERS, _WORDS), _NO_SET
    )


def _kernel_sets(evidence: Evidence, set_choices: pa.UInt8Array, threshold: Fraction) -> KernelSets:
    """Return the chosen sets as the kernels take them, without a copy."""
    ids = evidence.field("word_shingles"), evidence.field("character_shingles")
    return *ids, set_choices, evidence.field("word_hashes"), kernel_ratio_at_most(threshold)


def _join_short_left_with_middle_and_long_right(
    left: Evidence, right: Evidence, threshold: Fraction, max_pairs: int
) -> list[JoinCandidates]:
    """Return the pairs of a short text and one that is not, each by the sets that measure it."""
    candidates: list[JoinCandidates] = []
    for choice, length_class in ((_CHARACTERS, MIDDLE), (_WORDS, LONG)):
        short = pc.if_else(pc.and_(left.joined_texts_mask, left.are_short), choice, _NO_SET)
        other = pc.if_else(
            pc.and_(right.joined_texts_mask, right.are_of_length(length_class)), choice, _NO_SET
        )
        candidates += _join_chosen_sets_if_any(
            _ChosenSets(left, short), _ChosenSets(right, other), threshold, max_pairs
        )
    return candidates


class _ChosenSets(NamedTuple):
    """Evidence, and per row which of its sets is joined, as ``_set_choices_by_length`` says it."""

    evidence: Evidence
    choices: pa.UInt8Array


def _join_chosen_sets_if_any(
    left: _ChosenSets,
    right: _ChosenSets,
    threshold: Fraction,
    max_pairs: int,
) -> list[JoinCandidates]:
    """Return the join of chosen sets in a list; an empty one if a side has no set."""
    if not all(pc.max(side.choices).as_py() for side in (left, right)):
        return []
    one, other = (_kernel_sets(side.evidence, side.choices, threshold) for side in (left, right))
    evidence = left.evidence
    candidates = _kernels.resemblance_join(
        one,
        other,
        _join_ratio_allowing_for_merged_hashes(evidence, threshold),
        max_pairs,
        evidence.jobs,
        evidence.kernel_callback_if_mapped_or_followed,
    )
    return [JoinCandidates(*candidates)]


def _join_ratio_allowing_for_merged_hashes(
    evidence: Evidence, threshold: Fraction
) -> tuple[int, int]:
    """Return the ratio at which the kernels join sets of ids, so that no pair at ``threshold`` is
    lost: hashes of one set that have equal ids are one id there.
    """
    hashes, ids = (
        pc.list_value_length(evidence.field(f"word_{of_}")) for of_ in ("hashes", "shingles")
    )
    large = pc.greater(hashes, 0)
    merged_hashes, ids = pc.subtract(hashes, ids).filter(large), ids.filter(large)
    share = pc.divide(merged_hashes.cast(pa.float64()), ids.cast(pa.float64()))
    largest_share = pc.max(share).as_py()
    if not largest_share:
        return kernel_ratio_at_most(threshold)
    # The floating-point share only picks the set; the threshold is lowered by its whole numbers.
    worst = pc.index(share, largest_share).as_py()
    return _kernels.lower_threshold_for_merged_hashes(
        kernel_ratio_at_most(threshold), ids[worst].as_py(), merged_hashes[worst].as_py()
    )


def concatenate_candidates(parts: list[JoinCandidates]) -> JoinCandidates:
    """Return the pairs of all parts."""
    none = [pa.array([], pa.int64())] * 3
    return JoinCandidates(*map(pa.concat_arrays, zip(none, *parts, strict=True)))


def _put_lower_row_left_and_drop_self_pairs(pairs: JoinCandidates) -> JoinCandidates:
    """Return the pairs with the lower row on the left, without those of a row and itself."""
    low = pc.min_element_wise(pairs.left, pairs.right)
    high = pc.max_element_wise(pairs.left, pairs.right)
    return filter_join_candidates(
        JoinCandidates(low, high, pairs.shared_id_counts), pc.less(low, high)
    )


def _select_pairs_of_same_length_class(evidence: Evidence, pairs: JoinCandidates) -> JoinCandidates:
    """Return pairs of two short texts, or of two that are not: the others are crossed."""
    are_short = evidence.are_short
    return filter_join_candidates(
        pairs, pc.equal(are_short.take(pairs.left), are_short.take(pairs.right))
    )


def filter_join_candidates(
    candidates: JoinCandidates, wanted_mask: pa.BooleanArray
) -> JoinCandidates:
    """Return the candidates for which the mask is true."""
    if pc.all(wanted_mask).as_py():
        return candidates
    return JoinCandidates(*(column.filter(wanted_mask) for column in candidates))
