"""Folders of documents as record batches: one row a document, one batch in memory at a time."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

import pyarrow as pa

from ilk.columns import DOCUMENTS, PAGE
from ilk.errors import OptionError, SourceNotFound
from ilk.fingerprints.digest import bytes_digests
from ilk.readers.encodings.charsets import decode_page
from ilk.readers.encodings.decoding import Decoded, decode
from ilk.readers.files.content import Content, Unreadable, read_file
from ilk.readers.files.converters import CONVERT_TIMEOUT, compile_converters, run_converter
from ilk.readers.files.globs import compile_globs
from ilk.readers.files.names import extension, source_name
from ilk.readers.files.walk import STDIN, Found, find_files
from ilk.readers.pages.declared import Declared, declared
from ilk.readers.pages.extraction import Pages, ahead, extracting, is_page
from ilk.readers.rows.kinds import archive_extension
from ilk.readers.tally import Tally

#: Told of files looked at, all files, and bytes read.
Progress = Callable[[int, int, int], None]

_FILES_PER_REPORT = 100
_ROW_BYTES = 200  # About what a row takes besides its text; so a million empty files are bounded.


class _Row(NamedTuple):
    source: str
    text: bytes
    data: bytes
    modified: int | None
    page: Declared | None


class _Text(NamedTuple):
    """The text of a file, None if it is binary; and what a page says of itself."""

    decoded: Decoded | None
    page: Declared | None = None


class _Begun(NamedTuple):
    """A file that is read; its text may still be in the making."""

    source: str
    kind: str
    content: Content
    text: Future[_Text]


def read_folders(
    paths: Sequence[str | os.PathLike[str]],
    *,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    convert: Mapping[str, Sequence[str]] = MappingProxyType({}),
    convert_timeout: float = CONVERT_TIMEOUT,
    extract: str = "none",
    batch_bytes: int = 16 << 20,
    jobs: int = 1,
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
    jobs: how many pages are extracted at a time; the batches do not depend on it.
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
        jobs=jobs,
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
    jobs: int = 1,
    tally: Tally,
    progress: Progress | None = None,
) -> Iterator[pa.RecordBatch]:
    """Read files that were found, as `read_folders` reads them, with the same arguments."""
    if not convert_timeout > 0:
        raise OptionError(f"convert_timeout is {convert_timeout!r}; it must be seconds above 0.")
    pages = Pages(extract, convert_timeout)
    begin = partial(
        _begin, converters=compile_converters(convert), pages=pages, timeout=convert_timeout
    )
    return _extracting(files, begin, pages, jobs, batch_bytes, tally, progress)


def _extracting(
    files: Sequence[Found],
    begin: Callable[..., _Begun],
    pages: Pages,
    jobs: int,
    batch_bytes: int,
    tally: Tally,
    progress: Progress | None,
) -> Iterator[pa.RecordBatch]:
    """The batches; whoever stops drawing them leaves no child behind."""
    with extracting(pages, jobs) as threads:
        begun = map(partial(begin, threads=threads), files)
        rows = (_ended(one, tally) for one in ahead(begun, 2 * jobs if threads else 0))
        yield from _batches(rows, len(files), batch_bytes, tally, progress)


def _batches(
    read: Iterable[_Row | None],
    files: int,
    batch_bytes: int,
    tally: Tally,
    progress: Progress | None,
) -> Iterator[pa.RecordBatch]:
    rows: list[_Row] = []
    held = looked_at = 0
    for looked_at, row in enumerate(read, 1):
        if row is not None:
            rows.append(row)
            held += len(row.data) + _ROW_BYTES
        full = held >= batch_bytes
        if progress is not None and (full or looked_at % _FILES_PER_REPORT == 0):
            progress(looked_at, files, tally.bytes)
        if full:
            batch = _to_batch(rows, tally.documents - len(rows))
            rows, held = [], 0
            yield batch
            del batch  # Else it would live on beside the next one.
    if progress is not None:
        progress(looked_at, files, tally.bytes)
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
        "page": pa.array([row.page and row.page._asdict() for row in rows], PAGE),
    }
    return pa.RecordBatch.from_pydict(columns, schema=DOCUMENTS)


def _begin(
    found: Found,
    *,
    converters: Mapping[str, Sequence[str]],
    pages: Pages,
    timeout: float,
    threads: ThreadPoolExecutor | None,
) -> _Begun:
    """Read one file, and begin to make text of it."""
    source, kind = source_name(found.path), extension(found.path)
    converter = converters.get(kind)
    content, text = Content(None, None), Future[_Text]()
    try:
        content = _content(found, whole=converter is not None)
        if converter is not None:
            text.set_result(_Text(_converted(converter, found.path, timeout)))
        elif content.data is None:
            text.set_result(_Text(None))
        elif threads is not None and pages.reads(kind):
            text = threads.submit(_extracted, content.data, pages)
        else:
            decoded = decode_page(content.data, "") if is_page(kind) else decode(content.data)
            text.set_result(_Text(decoded))
    except Unreadable as error:
        text.set_exception(error)
    return _Begun(source, kind, content, text)


def _extracted(data: bytes, pages: Pages) -> _Text:
    """The text of a page, and what it says of itself."""
    decoded = decode_page(data, "")
    if decoded is None:
        return _Text(None)
    return _Text(decoded._replace(utf8=pages.text(decoded.utf8)), declared(decoded.utf8))


def _ended(begun: _Begun, tally: Tally) -> _Row | None:
    """The document; None if the file is none, and then the tally says why."""
    data, modified = begun.content
    try:
        decoded, page = begun.text.result()
    except Unreadable as error:
        tally.fail(begun.source, str(error))
        return None
    if data is None or decoded is None:
        tally.skip(archive_extension(begun.source) or begun.kind)
        return None
    tally.count(begun.source, len(data), decoded.encoding, replaced=decoded.replaced)
    return _Row(begun.source, decoded.utf8, data, modified, page)


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
