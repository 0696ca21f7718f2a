"""Fingerprints within a Hamming radius: every pair, and no other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels, arrow
from ilk.arrow.numbers import FingerprintColumn, FingerprintOrColumn
from ilk.base import resources
from ilk.base.arguments import suggest_arguments
from ilk.base.errors import OptionError
from ilk.base.kinds import Size, Whole
from ilk.base.options import check_option, default

#: Called repeatedly with the share of a call that is done, 0 to 1; an exception ends the call.
ShareProgress: TypeAlias = Callable[[float], object]

#: An int for two fingerprints; for columns, a column of ``uint8``.
DistanceOrColumn: TypeAlias = Any

SCHEMA = arrow.schema_without_nulls(left=pa.int64(), right=pa.int64(), distance=pa.uint8())

#: Pairs of rows, with the columns of ``SCHEMA``.
DistancePairTable: TypeAlias = pa.Table


def distance(left: FingerprintOrColumn, right: FingerprintOrColumn) -> DistanceOrColumn:
    """Return the number of bits in which fingerprints differ (Hamming distance).

    Two numbers give an integer. Two columns of n fingerprints give n distances as ``uint8``, null
    where either is null; a number beside a column is compared with each of its rows. A number is an
    integer of 64 bits, whose signed and unsigned forms are equal, or 16 bytes. A side may be a
    table with the column ``fingerprint``, which carries its recipe; bare numbers carry none, so ilk
    cannot check that one recipe made both sides.

    Raises:
        ColumnTypeError: an argument is not of fingerprints.
        RecipeMismatch: the sides differ in the recipe they carry, or in their width.
        OptionError: the columns differ in length.

    >>> distance(0xA3DBF34F76EA0510, 0xA39BF85F76EA1510)  # Roth 2013, section 2.2.2.
    6
    """
    scalar = [arrow.is_one_fingerprint(side) for side in (left, right)]
    a, b = arrow.import_comparable_fingerprints(
        *([side] if one else side for side, one in zip((left, right), scalar, strict=True))
    )
    if not any(scalar) and len(a) != len(b):
        raise OptionError(f"columns of {len(a)} and {len(b)} fingerprints cannot be compared.")
    if any(scalar):
        rows = max(len(a), len(b)) if min(len(a), len(b)) else 0
        a, b = (side if len(side) == rows else pa.repeat(side[0], rows) for side in (a, b))
    known = pc.and_(a.is_valid(), b.is_valid())
    bits = _kernels.measure_distances(a.filter(known), b.filter(known))
    if all(scalar):
        return bits[0].as_py()
    return pc.replace_with_mask(pa.nulls(len(known), bits.type), known, bits)


@suggest_arguments
def pairs(
    fingerprints: FingerprintColumn,
    radius: int,
    *,
    max_pairs: int = default("max_pairs"),
    memory: str | int | None = None,
    jobs: int | None = None,
    progress: ShareProgress | None = None,
) -> DistancePairTable:
    """Return all pairs of rows whose fingerprints differ in at most ``radius`` bits, and no others.

    Args:
        fingerprints: n fingerprints (a column, a list, or a table with the column
            ``fingerprint``); a null is like no other row.
        radius: the largest distance in bits, 0 to their width (64 or 128).
        max_pairs: the largest number of pairs to return.
        memory: bytes to work in (``"2GB"``), in addition to the column and the pairs; by default
            half of the free memory. With less, the same pairs take more time. It needs at least 8.2
            bytes per fingerprint of 64 bits.
        jobs: threads, which share the memory; by default one per processor. The result does not
            depend on them.
        progress: a function called repeatedly with the share that is done, 0 to 1.

    Returns:
        ``left`` and ``right``, row numbers with left < right, and their ``distance``; sorted.

    Raises:
        TooManyPairs: there are more than ``max_pairs``, with their number.
        ColumnTypeError, OptionError: an argument is of another kind, or out of bounds.

    >>> pairs([0b0000, 0b0001, 0b1111], radius=1).to_pylist()
    [{'left': 0, 'right': 1, 'distance': 1}]
    """
    values, rows = drop_nulls(arrow.import_fingerprints(fingerprints))
    radius = check_radius(radius, arrow.bits_or_128_if_all_null(values))
    limits = _check_join_limits(
        values, count_of_both_sides=len(values), max_pairs=max_pairs, memory=memory, jobs=jobs
    )
    left, right, bits = _kernels.hamming_self_join(values, radius, limits, progress)
    return _make_pair_table(
        left_rows_unless_all=rows, left=left, right_rows_unless_all=rows, right=right, distance=bits
    )


@suggest_arguments
def join(
    left: FingerprintColumn,
    right: FingerprintColumn,
    radius: int,
    *,
    max_pairs: int = default("max_pairs"),
    memory: str | int | None = None,
    jobs: int | None = None,
    progress: ShareProgress | None = None,
) -> DistancePairTable:
    """Return all pairs of a left and a right row that differ in at most ``radius`` bits.

    Arguments, result and errors are those of ``pairs``; ``left`` and ``right`` number the rows of
    their own column.

    Raises:
        RecipeMismatch: the sides differ in the recipe they carry, or in their width.
    """
    (left_values, left_rows), (right_values, right_rows) = map(
        drop_nulls, arrow.import_comparable_fingerprints(left, right)
    )
    count = len(left_values) + len(right_values)
    radius = check_radius(radius, arrow.bits_or_128_if_all_null(left_values))
    limits = _check_join_limits(
        left_values, count_of_both_sides=count, max_pairs=max_pairs, memory=memory, jobs=jobs
    )
    a, b, bits = _kernels.hamming_join(left_values, right_values, radius, limits, progress)
    return _make_pair_table(
        left_rows_unless_all=left_rows,
        left=a,
        right_rows_unless_all=right_rows,
        right=b,
        distance=bits,
    )


class EqualGroups(NamedTuple):
    """Groups of equal fingerprints, and the pairs of them, as ``groups`` returns them."""

    first_rows: pa.Array
    pairs: DistancePairTable


@suggest_arguments
def groups(
    fingerprints: FingerprintColumn,
    radius: int,
    *,
    max_pairs: int = default("max_pairs"),
    memory: str | int | None = None,
    jobs: int | None = None,
    progress: ShareProgress | None = None,
) -> EqualGroups:
    """Return groups of equal fingerprints, and all pairs of groups within the radius.

    A million copies are one group here, and no pair. The arguments are those of ``pairs``.

    Returns:
        ``first_rows``, for each row the first row with an equal fingerprint (``int64``, null for a
        null); and ``pairs``, a table like that of ``pairs`` for those first rows, with distances of
        1 or more.

    Raises:
        TooManyPairs: there are more than ``max_pairs`` pairs of groups.
        ColumnTypeError, OptionError: an argument is of another kind, or out of bounds.
    """
    column = arrow.import_fingerprints(fingerprints)
    values, rows = drop_nulls(column)
    radius = check_radius(radius, arrow.bits_or_128_if_all_null(values))
    limits = _check_join_limits(
        values, count_of_both_sides=len(values), max_pairs=max_pairs, memory=memory, jobs=jobs
    )
    group, a, b, bits = _kernels.hamming_self_join_of_first_rows(values, radius, limits, progress)
    firsts = group if rows is None else rows.take(group)
    if rows is not None:
        at = pc.index_in(pa.arange(0, len(column)), value_set=rows)
        firsts = firsts.take(at)
    return EqualGroups(
        firsts,
        _make_pair_table(
            left_rows_unless_all=rows, left=a, right_rows_unless_all=rows, right=b, distance=bits
        ),
    )


@suggest_arguments
def components(
    fingerprints: FingerprintColumn, radius: int, *, progress: ShareProgress | None = None
) -> pa.Array:
    """Return for each row the first row of its component of pairs within the radius; itself for
    null.

    Pairs are not listed, and inside a component most are not even examined, so their number does
    not matter. The arguments are those of ``pairs``.

    Returns:
        n rows (``int64``).

    Raises:
        ColumnTypeError, OptionError: an argument is of another kind, or out of bounds.

    >>> components([0b0000, 0b1111, 0b0001, 0b0011], radius=1).to_pylist()
    [0, 1, 0, 0]
    """
    column = arrow.import_fingerprints(fingerprints)
    values, rows = drop_nulls(column)
    radius = check_radius(radius, arrow.bits_or_128_if_all_null(values))
    firsts = _kernels.connect_fingerprints(values, radius, progress)
    if rows is None:
        return firsts
    all_rows = pa.arange(0, len(column))
    return pc.coalesce(rows.take(firsts).take(pc.index_in(all_rows, value_set=rows)), all_rows)


def check_radius(radius: object, max_bits: int) -> int:
    """Return the radius; OptionError if it is not a whole number from 0 to ``max_bits``."""
    return int(Whole(0, max_bits, "bits").check("radius", radius))


def _check_join_limits(
    fingerprints: pa.Array,
    *,
    count_of_both_sides: int,
    max_pairs: int,
    memory: str | int | None,
    jobs: int | None,
) -> _kernels.JoinLimits:
    """Return the limits of a join of fingerprints of that width, for the kernels.

    Raises:
        OptionError: one of them is out of bounds, or the join needs more memory.
    """
    max_pairs = check_option("max_pairs", max_pairs)
    bits = arrow.fingerprint_bits(fingerprints)
    given = resources.free_memory() // 2 if memory is None else Size().check("memory", memory)
    size = min(given, (1 << 63) - 1)
    needed = _kernels.plan_hamming_join(count_of_both_sides, bits, 0, 0).memory
    if memory is not None and size < needed:
        raise OptionError(
            f"memory is {memory!r}; a join of {count_of_both_sides:,} fingerprints of {bits} bits "
            f"needs {needed:,} bytes or more. Allow that much, or join fewer at a time."
        )
    return _kernels.JoinLimits(
        max_pairs=max_pairs, memory=size, threads=resources.thread_count(jobs)
    )


class ValuesWithoutNulls(NamedTuple):
    """Fingerprints that are not null, and their rows; None if every row has one."""

    values: pa.Array
    rows_unless_all: pa.Int64Array | None


def drop_nulls(column: pa.Array) -> ValuesWithoutNulls:
    """Return the fingerprints that are not null, and the rows in which they are."""
    if column.null_count == 0:
        return ValuesWithoutNulls(column, None)
    return ValuesWithoutNulls(
        column.drop_null(), pc.indices_nonzero(column.is_valid()).cast(pa.int64())
    )


def _make_pair_table(
    *,
    left_rows_unless_all: pa.Array | None,
    left: pa.Array,
    right_rows_unless_all: pa.Array | None,
    right: pa.Array,
    distance: pa.Array,
) -> DistancePairTable:
    """Return pairs of values without nulls as pairs of the rows in which the values are."""
    left = left if left_rows_unless_all is None else left_rows_unless_all.take(left)
    right = right if right_rows_unless_all is None else right_rows_unless_all.take(right)
    return pa.table([left, right, distance], schema=SCHEMA)
