"""Joins of fingerprints equal brute force, for any fingerprints and any radius."""

from __future__ import annotations

import random
import signal
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from ilk import columns
from ilk.errors import ColumnTypeError, OptionError
from tests import strategies
from tests.reference import pairing

rows = st.lists(st.one_of(strategies.fingerprints, strategies.fingerprints, st.none()), max_size=40)
radii = st.integers(0, 64)

#: The same fingerprints in every form that a column of them may have.
FORMS: dict[str, Callable[[list[int | None]], Any]] = {
    "list": list,
    "tuple": tuple,
    "unsigned": lambda values: pa.array(values, pa.uint64()),
    "signed": lambda values: columns.signed(pa.array(values, pa.uint64())),
    "chunked": lambda values: pa.chunked_array(
        [pa.array(values[:3], pa.uint64()), pa.array(values[3:], pa.uint64())]
    ),
    "sliced": lambda values: pa.array([7, *values, 7], pa.uint64()).slice(1, len(values)),
}
forms = st.sampled_from(sorted(FORMS))


def listed(table: pa.Table) -> list[tuple[int, int, int]]:
    assert [table.schema.field(side).type for side in ("left", "right")] == [pa.int64()] * 2
    assert table.schema.field("distance").type == pa.uint8()
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


@given(rows, radii, forms)
def test_pairs_equal_brute_force_in_content_and_order(
    values: list[int | None], radius: int, form: str
) -> None:
    assert listed(ilk.pairs(FORMS[form](values), radius)) == pairing.within(values, radius)


@given(rows, rows, radii, forms, forms)
def test_join_equals_brute_force_in_content_and_order(
    left: list[int | None], right: list[int | None], radius: int, first: str, second: str
) -> None:
    found = ilk.join(FORMS[first](left), FORMS[second](right), radius)
    assert listed(found) == pairing.across(left, right, radius)


@given(rows, radii, forms)
def test_groups_and_their_edges_equal_brute_force(
    values: list[int | None], radius: int, form: str
) -> None:
    firsts, edges = ilk.pair_groups(FORMS[form](values), radius)
    assert firsts.type == pa.int64()
    assert firsts.to_pylist() == [None if v is None else values.index(v) for v in values]
    distinct = [v if values.index(v) == row else None for row, v in enumerate(values)]
    assert listed(edges) == pairing.within(distinct, radius)


@given(rows, radii, st.data())
def test_the_limit_is_refused_with_the_exact_number(
    values: list[int | None], radius: int, data: st.DataObject
) -> None:
    expected = len(pairing.within(values, radius))
    limit = data.draw(st.integers(0, expected + 1))
    if limit >= expected:
        assert len(ilk.pairs(values, radius, max_pairs=limit)) == expected
        return
    with pytest.raises(ilk.TooManyPairs) as refused:
        ilk.pairs(values, radius, max_pairs=limit)
    assert (refused.value.count, refused.value.limit) == (expected, limit)
    assert f"{expected:,}" in str(refused.value)


@given(rows, rows, radii)
def test_the_limit_of_a_join_counts_its_pairs(
    left: list[int | None], right: list[int | None], radius: int
) -> None:
    expected = len(pairing.across(left, right, radius))
    assert len(ilk.join(left, right, radius, max_pairs=expected)) == expected
    if expected:
        with pytest.raises(ilk.TooManyPairs) as refused:
            ilk.join(left, right, radius, max_pairs=expected - 1)
        assert (refused.value.count, refused.value.limit) == (expected, expected - 1)


@pytest.mark.parametrize("radius", [0, 1, 3, 6, 10, 16])
def test_planted_neighbours_among_many_are_all_found(radius: int) -> None:
    """More rows than any small case takes a short cut for, with neighbours at every distance."""
    draw = random.Random(radius)
    values: list[int | None] = [draw.getrandbits(64) for _ in range(300)]
    for row in range(300):
        flips = draw.sample(range(64), draw.randrange(radius + 2))
        values.append((values[row] or 0) ^ sum(1 << bit for bit in flips))
    values += [None, 0, (1 << 64) - 1, *values[:5]]
    draw.shuffle(values)
    assert listed(ilk.pairs(values, radius)) == pairing.within(values, radius)


@pytest.mark.parametrize("radius", [0, 1, 3, 8])
def test_fingerprints_that_share_most_of_their_bits_are_joined_exactly(radius: int) -> None:
    """Skewed input: only 12 bits ever differ, so that every block but one is full of copies."""
    draw = random.Random(7)
    values: list[int | None] = [0xABCDEF0123456000 | draw.getrandbits(12) for _ in range(400)]
    assert listed(ilk.pairs(values, radius)) == pairing.within(values, radius)


def test_a_million_copies_are_one_group_and_no_pair() -> None:
    copies = pa.repeat(pa.scalar(5, pa.uint64()), 1_000_000)
    firsts, edges = ilk.pair_groups(copies, 3)
    assert firsts.unique().to_pylist() == [0]
    assert len(edges) == 0
    with pytest.raises(ilk.TooManyPairs) as refused:
        ilk.pairs(copies, 3)
    assert refused.value.count == 1_000_000 * 999_999 // 2


def test_copies_do_not_count_against_the_limit_of_groups() -> None:
    values = [0] * 100 + [1] * 100 + [3] * 100
    _, edges = ilk.pair_groups(values, 1, max_pairs=2)
    assert listed(edges) == [(0, 100, 1), (100, 200, 1)]
    with pytest.raises(ilk.TooManyPairs):
        ilk.pair_groups(values, 1, max_pairs=1)


@given(strategies.fingerprints, strategies.fingerprints)
def test_distance_of_two_numbers(a: int, b: int) -> None:
    bits = (a ^ b).bit_count()
    assert ilk.distance(a, b) == bits
    assert ilk.distance(_as_written(a), b) == bits
    assert ilk.distance(np.uint64(a), np.int64(_as_written(b))) == bits


def _as_written(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


@given(st.lists(st.tuples(*[st.one_of(st.none(), strategies.fingerprints)] * 2)), forms, forms)
def test_distances_of_two_columns(
    values: list[tuple[int | None, int | None]], first: str, second: str
) -> None:
    left, right = [a for a, _ in values], [b for _, b in values]
    found = ilk.distance(FORMS[first](left), FORMS[second](right))
    assert found.type == pa.uint8()
    assert found.to_pylist() == [
        None if a is None or b is None else (a ^ b).bit_count() for a, b in values
    ]


@given(rows, strategies.fingerprints, forms)
def test_distances_of_a_column_and_a_number(
    values: list[int | None], number: int, form: str
) -> None:
    expected = [None if v is None else (v ^ number).bit_count() for v in values]
    assert ilk.distance(FORMS[form](values), number).to_pylist() == expected
    assert ilk.distance(number, FORMS[form](values)).to_pylist() == expected


def test_distances_of_numpy_columns() -> None:
    """NumPy arrays have ``__index__`` as integers do, and are columns all the same."""
    left = np.array([0, 2**64 - 1], np.uint64)
    assert ilk.distance(left, left.view(np.int64)).to_pylist() == [0, 0]
    assert ilk.distance(left, 0).to_pylist() == [0, 64]
    assert listed(ilk.pairs(left, 64)) == [(0, 1, 64)]


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(OptionError, match="2 and 3 fingerprints"):
        ilk.distance([1, 2], [1, 2, 3])


@pytest.mark.parametrize("radius", [-1, 65, 3.0, "3", True, None])
def test_a_radius_out_of_bounds_is_refused(radius: Any) -> None:
    for refuse in (
        lambda: ilk.pairs([1], radius),
        lambda: ilk.join([1], [1], radius),
        lambda: ilk.pair_groups([1], radius),
    ):
        with pytest.raises(OptionError, match="from 0 to 64"):
            refuse()


@pytest.mark.parametrize("limit", [-1, 1.5, "9", 1 << 63])
def test_a_limit_out_of_bounds_is_refused(limit: Any) -> None:
    with pytest.raises(OptionError, match="max_pairs"):
        ilk.pairs([1], 0, max_pairs=limit)


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
        pa.array([1.5]),
        pa.array(["a"]),
        pa.array([1], pa.int32()),
    ],
)
def test_what_is_no_column_of_fingerprints_is_refused(wrong: Any) -> None:
    with pytest.raises(ColumnTypeError):
        ilk.pairs(wrong, 3)


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="signals of threads are POSIX")
def test_ctrl_c_is_heard_in_the_middle_of_a_join() -> None:
    """A join of about 10**11 comparisons; without an interruption the suite would hang here."""
    draw = np.random.default_rng(1)
    values = pa.array(draw.integers(0, 2**64, 500_000, dtype=np.uint64))
    main = threading.main_thread().ident
    assert main is not None
    press = threading.Timer(0.2, signal.pthread_kill, (main, signal.SIGINT))
    press.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            ilk.pairs(values, 14)
    finally:
        press.cancel()
        press.join()
