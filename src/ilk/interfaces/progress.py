"""Progress and notes on stderr: progress only on a terminal, notes unless quiet."""

from __future__ import annotations

import sys
import time

#: Seconds from one drawing of the line to the next.
EVERY = 0.2


class Meter:
    """One line on a terminal that says what is being done, how fast, and how long it will take."""

    def __init__(self, quiet: bool, every: float = EVERY) -> None:
        """Draw nothing if quiet, or if stderr is no terminal."""
        self._every = every
        self._draws = not quiet and sys.stderr.isatty()
        self._step = ""
        self._began = self._drawn = time.monotonic()

    def __call__(self, step: str, done: int, total: int | None = None, size: int = 0) -> None:
        """Draw a step: units done, units in all (None: unknown), and bytes done."""
        if not self._draws:
            return
        now = time.monotonic()
        if step != self._step:
            self._step, self._began = step, now
        if now - self._drawn >= self._every:
            self._drawn = now
            print(
                f"\r\x1b[K{self._line(done, total, size, now)}", end="", file=sys.stderr, flush=True
            )

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
        """Wipe the line, before something else is printed."""
        if self._draws:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def note(message: str, quiet: bool) -> None:
    """Say something that is no result."""
    if not quiet:
        print(f"ilk: {printable(message)}", file=sys.stderr)


def printable(name: str) -> str:
    """Return a name without what would move the cursor."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in name)


def counted(number: int, thing: str) -> str:
    """Return a number of things, in words that agree: 1 cluster, 2 clusters."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"
