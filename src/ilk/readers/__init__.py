"""Step 1: anything that holds texts, as documents.

One module, one concept:

- ``folders``: the reader of folders, which draws on all below down to ``converters``
- ``walk``: which files there are, each once and in an order that is the same on every machine
- ``globs``: which of them are wanted
- ``files``: the bytes of one file, and of nothing that is not a file
- ``kinds``: text or binary
- ``decoding``: the text in the bytes, whatever their encoding; ``wide`` (UTF-16 and UTF-32) and
  ``codepages`` (the encodings before Unicode) help it
- ``converters``: programs of the user's own that make text of other kinds
- ``pages``: the main text of pages in HTML, made by child processes (``children``, ``pagework``),
  unless it is ``nesting`` too deep
- ``charsets``: the text of a page in the encoding that its server, or itself, tells; ``declared``:
  what else it says of itself; ``rowpages``: pages that are texts of rows
- ``archives``: records and captures in archives of the web
- ``tables``: texts that are in memory already; ``rows``: rows of files, as documents among others
- ``records``: rows of data sets (JSON lines, Parquet, CSV, archives, tables), read as often as
  needed
- ``tally``: what happened on the way
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import pyarrow as pa

from ilk.columns import DOCUMENTS
from ilk.errors import NothingRead, OptionError
from ilk.readers.files.converters import CONVERT_TIMEOUT
from ilk.readers.folders import read_folders
from ilk.readers.pages.extraction import EXTRACTS, Pages
from ilk.readers.pages.rowpages import read_pages
from ilk.readers.rows import TEXT, open_rows
from ilk.readers.rows.documents import is_rows, read_rows
from ilk.readers.rows.kinds import is_archive
from ilk.readers.rows.tables import read_table
from ilk.readers.tally import Tally
from ilk.system.progress import Progress, silent

__all__ = [
    "CONVERT_TIMEOUT",
    "EXTRACTS",
    "TEXT",
    "Progress",
    "Tally",
    "named_paths",
    "read",
    "read_one",
    "silent",
]


def read(
    source: Any,
    *,
    text: str | Sequence[str] = TEXT,
    id: str | None = None,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    convert: Mapping[str, Sequence[str]],
    convert_timeout: float = CONVERT_TIMEOUT,
    extract: str = "none",
    jobs: int = 1,
    tally: Tally,
    progress: Progress,
) -> Iterator[pa.RecordBatch]:
    """Batches of ``DOCUMENTS``, numbered from 0.

    Args:
        source: a path or several (str, Path; ``-`` is standard input), a list of texts, a column
            of texts, or a table. A file that is named, and whose name says that it holds rows
            (``.jsonl``, ``.parquet``, ``.csv``, ``.warc.gz``, ...), is read row by row; in a folder
            every file is a document.
        text: the column of texts in rows, or several, which are put together.
        id: the column of ids in rows; ``id``, where there is one, if nothing is said.
        include, exclude: globs for the files in folders.
        convert: by extension, the program that turns such a file into text.
        convert_timeout: seconds that each of these programs, or the text of a page, may take.
        extract: how text is made of files, and of texts in rows, in HTML: a name of ``EXTRACTS``.
        jobs: how many pages are extracted at a time.
        tally: filled with what happened.
        progress: told of documents and bytes read.

    Raises:
        SourceNotFound: a path does not exist.
        ColumnTypeError: the source holds no texts, or rows have no such column.
        OptionError: paths and texts are mixed.
    """
    paths = named_paths(source)
    pages = Pages(extract, convert_timeout)
    if paths is None:
        rows = read_table(source, tally, text=text, id=id).to_batches()
        yield from read_pages(rows, pages, jobs, tally)
        return
    parts: list[Iterator[pa.RecordBatch]] = []
    for (of_rows, archived), together in groupby(
        paths, lambda path: (is_rows(path), is_archive(os.fsdecode(path)))
    ):
        if of_rows:
            with contextlib.suppress(NothingRead):  # The tally has the reason.
                given = list(together)
                data_set = open_rows(
                    given,
                    text=text,
                    id=id,
                    extract=extract,
                    convert_timeout=convert_timeout,
                    jobs=jobs,
                    tally=tally,
                    progress=progress,
                )
                rows = read_rows(data_set, tally)
                # Of what is in archives text is made where its type is known.
                parts.append(rows if archived else read_pages(rows, pages, jobs, tally))
        else:
            batches = read_folders(
                list(together),
                include=include,
                exclude=exclude,
                convert=convert,
                convert_timeout=convert_timeout,
                extract=extract,
                jobs=jobs,
                tally=tally,
                progress=lambda done, files, size: progress("read", done, files, size),
            )
            parts.append(batches)
    for batches in parts:
        yield from batches


def check(documents: pa.Table, tally: Tally) -> None:
    """Refuse to go on where there were files, and nothing in them could be read.

    Raises:
        NothingRead: with the first reason, and advice.
    """
    unread = len(tally.failures) + sum(tally.skipped.values())
    if len(documents) or not unread:
        return
    reasons = [f"{failure.source}: {failure.reason}." for failure in tally.failures[:1]]
    raise NothingRead(
        " ".join([f"none of {unread} files could be read.", *reasons, *tally.advice()])
    )


def read_one(source: Any) -> pa.Table:
    """The one document that a path, whatever its name, or a list of one text, holds.

    Raises:
        SourceNotFound: the path does not exist.
        NothingRead: the file cannot be read, with the reason.
        OptionError: there is not exactly one document.
    """
    paths, tally = named_paths(source), Tally()
    if paths is None:
        batches = read(source, convert={}, tally=tally, progress=silent)
    else:
        batches = read_folders(paths, tally=tally)
    table = pa.Table.from_batches(batches, schema=DOCUMENTS)
    if tally.failures:
        raise NothingRead(f"{tally.failures[0].source}: {tally.failures[0].reason}.")
    if tally.skipped:
        raise NothingRead(f"{source}: not text. " + " ".join(tally.advice()))
    if len(table) != 1:
        raise OptionError(f"{source} holds {len(table)} documents; name a single file.")
    return table


def named_paths(source: Any) -> list[str | os.PathLike[str]] | None:
    """The paths that the source is; None if it holds texts itself."""
    if isinstance(source, str | os.PathLike):
        return [source]
    if not isinstance(source, list | tuple) or not source:
        return None
    named = [isinstance(item, os.PathLike) for item in source]
    if any(named) and not all(named):
        raise OptionError("paths and texts are mixed; give a list of Path, or a list of texts.")
    return list(source) if all(named) else None
