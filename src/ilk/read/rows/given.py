"""What a source is: paths, texts, or a table. One rule for every function with a source.

A ``str`` or a ``Path`` is a path; a list of ``Path`` is paths; a list of ``str`` is texts, and is
refused if every one of them names a file; a dict maps ids to texts; a table is rows.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from ilk import arrow
from ilk.base.errors import ColumnTypeError, OptionError
from ilk.read.rows.memory import is_table
from ilk.read.rows.scanned import is_scan

#: The columns of a table made from texts.
TEXT, ID = "text", "id"

#: The longest path to look for.
_LONGEST = 4096


def named_paths(source: Any) -> list[str | os.PathLike[str]] | None:
    """Return the paths of a source; None if it holds texts itself.

    Raises:
        OptionError: paths and texts are mixed, or texts all name files.
    """
    if isinstance(source, str | os.PathLike):
        return [source]
    if not isinstance(source, list | tuple) or not source:
        return None
    named = [isinstance(item, os.PathLike) for item in source]
    if any(named) and not all(named):
        raise OptionError(
            "the list mixes paths and texts; give a list of Path, or a list of texts."
        )
    if all(named):
        return list(source)
    if all(isinstance(item, str) and names_files(item) for item in source):
        raise OptionError(
            f"a list of str means texts, but each of these names a file ({source[0]!r}, ...). Say "
            "which you mean: [Path(name) for name in names] for the files, or "
            "pyarrow.array(names) for the names themselves as texts."
        )
    return None


def names_files(text: str) -> bool:
    """Return whether a text is the path of a file, or a glob that finds one."""
    if not text or len(text) > _LONGEST or "\n" in text or "\0" in text:
        return False
    try:
        return os.path.lexists(text) or (glob.has_magic(text) and bool(glob.glob(text)))
    except (OSError, UnicodeError):
        return False


def of_memory(source: Any) -> Any:
    """Return texts in memory as a table, with their ids if they have any; a table as it is.

    Args:
        source: a list or column of texts, a dict that maps ids to texts, or a table.

    Raises:
        ColumnTypeError: it holds no texts.
        OptionError: it holds several tables, or something other than texts.
    """
    if isinstance(source, Mapping):
        return _by_ids(source)
    if is_table(source) or is_scan(source):
        return source
    return pa.table({TEXT: arrow.texts(source)})


def _by_ids(source: Mapping[Any, Any]) -> pa.Table:
    tables = [name for name, value in source.items() if is_table(value)]
    if tables:
        raise OptionError(
            f"{type(source).__name__} holds several tables ({', '.join(map(str, tables))}); give "
            f"one of them: source[{tables[0]!r}]."
        )
    for name, value in source.items():
        if value is not None and not isinstance(value, str):
            raise ColumnTypeError(
                f"a dict maps ids to texts, but {name!r} has {type(value).__name__}; for columns, "
                "make a table: pyarrow.table(columns)."
            )
    ids = pa.array(list(map(str, source)), pa.string())
    return pa.table({ID: ids, TEXT: arrow.texts(list(source.values()))})
