"""Sets as bytes: one codec for stores, Spark and single texts, checked on its definition."""

from __future__ import annotations

import struct
from itertools import product

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ilk import _kernels, arrow
from ilk.arrow import verdicts

_KINDS = {False: ("I", arrow.SETS, 32), True: ("Q", arrow.WIDE_SETS, 64)}


@st.composite
def _columns(draw: st.DrawFn) -> tuple[bool, list[list[int]]]:
    wide = draw(st.booleans())
    numbers = st.sets(st.integers(0, 2 ** _KINDS[wide][2] - 1), max_size=9)
    return wide, [sorted(one) for one in draw(st.lists(numbers, max_size=6))]


@given(_columns(), st.integers(0, 5), st.integers(0, 5))
def test_bytes_are_the_numbers_little_endian_and_back(
    column: tuple[bool, list[list[int]]], start: int, end: int
) -> None:
    wide, rows = column
    letter, kind, _ = _KINDS[wide]
    # A slice has an offset into its buffers.
    sets = pa.array(rows, kind)[start : max(start, end)]
    expected = [struct.pack(f"<{len(one)}{letter}", *one) for one in sets.to_pylist()]
    packed = _kernels.sets_as_native_bytes_ignoring_nulls(sets)
    assert packed.to_pylist() == expected
    for given_back in (packed, pa.array([b"x", *expected], pa.large_binary())[1:]):
        read = _kernels.sets_from_bytes_assumed_ascending(given_back, wide)
        assert read.type == kind
        assert read.to_pylist() == sets.to_pylist()
    assert all(_kernels.is_set(one, wide) for one in expected)


def test_bytes_that_are_no_set_are_refused() -> None:
    assert not _kernels.is_set(b"123", False)
    assert not _kernels.is_set(b"1234", True)
    assert not _kernels.is_set(struct.pack("<2I", 7, 7), False)
    assert not _kernels.is_set(struct.pack("<2Q", 8, 7), True)
    with pytest.raises(ValueError, match="whole numbers"):
        _kernels.sets_from_bytes_assumed_ascending(pa.array([b"123"], pa.large_binary()), False)
    with pytest.raises(ValueError, match="nulls"):
        _kernels.sets_from_bytes_assumed_ascending(
            pa.array([b"1234", None], pa.large_binary()), False
        )
    with pytest.raises(TypeError, match="expected"):
        _kernels.sets_as_native_bytes_ignoring_nulls(pa.array([b"1234"]))


def test_length_classes_are_those_of_50_and_100_words() -> None:
    short, middle, long = _kernels.LENGTH_CLASSES
    every = range(120)
    by_definition = [short if words < 50 else middle if words < 100 else long for words in every]
    assert [_kernels.length_class(words) for words in every] == by_definition
    assert _kernels.length_classes(pa.array(every, pa.uint32())).to_pylist() == by_definition
    for one, other in product(every, every):
        by_characters = min(one, other) < 50 and max(one, other) < 100
        assert _kernels.is_measured_by_characters(one, other) == by_characters


def test_python_knows_the_constants_of_the_kernels() -> None:
    assert (_kernels.SHORT_BELOW_WORDS, _kernels.LONG_FROM_WORDS) == (50, 100)
    assert (
        *(verdicts.IDENTICAL, verdicts.EXACT, verdicts.NUMBERS_ONLY, verdicts.NEAR),
        *(verdicts.CONTAINED, verdicts.CONTAINS, verdicts.DIFFERENT),
    ) == verdicts.JUDGED
    assert sorted(_kernels.CHOICES) == [0, 1, 2]
