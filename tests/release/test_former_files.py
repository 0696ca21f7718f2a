"""What former versions wrote is read: stores, fingerprints, plans, decided plans, calibrations."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import ilk
from ilk.interfaces import cli
from tests.release import keep

VERSIONS = sorted(path.name for path in keep.FILES.iterdir())


@pytest.fixture(params=VERSIONS)
def former(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the files of a version, where their plans look for them."""
    folder = tmp_path / "former"
    shutil.copytree(keep.FILES / request.param, folder)
    for name in ("plan.jsonl", "decided/plan.json"):
        path = folder / name
        path.write_text(path.read_text().replace(keep.PLACE, str(folder)))
    monkeypatch.chdir(folder)
    return folder


def test_there_are_files_of_a_former_version() -> None:
    assert VERSIONS


@pytest.mark.parametrize("name", ["nominated.ilk", "exact.ilk"])
def test_a_store_is_opened_asked_and_changed(former: Path, name: str) -> None:
    with ilk.Store(former / name, create=False) as store:
        assert len(store) == len(keep.TEXTS)
        found = store.check(keep.TEXTS["a"])
        assert (found[0].source, found[0].verdict) == ("a", "identical")
        assert store.add(keep.TEXTS["c"] + " and more of it", source="d").matches
    assert cli.main(["store", "validate", str(former / name)]) == 0


def test_recipes_say_the_same_of_texts(former: Path) -> None:
    kept = json.loads((former / "fingerprints.json").read_text())
    assert len(kept) == len(keep.RECIPES)
    for recipe, expected in kept.items():
        found = ilk.fingerprint(list(keep.TEXTS.values()), ilk.Recipe.parse(recipe)).to_pylist()
        assert [each if isinstance(each, int) else each.hex() for each in found] == expected


def test_a_plan_for_files_is_carried_out_and_taken_back(former: Path) -> None:
    assert cli.main(["apply", "plan.jsonl", "--move-to", "aside", "--yes"]) == 0
    assert not (former / "reports" / "b.txt").exists()
    assert cli.main(["undo", "plan.jsonl.log.jsonl", "--yes"]) == 0
    assert (former / "reports" / "b.txt").read_text() == keep.TEXTS["b"]


def test_a_decided_plan_is_carried_out(former: Path) -> None:
    assert cli.main(["apply", "decided", "-o", "once.jsonl"]) == 0
    rows = [json.loads(line)["id"] for line in (former / "once.jsonl").read_text().splitlines()]
    assert rows == ["a", "c"]


def test_a_calibration_is_used(former: Path) -> None:
    measured = former / "measured.ilk-calibration.json"
    result = ilk.find(list(keep.TEXTS.values()), calibration=measured, resemblance=0.8)
    assert result.report["documents"] == len(keep.TEXTS)
