"""Distances of fingerprints, one by one and of columns, equal the definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from ilk.base.errors import OptionError
from tests.support import strategies
from tests.support.fingerprint_columns import FORMS, listed


@given(strategies.fingerprints, strategies.fingerprints)
def test_distance_of_two_numbers(a: int, b: int) -> None:
    bits = (a ^ b).bit_count()
    assert ilk.hamming.distance(a, b) == bits
    assert ilk.hamming.distance(_as_written(a), b) == bits
    assert ilk.hamming.distance(np.uint64(a), np.int64(_as_written(b))) == bits


@given(strategies.fingerprints_of(128), strategies.fingerprints_of(128))
def test_distance_of_two_wide_numbers(a: int, b: int) -> None:
    assert ilk.hamming.distance(a.to_bytes(16), b.to_bytes(16)) == (a ^ b).bit_count()


def _as_written(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


@given(st.sampled_from(sorted(FORMS)), st.data())
def test_distances_of_columns_and_numbers(bits: int, data: st.DataObject) -> None:
    value = strategies.fingerprints_of(bits)
    rows = data.draw(st.lists(st.tuples(*[st.one_of(st.none(), value)] * 2)))
    left, right = [a for a, _ in rows], [b for _, b in rows]
    number = data.draw(value)
    forms = FORMS[bits]
    first, second = (forms[data.draw(st.sampled_from(sorted(forms)))] for _ in "ab")
    found = ilk.hamming.distance(first(left), second(right))
    assert found.type == pa.uint8()
    assert found.to_pylist() == [
        None if a is None or b is None else (a ^ b).bit_count() for a, b in rows
    ]
    one = forms["list"]([number])[0]
    expected = [None if a is None else (a ^ number).bit_count() for a in left]
    if any(a is not None for a in left):
        assert ilk.hamming.distance(first(left), one).to_pylist() == expected
        assert ilk.hamming.distance(one, first(left)).to_pylist() == expected


@pytest.mark.parametrize("none", [[], [None, None], pa.nulls(2), pa.nulls(2, pa.uint64())])
def test_columns_without_a_value_are_of_either_width(none: Any) -> None:
    wide = [bytes(16), b"\1" * 16]
    for one, other in ((none, wide), (wide, none)):
        assert len(ilk.hamming.join(one, other, 128)) == 0
    assert len(ilk.hamming.pairs(none, 64)) == 0
    assert ilk.hamming.distance(none, bytes(16)).to_pylist() == [None] * len(none)


def test_fingerprints_of_two_widths_are_refused() -> None:
    for narrow, wide in (([1], [bytes(16)]), ([1, None], pa.array([bytes(16)] * 2, pa.binary(16)))):
        for compare in (ilk.hamming.distance, lambda a, b: ilk.hamming.join(a, b, 3)):
            with pytest.raises(
                ilk.RecipeMismatch, match="64 bits cannot be compared with fingerprints of 128"
            ):
                compare(narrow, wide)
            with pytest.raises(
                ilk.RecipeMismatch, match="128 bits cannot be compared with fingerprints of 64"
            ):
                compare(wide, narrow)
    with pytest.raises(ilk.RecipeMismatch):
        ilk.hamming.distance(1, bytes(16))


def test_distances_of_numpy_columns() -> None:
    """NumPy arrays have ``__index__`` as integers do, and are columns all the same."""
    left = np.array([0, 2**64 - 1], np.uint64)
    assert ilk.hamming.distance(left, left.view(np.int64)).to_pylist() == [0, 0]
    assert ilk.hamming.distance(left, 0).to_pylist() == [0, 64]
    assert listed(ilk.hamming.pairs(left, 64)) == [(0, 1, 64)]


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(OptionError, match="2 and 3 fingerprints"):
        ilk.hamming.distance([1, 2], [1, 2, 3])
