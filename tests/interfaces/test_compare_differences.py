"""``ilk compare --diff`` and ``--html`` as a user meets them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import Run

LEFT = "The quick brown fox jumps over the lazy dog.\n\n" + " ".join(f"w{n}" for n in range(200))
RIGHT = LEFT.replace("brown", "red").replace("w199", "end \x1b[31m")


@pytest.fixture(autouse=True)
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    Path("a.txt").write_text(LEFT)
    Path("b.txt").write_text(RIGHT)


def test_what_differs_is_marked_word_by_word(run: Run) -> None:
    code, out, err = run("compare", "a.txt", "b.txt", "--diff")
    assert (code, err) == (0, "")
    assert "2 differences, 0 passages moved." in out
    assert "The quick [-brown-] {+red+} fox jumps over the lazy dog.\n\nw0 w1" in out
    assert "equal words ...]" in out
    assert "[-w199-] {+end \\x1b[31m+}" in out
    assert max(map(len, out.splitlines())) <= 80
    assert "\x1b" not in out


def test_colours_are_there_when_asked_for(run: Run) -> None:
    out = run("compare", "a.txt", "b.txt", "--diff", "--color", "always")[1]
    assert "\x1b[31m[-brown-]\x1b[0m" in out


def test_json_lines_have_the_places(run: Run) -> None:
    out = run("compare", "a.txt", "b.txt", "--diff", "--format", "jsonl")[1]
    found = json.loads(out)["differences"]
    changed = [each for each in found["stretches"] if each["kind"] == "changed"]
    assert [LEFT[each["left_start"] : each["left_end"]].strip() for each in changed] == [
        "brown",
        "w199",
    ]


def test_a_page_shows_both_and_is_not_written_over_a_file(run: Run) -> None:
    assert run("compare", "a.txt", "b.txt", "--html", "page.html")[0] == 0
    page = Path("page.html").read_text()
    assert "<del>brown</del>" in page
    assert "<ins>red</ins>" in page
    code, _, err = run("compare", "a.txt", "b.txt", "--html", "page.html")
    assert (code, "it already exists" in err) == (2, True)
    assert run("compare", "a.txt", "b.txt", "--html", "a.txt", "--force")[0] == 2
    assert Path("a.txt").read_text() == LEFT
