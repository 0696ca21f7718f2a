"""Folders of documents as record batches: one row a document, one batch in memory at a time."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

import pyarrow as pa

from ilk.columns import DOCUMENTS, PAGE
from ilk.errors import OptionError, SourceNotFound
from ilk.fingerprints.digest import bytes_digests
from ilk.readers.encodings.charsets import decode_page
from ilk.readers.encodings.decoding import Decoded, decode
from ilk.readers.files.content import Content, Unreadable, read_file
from ilk.readers.files.converters import run_converter
from ilk.readers.files.names import extension, source_name
from ilk.readers.files.walk import STDIN, Found, find_files
from ilk.readers.pages.declared import Declared, declared
from ilk.readers.pages.extraction import Pages, ahead, begin, extracting, is_page
from ilk.readers.reading import PLAINLY, Reading
from ilk.readers.rows.kinds import archive_extension
from ilk.readers.tally import Tally
from ilk.system.running import ALONE, Running

#: Bytes of documents in a batch.
BATCH_BYTES = 16 << 20

_FILES_PER_REPORT = 100
_ROW_BYTES = 200  # About what a row takes besides its text; so a million empty files are bounded.


class _Row(NamedTuple):
    """A document, and its page's own words if text was made of a page."""

    source: str
    text: Decoded
    data: bytes
    modified: int | None
    page: Declared | None


def read_folders(
    paths: Sequence[str | os.PathLike[str]],
    reading: Reading = PLAINLY,
    running: Running = ALONE,
    *,
    tally: Tally,
    batch_bytes: int = BATCH_BYTES,
) -> Iterator[pa.RecordBatch]:
    """Read the documents below some paths as batches of ``DOCUMENTS``.

    Args:
        paths: files (read whatever their names), folders (``walk`` says how), "-" for standard
            input.
        reading: which files of folders, and how text is made of them; size and digest stay those
            of the file.
        running: how many pages are extracted at a time; the batches do not depend on it.
        tally: filled while the batches are drawn; what cannot be read is a failure there, and
            files of types that are not read are counted there.
        batch_bytes: a batch ends with the document that brings it to this size; a document is
            never cut.

    Raises:
        SourceNotFound: a path does not exist.
        MissingExtra: the extraction is not installed.
    """
    return read_files(list_files(paths, reading, tally), reading, running, tally, batch_bytes)


def list_files(
    paths: Sequence[str | os.PathLike[str]], reading: Reading, tally: Tally
) -> list[Found]:
    """List the files that ``read_folders`` reads, with the same arguments."""
    if isinstance(paths, (str, os.PathLike)):
        raise OptionError(f"the paths are {paths!r}; give a list of paths: [{str(paths)!r}]")
    names = [os.fsdecode(path) for path in paths]
    for name in names:
        if name != STDIN and not os.path.lexists(name):
            raise SourceNotFound(
                f"there is no {name!r} (seen from {os.getcwd()!r}); give the path of a file or a "
                "folder that exists, or '-' for standard input"
            )
    return list(find_files(names, reading.globs, tally))


def read_files(
    files: Sequence[Found],
    reading: Reading,
    running: Running,
    tally: Tally,
    batch_bytes: int = BATCH_BYTES,
    pages: Pages | None = None,
) -> Iterator[pa.RecordBatch]:
    """Read files that were listed, as ``read_folders`` reads them, with the same arguments.

    ``pages`` makes text of pages; None takes what ``reading`` says.
    """
    pages = pages or Pages(reading.extract, reading.convert_timeout)
    return _batches(files, reading, running, tally, batch_bytes, pages)


def _batches(
    files: Sequence[Found],
    reading: Reading,
    running: Running,
    tally: Tally,
    batch_bytes: int,
    pages: Pages,
) -> Iterator[pa.RecordBatch]:
    """Yield the batches; whoever stops drawing them leaves no child."""
    rows: list[_Row] = []
    size = looked_at = 0
    with extracting(pages, running.jobs) as threads:
        begun = (_begin(file, reading, pages, threads) for file in files)
        for looked_at, (file, work) in enumerate(
            ahead(begun, 2 * running.jobs if threads else 0), 1
        ):
            row = _ended(file, work, tally)
            if row is not None:
                rows.append(row)
                size += len(row.data) + _ROW_BYTES
            full = size >= batch_bytes
            if full or looked_at % _FILES_PER_REPORT == 0:
                running.tell("read", looked_at, len(files), tally.bytes)
            if full:
                batch = _to_batch(rows, tally.documents - len(rows))
                rows, size = [], 0
                yield batch
                del batch  # Else it would live on beside the next one.
        running.tell("read", looked_at, len(files), tally.bytes)
        if rows:
            yield _to_batch(rows, tally.documents - len(rows))


def _to_batch(rows: list[_Row], first: int) -> pa.RecordBatch:
    """Build the batch of rows that follow one another in reading order from row ``first``."""
    count = len(rows)
    columns = {
        "doc": pa.array(range(first, first + count), pa.int64()),
        "source": pa.array([row.source for row in rows], pa.string()),
        "id": pa.nulls(count, pa.string()),
        "text": pa.array([row.text.utf8 for row in rows], pa.large_string()),
        "bytes_digest": bytes_digests([row.data for row in rows]),
        "size": pa.array([len(row.data) for row in rows], pa.int64()),
        "modified": pa.array([row.modified for row in rows], DOCUMENTS.field("modified").type),
        "page": pa.array([row.page and row.page._asdict() for row in rows], PAGE),
    }
    return pa.RecordBatch.from_pydict(columns, schema=DOCUMENTS)


def _begin(
    file: Found, reading: Reading, pages: Pages, threads: ThreadPoolExecutor | None
) -> tuple[Found, Future[_Row | None]]:
    """Begin to read a file: a page in a thread, any other file now."""
    kind = extension(file.path)
    in_thread = pages.reads(kind) and kind not in reading.convert
    return file, begin(threads if in_thread else None, _row, file, kind, reading, pages)


def _row(file: Found, kind: str, reading: Reading, pages: Pages) -> _Row | None:
    """Read a file; None if it is binary, Unreadable if it cannot be read."""
    converter = reading.convert.get(kind)
    data, modified = _content(file, whole=converter is not None)
    if data is None:
        return None
    page = None
    if converter is not None:
        text = decode(run_converter(converter, file.path, reading.convert_timeout))
        if text is None:
            raise Unreadable(f"{converter[0]}: what it printed is not text")
    else:
        text = decode_page(data, "") if is_page(kind) else decode(data)
        if text is None:
            return None
        if pages.reads(kind):
            page = declared(text.utf8)
            text = text._replace(utf8=pages.text(text.utf8))
    return _Row(source_name(file.path), text, data, modified, page)


def _ended(file: Found, work: Future[_Row | None], tally: Tally) -> _Row | None:
    """Return the document; None if it is no document, and the tally says why."""
    source = source_name(file.path)
    try:
        row = work.result()
    except Unreadable as error:
        tally.fail(source, str(error))
        return None
    if row is None:
        tally.skip(archive_extension(source) or extension(file.path))
    else:
        tally.count(source, len(row.data), row.text.encoding, replaced=row.text.replaced)
    return row


def _content(file: Found, *, whole: bool) -> Content:
    if file.path != STDIN:
        return read_file(file.path, whole=whole, follow=file.follow)
    try:
        return Content(sys.stdin.buffer.read(), modified=None)
    except (AttributeError, ValueError, OSError) as error:  # It is None or closed in daemons.
        raise Unreadable(f"standard input: {error}") from error
