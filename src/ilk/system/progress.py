"""How steps report what they have done."""

from __future__ import annotations

import time
from typing import Protocol


class Progress(Protocol):
    """Follows every step: its name, units done, units in all (None: unknown), and bytes done."""

    def __call__(self, step: str, done: int, total: int | None = None, size: int = 0) -> None:
        """Take note."""


def silent(step: str, done: int, total: int | None = None, size: int = 0) -> None:
    """Ignore progress that nobody follows."""


class Timed:
    """Progress that is passed on, and the seconds that each step took."""

    def __init__(self, progress: Progress) -> None:
        """Begin."""
        self._progress = progress
        self._step, self._began = "", time.monotonic()
        self._seconds: dict[str, float] = {}

    def __call__(self, step: str, done: int, total: int | None = None, size: int = 0) -> None:
        """Take note, and pass it on."""
        if step != self._step:
            self._end()
            self._step = step
        self._progress(step, done, total, size)

    def seconds(self) -> dict[str, float]:
        """Return how long each step took until now, in the order in which they began."""
        self._end()
        return {step: round(seconds, 3) for step, seconds in self._seconds.items() if step}

    def _end(self) -> None:
        now = time.monotonic()
        self._seconds[self._step] = self._seconds.get(self._step, 0.0) + now - self._began
        self._began = now
