"""The names of files as text: what is printed and stored, and the extension that shows a type."""

import os
import re
from collections.abc import Iterator
from functools import lru_cache

#: Characters of a name that an error shows.
_LONGEST = 200

_ESCAPE = re.compile(rb"\\x([0-9a-f]{2})")
_LOOKS_ESCAPED = re.compile(r"\\(?=x[0-9a-f]{2})")


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


def shown(name: str) -> str:
    """Return a name for an error: in full, unless it is a text that was mistaken for a name.

    >>> shown("a" * 300) == "a" * 200 + "..."
    True
    """
    return name if len(name) <= _LONGEST else name[:_LONGEST] + "..."


def path_of(source: str) -> str:
    r"""Return the path of a file by its source, the inverse of ``source_name``.

    >>> path_of(source_name("a\\x41\udcff")) == "a\\x41\udcff"
    True
    """
    content = _ESCAPE.sub(lambda escape: bytes([int(escape[1], 16)]), source.encode())
    return os.fsdecode(content)


def holders(source: str) -> Iterator[str]:
    """Yield the possible containers of a document by its source, the innermost first.

    >>> list(holders("a/b.zip!/c.mbox#17/d.pdf"))
    ['a/b.zip!/c.mbox#17', 'a/b.zip!/c.mbox', 'a/b.zip', 'a']
    """
    for at in range(len(source) - 1, 0, -1):
        parts = source[at] in "/#" and source[at - 1] not in "/!"
        if parts or source[at : at + 2] == "!/":
            yield source[:at]


@lru_cache(64)  # It is used several times for every file.
def extension(path: str) -> str:
    """Return the last extension in lower case with its dot: ".pdf"; "" if it has no extension."""
    return source_name(os.path.splitext(path)[1].lower())
