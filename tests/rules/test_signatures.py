"""What the source repeats of the table of options is what the table says."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from tests.support.fixtures import ROOT, script

WRITER = script("make-signatures")


@pytest.mark.parametrize("path", WRITER.PATHS, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_is_written_is_what_the_table_says(path: Path) -> None:
    source = path.read_text()
    assert source == WRITER.rewrite_source(source), "run .venv/bin/python scripts/make-signatures"


def test_a_default_that_differs_from_the_table_is_found() -> None:
    path = ROOT / "src" / "ilk" / "tasks" / "pipeline.py"
    source = path.read_text()
    other = source.replace("resemblance: str | float | None = 0.8,", "resemblance: float = 0.7,")
    assert other != source == WRITER.rewrite_source(other)


def test_a_meaning_that_differs_from_the_table_is_found() -> None:
    path = ROOT / "src" / "ilk" / "tasks" / "pipeline.py"
    source = path.read_text()
    other = source.replace("        shingle: words per shingle.\n", "        shingle: a number.\n")
    assert other != source == WRITER.rewrite_source(other)


@pytest.mark.parametrize("name", ["ilk", "ilk.plugins", "ilk.companions", "ilk.read", "ilk.write"])
def test_every_name_that_is_loaded_on_use_is_there(name: str) -> None:
    package = importlib.import_module(name)
    for each in vars(package)["_PLACES"]:
        assert getattr(package, each) is not None
