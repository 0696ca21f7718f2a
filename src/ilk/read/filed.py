"""Rows that name files: the text of each row is that of the file whose path is in a column."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pyarrow as pa

from ilk.arrow import DOCUMENTS
from ilk.base.progress import silent
from ilk.base.running import Running
from ilk.read.files.names import source_name
from ilk.read.files.walk import Found
from ilk.read.folders import read_files
from ilk.read.reading import Reading
from ilk.read.rows import DataSet, open_any
from ilk.read.tally import Tally

#: Files to hold together.
_AT_ONCE = 256

#: The fields that a row gets from its file.
_OF_FILES = ("text", "bytes_digest", "size", "modified", "declared")


def open_filed(source: Any, reading: Reading, running: Running) -> DataSet:
    """Open rows like ``open_any``; if ``reading`` says so, their texts are those of files.

    Raises:
        OptionError, ColumnTypeError, SourceNotFound, NothingRead, MissingExtra: as ``open_any``.
    """
    data_set = open_any(source, reading, running)
    if reading.files_in is not None:
        data_set.texts_by = FileTexts(reading, running, data_set.tally).read
    return data_set


class FileTexts:
    """The texts of the files that rows name.

    An unreadable file is one failure, however often the files are read, and its row has no text. In
    a file with many documents, the one with the file's own name counts.
    """

    def __init__(self, reading: Reading, running: Running, tally: Tally) -> None:
        """Read nothing yet; the tally gets the failures."""
        self._reading, self._tally = reading, tally
        self._running = replace(running, tell=silent)
        self._told: set[str] = set()

    def read(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Yield the same rows, with the content of their files instead of paths."""
        for at in range(0, len(batch), _AT_ONCE):
            yield self._filled(batch.slice(at, _AT_ONCE))

    def _filled(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        paths = [path or "" for path in batch["text"].to_pylist()]
        found = self._found(dict.fromkeys(path for path in paths if path.strip()))
        rows = [found.get(source_name(path), {}) for path in paths]
        arrays = {name: batch[name] for name in DOCUMENTS.names}
        for name in _OF_FILES:
            arrays[name] = pa.array([row.get(name) for row in rows], DOCUMENTS.field(name).type)
        return pa.RecordBatch.from_pydict(arrays, schema=DOCUMENTS)

    def _found(self, paths: dict[str, None]) -> dict[str, dict[str, Any]]:
        """Return the documents of files by their sources."""
        tally, found = Tally(), dict[str, dict[str, Any]]()
        files = [Found(path, follow=True) for path in paths if os.path.lexists(path)]
        for documents in read_files(files, self._reading, self._running, tally):
            for row in documents.to_pylist():
                found.setdefault(row["source"], row)
        reasons = {failure.source: failure.reason for failure in tally.failures}
        for source in map(source_name, paths):
            if source not in found and source not in self._told:
                self._told.add(source)
                missing = "there is no such file"
                if os.path.lexists(source):
                    missing = " ".join(tally.advice()) or "does not hold exactly one document"
                self._tally.fail(source, reasons.get(source, missing))
        return found
