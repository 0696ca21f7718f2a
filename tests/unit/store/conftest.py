"""What tests of stores share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ilk.store import Store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a store may be made."""
    return tmp_path / "s.ilk"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    """An empty one, which keeps texts."""
    with Store(path, texts=True, jobs=1) as made:
        yield made
