"""The files of a project that other tools read: citation, templates, workflows."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import ilk
from tests.support.demands import package
from tests.support.fixtures import ROOT


@pytest.mark.parametrize("path", sorted((ROOT / ".github").rglob("*.yml")), ids=lambda it: it.name)
def test_workflows_and_templates_are_read(path: Path) -> None:
    read = package("yaml").safe_load(path.read_text())
    assert read.get("jobs") or read.get("body") or "blank_issues_enabled" in read


def test_the_versions_are_one() -> None:
    cited = package("yaml").safe_load((ROOT / "CITATION.cff").read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert ilk.__version__ == project["version"] == cited["version"]
    changes = (ROOT / "CHANGELOG.md").read_text()
    assert f"\n## {ilk.__version__}" in changes or "\n## Unreleased" in changes
