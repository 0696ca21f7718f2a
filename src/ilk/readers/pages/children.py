"""A child process that makes text of pages, one after another, and can be killed at any time."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import IO

_HEAD = 9  # A byte that says whether it went well, and eight of the length of what follows.


class Child:
    """A process that answers questions, in the format that ``pagework`` describes."""

    def __init__(self, program: str, arguments: Sequence[str]) -> None:
        """Start it."""
        self._lock = threading.Lock()
        self._process = subprocess.Popen(
            # Without -P the rooms beside it would be modules of the child's libraries.
            [sys.executable, "-P", program, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def ask(self, content: bytes, timeout: float) -> tuple[bool, bytes]:
        """Return whether it went well, and the answer.

        TimeoutError says that there was none after ``timeout`` seconds, EOFError and
        BrokenPipeError that the process has ended.
        """
        question, answer = self._process.stdin, self._process.stdout
        assert question is not None, "the child was started with pipes"
        assert answer is not None, "the child was started with pipes"
        late = threading.Event()
        timer = threading.Timer(timeout, self._expire, [late])
        timer.start()
        try:
            question.write(len(content).to_bytes(8, "big") + content)
            question.flush()
            head = _exactly(answer, _HEAD)
            return head[0] == 0, _exactly(answer, int.from_bytes(head[1:], "big"))
        except (EOFError, BrokenPipeError):
            if late.is_set():
                raise TimeoutError from None
            raise
        finally:
            timer.cancel()

    def _expire(self, late: threading.Event) -> None:
        late.set()
        self.kill()

    def kill(self) -> None:
        """Kill it and all that it started; whoever waits for its answer gets none."""
        with self._lock, contextlib.suppress(ProcessLookupError):
            if self._process.returncode is None:
                os.killpg(self._process.pid, signal.SIGKILL)

    def end(self) -> None:
        """Kill it and reap it. The thread that asks it calls this; if none asks, any may."""
        self.kill()
        with self._lock:
            self._process.communicate()


def _exactly(answer: IO[bytes], size: int) -> bytes:
    content = answer.read(size)
    if len(content) < size:
        raise EOFError
    return content
