"""The read step: anything that holds texts, as documents.

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
        refuse_if_no_readable_document,
        refuse_if_all_files_unreadable,
        find_existing_files,
        read_documents,
        read_one_document,
    )
    from ilk.read.folders import read_documents_of_files
    from ilk.read.reading import PLAINLY, Reading
    from ilk.read.report import ReadReport
    from ilk.read.rows.opening import open_rows
    from ilk.read.rows.table_sources import paths_or_none_if_texts, texts_to_table_or_as_given
else:
    _PLACES = {
        # Names, by scripts/make-signatures.
        "Progress": "ilk.base.progress:Progress",
        "ignore_progress": "ilk.base.progress:ignore_progress",
        "Collection": "ilk.read.collection:Collection",
        "refuse_if_no_readable_document": "ilk.read.documents:refuse_if_no_readable_document",
        "refuse_if_all_files_unreadable": "ilk.read.documents:refuse_if_all_files_unreadable",
        "find_existing_files": "ilk.read.documents:find_existing_files",
        "read_documents": "ilk.read.documents:read_documents",
        "read_one_document": "ilk.read.documents:read_one_document",
        "read_documents_of_files": "ilk.read.folders:read_documents_of_files",
        "PLAINLY": "ilk.read.reading:PLAINLY",
        "Reading": "ilk.read.reading:Reading",
        "ReadReport": "ilk.read.report:ReadReport",
        "open_rows": "ilk.read.rows.opening:open_rows",
        "paths_or_none_if_texts": "ilk.read.rows.table_sources:paths_or_none_if_texts",
        "texts_to_table_or_as_given": "ilk.read.rows.table_sources:texts_to_table_or_as_given",
        # End of what is written.
    }
    __getattr__ = lazy_attributes(__name__, _PLACES)
