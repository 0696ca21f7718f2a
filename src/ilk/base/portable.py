"""Features that only some systems have: file locks, process groups, memory limits.

Linux and macOS have all of it. On Windows, files are locked by its own means, ``taskkill`` ends a
process with those that it started, and only time is limited, not memory. None of this has been run
on Windows yet; the tests remove the modules.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from typing import Any, TypeAlias

try:
    import fcntl
except ModuleNotFoundError:
    fcntl = None  # type: ignore[assignment]
try:
    import resource
except ModuleNotFoundError:
    resource = None  # type: ignore[assignment]


#: The number of an open file or folder.
FileHandle: TypeAlias = int


def change_time_ns(status: os.stat_result) -> int:
    """Return when a file, or what is known of it, last changed: nanoseconds since 1970.

    No program can set this time back, as it can the time of the last write. Windows has only the
    latter: what it calls ``st_ctime`` is when the file was made.
    """
    return status.st_mtime_ns if os.name == "nt" else status.st_ctime_ns


#: Flags to open a regular file without waiting for a pipe, and without translating newlines.
READ = os.O_RDONLY | sum(
    getattr(os, name, 0) for name in ("O_CLOEXEC", "O_NOCTTY", "O_NONBLOCK", "O_BINARY")
)

#: Flags to not follow a symbolic link; empty if the system has none.
NO_FOLLOW: int = getattr(os, "O_NOFOLLOW", 0)


def flags_to_read(*, follow_link: bool) -> int:
    """Return the flags to open a file to read; a symbolic link is followed or refused."""
    return READ if follow_link else READ | NO_FOLLOW


#: Arguments to start a process that can be killed with everything that it starts.
OWN_GROUP: dict[str, Any] = (
    {"start_new_session": True}
    if hasattr(os, "killpg")
    else {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
)


def lock_file(handle: FileHandle, *, wait: bool = False, shared: bool = False) -> None:
    """Lock an open file, until it is closed, against other processes that lock it.

    Args:
        handle: the file; a folder too, except on Windows.
        wait: whether to wait for another process that holds it.
        shared: whether others may hold it that share it too.

    Raises:
        OSError: another process holds it (on Windows, also after ten seconds of waiting).
    """
    if fcntl is not None:
        how = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        fcntl.flock(handle, how | (0 if wait else fcntl.LOCK_NB))
        return
    with contextlib.suppress(ModuleNotFoundError):
        import msvcrt

        # A byte far after the content, since others cannot read locked bytes there.
        here = os.lseek(handle, 0, os.SEEK_CUR)
        os.lseek(handle, 1 << 40, os.SEEK_SET)
        try:
            mode = getattr(msvcrt, "LK_LOCK" if wait else "LK_NBLCK")
            getattr(msvcrt, "locking")(handle, mode, 1)  # noqa: B009
        finally:
            os.lseek(handle, here, os.SEEK_SET)


def kill_process_group(process: subprocess.Popen[Any]) -> None:
    """Kill a process started with ``OWN_GROUP``, and everything that it started.

    If it has ended in the meantime, nothing happens.
    """
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        return
    with contextlib.suppress(OSError):
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(process.pid)], capture_output=True)
    process.kill()


def limit_own_memory_if_possible(max_bytes: int) -> None:
    """Limit the memory of this process; where the system cannot do that, nothing happens."""
    if resource is None:
        return
    # macOS has the limit but refuses to set it.
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (max_bytes, max_bytes))


def disable_core_dumps_if_possible() -> None:
    """Have the system write no file of this process's memory if it crashes."""
    if resource is None:
        return
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def raise_open_file_limit_if_possible() -> None:
    """Allow this process as many open files and connections as the system permits."""
    if resource is None:
        return
    _, hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard_limit, hard_limit))


#: Flags of every file that is opened by its number alone.
BARE: int = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)

#: Flags to open a folder only to name what is in it, which needs no right to list it.
_FOLDER: int = (
    (getattr(os, "O_PATH", 0) or os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0) | NO_FOLLOW | BARE
)


#: Whether files can be named by the handle of their folder.
_HAS_FOLDERS = os.open in os.supports_dir_fd


#: The handle of a folder; None where the system cannot name files by it (Windows).
HandleUnlessWindows: TypeAlias = FileHandle | None


def open_folder_refusing_links(
    path: str, *, parent: FileHandle | None = None
) -> HandleUnlessWindows:
    """Open a folder without following a link anywhere on its path; return its handle.

    Args:
        path: an absolute path, or one below ``parent``.
        parent: the handle of another folder.

    Raises:
        OSError: one of the folders is missing, is a link, or may not be entered.
    """
    if not _HAS_FOLDERS:
        return None
    names = [name for name in path.split(os.sep) if name]
    handle = os.open(os.sep, _FOLDER) if parent is None else os.dup(parent)
    for name in names:
        above = handle
        try:
            handle = os.open(name, _FOLDER, dir_fd=above)
        finally:
            os.close(above)
    return handle


def open_refusing_link_keeping_access_time(
    path: str, *, parent: FileHandle | None = None
) -> FileHandle:
    """Open a file to read, but refuse a link; its time of access stays as it is, if possible.

    Only the owner of a file may read it without changing that time.

    Args:
        path: the file; relative to ``parent`` if that is given.
        parent: the handle of its folder.
    """
    flags, quiet = READ | NO_FOLLOW, getattr(os, "O_NOATIME", 0)
    try:
        return os.open(path, flags | quiet, dir_fd=parent)
    except PermissionError:
        if not quiet:
            raise
        return os.open(path, flags, dir_fd=parent)


def sync_folder_unless_windows(path: str, *, parent: FileHandle | None = None) -> None:
    """Flush the names in a folder to the disk; Windows cannot open folders, and does nothing.

    Args:
        path: the folder; relative to ``parent`` if that is given.
        parent: the handle of another folder.
    """
    try:
        handle = os.open(path, os.O_RDONLY, dir_fd=parent)
    except PermissionError:
        if os.name != "nt":
            raise
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
