"""Folders of documents as record batches: one row a document, one batch in memory at a time."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

import pyarrow as pa

from ilk.columns import DOCUMENTS
from ilk.errors import OptionError, SourceNotFound
from ilk.fingerprints.digest import bytes_digests
from ilk.readers.converters import CONVERT_TIMEOUT, compile_converters, run_converter
from ilk.readers.decoding import Decoded, decode
from ilk.readers.files import Content, Unreadable, read_file
from ilk.readers.globs import compile_globs
from ilk.readers.names import extension, source_name
from ilk.readers.pages import Pages
from ilk.readers.tally import Tally
from ilk.readers.walk import STDIN, Found, find_files

#: Told of files looked at, all files, and bytes read.
Progress = Callable[[int, int, int], None]

_FILES_PER_REPORT = 100
_ROW_BYTES = 200  # About what a row takes besides its text; so a million empty files are bounded.


class _Row(NamedTuple):
    source: str
    text: bytes
    data: bytes
    modified: int | None


def read_folders(
    paths: Sequence[str | os.PathLike[str]],
    *,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    convert: Mapping[str, Sequence[str]] = MappingProxyType({}),
    convert_timeout: float = CONVERT_TIMEOUT,
    extract: str = "none",
    batch_bytes: int = 16 << 20,
    tally: Tally,
    progress: Progress | None = None,
) -> Iterator[pa.RecordBatch]:
    """Read the documents below some paths as batches of the schema `ilk.columns.DOCUMENTS`.

    paths: files (read whatever their names), folders (`walk` says how), "-" for standard input.
    include, exclude: globs that choose the files of folders (`globs` says how).
    convert: argument lists by extension, run for files of that type (`converters` says how);
        the size and the digest stay those of the file.
    convert_timeout: seconds each of these programs, and the extraction of a page, may take.
    extract: how text is made of files in HTML (`pages` says how); the size and the digest stay
        those of the file.
    batch_bytes: a batch ends with the document that brings it to so many bytes; a document is
        never cut.
    tally: filled while the batches are drawn; what cannot be read is a failure there, and files
        of types that are not read are counted there.
    progress: called now and then with the files looked at, all files, and the bytes read so far.

    Wrong arguments are refused at once: SourceNotFound for a path that does not exist, MissingExtra
    for an extraction that is not installed, OptionError for the rest.
    """
    files = find(paths, include=include, exclude=exclude, tally=tally)
    return read_files(
        files,
        convert=convert,
        convert_timeout=convert_timeout,
        extract=extract,
        batch_bytes=batch_bytes,
        tally=tally,
        progress=progress,
    )


def find(
    paths: Sequence[str | os.PathLike[str]],
    *,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    tally: Tally,
) -> list[Found]:
    """Find the files that `read_folders` reads, with the same arguments."""
    if isinstance(paths, (str, os.PathLike)):
        raise OptionError(f"the paths are {paths!r}; give a list of paths: [{str(paths)!r}]")
    names = [os.fsdecode(path) for path in paths]
    for name in names:
        if name != STDIN and not os.path.lexists(name):
            raise SourceNotFound(
                f"there is no {name!r} (seen from {os.getcwd()!r}); give the path of a file or a "
                "folder that exists, or '-' for standard input"
            )
    return list(find_files(names, compile_globs(include, exclude), tally))


def read_files(
    files: Sequence[Found],
    *,
    convert: Mapping[str, Sequence[str]] = MappingProxyType({}),
    convert_timeout: float = CONVERT_TIMEOUT,
    extract: str = "none",
    batch_bytes: int = 16 << 20,
    tally: Tally,
    progress: Progress | None = None,
) -> Iterator[pa.RecordBatch]:
    """Read files that were found, as `read_folders` reads them, with the same arguments."""
    if not convert_timeout > 0:
        raise OptionError(f"convert_timeout is {convert_timeout!r}; it must be seconds above 0.")
    pages = Pages(extract, convert_timeout)
    read = partial(
        _read,
        converters=compile_converters(convert),
        pages=pages,
        timeout=convert_timeout,
        tally=tally,
    )
    return _closing(pages, _batches(files, read, batch_bytes, tally, progress))


def _closing(pages: Pages, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The batches; whoever stops drawing them leaves no child behind."""
    with closing(pages):
        yield from batches


def _batches(
    files: Sequence[Found],
    read: Callable[[Found], _Row | None],
    batch_bytes: int,
    tally: Tally,
    progress: Progress | None,
) -> Iterator[pa.RecordBatch]:
    rows: list[_Row] = []
    held = looked_at = 0
    for looked_at, found in enumerate(files, 1):
        row = read(found)
        if row is not None:
            rows.append(row)
            held += len(row.data) + _ROW_BYTES
        full = held >= batch_bytes
        if progress is not None and (full or looked_at % _FILES_PER_REPORT == 0):
            progress(looked_at, len(files), tally.bytes)
        if full:
            batch = _to_batch(rows, tally.documents - len(rows))
            rows, held = [], 0
            yield batch
            del batch  # Else it would live on beside the next one.
    if progress is not None:
        progress(looked_at, len(files), tally.bytes)
    if rows:
        yield _to_batch(rows, tally.documents - len(rows))


def _to_batch(rows: list[_Row], first: int) -> pa.RecordBatch:
    """Build the batch of rows that follow one another in reading order from row `first`."""
    count = len(rows)
    columns = {
        "doc": pa.array(range(first, first + count), pa.int64()),
        "source": pa.array([row.source for row in rows], pa.string()),
        "id": pa.nulls(count, pa.string()),
        "text": pa.array([row.text for row in rows], pa.large_string()),
        "bytes_digest": bytes_digests([row.data for row in rows]),
        "size": pa.array([len(row.data) for row in rows], pa.int64()),
        "modified": pa.array([row.modified for row in rows], DOCUMENTS.field("modified").type),
    }
    return pa.RecordBatch.from_pydict(columns, schema=DOCUMENTS)


def _read(
    found: Found,
    *,
    converters: Mapping[str, Sequence[str]],
    pages: Pages,
    timeout: float,
    tally: Tally,
) -> _Row | None:
    """Read one file; None if it is no document, and then the tally says why."""
    source = source_name(found.path)
    kind = extension(found.path)
    converter = converters.get(kind)
    try:
        data, modified = _content(found, whole=converter is not None)
        decoded: Decoded | None = None
        if converter is not None:
            decoded = _converted(converter, found.path, timeout)
        elif data is not None:
            decoded = decode(data)
            if decoded is not None and pages.reads(kind):
                decoded = decoded._replace(utf8=pages.text(decoded.utf8))
    except Unreadable as error:
        tally.fail(source, str(error))
        return None
    if data is None or decoded is None:
        tally.skip(kind)
        return None
    tally.count(source, len(data), decoded.encoding, replaced=decoded.replaced)
    return _Row(source, decoded.utf8, data, modified)


def _content(found: Found, *, whole: bool) -> Content:
    if found.path != STDIN:
        return read_file(found.path, whole=whole, follow=found.follow)
    try:
        return Content(sys.stdin.buffer.read(), modified=None)
    except (AttributeError, ValueError, OSError) as error:  # It is None or closed in daemons.
        raise Unreadable(f"standard input: {error}") from error


def _converted(arguments: Sequence[str], path: str, timeout: float) -> Decoded:
    decoded = decode(run_converter(arguments, path, timeout))
    if decoded is None:
        raise Unreadable(f"{arguments[0]}: what it printed is not text")
    return decoded
