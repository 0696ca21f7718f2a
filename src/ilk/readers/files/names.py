"""The names of files as text: what is printed and stored, and the extension that shows a type."""

import os
import re

_LOOKS_ESCAPED = re.compile(r"\\(?=x[0-9a-f]{2})")


def source_name(path: str) -> str:
    r"""Return a path as text that any column can hold, with `/` between its parts.

    Bytes that are not UTF-8 become `\xff`. A backslash of the name itself that would read as
    such an escape becomes `\x5c`, so that two paths never share one source. The bytes are taken
    from the file system, so the source does not depend on the locale.
    """
    if path.isascii() and "\\" not in path:
        # Most names stay as they are, and every file has several looks at its name.
        return path
    escaped = _LOOKS_ESCAPED.sub(r"\\x5c", path.replace(os.sep, "/"))
    return os.fsencode(escaped).decode("utf-8", "backslashreplace")


def extension(path: str) -> str:
    """Return the last extension in lower case with its dot: ".pdf"; "" if it has no extension."""
    return source_name(os.path.splitext(path)[1].lower())
