"""Rows on a terminal: nothing in them reaches it but what it can show; files get exact bytes."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command_line import seen

#: A name that would clear the screen and set the title of its window, in 7 and in 8 bits.
NAME = "a\x1b[2J\x1b]0;b\x07c\rd\x9b2Je‮f"
SHOWN = r"a\x1b[2J\x1b]0;b\x07c\rd\x9b2Je\u202ef"


def on_a_terminal(*words: str) -> str:
    here, there = pty.openpty()
    command = [sys.executable, "-m", "ilk", *words, "--color", "never"]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=there, stderr=there) as child:
        os.close(there)
        shown = seen(here)
        os.close(here)
        assert child.wait() in (0, 1)
    return shown.decode().replace("\r\n", "\n")


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "a.csv"
    text = "some words of a text that is there twice in this file of rows"
    path.write_text(f'id,text\n"{NAME}",{text}\n2,{text}\n', encoding="utf-8", newline="")
    return path


@pytest.mark.parametrize("form", ["csv", "jsonl", "table"])
@pytest.mark.parametrize("verb", ["scan", "dedup"])
def test_ids_are_made_printable(rows: Path, verb: str, form: str) -> None:
    words = [verb, str(rows), "--id", "id", "--format", form, "--quiet"]
    shown = on_a_terminal(*words, *([] if verb == "scan" else ["--accept-alarm"]))
    assert shown.replace("\n", "").isprintable()
    escaped = SHOWN.replace("\\", "\\\\").replace(r"\\x9b", r"\x9b").replace(r"\\u202e", r"\u202e")
    escaped = (
        escaped.replace(r"\\x1b", r"\u001b").replace(r"\\x07", r"\u0007").replace(r"\\r", r"\r")
    )
    if verb == "scan" or form != "table":
        assert (escaped if form == "jsonl" else SHOWN) in shown


def test_rows_that_are_kept_are_made_printable(rows: Path) -> None:
    shown = on_a_terminal("dedup", str(rows), "-o", "-", "--quiet", "--accept-alarm")
    assert f'"{SHOWN}",some words' in shown
    assert shown.replace("\n", "").isprintable()


def test_a_pipe_and_a_file_get_exact_bytes(rows: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    words = [sys.executable, "-m", "ilk", "scan", str(rows), "--id", "id", "--format", "csv"]
    piped = subprocess.run([*words, "--quiet"], check=True, capture_output=True).stdout
    subprocess.run([*words, "--quiet", "-o", out], check=True)
    assert NAME.encode() in piped
    assert out.read_bytes() == piped
