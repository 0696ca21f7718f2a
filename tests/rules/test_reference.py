"""The reference page of options is what the tables say, and help shows the options of a recipe."""

from __future__ import annotations

import tomllib

import pytest

from ilk.base.options import OPTIONS
from ilk.cli import about, fingerprint, verbs
from ilk.cli.wording import typed
from ilk.fingerprints.recipe_options import OPTIONS as RECIPE
from tests.fixtures import ROOT, script

PAGES = script("make-reference").PAGES


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_what_the_code_makes(name: str) -> None:
    kept = (ROOT / "docs" / name).read_text()
    assert kept == PAGES[name](), "run .venv/bin/python scripts/make-reference"


def test_the_page_of_options_has_every_option() -> None:
    page = (ROOT / "docs" / "reference" / "options.md").read_text()
    for name, option in OPTIONS.items():
        assert f"**`{typed(name, option)}" in page
    for name in RECIPE:
        assert f"**`{name}`**" in page


def test_the_page_of_commands_has_every_command() -> None:
    page = (ROOT / "docs" / "reference" / "commands.md").read_text()
    for words in verbs.commands():
        assert f"\n## ilk {words}\n" in page


def test_the_first_page_says_how_to_install_every_extra() -> None:
    page = (ROOT / "docs" / "getting-started.md").read_text()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for extra in project["optional-dependencies"].keys() - {*about._OWN}:
        assert f"'ilk[{extra}]'" in page
    for package in (ROOT / "packages").iterdir():
        assert f"packages/{package.name}" in page


def test_every_option_is_taken_by_a_command() -> None:
    taken = {name for parser in verbs.commands().values() for name in parser.entries}
    assert taken >= OPTIONS.keys()


def test_help_shows_the_options_of_a_recipe_in_80_columns() -> None:
    shown = (fingerprint.parser().epilog or "").partition("options of a recipe")[2].splitlines()
    assert all(len(line) <= 80 for line in shown)
    assert [line.split()[0] for line in shown if line.startswith("  ")] == list(RECIPE)
