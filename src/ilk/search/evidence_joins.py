"""Every pair of texts at a resemblance or containment, found on their evidence.

A join returns a superset of the true pairs; the judge then drops the few others.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels, arrow
from ilk.arrow import verdicts
from ilk.base import resources
from ilk.base.errors import OptionError, TooManyPairs
from ilk.search.evidence import BOTH_WORDS, RUN_WORDS, Evidence, OneSite, Thresholds
from ilk.search.measures import kernel_ratio

#: Which set of a row a join reads: none, that of words, or that of characters.
_NO_SET, _WORDS, _CHARACTERS = (pa.scalar(choice, pa.uint8()) for choice in _kernels.CHOICES)

#: The kinds of texts: not joined; measured by characters; measured by characters only with a
#: short text; measured by words.
_NOT_JOINED, _SHORT, _MIDDLE, _LONG = (pa.scalar(kind, pa.uint8()) for kind in _kernels.TEXT_KINDS)

#: Memory of a join: fixed bytes, bytes per row to connect rows, bytes per row to cluster them. Rows
#: of the whole collection count, since the kernels keep an entry for a row that is not joined too.
_LEAST, _EACH_CONNECTED, _EACH_CLUSTERED = 10_000_000, 48, 112

#: Pairs of rows: left and right; with the number of shared ids of the sets that measure them.
RowPairs: TypeAlias = tuple[pa.Array, pa.Array]
JoinedPairs: TypeAlias = tuple[pa.Array, pa.Array, pa.Array]


def select_pairs_of_one_kind(
    evidence: Evidence, pairs: JoinedPairs, thresholds: Thresholds, site: OneSite | None = None
) -> pa.Table:
    """Return the judged pairs of one kind, sorted by row."""
    left, right, shared = pairs
    judged = evidence.judge(left, right, thresholds, site, shared)
    same = pc.is_in(judged["verdict"], pa.array(verdicts.SAME))
    judged_pairs = judged if pc.all(same).as_py() else judged.filter(same)
    left, right = arrow.flat(judged_pairs["left"]), arrow.flat(judged_pairs["right"])
    last = max(0, len(left) - 1)
    (a, c), (b, d) = ((side.slice(0, last), side.slice(1)) for side in (left, right))
    back = pc.or_(pc.less(c, a), pc.and_(pc.equal(c, a), pc.less(d, b)))
    if not pc.any(back).as_py():  # Those of a single join are in order already.
        return judged_pairs
    return judged_pairs.sort_by([("left", "ascending"), ("right", "ascending")])


def join_by_resemblance(evidence: Evidence, threshold: Fraction, max_pairs: int) -> JoinedPairs:
    """Return every pair at a resemblance, left < right, and few others."""
    lower = kernel_ratio(lower_threshold_by_merged_hashes(evidence, threshold))
    found = _kernels.resemblance_self_join(
        _kernel_sets(evidence, _choose_sets_of_own_kind(evidence), threshold),
        lower,
        max_pairs,
        evidence.jobs,
        evidence.kernel_callback,
    )
    return concatenate_pairs(
        [
            _select_pairs_of_same_length_class(evidence, found),
            *map(_order_sides, _join_across_kinds(evidence, evidence, threshold, max_pairs)),
        ]
    )


def join_across_split(
    evidence: Evidence, split: int, threshold: Fraction, max_pairs: int
) -> JoinedPairs:
    """Return every such pair of a row below ``split`` and one from there on, and few others."""
    first = pc.less(pa.arange(0, len(evidence)), split)
    return join_between(
        evidence.with_joined_limited_to(first),
        evidence.with_joined_limited_to(pc.invert(first)),
        threshold,
        max_pairs,
    )


def join_between(
    left_evidence: Evidence, right_evidence: Evidence, threshold: Fraction, max_pairs: int
) -> JoinedPairs:
    """Return every such pair of a row that the first joins and one that the second joins.

    Both are of the same texts, so rows have the same numbers.
    """
    own = _join_chosen_sets(
        (left_evidence, _choose_sets_of_own_kind(left_evidence)),
        (right_evidence, _choose_sets_of_own_kind(right_evidence)),
        threshold,
        max_pairs,
    )
    own = [_select_pairs_of_same_length_class(left_evidence, pairs) for pairs in own]
    back = _join_across_kinds(right_evidence, left_evidence, threshold, max_pairs)
    turned = [(right, left, shared) for left, right, shared in back]
    return concatenate_pairs(
        [*own, *_join_across_kinds(left_evidence, right_evidence, threshold, max_pairs), *turned]
    )


def judge_mixed_pairs_in_families(
    evidence: Evidence, families: pa.Array, threshold: Fraction, max_pairs: int
) -> pa.Table:
    """Return every pair at that resemblance of a short text and one that is not, judged.

    Both are of one family, so only families with texts of either kind are joined.
    """
    kinds = evidence.is_short, pc.invert(evidence.is_short)
    of_kinds = [families.filter(pc.and_(evidence.is_joined, kind)) for kind in kinds]
    mixed = pc.and_(*(pc.is_in(families, value_set=pc.unique(one)) for one in of_kinds))
    evidence = evidence.with_joined_limited_to(mixed)
    pairs = map(_order_sides, _join_across_kinds(evidence, evidence, threshold, max_pairs))
    return select_pairs_of_one_kind(evidence, concatenate_pairs([*pairs]), Thresholds(threshold))


class OwnKindJoin(NamedTuple):
    """Sets as the kernels take them, and the ratio at which they are joined."""

    sets: Any
    ratio: tuple[int, int]


def sets_for_own_kind_join(evidence: Evidence, threshold: Fraction) -> OwnKindJoin:
    """Return the sets that are joined with sets of their own kind, and the ratio of that join."""
    return OwnKindJoin(
        _kernel_sets(evidence, _choose_sets_of_own_kind(evidence), threshold),
        kernel_ratio(lower_threshold_by_merged_hashes(evidence, threshold)),
    )


def find_families(
    evidence: Evidence,
    threshold: Fraction,
    *,
    reserve: int = resources.UNBOUNDED,
    folder: str | os.PathLike[str] | None = None,
    baseline_size: int = 0,
) -> pa.Array:
    """Return for each row the smallest row of everything that pairs connect with it.

    Args:
        reserve: bytes of memory that this may use besides the sets.
        folder: the folder of files for what does not fit; None for the system's.
        baseline_size: the first rows, as many as these, make no pairs with one another.

    Raises:
        OptionError: it does not fit.
        OutputError: the disk is full.
    """
    reserve = _check_reserve_left(reserve, _EACH_CONNECTED * len(evidence))
    folder = os.fspath(folder) if folder is not None else tempfile.gettempdir()
    ratio = kernel_ratio(lower_threshold_by_merged_hashes(evidence, threshold))
    return _kernels.find_families(
        _sets_with_kinds(evidence, threshold),
        ratio,
        baseline_size,
        _kernels.SpillRoom(reserve=reserve, folder=folder),
        evidence.jobs,
        evidence.kernel_callback,
    )


def split_into_portions(
    evidence: Evidence, families: pa.Array, threshold: Fraction, *, reserve: int
) -> Iterator[pa.BooleanArray]:
    """Yield which rows to join together: whole families of two or more, as many as fit.

    Args:
        families: of ``find_families``.
        reserve: bytes of memory that a join may use besides the sets.

    Raises:
        OptionError: a family does not fit.
    """
    reserve = _check_reserve_left(reserve, _EACH_CLUSTERED * len(evidence))
    found = _kernels.assign_portions(_sets_with_kinds(evidence, threshold), families, reserve)
    # At least one, perhaps empty: a request that does not fit is refused with the first.
    for one in range((pc.max(found).as_py() or 0) + 1):
        yield pc.fill_null(pc.equal(found, one), False)


def _check_reserve_left(reserve: int, used: int) -> int:
    """Return what else may be used of some memory."""
    if reserve < used:
        more = resources.spell_size_rounded_up(_LEAST + used - reserve)
        raise OptionError(f"the search needs about {more} more memory. Allow it: --memory.")
    return reserve - used


def _sets_with_kinds(evidence: Evidence, threshold: Fraction) -> Any:
    """Return all sets, and which of them measures each row, as the kernels take them."""
    middle = pc.less(evidence.field("words"), BOTH_WORDS)
    kinds = pc.if_else(evidence.is_short, _SHORT, pc.if_else(middle, _MIDDLE, _LONG))
    return _kernel_sets(evidence, pc.if_else(evidence.is_joined, kinds, _NOT_JOINED), threshold)


def join_by_containment(evidence: Evidence, threshold: Fraction, max_pairs: int) -> RowPairs:
    """Return all ordered pairs whose left text stands in the right one to this degree, by words."""
    if len(_containment_by_length(evidence, threshold)) > 1:
        rows, nothing = pa.arange(0, len(evidence)), pa.array([], pa.int64())
        return join_contained_rows(
            evidence, threshold, inner=rows, excluded_containers=nothing, max_pairs=max_pairs
        )
    evidence = evidence.measured_by_words()
    left, right, _ = _kernels.containment_self_join(
        _kernel_sets(evidence, _choose_sets_of_own_kind(evidence), threshold),
        kernel_ratio(lower_threshold_by_merged_hashes(evidence, threshold)),
        max_pairs,
        evidence.kernel_callback,
    )
    return left, right


def filter_contained_pairs(evidence: Evidence, pairs: RowPairs, threshold: Fraction) -> pa.Table:
    """Return the pairs whose left text is in the right one at ``threshold``, judged in words."""
    # Containment is requested, so also for texts that are near or equal.
    judged = evidence.measured_by_words().judge(*pairs, Thresholds(threshold, threshold))
    run = pc.less(evidence.field("words").take(arrow.flat(judged["left"])), RUN_WORDS)
    lowest = pc.if_else(run, 1.0, float(threshold))
    return judged.filter(pc.greater_equal(judged["containment_left"], lowest))


def find_one_container_each(evidence: Evidence, threshold: Fraction) -> RowPairs:
    """Return for each contained text the largest that contains it at ``threshold``, in words."""
    found, words = pa.nulls(len(evidence), pa.int64()), evidence.measured_by_words()
    for rows, degree in _containment_by_length(evidence, threshold):
        lower = kernel_ratio(lower_threshold_by_merged_hashes(words, degree))
        other = _kernels.find_containers(
            _kernel_sets(words, _choose_sets_of_own_kind(words), degree),
            lower,
            evidence.kernel_callback,
        )
        found = pc.if_else(rows, other, found)
    return pc.indices_nonzero(found.is_valid()).cast(pa.int64()), found.drop_null()


def join_contained_rows(
    evidence: Evidence,
    threshold: Fraction,
    *,
    inner: pa.Array,
    excluded_containers: pa.Array,
    max_pairs: int,
) -> RowPairs:
    """Return every pair of a row of ``inner`` and another one in which it stands, by words.

    Rows of ``excluded_containers`` are no containers.
    """
    rows, words = pa.arange(0, len(evidence)), evidence.measured_by_words()
    own, inside = _choose_sets_of_own_kind(words), pc.is_in(rows, value_set=inner)
    others = pc.if_else(pc.is_in(rows, value_set=excluded_containers), _NO_SET, own)
    lefts, rights = [pa.array([], pa.int64())], [pa.array([], pa.int64())]
    for short, degree in _containment_by_length(evidence, threshold):
        try:
            left, right, _ = _kernels.containment_join(
                _kernel_sets(words, pc.if_else(pc.and_(inside, short), own, _NO_SET), degree),
                _kernel_sets(words, others, degree),
                kernel_ratio(lower_threshold_by_merged_hashes(words, degree)),
                max_pairs + len(evidence),  # Each row also stands in itself.
                evidence.kernel_callback,
            )
        except TooManyPairs as error:
            raise TooManyPairs(error.count - len(evidence), max_pairs) from None
        other = pc.not_equal(left, right)
        lefts.append(left.filter(other))
        rights.append(right.filter(other))
    left, right = pa.concat_arrays(lefts), pa.concat_arrays(rights)
    if len(left) > max_pairs:
        raise TooManyPairs(len(left), max_pairs)
    return left, right


class _RowsAtContainment(NamedTuple):
    """Rows, and the least containment at which they count."""

    rows: pa.BooleanArray
    containment: Fraction


def _containment_by_length(evidence: Evidence, threshold: Fraction) -> list[_RowsAtContainment]:
    """Return which rows must stand in others to which degree: the shortest ones as a whole."""
    run = pc.less(evidence.field("words"), RUN_WORDS)
    # A text of fewer than RUN_WORDS words has at most RUN_WORDS - 1 shingles. The largest part of
    # it that is not the whole is this share: above it, both thresholds ask the same.
    if not run.true_count or threshold > Fraction(RUN_WORDS - 2, RUN_WORDS - 1):
        return [_RowsAtContainment(pa.repeat(True, len(evidence)), threshold)]
    return [
        _RowsAtContainment(pc.invert(run), threshold),
        _RowsAtContainment(run, Fraction(1)),
    ]


def _choose_sets_of_own_kind(evidence: Evidence) -> pa.UInt8Array:
    """Return per row which set is compared with texts of the same kind."""
    return pc.if_else(
        evidence.is_joined, pc.if_else(evidence.is_short, _CHARACTERS, _WORDS), _NO_SET
    )


def _kernel_sets(evidence: Evidence, choice: pa.UInt8Array, threshold: Fraction) -> Any:
    """Return the chosen sets as the kernels take them, without a copy."""
    ids = evidence.field("word_shingles"), evidence.field("character_shingles")
    return *ids, choice, evidence.field("word_hashes"), kernel_ratio(threshold)


def _join_across_kinds(
    left: Evidence, right: Evidence, threshold: Fraction, max_pairs: int
) -> list[JoinedPairs]:
    """Return the pairs of a short text and one that is not, each by the sets that measure it."""
    long = pc.greater_equal(right.field("words"), BOTH_WORDS)
    middle = pc.invert(pc.or_(long, right.is_short))
    found: list[JoinedPairs] = []
    for choice, kind in ((_CHARACTERS, middle), (_WORDS, long)):
        short = pc.if_else(pc.and_(left.is_joined, left.is_short), choice, _NO_SET)
        other = pc.if_else(pc.and_(right.is_joined, kind), choice, _NO_SET)
        found += _join_chosen_sets((left, short), (right, other), threshold, max_pairs)
    return found


def _join_chosen_sets(
    left: tuple[Evidence, pa.Array],
    right: tuple[Evidence, pa.Array],
    threshold: Fraction,
    max_pairs: int,
) -> list[JoinedPairs]:
    """Join chosen sets with others, if there are any of both."""
    if not all(pc.max(choice).as_py() for _, choice in (left, right)):
        return []
    lower = kernel_ratio(lower_threshold_by_merged_hashes(left[0], threshold))
    one, other = (_kernel_sets(of, choice, threshold) for of, choice in (left, right))
    running = left[0].jobs, left[0].kernel_callback
    return [_kernels.resemblance_join(one, other, lower, max_pairs, *running)]


def lower_threshold_by_merged_hashes(evidence: Evidence, threshold: Fraction) -> Fraction:
    """Return the threshold, less what hashes of equal ids in one set may take from a ratio."""
    hashes, ids = (
        pc.list_value_length(evidence.field(f"word_{of_}")) for of_ in ("hashes", "shingles")
    )
    large = pc.greater(hashes, 0)
    merged_hashes, ids = pc.subtract(hashes, ids).filter(large), ids.filter(large)
    share = pc.divide(merged_hashes.cast(pa.float64()), ids.cast(pa.float64()))
    most = pc.max(share).as_py()
    if not most:
        return threshold
    # The floating-point share only picks the set; the threshold is lowered by its whole numbers.
    worst = pc.index(share, most).as_py()
    lowered = _kernels.lower_threshold_for_merged_hashes(
        kernel_ratio(threshold), ids[worst].as_py(), merged_hashes[worst].as_py()
    )
    return Fraction(*lowered)


def concatenate_pairs(parts: list[JoinedPairs]) -> JoinedPairs:
    """Return the pairs of all parts."""
    none = [pa.array([], pa.int64())] * 3
    left, right, shared = map(pa.concat_arrays, zip(none, *parts, strict=True))
    return left, right, shared


def _order_sides(pairs: JoinedPairs) -> JoinedPairs:
    """Return the pairs with the lower row on the left, without those of a row and itself."""
    low, high = pc.min_element_wise(*pairs[:2]), pc.max_element_wise(*pairs[:2])
    return filter_joined(pc.less(low, high), (low, high, pairs[2]))


def _select_pairs_of_same_length_class(evidence: Evidence, pairs: JoinedPairs) -> JoinedPairs:
    """Return pairs of two short texts, or of two that are not: the others are crossed."""
    return filter_joined(
        pc.equal(evidence.is_short.take(pairs[0]), evidence.is_short.take(pairs[1])), pairs
    )


def filter_joined(chosen: pa.BooleanArray, pairs: JoinedPairs) -> JoinedPairs:
    """Return the chosen pairs."""
    if pc.all(chosen).as_py():
        return pairs
    left, right, shared = (column.filter(chosen) for column in pairs)
    return left, right, shared
