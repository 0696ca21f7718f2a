"""What the tests of the command line share."""

from __future__ import annotations

import io
import os
from collections.abc import Callable

import pytest

from ilk.cli import main as cli

#: Runs a command line and gives its exit code, standard output and standard error.
Run = Callable[..., tuple[int, str, str]]


def seen(terminal: int) -> bytes:
    """What a terminal has been sent until nobody has its other end; its own is left open."""
    shown = b""
    try:
        while piece := os.read(terminal, 1 << 16):
            shown += piece
    except OSError:  # Linux: nobody has the other end any more.
        pass
    return shown


@pytest.fixture
def run(capsysbinary: pytest.CaptureFixture[bytes]) -> Run:
    def run(*arguments: object) -> tuple[int, str, str]:
        try:
            code = cli.main([str(argument) for argument in arguments])
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 2
        out, err = capsysbinary.readouterr()
        return code, out.decode(), err.decode()

    return run


class Screen(io.TextIOWrapper):
    """A terminal that both streams write to."""

    def __init__(self) -> None:
        self.raw_bytes = io.BytesIO()
        super().__init__(self.raw_bytes, "utf-8", write_through=True)

    def isatty(self) -> bool:
        return True
