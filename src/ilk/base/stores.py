"""What marks a file as a store of ilk: it is SQLite's, with ilk's application id."""

from __future__ import annotations

import os

#: The application id of a store, as SQLite writes it into the file.
APPLICATION_ID = b"ilk\0"

#: How every file of SQLite begins, and where its application id stands.
_SQLITE, _PLACE = b"SQLite format 3\0", 68


def is_store_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is a store of ilk; False for what cannot be read."""
    try:
        if not os.path.isfile(path):  # A pipe must not be opened: it can be read only once.
            return False
        with open(path, "rb") as file:
            head = file.read(_PLACE + len(APPLICATION_ID))
    except OSError:
        return False
    return head.startswith(_SQLITE) and head[_PLACE:] == APPLICATION_ID
