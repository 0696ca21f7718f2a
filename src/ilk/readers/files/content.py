"""The bytes of one file, read once and whole; nothing that is not a file is opened for reading."""

import os
import stat
from typing import NamedTuple

from ilk.readers.encodings.kinds import HEAD, is_binary

_OPEN = os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a FIFO"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a character device"),
    (stat.S_ISBLK, "a block device"),
)


class Unreadable(Exception):
    """A source that cannot be read; the message is the reason."""


class Content(NamedTuple):
    """What was read of a source.

    data: its bytes; None for a large binary file, whose head alone was read.
    modified: microseconds from 1970 to its last change; None for standard input.
    """

    data: bytes | None
    modified: int | None


def read_file(path: str, *, whole: bool = False, follow: bool = False) -> Content:
    """Read a file; Unreadable with the reason if it cannot be done.

    A binary file larger than `HEAD` is left unread unless the `whole` is wanted. `follow` says
    that the path was known to be a symbolic link; one that became a link since is not opened.
    """
    try:
        # Should a FIFO take the file's place at this very moment, O_NONBLOCK keeps the open
        # from waiting for a writer, and the check after it refuses what was opened.
        descriptor = os.open(path, _OPEN if follow else _OPEN | os.O_NOFOLLOW)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise Unreadable(not_a_file(status.st_mode))
            return Content(_read(descriptor, status.st_size, whole), status.st_mtime_ns // 1000)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise Unreadable(reason(error)) from error
    except MemoryError:
        raise Unreadable("does not fit in memory") from None


def _read(descriptor: int, size: int, whole: bool) -> bytes | None:
    head = os.read(descriptor, min(size + 1, HEAD) if size else HEAD)
    if len(head) == size < HEAD:
        return head
    # The file is large, or grows, or is one of those of /proc, which do not know their size.
    if not whole and is_binary(head):
        return None
    os.lseek(descriptor, 0, os.SEEK_SET)
    with os.fdopen(descriptor, "rb", buffering=0, closefd=False) as file:
        return file.read()


def not_a_file(mode: int) -> str:
    """Return the reason why something of this mode is not read: "is a FIFO, not a file"."""
    kind = next((name for is_kind, name in _KINDS if is_kind(mode)), "something else")
    return f"is {kind}, not a file"


def reason(error: OSError) -> str:
    """Return an error of the operating system as a short reason."""
    if isinstance(error, FileNotFoundError):
        return "vanished before it was read"
    return (error.strerror or str(error)).lower()
