"""How readers tell what they have done."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Told of every step: its name, units done, units in all (None: unknown), and bytes done."""

    def __call__(self, step: str, done: int, total: int | None = None, size: int = 0) -> None:
        """Take note."""


def silent(step: str, done: int, total: int | None = None, size: int = 0) -> None:
    """Progress that nobody follows."""
