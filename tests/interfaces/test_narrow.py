"""Lists on a terminal: no line is wider than it, no name is torn, and what is left out is said."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ilk.base.sizes import spell_size
from ilk.base.terminal import (
    count_cells,
    shorten_end,
    shorten_middle,
    wrap_keeping_indent_shortening_words,
)
from tests.support.command_line import seen

TEXT = " ".join(f"word{number}" for number in range(120))

#: Names that are long, wide, without a space, with two lines, or that would move a cursor.
NAMES = (
    "a folder with a long name/another one below it/and a third, as people have them/letter.txt",
    "x" * 200 + ".txt",
    "文档" * 30 + "/議事錄" * 5 + ".txt",
    "two\nlines " * 9 + ".txt",
    "\x1b[2Jclear" + "e\u0301" * 60 + ".txt",
    "keep  near  (id 7)  " * 5 + ".txt",
)


def on_a_terminal(columns: int, *words: str | Path) -> list[str]:
    """Return the lines that a terminal of this width gets on standard output."""
    here, there = pty.openpty()
    fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    plain = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    command = [sys.executable, "-m", "ilk", *words, "--color", "never"]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=there, stderr=subprocess.DEVNULL, env=plain
    ) as child:
        os.close(there)
        shown = seen(here).decode()
        os.close(here)
        assert child.wait() in (0, 1)
    return shown.replace("\r\n", "\n").splitlines()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for number, name in enumerate(NAMES):
        file = tmp_path / "in" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(TEXT if number % 2 else f"{TEXT} and {number}")
    return tmp_path


def assert_fits(lines: list[str], columns: int) -> None:
    assert [line for line in lines if count_cells(line) > columns] == []
    assert all(line.isprintable() for line in lines)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("columns", [60, 80, 132])
def test_families_fit_and_a_name_has_a_line(columns: int) -> None:
    lines = on_a_terminal(columns, "scan", "in")
    assert_fits(lines, columns)
    names = [line for line in lines if "keep" in line[:12] or "%  " in line[:16]]
    assert len(names) == len(NAMES)
    assert all(".txt" in name[-40:] for name in names)


@pytest.mark.usefixtures("folder")
def test_a_pipe_gets_whole_names() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ilk", "scan", "in"], capture_output=True, check=True, text=True
    )
    for name in NAMES:
        said = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in name)
        assert f"  in/{said}" in done.stdout


def test_the_preview_of_a_plan_has_relative_paths_one_a_line(folder: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "ilk", "scan", "in", "--plan", "p.jsonl"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    lines = on_a_terminal(80, "apply", "p.jsonl", "--move-to", "aside")
    assert_fits(lines, 80)
    assert [line[:3] for line in lines[:4:2]] == ["in/", "in/"]
    assert [line[:13] for line in lines[1:4:2]] == ["    -> aside/"] * 2
    assert str(folder) not in "".join(lines)


@pytest.mark.parametrize("verb", ["sync", "add", "check", "clusters", "passages", "compare"])
def test_other_lists_fit_too(folder: Path, verb: str) -> None:
    if verb in ("check", "clusters"):
        command = [sys.executable, "-m", "ilk", "store", "add", "s.ilk", "in", "--quiet"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    lists: dict[str, list[str | Path]] = {
        "passages": ["passages", "in", "--words", "5"],
        "compare": ["compare", *(folder / "in" / name for name in NAMES[:2])],
        "clusters": ["store", "clusters", "s.ilk"],
    }
    words = lists.get(verb, ["store", verb, "s.ilk", "in"])
    lines = on_a_terminal(80, *words)
    assert_fits(lines, 80)
    assert len(lines) > len(NAMES)


def test_a_terminal_shows_a_beginning_and_says_how_to_see_all(tmp_path: Path) -> None:
    for family in range(23):
        for member in range(30 if family == 0 else 2):
            text = " ".join(f"f{family}x{number}" for number in range(60))
            (tmp_path / f"{family:02}-{member:02}.txt").write_text(text)
    lines = on_a_terminal(80, "scan", tmp_path)
    said = " ".join(" ".join(lines).split())
    assert sum(line.startswith("  keep") for line in lines) == 20
    assert "and 19 more (--limit members=29 lists all)" in said
    assert "Only 20 of 23 families are shown (--top 23 shows all;" in said
    everything = on_a_terminal(80, "scan", tmp_path, "--top", "23", "--limit", "members=29")
    assert sum("identical" in line[:26] for line in everything) == 29 + 22 + 23
    assert "more" not in " ".join(everything)


def test_a_terminal_shows_the_first_documents_that_are_in_others(tmp_path: Path) -> None:
    words = [f"w{number}" for number in range(23 * 60)]
    (tmp_path / "whole.txt").write_text(" ".join(words))
    for part in range(23):
        text = " ".join(words[60 * part : 60 * part + 60])
        (tmp_path / f"{part:02} {'long name ' * 9}.txt").write_text(text)
    lines = on_a_terminal(80, "scan", tmp_path, "--containment")
    assert_fits(lines, 80)
    said = " ".join(" ".join(lines).split())
    assert said.count("whole.txt") == 20
    assert "and 3 more; --format jsonl has them all" in said


def test_what_is_written_elsewhere_is_whole(tmp_path: Path) -> None:
    for family in range(23):
        for member in range(15):
            text = " ".join(f"f{family}x{number}" for number in range(60))
            (tmp_path / f"{family:02}-{member:02}.txt").write_text(text)
    on_a_terminal(80, "scan", tmp_path, "-o", tmp_path / "out.txt", "--include", "*.txt")
    assert (tmp_path / "out.txt").read_text().count("  identical  ") == 23 * 14
    rows = on_a_terminal(80, "scan", tmp_path, "--format", "jsonl", "--exclude", "out.txt")
    clusters = [row for row in map(json.loads, rows) if "members" in row]
    assert [len(cluster["members"]) for cluster in clusters] == [15] * 23


def test_a_synchronised_store_shows_the_first_files_and_counts_all(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(40):
        (folder / f"{number:02}.txt").write_text(TEXT if number % 4 else f"{number} {TEXT * 3}")
    (folder / "other.txt").write_text(" ".join(f"other{number}" for number in range(80)))
    lines = on_a_terminal(80, "store", "sync", tmp_path / "s.ilk", folder)
    shown = [line for line in lines if line.startswith("new: ")]
    assert len(shown) == 20
    assert not any("other.txt" in line for line in lines)
    said = " ".join(" ".join(lines).split())
    assert "and 21 more new, " in said
    assert "of them like another document; --format jsonl has all of them" in said
    assert lines[-1] == "files: 41 new, 0 changed, 0 moved, 0 vanished, 0 unchanged"
    again = tmp_path / "again.ilk"
    rows = on_a_terminal(80, "store", "sync", again, folder, "--format", "jsonl")
    assert len(rows) == 42


@given(st.text(), st.integers(1, 90))
def test_what_is_shortened_fits_and_keeps_its_ends(name: str, cells: int) -> None:
    short = shorten_middle(name, cells)
    assert count_cells(short) <= cells
    if short != name:
        begin, _, end = short.partition("…") if "…" not in name else (short[:0], "", "")
        assert name.startswith(begin)
        assert name.endswith(end)
    assert count_cells(shorten_end(name, cells)) <= cells


@given(st.text("a文 /\u0301", max_size=200), st.integers(20, 90))
def test_what_is_wrapped_fits_and_loses_no_word_that_fits(line: str, cells: int) -> None:
    lines = wrap_keeping_indent_shortening_words(line, cells)
    assert all(count_cells(part) <= cells for part in lines)
    if all(count_cells(word) <= cells - 20 for word in line.split(" ")):
        assert " ".join(lines).split() == line.split()


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1_000, "1.0 kB"),
        (999_949, "1.0 MB"),
        (7_900_000, "7.9 MB"),
        (88_000_000, "88.0 MB"),
        (123_456_789_012, "123 GB"),
        (5_000_000_000_000, "5.0 TB"),
    ],
)
def test_sizes_for_people_are_in_decimal_units(count: int, said: str) -> None:
    assert spell_size(count) == said


@pytest.mark.usefixtures("folder")
def test_a_limit_of_members_needs_a_list_or_a_page() -> None:
    def scan(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "ilk", "scan", "in", "--limit", "members=1", *words]
        return subprocess.run(command, capture_output=True, check=False, text=True)

    assert "and 4 more (--limit members=5 lists all)" in scan().stdout
    for form in ("jsonl", "csv", "pairs", "print0", "summary"):
        refused = scan("--format", form)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert "--limit members has no effect without --report" in refused.stderr
    assert scan("--format", "jsonl", "--report", "page.html").returncode == 0


def test_what_dedup_promises_fits(folder: Path) -> None:
    text = "a text of some words"
    (folder / "a.jsonl").write_text(f'{{"text": "{text}", "lang": "en"}}\n')
    words = ("dedup", "a.jsonl", "--within", "lang", "--keep-up-to", "3")
    lines = on_a_terminal(80, *words)
    assert_fits(lines, 80)
    said = " ".join(line.strip() for line in lines)
    assert "up to 3 rows of each cluster stay; only among rows with the same lang" in said


def test_what_a_cut_leaves_fits(folder: Path) -> None:
    rows = [f"One of them says {TEXT}.", f"Another one says {TEXT} and no more."]
    (folder / "a.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in rows))
    words = ("passages", "a.jsonl", "--cut", "-o", f"{'long' * 20}.jsonl")
    lines = on_a_terminal(80, *words)
    assert_fits([line for line in lines if "longlong" not in line], 80)
    said = " ".join(lines)
    assert "121 words of passages stay, since their sentences have other words" in said
