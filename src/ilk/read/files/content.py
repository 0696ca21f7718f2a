"""The bytes of one file, read once and whole; nothing that is not a file is opened for reading."""

import os
import stat
from collections.abc import Callable
from io import FileIO
from typing import BinaryIO, NamedTuple, TypeAlias

from ilk.base.portable import NO_FOLLOW, READ
from ilk.read.encodings.kinds import HEAD, is_binary

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

    data: its bytes; None for a large binary file, if only its head was read, and for one that is
    not wanted.
    modified: microseconds from 1970 to its last change; None for standard input.
    size: bytes of the file, if it is known.
    """

    data: bytes | None
    modified: int | None
    size: int


#: A function that decides from an open file and its head whether to read it; None leaves out large
#: binary files.
Wanted: TypeAlias = Callable[[bytes, BinaryIO], bool | None]


def read_file(path: str, *, wanted: Wanted = lambda *_: None, follow: bool = False) -> Content:
    """Read a file; Unreadable with the reason if that fails.

    ``wanted`` decides whether to read it whole; if it leaves that open, a binary file larger than
    `HEAD` is left unread. `follow` means that the path was known to be a symbolic link; one that
    has become a link since is not opened.
    """
    try:
        with os.fdopen(opened(path, follow=follow), "rb", buffering=0) as file:
            status = os.fstat(file.fileno())
            data = _read(file, status.st_size, wanted)
            return Content(data, status.st_mtime_ns // 1000, status.st_size)
    except OSError as error:
        raise Unreadable(reason(error)) from error
    except MemoryError:
        raise Unreadable("does not fit in memory") from None


def opened(path: str, *, follow: bool) -> int:
    """Open a file, and nothing else, and return its descriptor; arguments as of ``read_file``."""
    # If a FIFO replaces the file at this very moment, O_NONBLOCK prevents waiting for a writer, and
    # the check after it refuses the FIFO.
    descriptor = os.open(path, READ if follow else READ | NO_FOLLOW)
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        raise Unreadable(not_a_file(mode))
    return descriptor


def _read(file: FileIO, size: int, wanted: Wanted) -> bytes | None:
    head = file.read(min(size + 1, HEAD) if size else HEAD)
    whole = wanted(head, file)
    if whole is False:
        return None
    if len(head) == size < HEAD:
        return head
    # The file is large, or grows, or is in /proc, whose files have no known size.
    if whole is None and is_binary(head):
        return None
    file.seek(0)
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
