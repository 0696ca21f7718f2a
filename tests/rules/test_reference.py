"""The reference page of options is what the tables say, and help shows the options of a recipe."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from ilk.cli import about, fingerprint
from ilk.cli.commands import make_parsers_of_all_commands
from ilk.cli.wording import option_or_part_as_typed
from ilk.fingerprints.recipe_options import OPTIONS as RECIPE
from tests.support.fixtures import ROOT, script

PAGES = script("make-reference").PAGES
OPTIONS = script("make-reference").EVERY_OPTION


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_what_the_code_makes(name: str) -> None:
    kept = (ROOT / "docs" / name).read_text()
    assert kept == PAGES[name](), "run .venv/bin/python scripts/make-reference"


def test_the_page_of_options_has_every_option() -> None:
    page = (ROOT / "docs" / "reference" / "options.md").read_text()
    for name, option in OPTIONS.items():
        assert f"**`{option_or_part_as_typed(name, option)}" in page
    for name in RECIPE:
        assert f"**`{name}`**" in page


def test_the_page_of_commands_has_every_command() -> None:
    page = (ROOT / "docs" / "reference" / "commands.md").read_text()
    for words in make_parsers_of_all_commands():
        assert f"\n## ilk {words}\n" in page


MAN_PAGE = ROOT / "wheel" / "data" / "share" / "man" / "man1" / "ilk.1"


def rendered(page: Path) -> str:
    """Return a man page as a terminal shows it, without the breaks of lines."""
    groff = shutil.which("groff")
    if groff is None:
        pytest.skip("there is no groff here")
    done = subprocess.run(
        [groff, "-man", "-Tutf8", "-ww", "-P-cbou", "-rLL=400n", page],
        capture_output=True,
        check=True,
        text=True,
    )
    assert done.stderr == ""
    return " ".join(done.stdout.replace("\u2010", "-").replace("\u2212", "-").split())


def test_the_man_page_has_every_command_and_every_option_with_its_meaning() -> None:
    shown = rendered(MAN_PAGE)
    for words, parser in make_parsers_of_all_commands().items():
        _, heading, text = shown.partition(f" ilk {words} [options] ")
        assert heading, words
        for option in parser.entries.values():
            meaning = " ".join(option.help_with_default.replace("`", "").split())
            assert meaning in shown, (words, meaning)
        for action in parser._actions:
            if action.option_strings and action.dest not in ("help", "config", "color"):
                assert action.option_strings[-1] in text, (words, action.option_strings)


def test_the_man_page_has_nothing_of_a_web_page() -> None:
    page = MAN_PAGE.read_text()
    assert "<#" not in page
    assert "<>" not in page
    assert "`" not in page
    assert "](" not in page


def test_no_line_of_the_man_page_is_taken_for_a_request() -> None:
    """A line of text that begins with a dot or a quote would vanish."""
    known = {".TH", ".SH", ".SS", ".PP", ".TP", ".RS", ".RE", ".nf", ".fi", ".nh", ".ad"}
    lines = MAN_PAGE.read_text().splitlines()
    assert {line.split()[0] for line in lines if line.startswith((".", "'"))} == known


def test_the_wheel_is_told_to_bring_the_man_page() -> None:
    maturin = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["maturin"]
    assert MAN_PAGE.relative_to(ROOT / maturin["data"] / "data").parts[:2] == ("share", "man")


def test_the_first_page_says_how_to_install_every_extra() -> None:
    page = (ROOT / "docs" / "getting-started.md").read_text()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for extra in project["optional-dependencies"].keys() - {*about._OWN}:
        assert f"'ilk[{extra}]'" in page
    for package in (ROOT / "packages").iterdir():
        assert f"packages/{package.name}" in page


def test_every_option_is_taken_by_a_command() -> None:
    taken = {name for parser in make_parsers_of_all_commands().values() for name in parser.entries}
    assert taken >= OPTIONS.keys()


def test_help_names_no_option_that_the_command_lacks() -> None:
    for words, parser in make_parsers_of_all_commands().items():
        flags = {flag for action in parser._actions for flag in action.option_strings}
        for option in parser.entries.values():
            # Those between backticks are of other commands.
            named = {*re.findall(r"(?<![\w`])--[a-z][a-z-]*", option.help)}
            assert named <= flags, (words, option.help)


def test_an_option_that_is_a_part_of_another_one_elsewhere_is_not_the_same() -> None:
    """``ilk compare`` has ``--min-words``, and ``ilk scan`` has ``--limit words``."""
    takes = script("make-reference")._takes_option
    for words, parser in make_parsers_of_all_commands().items():
        for name, option in parser.entries.items():
            if name in OPTIONS and takes(parser, name):
                assert option.part == OPTIONS[name].part, (words, name)
    page = (ROOT / "docs" / "reference" / "options.md").read_text()
    item = re.search(r"(?ms)^- \*\*`--limit words=N`.*?(?=^-)", page)
    assert item is not None
    assert "compare" not in item[0]
    assert "\n- **`--min-words N`**: " in page


def test_help_shows_the_options_of_a_recipe_in_80_columns() -> None:
    shown = (fingerprint.parser().epilog or "").partition("options of a recipe")[2].splitlines()
    assert all(len(line) <= 80 for line in shown)
    assert [line.split()[0] for line in shown if line.startswith("  ")] == list(RECIPE)
