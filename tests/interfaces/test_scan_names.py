"""Names from and for other programs: ``--files-from``, and ``--format print0`` and ``flat``."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path

import pytest

from ilk.cli import main as cli
from tests.support.command_line import Run

TEXT = " ".join(f"word{n}" for n in range(100))
NAMES = [b"-a.txt", b"b\n c.txt", b"d'\"$.txt", b"e\xff.txt", b"f.txt"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("in").mkdir()
    for name in NAMES:
        Path("in", os.fsdecode(name)).write_text(TEXT)
    Path("in/g.txt").write_text(TEXT.replace("word50", "other"))
    Path("in/alone.txt").write_text("alone with its words")
    return tmp_path / "in"


def printed(capture: pytest.CaptureFixture[bytes], *arguments: str) -> bytes:
    assert cli.main(["scan", *arguments]) == 0
    return capture.readouterr().out


@pytest.mark.usefixtures("folder")
def test_names_of_any_bytes_are_printed_and_taken(
    capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = printed(capsysbinary, "in", "--format", "print0")
    assert out.endswith(b"\0")
    found = out.split(b"\0")[:-1]
    # Those that a plan drops: of g.txt, which is only nearly the same, no bytes stay elsewhere.
    assert sorted(found) == [b"in/" + name for name in NAMES[1:]]
    more = printed(capsysbinary, "in", "--format", "print0", "--drop", "near").split(b"\0")[:-1]
    assert sorted(more) == [*sorted(found), b"in/g.txt"]
    given = io.TextIOWrapper(io.BytesIO(b"\0".join([b"in/-a.txt", *found])))
    monkeypatch.setattr(sys, "stdin", given)
    assert printed(capsysbinary, "--format", "print0", "--files-from", "-") == out


@pytest.mark.usefixtures("folder")
def test_files_are_named_in_lines_beside_paths(run: Run) -> None:
    Path("names").write_text("in/f.txt\n\nin/g.txt\n")
    code, out, _ = run("scan", "in/alone.txt", "--files-from", "names", "--format", "jsonl")
    assert code == 0
    cluster, summary = map(json.loads, out.splitlines())
    assert [member["source"] for member in cluster["members"]] == ["in/f.txt", "in/g.txt"]
    assert summary["summary"]["documents"] == 3


@pytest.mark.usefixtures("folder")
def test_an_empty_list_is_an_empty_result(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("empty").touch()
    for listed in ("empty", "-"):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
        words = ("scan", "--files-from", listed, "--size", "1kB..")
        code, out, err = run(*words, "--plan", "plan.jsonl", "--report", "page.html", "--force")
        assert (code, err) == (1, "ilk: warning: nothing to compare: 0 documents read\n")
        assert "0 documents read, 0 of them in 0 families." in out
        assert len(Path("plan.jsonl").read_text().splitlines()) == 1
        assert "<html" in Path("page.html").read_text()
    assert run("apply", "plan.jsonl", "--move-to", "aside", "--yes")[0] == 0


@pytest.mark.usefixtures("folder")
def test_a_list_that_cannot_be_read_is_refused_in_a_line(run: Run) -> None:
    code, _, err = run("scan", "--files-from", "absent")
    assert (code, err.count("\n")) == (2, 1)
    assert "cannot be read" in err
    code, _, err = run("scan")
    assert (code, err.count("\n")) == (2, 1)
    assert "PATH is missing" in err


@pytest.mark.usefixtures("folder")
def test_a_line_is_a_duplicate_with_its_keeper(run: Run) -> None:
    code, out, _ = run("scan", "in", "--format", "flat")
    *rows, summary = map(json.loads, out.splitlines())
    assert (code, len(rows)) == (0, 5)
    assert {row["keeper"] for row in rows} == {"in/-a.txt"}
    assert rows[-1]["verdict"] == "near"
    assert 0.8 < rows[-1]["resemblance"] < 1
    assert "summary" in summary
    code, out, err = run("scan", "in", "--format", "flat,csv")
    assert (code, out) == (2, "")
    assert "--format flat is a format by itself; leave out csv" in err
