"""How a request runs: threads, memory, progress. No result depends on it."""

from __future__ import annotations

from dataclasses import dataclass

from ilk.options.table import checked
from ilk.system import resources
from ilk.system.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class Running:
    """How a request runs.

    Attributes:
        jobs: threads.
        memory: bytes that it may take.
        tell: follows every step.
    """

    jobs: int
    memory: int
    tell: Progress = silent

    @classmethod
    def of(
        cls,
        jobs: int | None = None,
        memory: str | int | None = None,
        progress: Progress | None = None,
    ) -> Running:
        """Check keyword arguments; None takes all processors, and half of the free memory.

        Raises:
            OptionError: an option is out of bounds.
        """
        size = resources.free() // 2 if memory is None else checked("memory", memory)
        return cls(resources.threads(jobs), size, progress or silent)


#: One thread, for a document or two.
ALONE = Running(1, 0)
