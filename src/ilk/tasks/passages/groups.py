"""Groups of documents, between which passages count."""

from __future__ import annotations

import os
import re
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk.arrow import flat
from ilk.base.errors import ColumnTypeError, OptionError
from ilk.base.running import Running
from ilk.read import Reading, named_paths
from ilk.read.rows import open_any
from ilk.read.rows.documents import is_rows

#: Groups that need no column: by file, and by the folder of the file.
SOURCE, FOLDER = "source", "folder"

_ROW = re.compile(r"#\d+$")


def groups(
    across: str, documents: pa.Table, source: Any, reading: Reading, running: Running
) -> pa.Array:
    """Return a number for every document, the same within a group.

    Args:
        across: ``source``, ``folder``, or the name of a column of rows; null is a group too.
        documents: with their names in ``source``.
        source, reading, running: what they were read from, and how.

    Raises:
        OptionError: the documents have no columns, or no column of that name.
    """
    names = documents["source"].to_pylist()
    if across == SOURCE:
        values = pa.array([_file(name, reading) for name in names], pa.string())
    elif across == FOLDER:
        folders = [os.path.dirname(_file(name, reading)) for name in names]
        values = pa.array(folders, pa.string())
    else:
        values = _column(across, len(documents), source, reading, running)
    encoded = flat(values).dictionary_encode(null_encoding="encode")
    return encoded.indices.cast(pa.uint32())


def _file(name: str, reading: Reading) -> str:
    """Return the file of a source, without the number of a row."""
    file = _ROW.sub("", name)
    return file if not file or is_rows(file, reading) else name


def _column(
    name: str, count: int, source: Any, reading: Reading, running: Running
) -> pa.ChunkedArray:
    paths = named_paths(source)
    if paths is not None and not all(is_rows(path, reading) for path in paths):
        raise OptionError(
            f"`across` is {name!r}, but files have no columns; it must be {SOURCE} or {FOLDER}, or "
            "name a column of rows."
        )
    try:
        values = open_any(source, reading, running).column(name)
    except ColumnTypeError as error:
        raise OptionError(f"`across` is {name!r}: {error}") from error
    if len(values) != count:
        raise OptionError(f"`across` is {name!r}, but not every document is a row.")
    return pc.cast(values, pa.string()) if pa.types.is_nested(values.type) is False else values
