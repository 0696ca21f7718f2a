"""Anything that holds texts, as documents."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from itertools import groupby
from typing import Any

import pyarrow as pa

from ilk.columns import DOCUMENTS
from ilk.errors import NothingRead, OptionError
from ilk.readers.folders import read_folders
from ilk.readers.pages.extraction import Pages
from ilk.readers.pages.rowpages import read_pages
from ilk.readers.reading import PLAINLY, Reading, named_paths
from ilk.readers.rows import open_rows
from ilk.readers.rows.documents import is_rows, read_rows, read_table
from ilk.readers.rows.kinds import is_archive
from ilk.readers.tally import Tally
from ilk.system.running import ALONE, Running


def read(source: Any, reading: Reading, running: Running, tally: Tally) -> Iterator[pa.RecordBatch]:
    """Yield batches of ``DOCUMENTS``, numbered from 0.

    Args:
        source: a path or several (str, Path; ``-`` is standard input), a list of texts, a column
            of texts, or a table. A file that is named, and whose name says that it holds rows
            (``.jsonl``, ``.parquet``, ``.csv``, ``.warc.gz``, ...), is read row by row; in a folder
            every file is a document.
        reading: which columns and files, and how.
        running: how many pages are extracted at a time, and what follows the progress.
        tally: filled with what happened.

    Raises:
        SourceNotFound: a path does not exist.
        ColumnTypeError: the source holds no texts, or rows have no such column.
        OptionError: paths and texts are mixed.
    """
    paths = named_paths(source)
    pages = Pages(reading.extract, reading.convert_timeout)
    if paths is None:
        rows = read_table(source, reading, tally).to_batches()
        yield from read_pages(rows, pages, running.jobs, tally)
        return
    parts: list[Iterator[pa.RecordBatch]] = []
    for (of_rows, archived), together in groupby(
        paths, lambda path: (is_rows(path), is_archive(os.fsdecode(path)))
    ):
        if not of_rows:
            parts.append(read_folders(list(together), reading, running, tally=tally))
            continue
        with contextlib.suppress(NothingRead):  # The tally has the reason.
            rows = read_rows(open_rows(list(together), reading, running, tally), tally)
            # Texts of captures are made where their type is known.
            parts.append(rows if archived else read_pages(rows, pages, running.jobs, tally))
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
    """Return the one document that a path, whatever its name, or a list of one text, holds.

    Raises:
        SourceNotFound: the path does not exist.
        NothingRead: the file cannot be read, with the reason.
        OptionError: there is not exactly one document.
    """
    paths, tally = named_paths(source), Tally()
    if paths is None:
        batches = read(source, PLAINLY, ALONE, tally)
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
