"""Folders of documents as record batches: one row per document, one batch in memory at a time."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any, NamedTuple

import pyarrow as pa

from ilk.arrow import DOCUMENTS
from ilk.base.errors import OptionError
from ilk.base.run_options import ALONE, Running
from ilk.fingerprints.digest import bytes_digests
from ilk.read.files.content import not_found_error, source_name
from ilk.read.files.copies import ByteCopies
from ilk.read.files.small_files import read_small_files
from ilk.read.files.walk import STDIN, FoundFile, find_files_and_tally_others
from ilk.read.formats.children import open_threads
from ilk.read.formats.reader import NO_CACHE, Cache, FormatReader
from ilk.read.pages import Pages
from ilk.read.reading import PLAINLY, Reading
from ilk.read.report import ReadReport
from ilk.read.rows.kinds import PLAIN, row_extension_except_json_or_none
from ilk.read.unpacking import Begun, Outcome, ReadDocument, Unpacker, wait_for_outcomes

#: Bytes of documents in a batch.
BATCH_BYTES = 16 << 20

#: Bytes of memory that a byte of one text may take, with everything made of it.
_PER_BYTE = 12

_ROW_BYTES = 200  # About the bytes of a row besides its text, to bound a million empty files too.


def read_documents_except_unnamed_binary_rows(
    paths: Sequence[str | os.PathLike[str]],
    reading: Reading = PLAINLY,
    running: Running = ALONE,
    *,
    tally: ReadReport,
    least_batch_bytes: int = BATCH_BYTES,
) -> Iterator[pa.RecordBatch]:
    """Read the documents below some paths as batches of ``DOCUMENTS``.

    Files of rows that are not plain text are left out: ``list_files_except_unnamed_binary_rows``.

    Args:
        paths: files (read whatever their names), folders (``walk`` says how), "-" for standard
            input.
        reading, running: what to read, and how; the batches do not depend on ``running``.
        tally: filled while the batches are read.
        least_batch_bytes: a batch ends with the document that brings it to this size.

    Raises:
        SourceNotFound: a path does not exist.
        MissingExtra: the extraction is not installed.
    """
    return read_documents_of_files(
        list_files_except_unnamed_binary_rows(paths, reading, tally),
        reading,
        running,
        tally,
        least_batch_bytes,
    )


def list_files_except_unnamed_binary_rows(
    paths: Sequence[str | os.PathLike[str]], reading: Reading, tally: ReadReport
) -> list[FoundFile]:
    """List what ``read_documents_except_unnamed_binary_rows`` reads, with the same arguments.

    Archives, and files of rows that are not plain text, are left out unless they are named; the
    tally has them.
    """
    files = []
    for file in find_files_below_existing_paths(paths, reading, tally):
        rows = None if file.named else row_extension_except_json_or_none(file.path)
        if rows:
            counts = tally.rows if rows in PLAIN else tally.unread_rows
            counts[rows] = counts.get(rows, 0) + 1
        if not rows or rows in PLAIN:
            files.append(file)
        else:
            tally.unread.append(file.path)
    return files


def find_files_below_existing_paths(
    paths: Sequence[str | os.PathLike[str]], reading: Reading, tally: ReadReport
) -> Iterator[FoundFile]:
    """Find files below paths, whatever they hold; SourceNotFound if one does not exist."""
    if isinstance(paths, (str, os.PathLike)):
        raise OptionError(f"the paths are {paths!r}; give a list of paths: [{str(paths)!r}]")
    names = [os.fsdecode(path) for path in paths]
    for name in names:
        if name != STDIN and not os.path.lexists(name):
            raise not_found_error(name, "'-' for standard input")
    return find_files_and_tally_others(
        names, reading.globs, tally, walk_rules=reading.walk_rules, file_filter=reading.file_filter
    )


def read_documents_of_files(
    files: Sequence[FoundFile],
    reading: Reading,
    running: Running,
    tally: ReadReport,
    least_batch_bytes: int = BATCH_BYTES,
    pages: Pages | None = None,
) -> Iterator[pa.RecordBatch]:
    """Read files of ``list_files_except_unnamed_binary_rows``, or any others, as documents.

    No child process is left if the caller stops early.
    """
    rows: list[ReadDocument] = []
    in_files: list[str] = []
    size = looked_at = 0
    pages = pages or Pages(reading.extract, reading.convert_timeout)
    folder = reading.beside if reading.cache is None else reading.cache
    cache = None if folder in (None, NO_CACHE) else Cache(folder, asked_for=folder is reading.cache)
    said: dict[str, Any] = {"ocr": reading.ocr, "replies": reading.replies}
    formats = FormatReader(reading.limits, reading.convert_timeout, cache, **said)
    read: set[int] = set()
    with open_threads(running.jobs, pages.pool, formats.pool) as threads:
        largest = reading.limits.text
        if running.memory:
            largest = min(largest, max(running.memory // _PER_BYTE, least_batch_bytes))
        copies = ByteCopies([file.path for file in files])
        unpacker = Unpacker(reading, pages, formats, threads, largest, copies)
        running.tell("read", 0, len(files), 0)
        for looked_at, outcomes in _read_outcomes_in_order(files, unpacker, running.jobs):
            file = source_name(files[looked_at - 1].path)
            for outcome in outcomes:
                outcome.add_to_tally(file, tally)
                if outcome.source == file and (isinstance(outcome, ReadDocument) or outcome.own):
                    read.add(looked_at)
                if isinstance(outcome, ReadDocument):
                    in_files.append(file)
                    rows.append(outcome)
                    size += len(outcome.data) + len(outcome.text.utf8) + _ROW_BYTES
            full = size >= least_batch_bytes
            running.tell("read", looked_at, len(files), tally.bytes)
            if full:
                batch = _make_documents_batch(rows, in_files, tally.documents - len(rows))
                rows, in_files, size = [], [], 0
                yield batch
                del batch  # Otherwise it would live on beside the next one.
        running.tell("read", looked_at, len(files), tally.bytes)
        tally.unread += [file.path for at, file in enumerate(files, 1) if at not in read]
        if rows:
            yield _make_documents_batch(rows, in_files, tally.documents - len(rows))


class _OutcomesOfFile(NamedTuple):
    """What was read of the file with a number, from 1: its documents, or why it has no text."""

    number: int
    outcomes: list[Outcome]


def _read_outcomes_in_order(
    files: Sequence[FoundFile], unpacker: Unpacker, jobs: int
) -> Iterator[_OutcomesOfFile]:
    """Yield what files hold, in the order of the files: of a file at once or in several parts.

    Finished work is yielded at once; of other work, at most two for each of ``jobs`` threads are in
    progress at a time.
    """
    waiting: deque[tuple[int, Begun]] = deque()
    with closing(read_small_files(files, jobs)) as read:
        for number, (file, content) in enumerate(read, 1):
            for unpacking in unpacker.begin_file_skipping_members_of_copies(file, content):
                waiting.append((number, unpacking))
                while waiting:
                    at, first = waiting[0]
                    if (
                        len(waiting) <= 2 * jobs
                        and not isinstance(first, list)
                        and not first.done()
                    ):
                        break
                    waiting.popleft()
                    yield _OutcomesOfFile(at, wait_for_outcomes(first))
    for at, unpacking in waiting:
        yield _OutcomesOfFile(at, wait_for_outcomes(unpacking))


def _make_documents_batch(
    rows: list[ReadDocument], files: list[str], first_number: int
) -> pa.RecordBatch:
    """Return consecutive documents, each in one of ``files``, as ``DOCUMENTS``."""
    columns = {
        "doc": list(range(first_number, first_number + len(rows))),
        "source": [row.source for row in rows],
        "id": [None] * len(rows),
        "text": [row.text.utf8 for row in rows],
        "bytes_digest": bytes_digests([row.data for row in rows]),
        "size": [len(row.data) for row in rows],
        "modified": [row.modified for row in rows],
        "declared": [row.declared for row in rows],
        "file": files,
        "format": [row.form for row in rows],
        "left_out": [", ".join(row.left) or None for row in rows],
        "left_digest": [bytes.fromhex(row.left_digest) or None for row in rows],
    }
    return pa.RecordBatch.from_pydict(columns, schema=DOCUMENTS)
