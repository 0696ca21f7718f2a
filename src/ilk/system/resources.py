"""How much memory and how many processors there are: as it is said, and as the system tells."""

from __future__ import annotations

import os
import re
from fractions import Fraction

from ilk.errors import OptionError

_SIZE = re.compile(r"(?P<number>\d{1,15}(\.\d{1,9})?)\s*(?P<unit>[KMGT]?)B?", re.ASCII)


def allowed(limit: str | int | None, name: str) -> int:
    """Bytes that a task may take: as said (``"2GB"``), or half of what is free.

    Args:
        limit: a size; None where nothing is said.
        name: the option that says it.

    >>> allowed("1.5GB", "memory"), allowed(1000, "memory")
    (1500000000, 1000)

    Raises:
        OptionError: it is not a size.
    """
    if limit is None:
        return _free() // 2
    match = _SIZE.fullmatch(str(limit).strip().upper())
    if match is None or isinstance(limit, bool):
        raise OptionError(f"{name} is {limit!r}; it must be a size such as 2GB, 500MB or 10000000.")
    return int(Fraction(match["number"]) * 1000 ** " KMGT".index(match["unit"] or " "))


def _free() -> int:
    """Bytes of memory that the system could give now; 4 GB where it does not tell."""
    try:
        pages = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        with open("/proc/meminfo") as told:
            lines = dict(line.split(":", 1) for line in told)
        return max(pages, int(lines["MemAvailable"].split()[0]) * 1024)
    except (AttributeError, KeyError, OSError, ValueError):
        return 4_000_000_000


def resident() -> int:
    """Bytes of memory that this process holds now; 0 where the system does not tell."""
    try:
        with open("/proc/self/statm") as told:
            return int(told.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0


def threads(jobs: int | None) -> int:
    """The number of threads: as many as asked for, or one per processor.

    Raises:
        OptionError: it is not a whole number of at least 1.
    """
    if jobs is None:
        affinity = getattr(os, "sched_getaffinity", None)
        return len(affinity(0)) if affinity else os.cpu_count() or 1
    if type(jobs) is not int or jobs < 1:
        raise OptionError(f"jobs is {jobs!r}; it must be a whole number of threads, 1 or more.")
    return jobs
