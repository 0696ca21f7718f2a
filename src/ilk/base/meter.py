"""The line of progress on stderr."""

from __future__ import annotations

import sys
import time

#: Seconds between two updates of the line.
EVERY = 0.2


class Meter:
    """A line that shows what is being done, how fast, and how long it will take."""

    def __init__(self, draws: bool, every: float = EVERY) -> None:
        """Draw nothing yet, or nothing at all."""
        self._every = every
        self._draws = draws
        self._step = ""
        self._began = self._drawn = time.monotonic()

    def __call__(self, step: str, done: int, total: int | None = None, size: int = 0) -> None:
        """Draw a step: units done, units in total (None: unknown), and bytes done."""
        if not self._draws:
            return
        now = time.monotonic()
        if step != self._step:
            self._step, self._began = step, now
        if now - self._drawn >= self._every:
            self._drawn = now
            self._write(f"\r\x1b[K{self._line(done, total, size, now)}")

    def _line(self, done: int, total: int | None, size: int, now: float) -> str:
        line = f"{self._step}: {done:,}"
        if total:
            line += f" of {total:,}"
        seconds = max(now - self._began, 1e-9)
        if size:
            line += f", {size / 1e6:,.1f} MB, {size / 1e6 / seconds:,.0f} MB/s"
        if total and 0 < done < total:
            line += f", {seconds * (total - done) / done:,.0f} s left"
        return line

    def clear(self) -> None:
        """Clear the line, before something else is printed."""
        if self._draws:
            self._write("\r\x1b[K")

    def _write(self, line: str) -> None:
        sys.stderr.write(line)
        sys.stderr.flush()
