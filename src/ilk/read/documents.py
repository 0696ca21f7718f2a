"""Anything that holds texts, as documents: files, rows of data sets, and texts in memory."""

from __future__ import annotations

import contextlib
import glob
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk.arrow import DOCUMENTS
from ilk.base.errors import ColumnTypeError, NothingRead, OptionError, RowTooLong, SourceNotFound
from ilk.base.progress import ignore_progress
from ilk.base.run_options import ALONE, Running
from ilk.read.files.content import (
    file_or_enclosing_file_or_same_source,
    not_found_error,
    source_name,
    sources_meant_by_name,
    unescape_source_name,
)
from ilk.read.files.walk import STDIN, FoundFile, find_files_and_tally_others
from ilk.read.folders import (
    find_files_below_existing_paths,
    read_documents_except_unnamed_binary_rows,
    read_documents_of_files,
)
from ilk.read.joined_folders import read_folder_entries_as_documents
from ilk.read.pages import extract_texts_of_pages
from ilk.read.reading import PLAINLY, Reading
from ilk.read.report import ReadReport
from ilk.read.rows.dataset import DataSet
from ilk.read.rows.kinds import find_registered_reader_or_none, holds_rows_by_default
from ilk.read.rows.opening import open_rows, open_table_or_scan
from ilk.read.rows.table_sources import paths_or_none_if_texts, texts_to_table_or_as_given

#: Regex for a formatted number; the longest match, in bytes.
_NUMBER = r"^\s*[-+]?[$€£]?\s*[\d.,' ]*\d[\d.,' ]*([eE][-+]?\d+)?\s*[%$€£]?\s*$"
_LONGEST_NUMBER = 40

#: Characters to show of what is probably a text in place of a path.
_SHOWN = 40


def is_file_of_rows(path: str | os.PathLike[str], json_text_columns: Sequence[str]) -> bool:
    """Return whether a path that is not a folder is one of rows, by its name or first bytes."""
    name = os.fsdecode(path)
    if name == STDIN or os.path.isdir(name):
        return False
    return (
        holds_rows_by_default(name, json_text_columns)
        or find_registered_reader_or_none(name) is not None
    )


def read_and_tally_rows(data_set: DataSet, tally: ReadReport) -> Iterator[pa.RecordBatch]:
    """Yield the rows as ``DOCUMENTS``, numbered after those that the tally has, and tally them."""
    before = tally.documents
    for batch in data_set.batches():
        tally.documents += len(batch)
        texts = batch["text"]
        tally.missing += texts.null_count
        tally.texts += len(texts) - texts.null_count
        short = texts.filter(pc.less(pc.binary_length(texts), _LONGEST_NUMBER))
        tally.numbers += pc.sum(pc.match_substring_regex(short, _NUMBER)).as_py() or 0
        yield batch.set_column(0, batch.schema.field(0), pc.add(batch["doc"], before))
    for row in data_set.read_rejected_rows():
        tally.fail(f"{row.source}:{row.at}", row.reason)
    for source in data_set.sources:
        tally.bytes += source.size
        tally.replaced += [source.name] * source.counts.replaced
        if source.failure:
            tally.fail(source.name, source.failure)


def read_texts_in_memory(
    source: Any, reading: Reading, tally: ReadReport, running: Running = ALONE
) -> pa.Table:
    """Return texts in memory, as ``texts_to_table_or_as_given`` takes them, as ``DOCUMENTS``:
    the source of a document is ``#`` and its row number.
    """
    quietly = replace(running, tell=ignore_progress)
    data_set = open_table_or_scan(texts_to_table_or_as_given(source), reading, quietly)
    return pa.Table.from_batches(read_and_tally_rows(data_set, tally), schema=DOCUMENTS)


def read_documents(
    source: Any, reading: Reading, running: Running, tally: ReadReport
) -> Iterator[pa.RecordBatch]:
    """Yield batches of ``DOCUMENTS``, numbered from 0.

    Args:
        source: a path or several (str, Path; ``-`` is standard input), a list of texts, a column
            of texts, or a table. A named file with an extension for rows (``.jsonl``, ``.parquet``,
            ``.csv``, ``.warc.gz``, ...) is read row by row; such files in folders only if
            ``reading`` says so.
        reading, running: what to read, and how.
        tally: filled with what happened.

    Raises:
        SourceNotFound: a path does not exist.
        ColumnTypeError: the source holds no texts, or rows have no such column.
        OptionError: paths and texts are mixed.
    """
    paths = paths_or_none_if_texts(source)
    if paths is None:
        rows = read_texts_in_memory(source, reading, tally, running).to_batches()
        if rows:
            reading.refuse_file_filters_except_globs()
        yield from extract_texts_of_pages(rows, reading, running, tally)
        return
    if reading.folder_as_document:
        yield from read_folder_entries_as_documents(paths, reading, running, tally)
        return
    parts: list[Iterator[pa.RecordBatch]] = []
    for (of_rows, has_reader), together in groupby(
        paths,
        lambda path: (
            is_file_of_rows(path, reading.text),
            find_registered_reader_or_none(os.fsdecode(path)) is not None,
        ),
    ):
        if of_rows:
            with contextlib.suppress(NothingRead):  # The tally has the reason.
                parts.append(
                    _read_files_of_rows(
                        list(together), reading, running, tally, extract_pages=not has_reader
                    )
                )
        elif reading.rows:
            parts.append(_read_files_or_their_rows(list(together), reading, running, tally))
        else:
            parts.append(
                read_documents_except_unnamed_binary_rows(
                    list(together), reading, running, tally=tally
                )
            )
    for batches in parts:
        yield from batches


def _read_files_of_rows(
    paths: Sequence[str | os.PathLike[str]],
    reading: Reading,
    running: Running,
    tally: ReadReport,
    *,
    extract_pages: bool,
) -> Iterator[pa.RecordBatch]:
    """Yield rows of files, of a page its text if asked: a registered reader extracts it itself."""
    rows = read_and_tally_rows(open_rows(paths, reading, running, tally), tally)
    return extract_texts_of_pages(rows, reading, running, tally) if extract_pages else rows


def _read_files_or_their_rows(
    paths: Sequence[str | os.PathLike[str]], reading: Reading, running: Running, tally: ReadReport
) -> Iterator[pa.RecordBatch]:
    """Yield the documents below paths, and the rows of files of rows there, in their order.

    A column that a file of rows lacks is a failure of only that file.
    """

    def kind_of_content(file: FoundFile) -> Literal["document", "own rows", "registered rows"]:
        """Read the files of registered readers together, since they may refer to one another."""
        if file.path == STDIN or not holds_rows_by_default(file.path, reading.text):
            return "document"
        return "registered rows" if find_registered_reader_or_none(file.path) else "own rows"

    for kind, files in groupby(
        find_files_below_existing_paths(paths, reading, tally), kind_of_content
    ):
        if kind == "document":
            yield from read_documents_of_files(list(files), reading, running=running, tally=tally)
            continue
        every = [Path(file.path) for file in files]
        for together in [every] if kind == "registered rows" else [[path] for path in every]:
            try:
                yield from _read_files_of_rows(
                    together, reading, running, tally, extract_pages=kind == "own rows"
                )
            except (ColumnTypeError, RowTooLong) as error:
                tally.fail(source_name(os.fspath(together[0])), str(error))
            except NothingRead:
                pass  # The tally has the reason.


def find_existing_files(
    paths_globs_or_sources: Sequence[str | os.PathLike[str]], reading: Reading
) -> Iterator[str]:
    """Yield the files of paths and globs, and those that named documents are in, in reading order.

    What is not there has none.
    """
    for name in map(os.fsdecode, paths_globs_or_sources):
        paths = [name] if os.path.lexists(name) else glob.glob(name, recursive=True)
        paths = paths or [one.path for one in _documents_in_files_meant_by_name(name)][:1]
        yield from (
            file.path for file in find_files_and_tally_others(paths, reading.globs, ReadReport())
        )


def refuse_if_no_readable_document(documents: pa.Table, tally: ReadReport) -> None:
    """Raise NothingRead if there is no document, since no file could be read."""
    if not len(documents):
        refuse_if_all_files_unreadable(tally)


def refuse_if_all_files_unreadable(tally: ReadReport) -> None:
    """Raise NothingRead, with the first reason, if there were files, but none could be read.

    Files that hold no text by their kind, such as pictures, were read if their bytes were compared.
    """
    compared = tally.by_bytes and tally.skipped.keys() - tally.advised.keys()
    if tally.documents or compared:
        return
    if not any((tally.failures, tally.skipped, tally.unread_rows)):
        return
    reason = f"none of the files could be read.{tally.spell_first_failure()}"
    raise NothingRead(" ".join([reason, *tally.advice()]))


def read_one_document(source: Any, reading: Reading = PLAINLY) -> pa.Table:
    """Return the one document of a path, whatever its name, or of a list of one text.

    A document in a file of many has ilk's name: ``news.jsonl#24``, ``a.zip!/b.txt``; with a column
    of ids, ``news.jsonl#ID``.

    Raises:
        SourceNotFound: the path does not exist.
        NothingRead: the file cannot be read, with the reason.
        OptionError: there is not exactly one document.
    """
    paths, tally = paths_or_none_if_texts(source), ReadReport()
    name = os.fsdecode(paths[0]) if paths is not None else ""
    if paths is None:
        batches = read_documents(source, reading, ALONE, tally)
    elif name != STDIN and not os.path.lexists(name):
        return _read_document_inside_file(name, reading)
    else:
        batches = read_documents_except_unnamed_binary_rows(paths, reading, tally=tally)
    table = pa.Table.from_batches(batches, schema=DOCUMENTS)
    if tally.failures:
        raise NothingRead(tally.spell_first_failure().strip())
    if tally.skipped:
        raise NothingRead(f"{source}: not text. " + " ".join(tally.advice()))
    if len(table) > 1 and paths is not None:  # A message is the document, not its attachments.
        named = pc.equal(table["source"], source_name(name))
        table = table.filter(named) if pc.any(named).as_py() else table
    if len(table) != 1:
        raise OptionError(
            f"{source} holds {len(table)} documents; name a single file, or one of the documents "
            f"as ilk names it, such as {table['source'][0] if len(table) else f'{source}#0'}."
        )
    return table


class _DocumentInFile(NamedTuple):
    """A document that may be in a file on disk, or is that file.

    Attributes:
        source: its name, as ilk prints it.
        file: the name of the file, as ilk prints it.
        path: the path of the file.
    """

    source: str
    file: str
    path: str


def _documents_in_files_meant_by_name(name: str) -> Iterator[_DocumentInFile]:
    """Yield the documents that a name may mean, in files that exist."""
    for source in sources_meant_by_name(name):
        file = file_or_enclosing_file_or_same_source(source)
        path = unescape_source_name(file)
        if os.path.isfile(path):
            yield _DocumentInFile(source, file, path)


def _read_document_inside_file(name: str, reading: Reading) -> pa.Table:
    """Return one of the documents in a file, or a file, by the name that ilk prints; else
    SourceNotFound.
    """
    not_inside: SourceNotFound | None = None
    for source, file, path in _documents_in_files_meant_by_name(name):
        if file == source:
            return read_one_document(Path(path), reading)
        tally = ReadReport()
        id_ = source[len(file) + 1 :] if reading.id is not None else None
        for batch in read_documents(Path(path), reading, ALONE, tally):
            names, ids = batch["source"].to_pylist(), batch["id"].to_pylist()
            for at, (one, own) in enumerate(zip(names, ids, strict=True)):
                # An archive's captures have their ids after their numbers.
                is_named = one == source or one.startswith(source + " ")
                if is_named if id_ is None else own == id_:
                    return pa.Table.from_batches([batch.slice(at, 1)], DOCUMENTS)
        what = f"{reading.id} {id_!r}" if id_ is not None else repr(source[len(file) :])
        not_inside = not_inside or SourceNotFound(
            f"{file} has no document {what}; it has {tally.documents:,} documents."
            + tally.spell_first_failure()
        )
    if not_inside is not None:
        raise not_inside
    if len(name.split()) > 1 and os.sep not in name:
        shown = name if len(name) <= _SHOWN else f"{name[:_SHOWN]}..."
        raise SourceNotFound(
            f"there is no file {shown!r}; in Python, give a text in a list: [text]"
        )
    raise not_found_error(name, "in Python a text in a list: [text]")
