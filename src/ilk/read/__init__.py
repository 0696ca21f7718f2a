"""Step 1: anything that holds texts, as documents.

``documents`` is the entrance to the others: files below ``folders``, and ``rows`` of data sets,
which are read as often as needed; a ``Collection`` is read once, and chosen texts of it again.
``Reading`` is the request, and ``ReadReport`` records what happened.

The names are loaded when they are first used, so that a child process that reads one document loads
nothing else.
"""

from __future__ import annotations

from ilk.base.lazy import lazy_attributes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ilk.base.progress import Progress, ignore_progress
    from ilk.read.collection import Collection
    from ilk.read.documents import (
        refuse_if_empty,
        refuse_if_unread,
        find_source_files,
        read,
        read_one,
    )
    from ilk.read.folders import read_files
    from ilk.read.reading import PLAINLY, Reading
    from ilk.read.report import ReadReport
    from ilk.read.rows.opening import open_rows
    from ilk.read.rows.table_sources import named_paths, table_in_memory
else:
    _PLACES = {
        # Names, by scripts/make-signatures.
        "Progress": "ilk.base.progress:Progress",
        "ignore_progress": "ilk.base.progress:ignore_progress",
        "Collection": "ilk.read.collection:Collection",
        "refuse_if_empty": "ilk.read.documents:refuse_if_empty",
        "refuse_if_unread": "ilk.read.documents:refuse_if_unread",
        "find_source_files": "ilk.read.documents:find_source_files",
        "read": "ilk.read.documents:read",
        "read_one": "ilk.read.documents:read_one",
        "read_files": "ilk.read.folders:read_files",
        "PLAINLY": "ilk.read.reading:PLAINLY",
        "Reading": "ilk.read.reading:Reading",
        "ReadReport": "ilk.read.report:ReadReport",
        "open_rows": "ilk.read.rows.opening:open_rows",
        "named_paths": "ilk.read.rows.table_sources:named_paths",
        "table_in_memory": "ilk.read.rows.table_sources:table_in_memory",
        # End of what is written.
    }
    __getattr__ = lazy_attributes(__name__, _PLACES)
