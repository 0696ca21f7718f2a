"""The figures of the house are for information; that nothing forms a circle is checked."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.fixtures import ROOT, script

HOUSE = script("house")
PACKAGES = [ROOT / "src" / "ilk", *sorted(ROOT.glob("packages/*/src/*"))]


def test_a_circle_among_rooms_is_found() -> None:
    with pytest.raises(ValueError, match="a circle among"):
        HOUSE.floors_of_rooms({("cli", "base"), ("base", "cli")})


@pytest.mark.parametrize("folder", PACKAGES, ids=lambda folder: folder.name)
def test_no_modules_name_one_another_in_a_circle(folder: Path) -> None:
    """An import in a function, or for types alone, hides a circle from import-linter."""
    assert HOUSE.find_circular_modules(HOUSE.find_module_imports(HOUSE.find_modules(folder))) == []


def test_hands_lead_from_the_shell_to_a_kernel_that_is_there() -> None:
    """The kernel has a name there, and so a new one breaks the figures."""
    frames = HOUSE.deepest_stack_at_kernel()
    assert frames[-1].f_code.co_name == "main"
    assert len(frames) > 3


def test_a_circle_that_functions_and_types_hide_is_found(tmp_path: Path) -> None:
    house = tmp_path / "house"
    house.mkdir()
    (house / "__init__.py").write_text("")
    (house / "low.py").write_text("def later():\n    from house import high\n")
    (house / "high.py").write_text("import house.middle\n")
    types = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from house.low import later\n"
    (house / "middle.py").write_text(types)
    (house / "beside.py").write_text("from house.low import later\n")
    found = HOUSE.find_circular_modules(HOUSE.find_module_imports(HOUSE.find_modules(house)))
    assert found == ["house.high", "house.low", "house.middle"]


def test_the_core_takes_its_version_from_below() -> None:
    """From ``ilk`` itself, it would be an arrow from the ground to the roof."""
    for file in (ROOT / "src" / "ilk").rglob("*.py"):
        assert "from ilk import __version__" not in file.read_text(), file
