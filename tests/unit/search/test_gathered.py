"""What is kept of documents, in memory or made again from their texts."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ilk import columns
from ilk.pairing.evidence import Thresholds
from ilk.search.gathered import Gathered, gather
from ilk.system.running import Running
from tests import strategies


def gathered(rows: list[str | None], memory: int | None = None) -> Gathered:
    """Documents of these texts, three to a batch."""
    text = pa.array(rows, pa.large_string())
    table = columns.padded(pa.table({"doc": range(len(rows)), "text": text}), columns.DOCUMENTS)
    running = Running.of(1) if memory is None else Running.of(1, memory)
    batches = table.to_batches(max_chunksize=3)
    return gather(batches, columns.texts(table["text"]), None, 3, running)


@given(st.data(), st.lists(st.none() | strategies.texts, min_size=1, max_size=8))
def test_what_is_made_again_is_what_was_kept(data: st.DataObject, rows: list[str | None]) -> None:
    """A document without text among those asked for moves no other."""
    whole = gathered(rows)
    again = replace(whole, kept=None)
    numbers = st.sets(st.integers(0, len(rows) - 1), min_size=1)
    some = pa.array(sorted(data.draw(numbers)), pa.int64())
    assert again.evidence(some).rows.equals(whole.evidence(some).rows)
    assert again.evidence().rows.equals(whole.evidence().rows)
    left, right = some, some.take(pa.array(range(len(some) - 1, -1, -1)))
    expected = whole.judge(left, right, Thresholds())
    assert again.judge(left, right, Thresholds()).equals(expected)


@pytest.mark.parametrize("memory", [1, 10**9])
def test_sets_that_do_not_fit_are_not_kept(memory: int) -> None:
    found = gathered(["one two three four", None, "five six seven eight"], memory)
    assert (found.kept is None) == (memory == 1)
    assert found.documents["length"].to_pylist() == [18, 0, 20]
    assert found.documents["digest"].null_count == 1
