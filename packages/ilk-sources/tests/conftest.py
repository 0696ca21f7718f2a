"""What the tests of the SQL share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import databases
import places
import pytest
from databases import Database
from places import Place
from tests.support.command_line import run as run

#: ClickHouse is installed for the long tests only.
_DATABASES = [
    pytest.param(name, marks=pytest.mark.long) if name == "clickhouse" else name
    for name in databases.NAMES
]


@pytest.fixture(scope="module", params=_DATABASES)
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    """Every database in turn, with nothing in it."""
    with databases.opened(request.param) as opened:
        yield opened


@pytest.fixture(params=places.NAMES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """Every database in turn, with nothing in it."""
    with places.opened(request.param, tmp_path) as opened:
        yield opened
