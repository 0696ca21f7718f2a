"""What only some systems have: locks on files, groups of processes, limits of memory.

Linux and macOS have all of it. On Windows files are locked by its own means, a process is ended
with those that it started by ``taskkill``, and memory has no limit: only time does. Nothing here
was run on Windows yet; the tests take the modules away.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from typing import Any

try:
    import fcntl
except ModuleNotFoundError:
    fcntl = None  # type: ignore[assignment]
try:
    import resource
except ModuleNotFoundError:
    resource = None  # type: ignore[assignment]

#: How a regular file is opened without waiting for a pipe, and without a translation of newlines.
READ = os.O_RDONLY | sum(
    getattr(os, name, 0) for name in ("O_CLOEXEC", "O_NOCTTY", "O_NONBLOCK", "O_BINARY")
)

#: How a symbolic link is not followed; nothing where the system cannot say so.
NO_FOLLOW: int = getattr(os, "O_NOFOLLOW", 0)

#: What begins a process that can be killed with all that it starts.
OWN_GROUP: dict[str, Any] = (
    {"start_new_session": True}
    if hasattr(os, "killpg")
    else {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
)

#: The number of the request that makes a file share the blocks of another one (Linux).
_FICLONE = 0x40049409  # linux/fs.h

_READING = threading.Lock()


def lock(handle: int) -> None:
    """Lock an open file, until it is closed, against other processes that lock it.

    Raises:
        OSError: another process holds it.
    """
    if fcntl is not None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return
    with contextlib.suppress(ModuleNotFoundError):
        import msvcrt

        # A byte far after the content: what is locked there cannot be read by others.
        here = os.lseek(handle, 0, os.SEEK_CUR)
        os.lseek(handle, 1 << 40, os.SEEK_SET)
        try:
            getattr(msvcrt, "locking")(handle, getattr(msvcrt, "LK_NBLCK"), 1)  # noqa: B009
        finally:
            os.lseek(handle, here, os.SEEK_SET)


def kill_group(process: subprocess.Popen[Any]) -> None:
    """Kill a process begun with ``OWN_GROUP``, and all that it started.

    Raises:
        ProcessLookupError: it has ended.
    """
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
        return
    with contextlib.suppress(OSError):
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(process.pid)], capture_output=True)
    process.kill()


def limit_memory(most: int) -> None:
    """Let this process have no more than ``most`` bytes, and leave no core dump.

    Where the system cannot limit it, nothing is done: who asks the process still limits its time.
    """
    if resource is None:
        return
    # macOS has the limit and refuses to set it.
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def open_many() -> None:
    """Let this process have as many files and connections open as the system allows."""
    if resource is None:
        return
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def clone(source: int, out: int) -> None:
    """Let an empty file share the blocks of another one: both are handles.

    Raises:
        OSError: the system, or the file system, cannot do that.
    """
    if fcntl is None or sys.platform != "linux":
        raise OSError(0, "this system cannot share blocks between files")
    fcntl.ioctl(out, _FICLONE, source)


def read_at(handle: int, size: int, at: int) -> bytes:
    """Return up to ``size`` bytes of an open file from position ``at`` on, in any thread."""
    if hasattr(os, "pread"):
        return os.pread(handle, size, at)
    with _READING:
        os.lseek(handle, at, os.SEEK_SET)
        return os.read(handle, size)


def sync_names(folder: str) -> None:
    """Let the names in a folder reach the disk, where a folder can be opened."""
    try:
        handle = os.open(folder or ".", os.O_RDONLY)
    except PermissionError:  # Windows opens no folders.
        if os.name != "nt":
            raise
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
