"""Folders as documents: what is read below each folder in a given one is one text.

A file directly in the given folder is a document too: an archive with all that is in it, and a
plain file as it is.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, TypeAlias

import pyarrow as pa

from ilk.arrow import DOCUMENTS, fit_columns_to_schema
from ilk.base.errors import OptionError
from ilk.base.run_options import Running
from ilk.read.files.content import not_found_error, source_name
from ilk.read.folders import read_documents_except_unnamed_binary_rows
from ilk.read.reading import Reading
from ilk.read.report import ReadReport

_Row: TypeAlias = dict[str, Any]

#: What a document of several is made of.
_COLUMNS_TO_JOIN = ["file", "text", "size", "modified", "left_out"]

#: What stands between two texts of one folder.
_BETWEEN = "\n\n"


def read_folder_entries_as_documents(
    paths: Sequence[str | os.PathLike[str]], reading: Reading, running: Running, tally: ReadReport
) -> Iterator[pa.RecordBatch]:
    """Yield ``DOCUMENTS``, one for each folder and file directly in the folders at some paths.

    A text is the texts below the folder in reading order, with a blank line between them. Such a
    document is in no file, so no plan has it.

    Raises:
        OptionError: a path is not a folder.
    """
    for path in paths:
        name = os.fsdecode(path)
        _refuse_unless_folder(name)
        top = source_name(name).rstrip("/") + "/"
        rows = (
            row
            for batch in read_documents_except_unnamed_binary_rows(
                [path], reading, running, tally=tally
            )
            for row in batch.select(_COLUMNS_TO_JOIN).to_pylist()
        )
        named = ((_folder_or_file_directly_in(top, row["file"]), row) for row in rows)
        yield from _join_adjacent_rows_and_count_documents(named, reading, tally)


def _refuse_unless_folder(name: str) -> None:
    if not os.path.lexists(name):
        raise not_found_error(name, "a folder of folders")
    if not os.path.isdir(name):
        raise OptionError(
            f"`folder_as_document` makes one document of each folder in a given one, and {name} is "
            "not a folder; name the folder around it, or leave the option out."
        )


def _folder_or_file_directly_in(top: str, file: str) -> str:
    """Return the folder or file directly in ``top`` that holds a file."""
    inside = file.removeprefix(top)
    return file[: len(file) - len(inside)] + inside.partition("/")[0]


def _join_adjacent_rows_and_count_documents(
    named_rows: Iterator[tuple[str, _Row]], reading: Reading, tally: ReadReport
) -> Iterator[pa.RecordBatch]:
    """Yield a document for adjacent rows of one name; these count as the documents read."""
    before = tally.documents
    count = 0
    for name, members in groupby(named_rows, itemgetter(0)):
        document = _join_rows_or_record_failure(
            name, (row for _, row in members), reading.limits.text, tally
        )
        if document is not None:
            table = pa.Table.from_pylist([{"doc": before + count, **document}], _SCHEMA)
            count += 1
            yield fit_columns_to_schema(table, DOCUMENTS).combine_chunks().to_batches()[0]
    tally.documents = before + count


def _join_rows_or_record_failure(
    name: str, rows: Iterator[_Row], text_limit: int, tally: ReadReport
) -> _Row | None:
    """Return one document of some rows; None, and a failure, if its text is too large.

    ``text_limit`` is in bytes.
    """
    texts: list[str] = []
    left: dict[str, None] = {}
    size = length = 0
    last_change = None
    for row in rows:
        length += len(row["text"].encode())
        if length <= text_limit:
            texts.append(row["text"])
        size += row["size"]
        last_change = max(filter(None, (last_change, row["modified"])), default=None)
        left[row["left_out"]] = None
    if length > text_limit:
        tally.fail(
            name, f"its texts have {length:,} bytes, and --limit text allows {text_limit:,} for one"
        )
        return None
    return {
        "source": name,
        "text": _BETWEEN.join(texts),
        "size": size,
        "modified": last_change,
        "format": "",
        "left_out": ", ".join(filter(None, left)) or None,
    }


_SCHEMA = pa.schema(
    [
        DOCUMENTS.field(name)
        for name in ("doc", "source", "text", "size", "modified", "format", "left_out")
    ]
)
