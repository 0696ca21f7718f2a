"""Every pair of texts at a resemblance or containment, found on their evidence.

A join returns a superset of the true pairs; the judge then drops the few others.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels, arrow
from ilk.arrow import verdicts
from ilk.base import resources
from ilk.base.errors import OptionError, TooManyPairs
from ilk.search.evidence import BOTH_WORDS, RUN_WORDS, Evidence, OneSite, Thresholds
from ilk.search.measures import kernel_ratio

#: Which set of a row a join reads: none, that of words, or that of characters.
_HIDDEN, _WORDS, _CHARACTERS = (pa.scalar(choice, pa.uint8()) for choice in _kernels.CHOICES)

#: The kinds of texts: not joined; measured by characters; measured by characters only with a
#: short text; measured by words.
_UNSEEN, _SHORT, _MIDDLE, _LONG = (pa.scalar(kind, pa.uint8()) for kind in _kernels.TEXT_KINDS)

#: Memory of a join: fixed bytes, bytes per row to connect rows, bytes per row to cluster them. Rows
#: of the whole collection count, since the kernels keep an entry for a row that is not joined too.
_LEAST, _EACH_CONNECTED, _EACH_CLUSTERED = 10_000_000, 48, 112

#: Pairs of rows: left and right; with the number of shared ids of the sets that measure them.
Pairs: TypeAlias = tuple[pa.Array, pa.Array]
Joined: TypeAlias = tuple[pa.Array, pa.Array, pa.Array]


def alike(
    of: Evidence, pairs: Joined, thresholds: Thresholds, site: OneSite | None = None
) -> pa.Table:
    """Return the judged pairs of one kind, sorted by row."""
    left, right, shared = pairs
    judged = of.judge(left, right, thresholds, site, shared)
    same = pc.is_in(judged["verdict"], pa.array(verdicts.SAME))
    judged_pairs = judged if pc.all(same).as_py() else judged.filter(same)
    left, right = arrow.flat(judged_pairs["left"]), arrow.flat(judged_pairs["right"])
    last = max(0, len(left) - 1)
    (a, c), (b, d) = ((side.slice(0, last), side.slice(1)) for side in (left, right))
    back = pc.or_(pc.less(c, a), pc.and_(pc.equal(c, a), pc.less(d, b)))
    if not pc.any(back).as_py():  # Those of a single join are in order already.
        return judged_pairs
    return judged_pairs.sort_by([("left", "ascending"), ("right", "ascending")])


def resembling(of: Evidence, least: Fraction, max_pairs: int) -> Joined:
    """Return every pair at a resemblance, left < right, and few others."""
    lower = kernel_ratio(lower_threshold(of, least))
    found = _kernels.resemblance_self_join(
        _sets(of, _own(of), least), *lower, max_pairs, of.jobs, of.follow
    )
    return _together(
        [
            _within_length_class(of, found),
            *map(_ascending, _pairs_across_kinds(of, of, least, max_pairs)),
        ]
    )


def across(of: Evidence, split: int, least: Fraction, max_pairs: int) -> Joined:
    """Return every such pair of a row below ``split`` and one from there on, and few others."""
    first = pc.less(pa.arange(0, len(of)), split)
    return between(of.only(first), of.only(pc.invert(first)), least, max_pairs)


def between(some_of: Evidence, others_of: Evidence, least: Fraction, max_pairs: int) -> Joined:
    """Return every such pair of a row that the first shows and one that the second shows.

    Both are of the same texts.
    """
    own = _join_chosen((some_of, _own(some_of)), (others_of, _own(others_of)), least, max_pairs)
    own = [_within_length_class(some_of, pairs) for pairs in own]
    back = _pairs_across_kinds(others_of, some_of, least, max_pairs)
    turned = [(right, left, shared) for left, right, shared in back]
    return _together([*own, *_pairs_across_kinds(some_of, others_of, least, max_pairs), *turned])


def bridges(of: Evidence, families: pa.Array, least: Fraction, max_pairs: int) -> pa.Table:
    """Return every pair at that resemblance of a short text and one that is not, judged.

    Both are of one family, so only families with texts of either kind are joined.
    """
    kinds = of.short, pc.invert(of.short)
    of_kinds = [families.filter(pc.and_(of.visible, kind)) for kind in kinds]
    mixed = pc.and_(*(pc.is_in(families, value_set=pc.unique(one)) for one in of_kinds))
    of = of.only(mixed)
    pairs = map(_ascending, _pairs_across_kinds(of, of, least, max_pairs))
    return alike(of, _together([*pairs]), Thresholds(least))


def ordinary(of: Evidence, least: Fraction) -> tuple[Any, tuple[int, int]]:
    """Return the sets that are joined with sets of their own kind, and the ratio of that join."""
    return _sets(of, _own(of), least), kernel_ratio(lower_threshold(of, least))


def families(
    of: Evidence,
    least: Fraction,
    *,
    reserve: int = resources.UNBOUNDED,
    folder: str | os.PathLike[str] | None = None,
    held: int = 0,
) -> pa.Array:
    """Return for each row the smallest row of everything that pairs connect with it.

    Args:
        reserve: bytes of memory that this may use besides the sets.
        folder: the folder of files for what does not fit; None for the system's.
        held: the first rows, as many as these, make no pairs with one another.

    Raises:
        OptionError: it does not fit.
        OutputError: the disk is full.
    """
    reserve = _reserve_left(reserve, _EACH_CONNECTED * len(of))
    folder = os.fspath(folder) if folder is not None else tempfile.gettempdir()
    ratio = kernel_ratio(lower_threshold(of, least))
    return _kernels.text_families(
        _kinds(of, least), held, *ratio, reserve, folder, of.jobs, of.follow
    )


def portions(
    of: Evidence, families: pa.Array, least: Fraction, *, reserve: int
) -> Iterator[pa.BooleanArray]:
    """Yield which rows to join together: whole families of two or more, as many as fit.

    Args:
        families: of ``families``.
        reserve: bytes of memory that a join may use besides the sets.

    Raises:
        OptionError: a family does not fit.
    """
    reserve = _reserve_left(reserve, _EACH_CLUSTERED * len(of))
    found = _kernels.text_portions(_kinds(of, least), families, reserve)
    # At least one, perhaps empty: a request that does not fit is refused with the first.
    for one in range((pc.max(found).as_py() or 0) + 1):
        yield pc.fill_null(pc.equal(found, one), False)


def _reserve_left(reserve: int, used: int) -> int:
    """Return what else may be used of some memory."""
    if reserve < used:
        more = resources.format_bytes(_LEAST + used - reserve)
        raise OptionError(f"the search needs about {more} more memory. Allow it: --memory.")
    return reserve - used


def _kinds(of: Evidence, least: Fraction) -> Any:
    """Return all sets, and which of them measures each row, as the kernels take them."""
    middle = pc.less(of.field("words"), BOTH_WORDS)
    kinds = pc.if_else(of.short, _SHORT, pc.if_else(middle, _MIDDLE, _LONG))
    return _sets(of, pc.if_else(of.visible, kinds, _UNSEEN), least)


def containment_pairs(of: Evidence, least: Fraction, max_pairs: int) -> Pairs:
    """Return all ordered pairs whose left text stands in the right one to this degree, by words."""
    if len(_degrees(of, least)) > 1:
        rows, nothing = pa.arange(0, len(of)), pa.array([], pa.int64())
        return contained_among(of, least, inner=rows, without=nothing, max_pairs=max_pairs)
    of = of.by_words()
    left, right, _ = _kernels.containment_self_join(
        _sets(of, _own(of), least), *kernel_ratio(lower_threshold(of, least)), max_pairs, of.follow
    )
    return left, right


def containers(of: Evidence, least: Fraction) -> Pairs:
    """Return for each contained text one text that contains it at ``least``, in words."""
    found, words = pa.nulls(len(of), pa.int64()), of.by_words()
    for rows, degree in _degrees(of, least):
        lower = kernel_ratio(lower_threshold(words, degree))
        other = _kernels.containers(_sets(words, _own(words), degree), *lower, of.follow)
        found = pc.if_else(rows, other, found)
    return pc.indices_nonzero(found.is_valid()).cast(pa.int64()), found.drop_null()


def contained_among(
    of: Evidence, least: Fraction, *, inner: pa.Array, without: pa.Array, max_pairs: int
) -> Pairs:
    """Return every pair of a row of ``inner`` and another one in which it stands, by words.

    Rows of ``without`` are no containers.
    """
    rows, words = pa.arange(0, len(of)), of.by_words()
    own, inside = _own(words), pc.is_in(rows, value_set=inner)
    others = pc.if_else(pc.is_in(rows, value_set=without), _HIDDEN, own)
    lefts, rights = [pa.array([], pa.int64())], [pa.array([], pa.int64())]
    for short, degree in _degrees(of, least):
        try:
            left, right, _ = _kernels.containment_join(
                _sets(words, pc.if_else(pc.and_(inside, short), own, _HIDDEN), degree),
                _sets(words, others, degree),
                *kernel_ratio(lower_threshold(words, degree)),
                max_pairs + len(of),  # Each row also stands in itself.
                of.follow,
            )
        except TooManyPairs as error:
            raise TooManyPairs(error.count - len(of), max_pairs) from None
        other = pc.not_equal(left, right)
        lefts.append(left.filter(other))
        rights.append(right.filter(other))
    left, right = pa.concat_arrays(lefts), pa.concat_arrays(rights)
    if len(left) > max_pairs:
        raise TooManyPairs(len(left), max_pairs)
    return left, right


def _degrees(of: Evidence, least: Fraction) -> list[tuple[pa.BooleanArray, Fraction]]:
    """Return which rows must stand in others to which degree: the shortest ones as a whole."""
    run = pc.less(of.field("words"), RUN_WORDS)
    # A text of fewer than RUN_WORDS words has at most RUN_WORDS - 1 shingles. The largest part of
    # it that is not the whole is this share: above it, both thresholds ask the same.
    if not run.true_count or least > Fraction(RUN_WORDS - 2, RUN_WORDS - 1):
        return [(pa.repeat(True, len(of)), least)]
    return [(pc.invert(run), least), (run, Fraction(1))]


def _own(of: Evidence) -> pa.UInt8Array:
    """Return per row which set is compared with texts of the same kind."""
    return pc.if_else(of.visible, pc.if_else(of.short, _CHARACTERS, _WORDS), _HIDDEN)


def _sets(of: Evidence, choice: pa.UInt8Array, least: Fraction) -> Any:
    """Return the chosen sets as the kernels take them, without a copy."""
    ids = of.field("word_shingles"), of.field("character_shingles")
    return *ids, choice, of.field("word_hashes"), kernel_ratio(least)


def _pairs_across_kinds(
    some: Evidence, others: Evidence, least: Fraction, max_pairs: int
) -> list[Joined]:
    """Return the pairs of a short text and one that is not, each by the sets that measure it."""
    long = pc.greater_equal(others.field("words"), BOTH_WORDS)
    middle = pc.invert(pc.or_(long, others.short))
    found: list[Joined] = []
    for choice, kind in ((_CHARACTERS, middle), (_WORDS, long)):
        short = pc.if_else(pc.and_(some.visible, some.short), choice, _HIDDEN)
        other = pc.if_else(pc.and_(others.visible, kind), choice, _HIDDEN)
        found += _join_chosen((some, short), (others, other), least, max_pairs)
    return found


def _join_chosen(
    some: tuple[Evidence, pa.Array],
    others: tuple[Evidence, pa.Array],
    least: Fraction,
    max_pairs: int,
) -> list[Joined]:
    """Join chosen sets with others, if there are any of both."""
    if not all(pc.max(choice).as_py() for _, choice in (some, others)):
        return []
    lower = kernel_ratio(lower_threshold(some[0], least))
    one, other = (_sets(of, choice, least) for of, choice in (some, others))
    running = some[0].jobs, some[0].follow
    return [_kernels.resemblance_join(one, other, *lower, max_pairs, *running)]


def lower_threshold(of: Evidence, least: Fraction) -> Fraction:
    """Return the threshold, less what hashes of equal ids in one set may take from a ratio."""
    hashes, ids = (pc.list_value_length(of.field(f"word_{of_}")) for of_ in ("hashes", "shingles"))
    large = pc.greater(hashes, 0)
    merged_hashes, ids = pc.subtract(hashes, ids).filter(large), ids.filter(large)
    share = pc.divide(merged_hashes.cast(pa.float64()), ids.cast(pa.float64()))
    most = pc.max(share).as_py()
    if not most:
        return least
    worst = pc.index(share, most).as_py()
    numerator, denominator = kernel_ratio(least)
    lowered = _kernels.lower_threshold(
        numerator, denominator, ids[worst].as_py(), merged_hashes[worst].as_py()
    )
    return Fraction(*lowered)


def _together(parts: list[Joined]) -> Joined:
    none = [pa.array([], pa.int64())] * 3
    left, right, shared = map(pa.concat_arrays, zip(none, *parts, strict=True))
    return left, right, shared


def _ascending(pairs: Joined) -> Joined:
    """Return the pairs with the lower row on the left, without those of a row and itself."""
    low, high = pc.min_element_wise(*pairs[:2]), pc.max_element_wise(*pairs[:2])
    return _where(pc.less(low, high), (low, high, pairs[2]))


def _within_length_class(of: Evidence, pairs: Joined) -> Joined:
    """Return pairs of two short texts, or of two that are not: the others are crossed."""
    return _where(pc.equal(of.short.take(pairs[0]), of.short.take(pairs[1])), pairs)


def _where(chosen: pa.BooleanArray, pairs: Joined) -> Joined:
    if pc.all(chosen).as_py():
        return pairs
    left, right, shared = (column.filter(chosen) for column in pairs)
    return left, right, shared
