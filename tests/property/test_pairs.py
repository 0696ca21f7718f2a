"""Joins of fingerprints equal brute force, for any fingerprints and any radius."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from ilk import _kernels, arrow
from ilk.base.errors import ColumnTypeError, OptionError
from tests.reference import pairing
from tests.support.fingerprint_columns import FORMS, Column, Values, joined, listed


@given(joined())
def test_pairs_equal_brute_force_in_content_and_order(case: tuple[list[Column], int]) -> None:
    (column,), radius = case
    assert listed(ilk.hamming.pairs(column.given, radius)) == pairing.within(column.values, radius)


@given(joined(sides=2))
def test_join_equals_brute_force_in_content_and_order(case: tuple[list[Column], int]) -> None:
    (left, right), radius = case
    found = ilk.hamming.join(left.given, right.given, radius)
    assert listed(found) == pairing.across(left.values, right.values, radius)


@given(joined())
def test_groups_and_their_edges_equal_brute_force(case: tuple[list[Column], int]) -> None:
    (column,), radius = case
    values = column.values
    firsts, edges = ilk.hamming.groups(column.given, radius)
    assert firsts.type == pa.int64()
    assert firsts.to_pylist() == [None if v is None else values.index(v) for v in values]
    distinct = [v if values.index(v) == row else None for row, v in enumerate(values)]
    assert listed(edges) == pairing.within(distinct, radius)


@given(joined())
def test_rows_are_connected_as_their_pairs_connect_them(case: tuple[list[Column], int]) -> None:
    (column,), radius = case
    found = ilk.hamming.components(column.given, radius)
    assert found.type == pa.int64()
    rows = range(len(column.values))
    near = {(left, right) for left, right, _ in pairing.within(column.values, radius)}
    assert found.to_pylist() == pairing.connected(rows, near)


#: Bytes a value, with a 64th of them, or one, for the least that is sorted at a time.
_LEAST = {pa.uint64(): 8, pa.binary(16): 16}


def least_memory(*sides: Any) -> int:
    """The smallest limit that a join of these columns takes."""
    present = [arrow.import_fingerprints(side).drop_null() for side in sides]
    count = sum(map(len, present))
    return max(_LEAST[side.type] for side in present) * (count + -(-count // 64))


@given(joined(sides=2))
def test_the_least_memory_changes_nothing(case: tuple[list[Column], int]) -> None:
    (left, right), radius = case
    least = least_memory(left.given)
    found = ilk.hamming.pairs(left.given, radius, memory=least)
    assert listed(found) == pairing.within(left.values, radius)
    groups = ilk.hamming.groups(left.given, radius, memory=least)
    assert groups == ilk.hamming.groups(left.given, radius)
    least = least_memory(left.given, right.given)
    found = ilk.hamming.join(left.given, right.given, radius, memory=least)
    assert listed(found) == pairing.across(left.values, right.values, radius)


@pytest.mark.parametrize("bits", sorted(FORMS))
def test_slices_of_many_change_nothing(bits: int) -> None:
    """So many that tables are sorted, and by slices where the memory is short."""
    draw = np.random.default_rng(bits)
    words = draw.integers(0, 1 << 64, (40_000, bits // 64), np.uint64)
    words[:39_995:7] = words[3::7] ^ np.uint64(1)
    form = FORMS[bits]["unsigned" if bits == 64 else "bytes"]
    values = form([int.from_bytes(row.tobytes(), "little") for row in words])
    limit = int(1.1 * words.nbytes)
    assert _kernels.plan_hamming_join(len(values), bits, 3, limit).slices == 10
    found = ilk.hamming.pairs(values, 3, memory=limit)
    assert len(found) >= len(words) // 7
    assert found.equals(ilk.hamming.pairs(values, 3))
    half = len(values) // 2
    sides = (values[:half], values[half:])
    assert ilk.hamming.join(*sides, 3, memory=limit).equals(ilk.hamming.join(*sides, 3))
    groups = ilk.hamming.groups(values, 3, memory=limit)
    assert groups == ilk.hamming.groups(values, 3)


@pytest.mark.parametrize("bits", sorted(FORMS))
def test_threads_change_nothing(bits: int) -> None:
    draw = np.random.default_rng(bits)
    words = draw.integers(0, 1 << 64, (70_000, bits // 64), np.uint64)
    words[:69_995:7] = words[3::7] ^ np.uint64(1)
    form = FORMS[bits]["unsigned" if bits == 64 else "bytes"]
    values = form([int.from_bytes(row.tobytes(), "little") for row in words])
    sides = values[:35_000], values[35_000:]
    pairs = ilk.hamming.pairs(values, 3, jobs=1)
    across, groups = ilk.hamming.join(*sides, 3, jobs=1), ilk.hamming.groups(values, 3, jobs=1)
    for jobs in (2, 7):
        assert ilk.hamming.pairs(values, 3, jobs=jobs).equals(pairs)
        assert ilk.hamming.join(*sides, 3, jobs=jobs).equals(across)
        assert ilk.hamming.groups(values, 3, jobs=jobs) == groups
        with pytest.raises(ilk.TooManyPairs, match=f"{len(pairs):,}"):
            ilk.hamming.pairs(values, 3, max_pairs=len(pairs) - 1, jobs=jobs)
    with pytest.raises(OptionError, match="jobs is 0"):
        ilk.hamming.pairs(values, 3, jobs=0)


def test_fingerprints_come_from_parquet_and_from_mapped_files(tmp_path: Path) -> None:
    values = np.random.default_rng(2).integers(0, 1 << 64, 5000, np.uint64)
    values[::9] = values[1::9][: len(values[::9])] ^ np.uint64(1)
    expected = ilk.hamming.pairs(values, 3)
    assert len(expected) > 500
    written = arrow.reinterpret_as_signed(pa.array(values))
    parquet.write_table(pa.table({"fingerprint": written}), tmp_path / "a", row_group_size=999)
    assert ilk.hamming.pairs(parquet.read_table(tmp_path / "a"), 3).equals(expected)
    values.tofile(tmp_path / "b")
    mapped = np.memmap(tmp_path / "b", np.uint64, "r")
    assert ilk.hamming.pairs(mapped, 3, memory=45_000).equals(expected)


@pytest.mark.parametrize("limit", [0, 8, "15B", -1, "little", 16.0, False])
def test_memory_that_is_no_size_or_too_small_is_refused(limit: Any) -> None:
    for refuse in (
        lambda: ilk.hamming.pairs([1, 2], 3, memory=limit),
        lambda: ilk.hamming.join([1], [2], 3, memory=limit),
        lambda: ilk.hamming.groups([1, 2], 3, memory=limit),
    ):
        with pytest.raises(OptionError, match="memory is .*(such as 2GB|needs 24 bytes)"):
            refuse()


@given(joined(), st.data())
def test_the_limit_is_refused_with_the_exact_number(
    case: tuple[list[Column], int], data: st.DataObject
) -> None:
    (column,), radius = case
    expected = len(pairing.within(column.values, radius))
    limit = data.draw(st.integers(0, expected + 1))
    if limit >= expected:
        assert len(ilk.hamming.pairs(column.given, radius, max_pairs=limit)) == expected
        return
    with pytest.raises(ilk.TooManyPairs) as refused:
        ilk.hamming.pairs(column.given, radius, max_pairs=limit)
    assert (refused.value.count, refused.value.limit) == (expected, limit)
    assert f"{expected:,}" in str(refused.value)


@given(joined(sides=2))
def test_the_limit_of_a_join_counts_its_pairs(case: tuple[list[Column], int]) -> None:
    (left, right), radius = case
    expected = len(pairing.across(left.values, right.values, radius))
    assert len(ilk.hamming.join(left.given, right.given, radius, max_pairs=expected)) == expected
    if expected:
        with pytest.raises(ilk.TooManyPairs) as refused:
            ilk.hamming.join(left.given, right.given, radius, max_pairs=expected - 1)
        assert (refused.value.count, refused.value.limit) == (expected, expected - 1)


@pytest.mark.parametrize(
    ("bits", "radius"),
    [
        *((64, radius) for radius in (0, 1, 3, 6, 10, 16)),
        *((128, r) for r in (0, 3, 6, 12, 20, 28)),
    ],
)
def test_planted_neighbours_among_many_are_all_found(bits: int, radius: int) -> None:
    """More rows than any small case takes a short cut for, with neighbours at every distance."""
    draw = random.Random(radius)
    values: Values = [draw.getrandbits(bits) for _ in range(300)]
    for row in range(300):
        flips = draw.sample(range(bits), draw.randrange(radius + 2))
        values.append((values[row] or 0) ^ sum(1 << bit for bit in flips))
    values += [None, 0, (1 << bits) - 1, *values[:5]]
    draw.shuffle(values)
    found = ilk.hamming.pairs(FORMS[bits]["list"](values), radius)
    assert listed(found) == pairing.within(values, radius)


@pytest.mark.parametrize("radius", [0, 1, 3, 8])
def test_fingerprints_that_share_most_of_their_bits_are_joined_exactly(radius: int) -> None:
    """Skewed input: only 12 bits ever differ, so that every block but one is full of copies."""
    draw = random.Random(7)
    values: Values = [0xABCDEF0123456000 | draw.getrandbits(12) for _ in range(400)]
    assert listed(ilk.hamming.pairs(values, radius)) == pairing.within(values, radius)


def test_a_million_copies_are_one_group_and_no_pair() -> None:
    copies = pa.repeat(pa.scalar(5, pa.uint64()), 1_000_000)
    firsts, edges = ilk.hamming.groups(copies, 3)
    assert firsts.unique().to_pylist() == [0]
    assert len(edges) == 0
    with pytest.raises(ilk.TooManyPairs) as refused:
        ilk.hamming.pairs(copies, 3)
    assert refused.value.count == 1_000_000 * 999_999 // 2


def test_copies_do_not_count_against_the_limit_of_groups() -> None:
    values = [0] * 100 + [1] * 100 + [3] * 100
    _, edges = ilk.hamming.groups(values, 1, max_pairs=2)
    assert listed(edges) == [(0, 100, 1), (100, 200, 1)]
    with pytest.raises(ilk.TooManyPairs):
        ilk.hamming.groups(values, 1, max_pairs=1)


@pytest.mark.parametrize("radius", [-1, 65, 3.0, "3", True, None])
def test_a_radius_out_of_bounds_is_refused(radius: Any) -> None:
    for refuse in (
        lambda: ilk.hamming.pairs([1], radius),
        lambda: ilk.hamming.join([1], [1], radius),
        lambda: ilk.hamming.groups([1], radius),
        lambda: ilk.hamming.components([1], radius),
    ):
        with pytest.raises(OptionError, match="from 0 to 64"):
            refuse()


def test_the_largest_radius_is_the_width() -> None:
    wide = [bytes(16), b"\xff" * 16]
    assert (
        listed(ilk.hamming.pairs(wide, 128))
        == listed(ilk.hamming.join(wide, wide, 128))[1:2]
        == [(0, 1, 128)]
    )
    for refuse in (ilk.hamming.pairs, ilk.hamming.groups):
        with pytest.raises(OptionError, match="from 0 to 128"):
            refuse(wide, 129)


@pytest.mark.parametrize("limit", [-1, 1.5, "9", 1 << 63])
def test_a_limit_out_of_bounds_is_refused(limit: Any) -> None:
    with pytest.raises(OptionError, match="max_pairs"):
        ilk.hamming.pairs([1], 0, max_pairs=limit)


@pytest.mark.parametrize(
    "wrong",
    [
        "abc",
        b"abc",
        5.0,
        ["a"],
        [1.0],
        [True],
        [1 << 64],
        [-(1 << 63) - 1],
        [bytes(15)],
        [bytes(16), 5],
        [bytes(16), "a"],
        pa.array([1.5]),
        pa.array(["a"]),
        pa.array([1], pa.int32()),
        pa.array([bytes(8)], pa.binary(8)),
        pa.array([bytes(16)], pa.binary()),
    ],
)
def test_what_is_no_column_of_fingerprints_is_refused(wrong: Any) -> None:
    with pytest.raises(ColumnTypeError):
        ilk.hamming.pairs(wrong, 3)
