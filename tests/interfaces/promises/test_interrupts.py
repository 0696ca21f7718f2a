"""Interrupted is 130, and the line of progress is wiped, with programs of the user's own too."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.support.command_line import seen


def test_an_interrupt_while_a_converter_runs(tmp_path: Path) -> None:
    (tmp_path / "a.doc").write_text("a")
    begun = tmp_path / "begun"
    program = f"import pathlib, time; pathlib.Path({str(begun)!r}).touch(); time.sleep(60)"
    convert = f'doc={sys.executable} -c "{program}"'
    here, there = pty.openpty()
    words = [sys.executable, "-m", "ilk", "scan", str(tmp_path), "--color", "never"]
    with subprocess.Popen(
        [*words, "--convert", convert], stdout=subprocess.PIPE, stderr=there
    ) as child:
        os.close(there)
        assert child.stdout is not None
        while not begun.exists() and child.poll() is None:
            time.sleep(0.02)
        child.send_signal(signal.SIGINT)
        assert child.stdout.read() == b""
        assert child.wait() == 130
    shown = seen(here)
    os.close(here)
    assert shown.endswith(b"\r\x1b[Kilk: interrupted\r\n")
    assert b"rror" not in shown
