"""Rows that name files: the text of each row is that of the file whose path is in a column.

What reads files is loaded when a file is read: most rows need none of it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pyarrow as pa

from ilk import read
from ilk.arrow import DOCUMENTS
from ilk.base.progress import silent
from ilk.base.running import Running
from ilk.read import Reading, ReadReport
from ilk.read.files.content import source_name
from ilk.read.files.walk import Found
from ilk.read.rows.dataset import DataSet
from ilk.read.rows.opening import open_any

#: Files to hold together.
_AT_ONCE = 256

#: The fields that a row gets from its file.
_OF_FILES = ("text", "bytes_digest", "size", "modified", "declared")


def open_filed(source: Any, reading: Reading, running: Running) -> DataSet:
    """Open rows like ``open_any``; if ``reading`` says so, their texts are those of files."""
    data_set = open_any(source, reading, running)
    if reading.files_in is not None:
        data_set.texts_by = FileTexts(reading, running, data_set.tally).read
    return data_set


class FileTexts:
    """The texts of the files that rows name.

    An unreadable file is one failure, however often the files are read, and its row has no text. In
    a file with many documents, the one with the file's own name counts.
    """

    def __init__(self, reading: Reading, running: Running, tally: ReadReport) -> None:
        self._reading, self._tally = reading, tally
        self._running = replace(running, tell=silent)
        self._told: set[str] = set()

    def read(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Yield the same rows, with the content of their files instead of paths."""
        for at in range(0, len(batch), _AT_ONCE):
            some = batch.slice(at, _AT_ONCE)
            paths = [path or "" for path in some["text"].to_pylist()]
            found = self._found(dict.fromkeys(path for path in paths if path.strip()))
            rows = [found.get(source_name(path), {}) for path in paths]
            arrays = {name: some[name] for name in DOCUMENTS.names}
            for name in _OF_FILES:
                arrays[name] = [row.get(name) for row in rows]
            yield pa.RecordBatch.from_pydict(arrays, schema=DOCUMENTS)

    def _found(self, paths: dict[str, None]) -> dict[str, dict[str, Any]]:
        tally, found = ReadReport(), dict[str, dict[str, Any]]()
        new = [path for path in paths if source_name(path) not in self._told]
        files = [Found(path, follow=True) for path in new if os.path.lexists(path)]
        for documents in read.read_files(files, self._reading, self._running, tally):
            for row in documents.to_pylist():
                found.setdefault(row["source"], row)
        reasons = dict.fromkeys(map(source_name, tally.unread), "is of a format that has no reader")
        reasons |= {failure.source: failure.reason for failure in tally.failures}
        for source in map(source_name, new):
            if source not in found:
                self._told.add(source)
                missing = "there is no such file"
                if os.path.lexists(source):
                    missing = "does not hold exactly one document"
                self._tally.fail(source, reasons.get(source, missing))
        for kind, count in tally.skipped.items():
            for _ in range(count):
                self._tally.skip(kind, tally.advised.get(kind, ""))
        return found
