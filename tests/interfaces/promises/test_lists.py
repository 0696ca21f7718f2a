"""Lists begin with the largest families; at a terminal, the summary is the last thing to see."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command_line import Run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Ten families, of 2 to 11 copies."""
    for number in range(10):
        for copy in range(number + 2):
            (tmp_path / f"f{number}-{copy:02}.txt").write_text(f"{chr(97 + number) * 3} " * 9)
    return tmp_path


def _sizes(out: str) -> list[int]:
    return [int(line.split()[1]) for line in out.splitlines() if line.startswith("identical: ")]


def test_the_largest_come_first_and_the_first_can_be_asked_for(folder: Path, run: Run) -> None:
    assert _sizes(run("scan", folder)[1]) == list(range(11, 1, -1))
    _, out, _ = run("scan", folder, "--top", "3")
    assert _sizes(out) == [11, 10, 9]
    assert "65 documents read, 65 of them in 10 families.\nOnly 3 of 10 families are shown" in out
    assert _sizes(run("scan", folder, "--sort", "name")[1]) == list(range(2, 12))
    _, out, _ = run("scan", folder, "--top", "1", "--format", "jsonl")
    cluster, last = (json.loads(line) for line in out.splitlines())
    assert len(cluster["members"]) == 11
    assert last["summary"]["families"] == 10


def test_rows_are_in_numeric_order(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"text": "a b c"}\n' * 12)
    for form in ("jsonl", "table"):
        _, out, _ = run("scan", path, "--format", form)
        assert out.index("#2") < out.index("#10")


def test_a_summary_alone(folder: Path, run: Run) -> None:
    code, out, _ = run("scan", folder, "--format", "summary")
    assert code == 0
    assert out.startswith("65 documents read")
    code, out, _ = run("scan", folder, "--format", "summary,jsonl")
    assert code == 0
    assert list(json.loads(out)) == ["summary"]
    for words in (["--format", "summary,csv"], ["--format", "pairs", "--top", "3"]):
        code, out, err = run("scan", folder, *words)
        assert (code, out) == (2, "")
        assert words[0] in err


@pytest.mark.parametrize("lines", [20, 200])
def test_the_summary_comes_last_at_a_terminal_however_short_its_screen(
    folder: Path, lines: int
) -> None:
    command = [sys.executable, "-m", "ilk", "scan", str(folder), "--quiet", "--color", "never"]
    ours, theirs = pty.openpty()
    environment = os.environ | {"LINES": str(lines), "COLUMNS": "80"}
    with subprocess.Popen(command, stdout=theirs, env=environment) as child:
        os.close(theirs)
        out = b""
        try:
            while part := os.read(ours, 65536):
                out += part
        except OSError:  # The terminal is gone with the program.
            pass
        assert child.wait() == 0
    os.close(ours)
    families, summary = out.decode().split("65 documents read")
    assert families.startswith("identical: 11")
    assert _sizes(families) == list(range(11, 1, -1))
    assert _sizes(summary) == []


def test_what_frees_most_room_comes_first_and_names_of_one_file_free_none(
    tmp_path: Path, run: Run
) -> None:
    for name, content in (("linked", b"L" * 9_000), ("small", b"S" * 10), ("large", b"M" * 900)):
        (tmp_path / f"{name}-1").write_bytes(content)
        if name == "linked":
            os.link(tmp_path / "linked-1", tmp_path / "linked-2")
        else:
            (tmp_path / f"{name}-2").write_bytes(content)
    _, out, _ = run("scan", tmp_path, "--identical", "--sort", "bytes")
    places = [out.index(f"{name}-1") for name in ("large", "small", "linked")]
    assert places == sorted(places), out
    _, out, _ = run("scan", tmp_path, "--identical", "--sort", "bytes", "--top", "1")
    assert "large-1" in out
    assert "linked-1" not in out
