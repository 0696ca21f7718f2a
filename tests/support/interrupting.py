"""Ctrl-C at a step of a run."""

from __future__ import annotations

from ilk.read import Progress


def interrupt_at(*step_beginnings: str) -> Progress:
    """Return a progress function that interrupts a run, as Ctrl-C does, at the first step whose
    name begins so.
    """

    def interrupt_if_there(step: str, done: int, total: int | None = None, size: int = 0) -> None:
        del done, total, size
        if step.startswith(step_beginnings):
            raise KeyboardInterrupt

    return interrupt_if_there
