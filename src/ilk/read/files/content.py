"""The names of files, and their bytes, read once and whole.

Nothing that is not a file is opened for reading. Child processes load this module: it needs only
the standard library.
"""

import os
import re
import stat
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import BinaryIO, Literal, NamedTuple, TypeAlias

from ilk.base.errors import SourceNotFound, reason_of_error
from ilk.base.portable import flags_to_read
from ilk.read.encodings.kinds import HEAD, is_binary

#: Characters of a name that an error shows.
_LONGEST = 200

_ESCAPE = re.compile(rb"\\x([0-9a-f]{2})")
_LOOKS_ESCAPED = re.compile(r"\\(?=x[0-9a-f]{2})")

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a character device",
    stat.S_IFBLK: "a block device",
}


def source_name(path: str) -> str:
    r"""Return a path as text that any column can hold, with `/` between its parts.

    Bytes that are not UTF-8 become `\xff`. A backslash of the name itself that would read as
    such an escape becomes `\x5c`, so that two paths never share one source. The bytes are taken
    from the file system, so the source does not depend on the locale.
    """
    if path.isascii() and "\\" not in path:
        # Most names stay as they are, and every file's name is used several times.
        return path
    escaped = _LOOKS_ESCAPED.sub(r"\\x5c", path.replace(os.sep, "/"))
    return os.fsencode(escaped).decode("utf-8", "backslashreplace")


def unescape_source_name(source: str) -> str:
    r"""Return the path of a file by its source, the inverse of ``source_name``.

    >>> unescape_source_name(source_name("a\\x41\udcff")) == "a\\x41\udcff"
    True
    """
    if source.isascii() and "\\x" not in source:
        return source
    return os.fsdecode(_ESCAPE.sub(lambda escape: bytes([int(escape[1], 16)]), source.encode()))


def sources_meant_by_name(name: str) -> list[str]:
    r"""Return the sources that a person may mean: the name as ilk prints it, then that of a path.

    >>> sources_meant_by_name("a.zip!/b"), sources_meant_by_name("a\\x41")
    (['a.zip!/b'], ['a\\x41', 'a\\x5cx41'])
    """
    of_path = source_name(name)
    if not _LOOKS_ESCAPED.search(name):
        return [of_path]
    try:
        unescape_source_name(name)
    except UnicodeError:  # ilk prints no such name.
        return [of_path]
    return [name, of_path]


def not_found_error(name: str, alternative: str) -> SourceNotFound:
    """Return the error that there is no such path, and the ``alternative`` to one."""
    shown = name if len(name) <= _LONGEST else name[:_LONGEST] + "..."  # It may be a text.
    # Spaces, and neither a slash nor an extension behind few words: it may be a text.
    words = name.count(" ") > 2 or (" " in name and not last_dotted_extension(name))
    text = "; in Python, give texts in a list" if words and "/" not in name else ""
    return SourceNotFound(
        f"there is no {shown!r} (seen from {os.getcwd()!r}); give the path of a file or a folder "
        f"that exists, or {alternative}{text}"
    )


def enclosing_sources(source: str) -> Iterator[str]:
    """Yield the sources that a document may be in, by its own, the innermost first.

    >>> list(enclosing_sources("a/b.zip!/c.mbox#17/d.pdf"))
    ['a/b.zip!/c.mbox#17', 'a/b.zip!/c.mbox', 'a/b.zip', 'a']
    """
    for at in range(len(source) - 1, 0, -1):
        if (source[at] in "/#" and source[at - 1] not in "/!") or source[at : at + 2] == "!/":
            yield source[:at]


def file_or_enclosing_file_or_same_source(source: str) -> str:
    """Return the source of the file at a source, or of the one that holds it, such as an archive.

    If there is neither on disk, return the source.
    """
    return next(
        (
            one
            for one in (source, *enclosing_sources(source))
            if os.path.isfile(unescape_source_name(one))
        ),
        source,
    )


@lru_cache(64)  # It is used several times for every file.
def last_dotted_extension(path: str) -> str:
    """Return the last extension in lower case with its dot: ".pdf"; "" if it has no extension."""
    # `os.path.splitext` takes four times as long, which counts in folders of many small files.
    name = path.replace(os.sep, "/").rpartition("/")[2]
    stem, dot, extension = name.rpartition(".")
    return source_name(dot + extension.lower()) if stem.strip(".") else ""


class Unreadable(Exception):
    """A source that cannot be read; the message is the reason."""


#: How much of a file to read: all of it, nothing, or all unless it is a large binary file.
HowMuch: TypeAlias = Literal["all", "nothing", "unless_large_binary"]


class Content(NamedTuple):
    """What was read of a source: its bytes, unless they were not wanted, or are those of a large
    binary file; microseconds from 1970 to its last change, if known; and the bytes of the file.
    """

    data: bytes | None
    modified: int | None
    size: int


def read_file(
    path: str,
    *,
    decide_by_head: Callable[[bytes, BinaryIO], HowMuch] = lambda *_: "unless_large_binary",
    follow: bool = False,
) -> Content:
    """Read a file; Unreadable with the reason if that fails.

    ``decide_by_head`` gets the first ``HEAD`` bytes and the open file; a binary file is large from
    ``HEAD`` bytes on. ``follow`` means that the path was known to be a symbolic link; one that has
    become a link since is not opened.
    """
    try:
        with os.fdopen(open_regular_file(path, follow=follow), "rb", buffering=0) as file:
            status = os.fstat(file.fileno())
            size, mtime = status.st_size, status.st_mtime_ns // 1000
            head: bytes = file.read(min(size + 1, HEAD) if size else HEAD)
            how_much = decide_by_head(head, file)
            if how_much == "nothing":
                return Content(None, mtime, size)
            if len(head) == size < HEAD:
                return Content(head, mtime, size)
            # The file is large, or grows, or is in /proc, whose files have no known size.
            if how_much == "unless_large_binary" and is_binary(head):
                return Content(None, mtime, size)
            file.seek(0)
            return Content(file.read(), mtime, size)
    except OSError as error:
        raise Unreadable(spell_os_error(error)) from error
    except MemoryError:
        raise Unreadable("does not fit in memory") from None


def open_regular_file(path: str, *, follow: bool) -> int:
    """Open a file, and nothing else, and return its descriptor; arguments as of ``read_file``."""
    # If a FIFO replaces the file at this very moment, O_NONBLOCK prevents waiting for a writer, and
    # the check after it refuses the FIFO.
    descriptor = os.open(path, flags_to_read(follow_link=follow))
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        raise Unreadable(spell_not_a_regular_file(mode))
    return descriptor


def spell_not_a_regular_file(mode: int) -> str:
    """Return the reason why something of this mode is not read: "is a FIFO, not a file"."""
    return f"is {_KINDS.get(stat.S_IFMT(mode), 'something else')}, not a file"


def spell_os_error(error: OSError) -> str:
    """Return an error of the operating system as a short reason."""
    if isinstance(error, FileNotFoundError):
        return "vanished before it was read"
    return reason_of_error(error).lower()
