"""Step 1: anything that holds texts, as documents.

``documents`` is the entrance to the others: files below ``folders``, and ``rows`` of data sets,
which are read as often as needed; a ``Collection`` is read once, and chosen texts of it again.
``Reading`` is the request, and ``Tally`` records what happened.

The names are loaded when they are first used, so that a child process that reads one document loads
nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ilk.base.lazy import loader

if TYPE_CHECKING:
    from ilk.base.progress import Progress, silent
    from ilk.read.collection import Collection
    from ilk.read.documents import check, check_read, files_of, read, read_one
    from ilk.read.reading import PLAINLY, Reading
    from ilk.read.rows.given import named_paths, of_memory
    from ilk.read.tally import Tally

__all__ = [
    "PLAINLY",
    "Collection",
    "Progress",
    "Reading",
    "Tally",
    "check",
    "check_read",
    "files_of",
    "named_paths",
    "of_memory",
    "read",
    "read_one",
    "silent",
]

if not TYPE_CHECKING:
    __getattr__ = loader(
        __name__,
        {
            ".collection": ("Collection",),
            ".documents": ("check", "check_read", "files_of", "read", "read_one"),
            ".reading": ("PLAINLY", "Reading"),
            ".rows.given": ("named_paths", "of_memory"),
            ".tally": ("Tally",),
            "ilk.base.progress": ("Progress", "silent"),
        },
    )
