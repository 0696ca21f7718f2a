"""Columns in files that the process maps."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ilk.base import resources
from ilk.base.errors import OutputError
from ilk.base.mapped import MappedColumns

KINDS = (pa.uint32(), pa.uint64())

numbers = st.lists(st.integers(0, 2**32 - 1), max_size=20)


@given(st.lists(st.tuples(numbers, numbers), max_size=5), st.integers(0, 3))
def test_columns_are_what_was_appended(parts: list[tuple[list[int], list[int]]], cut: int) -> None:
    mapped = MappedColumns(KINDS, 0, None)
    for values in parts:
        pieces = [pa.array(of, kind)[cut:] for of, kind in zip(values, KINDS, strict=True)]
        mapped.append(pieces)
    columns = mapped.close_and_map_columns()
    expected = [[one for values in parts for one in values[side][cut:]] for side in (0, 1)]
    assert [column.to_pylist() for column in columns] == expected
    mapped.drop_pages_if_over_limit()
    mapped.release_pages_and_freed_memory()
    assert [column.to_pylist() for column in columns] == expected
    assert [column.type for column in columns] == list(KINDS)


@pytest.mark.skipif(
    not resources.resident_memory_or_zero(), reason="the system does not say what is resident"
)
def test_pages_go_where_the_process_holds_more_than_it_may(tmp_path: Path) -> None:
    def held(limit: int) -> int:
        mapped = MappedColumns([pa.uint64()], limit, tmp_path)
        values = pa.repeat(pa.scalar(7, pa.uint64()), 1 << 20)
        for _ in range(8):
            mapped.append([values])
        (column,) = mapped.close_and_map_columns()
        del values
        resources.release_freed_memory()
        before = resources.resident_memory_or_zero()
        assert sum(memoryview(column.buffers()[1])[:: 1 << 10]) > 0
        mapped.drop_pages_if_over_limit()
        return resources.resident_memory_or_zero() - before

    assert held(limit=1 << 50) > 50_000_000
    assert held(limit=1) < 10_000_000


def test_a_full_disk_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    class Full(io.BytesIO):
        def write(self, _: Any) -> int:
            raise OSError(28, "No space left on device")

    mapped = MappedColumns(KINDS, 0, tmp_path, make_file=lambda **_: Full())
    with pytest.raises(OutputError, match="No space left on device. Free some space.*--memory"):
        mapped.append([pa.array([1], pa.uint32()), pa.array([], pa.uint64())])
    with pytest.raises(OutputError, match="cannot keep working files in .*gone: No such file"):
        MappedColumns(KINDS, 0, tmp_path / "gone")
