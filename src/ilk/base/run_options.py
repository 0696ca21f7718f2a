"""How a request runs: threads, memory, progress. Results do not depend on it."""

from __future__ import annotations

import os
from dataclasses import dataclass

from ilk.base import resources
from ilk.base.errors import OptionError
from ilk.base.options import check_option
from ilk.base.progress import Progress, ignore_progress, ignore_progress_unless_callable


@dataclass(frozen=True, slots=True)
class Running:
    """How a request runs.

    Attributes:
        jobs: threads.
        memory: bytes that the process may use in total; 0 for no limit.
        tell: a function that follows every step.
        folder: the folder for temporary files; None for the system's.
    """

    jobs: int
    memory: int
    tell: Progress = ignore_progress
    folder: str | os.PathLike[str] | None = None

    def __reduce__(self) -> tuple[type[Running], tuple[int, int]]:
        """Leave out the progress function, which belongs to this process."""
        return Running, (self.jobs, self.memory)

    @classmethod
    def of(
        cls,
        jobs: int | None = None,
        memory: str | int | None = None,
        progress: Progress | bool | None = None,
    ) -> Running:
        """Check keyword arguments; None means all processors, and half of the free memory."""
        least = resources.resident_memory_or_zero() + resources.BUFFERS
        if memory is None:
            size = max(least, resources.free_memory() // 2)
        elif (size := check_option("memory", memory)) < least:
            raise OptionError(
                f"memory is {memory}, but the process needs at least "
                f"{resources.spell_size_option_rounded_up(least)} in all. Allow that much, or "
                "leave it out."
            )
        return cls(resources.thread_count(jobs), size, ignore_progress_unless_callable(progress))

    def thread_count_that_fits(self, *, bytes_per_helper: int) -> int:
        """Return how many threads half of the free memory allows: one, and those that help it."""
        if not self.memory:
            return self.jobs
        free = max(0, self.memory - resources.resident_memory_or_zero())
        return min(self.jobs, 1 + free // 2 // bytes_per_helper)


#: One thread, for a document or two.
ALONE = Running(1, 0)
