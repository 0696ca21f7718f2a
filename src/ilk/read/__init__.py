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
    from ilk.base.progress import Progress, silent
    from ilk.read.collection import Collection
    from ilk.read.documents import check, check_read, files_of, read, read_one
    from ilk.read.folders import read_files
    from ilk.read.reading import PLAINLY, Reading
    from ilk.read.report import ReadReport
    from ilk.read.rows.opening import open_rows
    from ilk.read.rows.table_sources import named_paths, of_memory
else:
    __getattr__ = lazy_attributes(__name__)
