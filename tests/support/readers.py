"""What tests of readers share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ilk.arrow import DOCUMENTS
from ilk.base.run_options import ALONE, Running
from ilk.read import Reading, ReadReport
from ilk.read.folders import BATCH_BYTES, read_documents_except_unnamed_binary_rows

Read = Callable[..., tuple[list[dict[str, Any]], ReadReport]]


@pytest.fixture
def read() -> Read:
    """Read paths to the end; give the rows and the tally, checked against each other."""

    def read_all(
        *paths: Any, running: Running = ALONE, least_batch_bytes: int = BATCH_BYTES, **options: Any
    ) -> tuple[list[dict[str, Any]], ReadReport]:
        reading, tally = Reading.of(**options), ReadReport()
        batches = list(
            read_documents_except_unnamed_binary_rows(
                paths, reading, running, tally=tally, least_batch_bytes=least_batch_bytes
            )
        )
        for batch in batches:
            batch.validate(full=True)
            assert batch.schema == DOCUMENTS
        rows = [row for batch in batches for row in batch.to_pylist()]
        assert [row["doc"] for row in rows] == list(range(len(rows)))
        assert tally.documents == len(rows) == sum(tally.encodings.values())
        assert tally.bytes == sum(row["size"] for row in rows)
        sources = [row["source"] for row in rows] + [failure.source for failure in tally.failures]
        assert len(set(sources)) == len(sources)
        return rows, tally

    return read_all
