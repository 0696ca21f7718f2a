"""Folders of documents as record batches: one row per document, one batch in memory at a time."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing
from itertools import groupby
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk.arrow import DOCUMENTS
from ilk.base.errors import OptionError
from ilk.base.run_options import ALONE, Running
from ilk.fingerprints.digest import bytes_digests
from ilk.read.encodings.decoding import UTF_8
from ilk.read.files.content import not_found_error, source_name
from ilk.read.files.copies import ByteCopies
from ilk.read.files.walk import STDIN, FoundFile, find_files_and_tally_others
from ilk.read.formats.child_pool import open_threads
from ilk.read.formats.reader import NO_CACHE, Cache, FormatReader
from ilk.read.pages import Pages
from ilk.read.reading import PLAINLY, Reading
from ilk.read.report import ReadReport
from ilk.read.rows.kinds import PLAIN, row_extension_except_json_or_none
from ilk.read.small_files import SmallFiles, read_small_files
from ilk.read.unpacking import Begun, Outcome, ReadDocument, Unpacker, wait_for_outcomes

#: Bytes of documents in a batch.
BATCH_BYTES = 16 << 20

#: Bytes of memory that a byte of one text may take, with everything made of it.
_PER_BYTE = 12

#: Files in a row from which on plain texts become columns at once: below it, setting up the columns
#: takes longer than reading file by file.
_LEAST_RUN = 8

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
        running=running,
        tally=tally,
        least_batch_bytes=least_batch_bytes,
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
    *,
    running: Running,
    tally: ReadReport,
    least_batch_bytes: int = BATCH_BYTES,
    pages: Pages | None = None,
) -> Iterator[pa.RecordBatch]:
    """Read files of ``list_files_except_unnamed_binary_rows``, or any others, as documents.

    No child process is left if the caller stops early.
    """
    next_batch = _NextBatch(least_batch_bytes)
    looked_at = 0
    pages = pages or Pages(reading.extract, reading.convert_timeout)
    folder = reading.beside if reading.cache is None else reading.cache
    cache = None if folder in (None, NO_CACHE) else Cache(folder, asked_for=folder is reading.cache)
    settings: dict[str, Any] = {"ocr": reading.ocr, "replies": reading.replies}
    formats = FormatReader(reading.limits, reading.convert_timeout, cache, **settings)
    read: set[int] = set()
    with open_threads(running.jobs, pages.pool, formats.pool) as threads:
        largest = reading.limits.text
        if running.memory:
            largest = min(largest, max(running.memory // _PER_BYTE, least_batch_bytes))
        copies = ByteCopies([file.path for file in files])
        unpacker = Unpacker(
            reading=reading,
            pages=pages,
            formats=formats,
            threads=threads,
            largest=largest,
            copies=copies,
        )
        running.tell("read", 0, len(files), 0)
        in_order = _read_outcomes_in_order(files, unpacker, running)
        # Cut runs so that the bar moves by one percent at a time, or in small folders by a few
        # files.
        most_files = max(_LEAST_RUN, len(files) // 100)
        for looked_at, outcomes in _cut_plain_texts_where_batch_ends(
            in_order, next_batch, most_files
        ):
            if isinstance(outcomes, pa.RecordBatch):
                read.update(range(looked_at - len(outcomes) + 1, looked_at + 1))
                _add_plain_texts_to_tally(outcomes, tally)
                next_batch.add_plain_texts(outcomes)
            else:
                file = source_name(files[looked_at - 1].path)
                for outcome in outcomes:
                    outcome.add_to_tally(file, tally)
                    if outcome.source == file and (
                        isinstance(outcome, ReadDocument) or outcome.own
                    ):
                        read.add(looked_at)
                    if isinstance(outcome, ReadDocument):
                        next_batch.add_document(outcome, file)
            running.tell("read", looked_at, len(files), tally.bytes)
            if next_batch.is_full:
                yield next_batch.take_batch(documents_so_far=tally.documents)
        running.tell("read", looked_at, len(files), tally.bytes)
        tally.unread += [file.path for at, file in enumerate(files, 1) if at not in read]
        if next_batch.count:
            yield next_batch.take_batch(documents_so_far=tally.documents)


class _OutcomesOfFile(NamedTuple):
    """What was read of the file with a number, from 1: its documents, or why it has no text.

    Or the plain texts of consecutive files that end with it: as ``DOCUMENTS``, numbered 0.
    """

    number: int
    outcomes: list[Outcome] | pa.RecordBatch


class _BegunFile(NamedTuple):
    """A file whose reading has begun, or plain texts that are read already; ``number`` is that of
    ``_OutcomesOfFile``.
    """

    number: int
    work: Begun | pa.RecordBatch


class _NextBatch:
    """The documents of one batch, while they are read."""

    def __init__(self, least_batch_bytes: int) -> None:
        self._least_bytes = least_batch_bytes
        self._parts: list[pa.RecordBatch] = []
        # Documents after those of the parts, and the files that they are in.
        self._rows: list[ReadDocument] = []
        self._files: list[str] = []
        self._bytes = 0

    @property
    def count(self) -> int:
        """The number of its documents so far."""
        return sum(map(len, self._parts)) + len(self._rows)

    @property
    def is_full(self) -> bool:
        """Whether the batch has the bytes that it needs."""
        return self._bytes >= self._least_bytes

    def add_document(self, document: ReadDocument, file: str) -> None:
        """Add a document in a file."""
        self._rows.append(document)
        self._files.append(file)
        self._bytes += len(document.data) + len(document.text.utf8) + _ROW_BYTES

    def count_until_full(self, plain_texts: pa.RecordBatch) -> int:
        """Return how many of some plain texts, at least one, are in the batch once it is full."""
        held = self._bytes
        for count, size in enumerate(plain_texts["size"].to_pylist(), 1):
            held += _bytes_held_of_plain_text(size)
            if held >= self._least_bytes:
                return count
        return len(plain_texts)

    def add_plain_texts(self, plain_texts: pa.RecordBatch) -> None:
        """Add documents that are plain texts, as ``DOCUMENTS``."""
        self._put_rows_into_parts()
        self._parts.append(plain_texts)
        self._bytes += sum(map(_bytes_held_of_plain_text, plain_texts["size"].to_pylist()))

    def take_batch(self, *, documents_so_far: int) -> pa.RecordBatch:
        """Return what was added as one batch, the last of ``documents_so_far``, and forget it."""
        self._put_rows_into_parts()
        (batch,) = pa.Table.from_batches(self._parts).combine_chunks().to_batches()
        numbers = pa.array(range(documents_so_far - len(batch), documents_so_far), pa.int64())
        self._parts, self._bytes = [], 0
        return batch.set_column(0, DOCUMENTS.field("doc"), numbers)

    def _put_rows_into_parts(self) -> None:
        if self._rows:
            self._parts.append(_documents_to_batch_numbered_0(self._rows, self._files))
            self._rows, self._files = [], []


def _bytes_held_of_plain_text(size: int) -> int:
    """Return how many bytes a file of plain text adds to a batch: those of the file, and of its
    text.
    """
    return 2 * size + _ROW_BYTES


def _cut_plain_texts_where_batch_ends(
    in_order: Iterator[_OutcomesOfFile], next_batch: _NextBatch, most_files: int
) -> Iterator[_OutcomesOfFile]:
    """Yield the same, with runs of plain texts cut where the batch is full, and into parts of at
    most ``most_files``.
    """
    for number, outcomes in in_order:
        if not isinstance(outcomes, pa.RecordBatch):
            yield _OutcomesOfFile(number, outcomes)
            continue
        rest = outcomes
        while len(rest):
            part = rest.slice(0, min(most_files, next_batch.count_until_full(rest)))
            rest = rest.slice(len(part))
            yield _OutcomesOfFile(number - len(rest), part)


def _read_outcomes_in_order(
    files: Sequence[FoundFile], unpacker: Unpacker, running: Running
) -> Iterator[_OutcomesOfFile]:
    """Yield what files hold, in the order of the files: of a file at once or in several parts.

    Finished work is yielded at once; of other work, at most two for each thread are in progress at
    a time.
    """
    waiting: deque[_BegunFile] = deque()
    with closing(_begin_files(files, unpacker, running)) as all_begun:
        for one in all_begun:
            waiting.append(one)
            while waiting:
                number, work = waiting[0]
                if (
                    len(waiting) <= 2 * running.jobs
                    and isinstance(work, Future)
                    and not work.done()
                ):
                    break
                waiting.popleft()
                yield _OutcomesOfFile(number, _wait_if_needed(work))
    for number, work in waiting:
        yield _OutcomesOfFile(number, _wait_if_needed(work))


def _wait_if_needed(work: Begun | pa.RecordBatch) -> list[Outcome] | pa.RecordBatch:
    return work if isinstance(work, pa.RecordBatch) else wait_for_outcomes(work)


def _begin_files(
    files: Sequence[FoundFile], unpacker: Unpacker, running: Running
) -> Generator[_BegunFile, None, None]:
    """Start to read files in their order; runs of plain texts are read as columns at once."""
    number = 0
    with closing(read_small_files(files, running)) as pieces:
        for piece in pieces:
            as_they_are = [
                is_plain and unpacker.takes_plain_text_as_it_is(file.path, size)
                for file, is_plain, size in zip(
                    piece.files,
                    piece.are_plain_texts,
                    pc.binary_length(piece.contents).to_pylist(),
                    strict=True,
                )
            ]
            start = 0
            for is_run, marks in groupby(as_they_are):
                stop = start + sum(1 for _ in marks)
                run = piece.slice(start, stop)
                if is_run and stop - start >= _LEAST_RUN:
                    number += stop - start
                    yield _BegunFile(number, _plain_texts_to_batch_numbered_0(run))
                else:
                    for file, content in run.each():
                        number += 1
                        for begun in unpacker.begin_file_skipping_members_of_copies(file, content):
                            yield _BegunFile(number, begun)
                start = stop


def _plain_texts_to_batch_numbered_0(files: SmallFiles) -> pa.RecordBatch:
    """Return files that are plain texts as ``DOCUMENTS``, all numbered 0."""
    sources = pa.array([source_name(file.path) for file in files.files], pa.string())
    values = {
        "doc": pa.repeat(pa.scalar(0, pa.int64()), len(sources)),
        "source": sources,
        "text": files.contents.view(pa.large_string()),
        "bytes_digest": bytes_digests(pa.chunked_array([files.contents])),
        "size": pc.binary_length(files.contents),
        "modified": files.modified.view(DOCUMENTS.field("modified").type),
        "file": sources,
        "format": pa.repeat("", len(sources)),
    }
    columns = [values.get(field.name, pa.nulls(len(sources), field.type)) for field in DOCUMENTS]
    return pa.RecordBatch.from_arrays(columns, schema=DOCUMENTS)


def _documents_to_batch_numbered_0(rows: list[ReadDocument], files: list[str]) -> pa.RecordBatch:
    """Return documents, each in one of ``files``, as ``DOCUMENTS``, all numbered 0."""
    columns = {
        "doc": [0] * len(rows),
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


def _add_plain_texts_to_tally(plain_texts: pa.RecordBatch, tally: ReadReport) -> None:
    tally.documents += len(plain_texts)
    tally.bytes += pc.sum(plain_texts["size"]).as_py()
    tally.encodings[UTF_8] = tally.encodings.get(UTF_8, 0) + len(plain_texts)
