"""Step 1: anything that holds texts, as documents.

``documents`` is the door to the others: files below ``folders``, and ``rows`` of data sets, which
are read as often as needed; a ``Corpus`` is read once, and chosen texts of it again. ``Reading``
says what is read, ``Tally`` what happened on the way.

The names are loaded when they are first used, so that a child process that reads one document loads
nothing else.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ilk.readers.corpus import Corpora, Corpus
    from ilk.readers.documents import check, check_read, files_of, read, read_one
    from ilk.readers.reading import PLAINLY, Reading
    from ilk.readers.rows.given import named_paths, of_memory
    from ilk.readers.tally import Tally
    from ilk.system.progress import Progress, silent

__all__ = [
    "PLAINLY",
    "Corpora",
    "Corpus",
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

#: Where each name lives.
_HOMES = {
    "Corpora": "ilk.readers.corpus",
    "Corpus": "ilk.readers.corpus",
    "check": "ilk.readers.documents",
    "check_read": "ilk.readers.documents",
    "files_of": "ilk.readers.documents",
    "read": "ilk.readers.documents",
    "read_one": "ilk.readers.documents",
    "PLAINLY": "ilk.readers.reading",
    "Reading": "ilk.readers.reading",
    "named_paths": "ilk.readers.rows.given",
    "of_memory": "ilk.readers.rows.given",
    "Tally": "ilk.readers.tally",
    "Progress": "ilk.system.progress",
    "silent": "ilk.system.progress",
}


def __getattr__(name: str) -> Any:
    """Load a name at its first use."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
