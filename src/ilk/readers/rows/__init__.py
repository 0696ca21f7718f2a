"""Rows of data sets: JSON lines, Parquet, CSV, archives and tables as documents, and back again.

``open`` and ``of`` make ``Records``, which streams documents, a second time those that are chosen,
and a third time writes the rows that are kept. One module, one concept:

- ``dataset``: rows of many sources as one; ``copies``: kept rows written to files
- ``sources``: what every source can do; ``formats``: which file is read by which
- ``delimited``: rows of bytes (``pieces`` of ``streams``), cut by the grammars ``jsonl`` and
  ``separated``
- ``arrow``: rows of columns, from the stores ``parquet`` and ``memory``; ``schemas`` finds them
- ``archive``: captures of the web, and ``archive_writers`` for those that are kept
- ``chosen``: some rows of many; ``values``: columns of a type; ``signature``: what has changed
"""

from __future__ import annotations

from ilk.readers.rows.dataset import Records
from ilk.readers.rows.kinds import holds_rows, is_archive
from ilk.readers.rows.opening import TEXT, open_rows, reopen_rows, rows_of_table
from ilk.readers.rows.output import Origin

__all__ = [
    "TEXT",
    "Origin",
    "Records",
    "holds_rows",
    "is_archive",
    "open_rows",
    "reopen_rows",
    "rows_of_table",
]
