"""Where the labelled sets are: real ones beside some checkouts, and ours, made for every run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.labelled import writing


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the set that every clone makes, and of its labels."""
    root = tmp_path_factory.mktemp("labelled")
    writing.write(root)
    return root


@pytest.fixture
def root(name: str, request: pytest.FixtureRequest) -> Path:
    """The folder of the set that the test is about, and of its labels."""
    found = request.getfixturevalue("made" if name == writing.NAME else "data")
    assert isinstance(found, Path)
    return found
