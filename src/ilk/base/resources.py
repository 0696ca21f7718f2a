"""How much memory and how many processors this process may use."""

from __future__ import annotations

import contextlib
import ctypes
import os
from pathlib import Path
from typing import NamedTuple, TypeAlias

from ilk.base.options import check_option

#: Bytes that count as free if the system does not say. Where less is free, the machine swaps; where
#: more is, lists go to files sooner than needed.
_UNKNOWN = 4_000_000_000

#: Bytes of files that are loaded between two looks at what is held, nearly always. At least as many
#: bytes of a limit stay free; of limits from 160 MB on, an eighth, which is more.
_BETWEEN = 20_000_000

#: What reading uses besides what is kept: pieces of files, and data made from them.
BUFFERS = 40_000_000

#: More bytes than any machine has; where a control group of version 1 has no limit, it gives a page
#: less than 2^63.
UNBOUNDED = 1 << 60

#: A limit of memory in bytes; 0 for none.
BytesUnlessUnlimited: TypeAlias = int


def free_memory(proc: Path = Path("/proc"), groups: Path = Path("/sys/fs/cgroup")) -> int:
    """Return the bytes of memory available now: of the machine, or less in a container.

    Args:
        proc, groups: where the kernel describes processes and control groups.

    Source: the kernel's ``Documentation/admin-guide/cgroup-v2.rst`` (``memory.max``,
    ``memory.current``) and ``cgroup-v1/memory.rst`` (``memory.limit_in_bytes``).
    """
    try:
        lines = dict(line.split(":", 1) for line in (proc / "meminfo").read_text().splitlines())
        machine = int(lines["MemAvailable"].split()[0]) * 1024
    except (KeyError, OSError, ValueError):
        machine = _UNKNOWN
    return max(0, min([machine, *_memory_left_in_limited_groups(proc, groups)]))


class _MemoryGroup(NamedTuple):
    """A control group: its folder, and the files of how much it may hold and holds."""

    folder: Path
    limit: Path
    usage: Path


def _memory_left_in_limited_groups(proc: Path, groups: Path) -> list[int]:
    """Return the bytes that each control group with a limit may still hold, perhaps below 0."""
    reserves = []
    for group in _own_and_outer_memory_groups(proc, groups):
        try:
            limit = int(group.limit.read_text())
            lines = map(str.split, (group.folder / "memory.stat").read_text().splitlines())
            values = {name: int(value) for name, value in lines}
            # The group's page cache is freed when memory is needed.
            cached = values.get("total_inactive_file", values.get("inactive_file", 0))
            held = int(group.usage.read_text()) - cached
        except (OSError, ValueError):  # There is no such group, or its limit is "max".
            continue
        if limit < UNBOUNDED:
            reserves.append(limit - held)
    return reserves


def _own_and_outer_memory_groups(proc: Path, groups: Path) -> list[_MemoryGroup]:
    """Return the control groups of this process, and those above."""
    try:
        lines = (proc / "self" / "cgroup").read_text().splitlines()
    except OSError:
        return []
    memory_groups = []
    for line in lines:
        number, controllers, path = line.split(":", 2)
        if number == "0" and not controllers:
            root, limit, usage = groups, "memory.max", "memory.current"
        elif "memory" in controllers.split(","):
            root = groups / "memory"
            limit, usage = "memory.limit_in_bytes", "memory.usage_in_bytes"
        else:
            continue
        inner = root / path.strip("/")
        # In a container the path is often that of the host, and the group is mounted at the root.
        for folder in {inner, *inner.parents, root}:
            if folder == root or root in folder.parents:
                memory_groups.append(_MemoryGroup(folder, folder / limit, folder / usage))
    return memory_groups


def resident_memory_or_zero() -> int:
    """Return the bytes of memory that this process holds now; 0 if the system does not say."""
    try:
        with open("/proc/self/statm") as status:
            return int(status.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return 0


def release_freed_memory() -> None:
    """Return freed memory to the system, if allocators keep it for later."""
    import pyarrow as pa

    pa.default_memory_pool().release_unused()
    # Windows cannot open the process's own symbols without a name.
    with contextlib.suppress(TypeError, OSError):
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # Only glibc has it.
        if trim is not None:
            trim(0)


def signed_memory_left_or_unbounded(limit: BytesUnlessUnlimited) -> int:
    """Return how many more bytes a limit allows, perhaps below 0; without one, ``UNBOUNDED``.

    A reserve, of an eighth of the limit or more, is kept free.
    """
    if not limit:
        return UNBOUNDED
    return limit - resident_memory_or_zero() - max(_BETWEEN, limit // 8)


def spell_size_option_rounded_up(byte_count: int) -> str:
    """Return a number of bytes, rounded up, in the form of an option.

    >>> spell_size_option_rounded_up(1_200_000), spell_size_option_rounded_up(0)
    ('2MB', '0')
    """
    size, unit = max(0, byte_count), ""
    for unit in ("", "kB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            break
        size = -(-size // 1000)
    return f"{size}{unit}"


def thread_count(jobs: int | None) -> int:
    """Return the number of threads: as requested, or one per processor.

    Raises:
        OptionError: it is not a whole number of at least 1.
    """
    if jobs is None:
        affinity = getattr(os, "sched_getaffinity", None)
        return len(affinity(0)) if affinity else os.cpu_count() or 1
    return int(check_option("jobs", jobs))
