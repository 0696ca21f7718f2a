"""What tests of readers share, and those of stores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ilk.columns import DOCUMENTS
from ilk.readers.folders import read_folders
from ilk.readers.tally import Tally
from ilk.store import Store

Read = Callable[..., tuple[list[dict[str, Any]], Tally]]


@pytest.fixture
def read() -> Read:
    """Read paths to the end; give the rows and the tally, checked against each other."""

    def read_all(*paths: Any, **options: Any) -> tuple[list[dict[str, Any]], Tally]:
        tally = Tally()
        batches = list(read_folders(paths, tally=tally, **options))
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


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a store may be made."""
    return tmp_path / "s.ilk"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    """An empty one, which keeps texts."""
    with Store(path, texts=True, jobs=1) as made:
        yield made
