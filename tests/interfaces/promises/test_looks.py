"""Help is no wider than the terminal; colours are on terminals alone, or where they are asked."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from ilk.base.errors import DatabaseError
from ilk.cli import styling, verbs
from tests.support.command_line import Run
from tests.unit.base.test_table import PARSERS

ESCAPE = "\x1b["


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the terminal is that the tests run on."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    styling.set_color_option([])


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("prog", ["ilk", *PARSERS])
def test_help_is_no_wider_than_the_terminal(
    prog: str, columns: int, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    code, out, err = run(*prog.split()[1:], "--help")
    assert (code, err) == (0, "")
    assert [line for line in out.splitlines() if len(line) > columns] == []
    assert max(map(len, out.splitlines())) <= 100


@pytest.mark.parametrize("columns", [1, 10, 20, 40, 46])
@pytest.mark.parametrize("prog", ["ilk", "ilk scan", "ilk store", "ilk compare"])
def test_help_is_shown_on_a_narrow_terminal_too(
    prog: str, columns: int, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = prog.split()[1:]
    for flag in ("-h", "--help"):
        monkeypatch.setenv("COLUMNS", "80")
        wide = run(*words, flag)[1]
        monkeypatch.setenv("COLUMNS", str(columns))
        code, out, err = run(*words, flag)
        assert (code, err) == (0, "")
        assert out.split() == wide.split()


def test_short_help_says_what_an_option_does(run: Run) -> None:
    """It ends at the first colon, semicolon or bracket of what the full help says."""
    for verb in ("scan", "apply"):
        shown = " ".join(run(verb, "-h")[1].split())
        assert "--drop VERDICTS also drop files that are exact, near, numbers_only," in shown
    assert "--yes do it, instead of showing what would be done" in shown


def test_help_names_every_verb_once_in_its_group(run: Run) -> None:
    _, out, _ = run("--help")
    for title, listed in verbs.GROUPS.items():
        group = re.search(rf"^{title}:\n((?:  .*\n)+)", out, re.MULTILINE)
        assert group is not None, title
        assert [line.split()[0] for line in group[1].splitlines()] == list(listed)


def test_what_compare_prints_fits_too(run: Run, tmp_path: Path) -> None:
    left, right = tmp_path / "a", tmp_path / "b"
    left.write_text(" ".join(f"word{n}" for n in range(300)))
    right.write_text(" ".join(f"word{n + n // 290}" for n in range(300)))
    for recipe in ("default", "similarity-index"):
        code, out, _ = run("compare", left, right, "--recipe", recipe)
        assert code == 0
        assert "95 % interval" in out
        assert [line for line in out.splitlines() if len(line) > 80] == []


@pytest.mark.parametrize(
    "command",
    [
        "scan left right --format pairs --fingerprint similarity=70%",
        "compare left/longlonglonglonglonglonglonglong.txt other",
    ],
)
def test_nothing_is_wider_than_a_terminal(
    command: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Elsewhere a sentence or a pair stays a line, for programs that read lines."""
    words = [f"word{n}" for n in range(300)]
    for name, text in (("left", words), ("right", words[20:])):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{'long' * 8}.txt").write_text(" ".join(text))
    (tmp_path / "other").write_text(" ".join([*words[250:], *"abcdefghijk"]))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    code, piped, _ = run(*command.split())
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    shown_code, shown, _ = run(*command.split())
    assert shown_code == code
    assert max(map(len, piped.splitlines())) > 80
    assert max(map(len, shown.splitlines())) <= 80
    assert sorted(shown.split()) == sorted(piped.split())


def test_what_a_database_says_is_one_line() -> None:
    said = "no column\nLINE 1: select x\n\t\t^"
    assert str(DatabaseError(said)) == "no column LINE 1: select x ^"


@pytest.mark.parametrize(
    ("words", "environment", "terminal", "coloured"),
    [
        ([], {}, True, True),
        ([], {}, False, False),
        ([], {"NO_COLOR": "1"}, True, False),
        ([], {"NO_COLOR": ""}, True, True),
        ([], {"TERM": "dumb"}, True, False),
        (["scan", "--color", "never"], {}, True, False),
        (["scan", "--color", "always"], {"NO_COLOR": "1"}, False, True),
        (["scan", "--color=always", "x"], {}, False, True),
        (["scan", "--color"], {}, True, True),
        (["--color", "never", "--color", "always"], {}, False, True),
    ],
)
def test_who_gets_colours(
    words: list[str],
    environment: dict[str, str],
    terminal: bool,
    coloured: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    styling.set_color_option(words)
    stream = Terminal() if terminal else io.StringIO()
    assert styling.has_colours(stream) is coloured
    assert (ESCAPE in styling.style_text("error", "x", stream)) is coloured
    assert styling.style_text("error", "", stream) == ""


def test_colours_add_nothing_but_colours(run: Run) -> None:
    for words in (["--help"], ["scan", "--help"], ["scan"], ["store"]):
        plainly = run(*words)
        code, out, err = run(*words, "--color", "always")
        assert ESCAPE in out + err
        assert ESCAPE not in plainly[1] + plainly[2]
        without = [re.sub(r"\x1b\[[\d;]*m", "", text) for text in (out, err)]
        assert (code, *without) == plainly


def test_colours_may_be_chosen_before_the_verb(run: Run, tmp_path: Path) -> None:
    after = run("scan", tmp_path, "--color", "always", "--nope")
    assert after[0] == 2
    assert run("--color", "always", "scan", tmp_path, "--nope") == after
    assert run("--color=always", "scan", tmp_path, "--nope") == after
    assert run("--color", "never")[2] == "ilk: put the verb first. See: ilk --help\n"


def test_headings_of_help_are_bold_and_nothing_else_is() -> None:
    page = "usage: ilk\n\nexamples:\n  ilk scan a:\nNote: this.\n"
    shown = styling.style_help_headings(page, Terminal())
    assert shown.replace("\x1b[1mexamples\x1b[0m", "examples") == page
