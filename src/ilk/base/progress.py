"""How steps report their progress, and its line on stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, ParamSpec, Protocol, TypeVar

from ilk.base.errors import OptionError

#: Seconds between two updates of the line.
EVERY = 0.2

_Asked = ParamSpec("_Asked")
_Answer = TypeVar("_Answer")


class Progress(Protocol):
    """A function that follows every step: its name, units done, units in total (None: unknown), and
    bytes done.
    """

    def __call__(self, step: str, done: int, total: int | None = None, size: int = 0) -> None:
        """Take note."""


def silent(step: str, done: int, total: int | None = None, size: int = 0) -> None:
    """Ignore progress."""


class Meter:
    """A line that shows what is being done, how fast, and how long it will take."""

    def __init__(self, draws: bool, every: float = EVERY) -> None:
        self._every = every
        self._draws = draws
        self._step = ""
        self._began = self._drawn = self._last = time.monotonic()

    def __call__(self, step: str, done: int, total: int | None = None, size: int = 0) -> None:
        if not self._draws:
            return
        now = time.monotonic()
        if step != self._step:
            # A step says something only once it has done something: it began where the last ended.
            self._step, self._began = step, self._last
        self._last = now
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


@contextmanager
def drawn(named: dict[str, Any]) -> Iterator[None]:
    """Make a line on stderr of ``progress=True`` among keyword arguments, cleared at the end.

    Raises:
        OptionError: ``progress`` is neither a function nor True, False or None.
    """
    given = named.get("progress")
    if given is not True:
        if given is not None and given is not False and not callable(given):
            raise OptionError(
                f"progress is {given!r}; it must be True, or a function of step, done, total and "
                "size."
            )
        yield
        return
    named["progress"] = meter = Meter(draws=True)
    try:
        yield
    finally:
        meter.clear()


def followed(function: Callable[_Asked, _Answer]) -> Callable[_Asked, _Answer]:
    """Return a function that also accepts ``progress=True``."""

    @wraps(function)
    def following(*args: _Asked.args, **named: _Asked.kwargs) -> _Answer:
        with drawn(named):
            return function(*args, **named)

    return following


def teller(progress: Progress | bool | None) -> Progress:
    """Return the function that follows progress, if there is one."""
    return progress if callable(progress) else silent


class Timed:
    """Passes on progress, and measures the seconds of each step."""

    def __init__(self, progress: Progress | bool | None) -> None:
        self._progress = teller(progress)
        self._step, self._began = "", time.monotonic()
        self._seconds: dict[str, float] = {}

    def __call__(self, step: str, done: int, total: int | None = None, size: int = 0) -> None:
        if step != self._step:
            self._end()
            self._step = step
        self._progress(step, done, total, size)

    def seconds(self) -> dict[str, float]:
        """Return how long each step has taken so far, in the order in which they began."""
        self._end()
        return {step: round(seconds, 3) for step, seconds in self._seconds.items() if step}

    def _end(self) -> None:
        now = time.monotonic()
        self._seconds[self._step] = self._seconds.get(self._step, 0.0) + now - self._began
        self._began = now
