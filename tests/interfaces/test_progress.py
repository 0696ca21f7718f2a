"""The line of progress: drawn on a terminal alone, and wiped on every way out."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ilk.base import progress
from ilk.cli import output
from tests.running import seen

#: What wipes the line.
WIPE = "\r\x1b[K"


class Terminal(io.StringIO):
    """A screen that remembers what was written."""

    def isatty(self) -> bool:
        return True

    @property
    def line(self) -> str:
        """The line that stands there, and cannot be scrolled away."""
        return self.getvalue().rpartition("\n")[2].rpartition(WIPE)[2]


@contextlib.contextmanager
def terminal() -> Iterator[Terminal]:
    """Stderr is a terminal."""
    with contextlib.redirect_stderr(Terminal()) as made:
        yield made


LOUD, QUIET = argparse.Namespace(quiet=False), argparse.Namespace(quiet=True)


def test_a_step_is_drawn_and_the_next_one_in_its_place() -> None:
    with terminal() as screen:
        with output.progress(LOUD, every=0) as meter:
            meter("read", 1_000, 4_000, 2_000_000)
            assert screen.line.startswith("read: 1,000 of 4,000, 2.0 MB, ")
            assert screen.line.endswith(" s left")
            meter("pair", 7)
            assert screen.line == "pair: 7"
        assert screen.line == ""
    assert "\n" not in screen.getvalue()


@pytest.mark.parametrize("error", [ValueError, OSError, KeyboardInterrupt, SystemExit, MemoryError])
def test_the_line_is_wiped_on_every_way_out(error: type[BaseException]) -> None:
    with terminal() as screen:
        with pytest.raises(error), output.progress(LOUD, every=0) as meter:  # noqa: PT012
            meter("read", 3, 9)
            assert screen.line.startswith("read: 3 of 9")
            raise error
        assert screen.line == ""


def test_a_block_that_is_left_by_return_wipes_it_too() -> None:
    def leave() -> None:
        with output.progress(LOUD, every=0) as meter:
            meter("read", 3)
            assert screen.line == "read: 3"
            return

    with terminal() as screen:
        leave()
        assert screen.line == ""


def test_who_is_quiet_or_no_terminal_gets_no_line() -> None:
    for args, made in ((QUIET, Terminal()), (LOUD, io.StringIO())):
        with contextlib.redirect_stderr(made), output.progress(args, every=0) as meter:
            meter("read", 3)
        assert made.getvalue() == ""


def test_an_output_that_cannot_be_written_is_refused_before_any_line(tmp_path: Path) -> None:
    args = argparse.Namespace(quiet=False, force=False, output=str(tmp_path / "missing" / "out"))
    refused = pytest.raises(OSError, match="there is no folder")
    with terminal() as screen, refused, output.working(args):
        raise AssertionError
    assert screen.getvalue() == ""


def _seen(words: list[str], interrupt: bool = False) -> tuple[int, str]:
    """The exit code of a command, and what its terminal shows of stderr."""
    here, there = pty.openpty()
    command = [sys.executable, "-m", "ilk", *words, "--color", "never"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=there
    ) as child:
        os.close(there)
        assert child.stdin is not None
        if interrupt:
            child.stdin.write(bytes(1 << 20))  # More than a pipe holds: the child reads.
            child.stdin.flush()
            child.send_signal(signal.SIGINT)
        child.stdin.close()
        code = child.wait()
    shown = seen(here)
    os.close(here)
    return code, shown.decode().replace("\r\n", "\n")


def test_an_error_is_said_on_a_line_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("title\n1\n")
    code, shown = _seen(["scan", str(tmp_path / "a.csv")])
    assert code == 2
    wiped, _, said = shown.rpartition(WIPE)
    assert wiped.count("\n") == 0
    assert said.startswith("ilk scan: ")
    assert "no column named text" in said


def test_so_is_an_interrupt() -> None:
    code, shown = _seen(["scan", "-"], interrupt=True)
    assert code == 130
    assert shown.endswith(f"{WIPE}ilk: interrupted\n")


def test_notes_follow_the_wiped_line(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one two three")
    (tmp_path / "b.bin").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    code, shown = _seen(["scan", str(tmp_path)])
    assert code == 1
    assert shown.rpartition(WIPE)[2].startswith("ilk: 1 binary file")


def test_a_step_is_timed_from_the_end_of_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its first line is drawn when something is done, and that took time."""
    clock = iter([0.0, 2.0, 6.0])
    monkeypatch.setattr("ilk.base.progress.time.monotonic", lambda: next(clock))
    with terminal() as screen:
        line = progress.Meter(draws=True)
        line("read", 50, 100, 4_000_000)
        assert screen.line == "read: 50 of 100, 4.0 MB, 2 MB/s, 2 s left"
        line("join", 1, 2)
        assert screen.line == "join: 1 of 2, 4 s left"
