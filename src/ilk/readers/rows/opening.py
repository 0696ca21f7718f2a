"""Opening files and tables of rows, by their names or types."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from itertools import groupby
from typing import Any

from ilk.errors import MissingExtra, NothingRead, OptionError, SourceNotFound
from ilk.readers.files.content import Unreadable, reason
from ilk.readers.files.names import extension, source_name
from ilk.readers.files.walk import STDIN, find_files
from ilk.readers.pages.extraction import Pages
from ilk.readers.reading import PLAINLY, Reading
from ilk.readers.rows.dataset import DataSet
from ilk.readers.rows.delimited import DelimitedRows, Grammar
from ilk.readers.rows.given import named_paths, of_memory
from ilk.readers.rows.kinds import (
    ARC,
    CSV,
    JSON_LINES,
    PARQUET,
    WARC,
    holds_rows,
    is_archive,
    is_known,
)
from ilk.readers.rows.output import Origin
from ilk.readers.rows.queried import QueriedRows, is_queried
from ilk.readers.rows.sources import Names, Source
from ilk.readers.rows.streams import CODECS, bare
from ilk.readers.tally import Tally
from ilk.readers.warc.crawl import Crawl
from ilk.system.running import ALONE, Running


def open_rows(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    reading: Reading = PLAINLY,
    running: Running = ALONE,
    tally: Tally | None = None,
) -> DataSet:
    """Open the rows of files of JSON lines, CSV or Parquet, by their names, and of archives.

    Args:
        paths: files, folders (reading their files that hold rows) and globs, or one of these;
            DuckDB reads those for which ``queried.is_queried`` is True.
        reading: which columns and files; how to get the text of pages in archives. A dot in the
            name of a column means itself or a step into an object.
        running: how many pages to extract at a time, and the progress function.
        tally: filled with what cannot be opened, and what is left out.

    Raises:
        SourceNotFound: a path does not exist.
        OptionError: the name of a file does not say its format.
        ColumnTypeError: a file lacks the columns to read.
        NothingRead: there is no file that can be opened.
        MissingExtra: an archive, a page or a query needs a package that is not installed.
    """
    tally = Tally() if tally is None else tally
    given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    wanted, crawl = _names(reading), _crawl(reading, running)
    sources: list[Source] = []
    origins: list[Origin] = []
    for queried, some in groupby(map(os.fsdecode, given), is_queried):
        if queried:
            sources += [QueriedRows(path, wanted) for path in some]
            origins += [Origin(None, "")] * (len(sources) - len(origins))
            continue
        names = [name for path in some for name in _expanded(path)]
        for path in _files(names, reading, tally):
            try:
                sources.append(_open(path, wanted, crawl, reading.encoding))
            except Unreadable as error:
                tally.fail(source_name(path), str(error))
            except OSError as error:
                tally.fail(source_name(path), reason(error))
            else:
                origins.append(Origin(path, _below(path, names)))
    if not sources:
        failures = [f"{failure.source}: {failure.reason}." for failure in tally.failures[:1]]
        raise NothingRead(" ".join(["there is no file of rows to read.", *failures]))
    data_set = DataSet(sources, origins, wanted, running.tell)
    data_set.tally = tally
    return data_set


def reopen_rows(origins: Sequence[Origin], reading: Reading, running: Running) -> DataSet:
    """Open the rows of files that were opened before, by their origins.

    Raises:
        SourceNotFound: one of them is gone.
        ColumnTypeError, Unreadable: as for ``open_rows``.
    """
    wanted, crawl = _names(reading), _crawl(reading, running)
    sources: list[Source] = []
    for path, _ in origins:
        if path is None or not os.path.isfile(path):
            raise SourceNotFound(f"there is no file {path!r} any more; decide again.")
        sources.append(_open(path, wanted, crawl, reading.encoding))
    return DataSet(sources, origins, wanted, running.tell)


def rows_of_table(values: Any, reading: Reading = PLAINLY, running: Running = ALONE) -> DataSet:
    """Open the rows of a table: pyarrow, Polars, pandas, DuckDB or Hugging Face.

    A query (``scanned.is_scan``) runs again for every pass. A stream, such as a
    ``RecordBatchReader``, can be read only once, so it is held in memory.

    Raises:
        ColumnTypeError: it is not a table, or lacks the columns to read.
    """
    from ilk.readers.rows.memory import TableRows
    from ilk.readers.rows.scanned import ScannedRows, is_scan

    wanted = _names(reading)
    source: Source = (ScannedRows if is_scan(values) else TableRows)(values, wanted)
    return DataSet([source], [Origin(None, "")], wanted, running.tell)


def open_any(source: Any, reading: Reading, running: Running) -> DataSet:
    """Open a source as explained in ``ilk.readers.rows.given``; a path may be a glob.

    Raises:
        OptionError, ColumnTypeError: it is not a source.
        SourceNotFound, NothingRead, MissingExtra: as for ``open_rows``.
    """
    paths = named_paths(source)
    if paths is not None:
        return open_rows(paths, reading, running)
    return rows_of_table(of_memory(source), reading, running)


def _names(reading: Reading) -> Names:
    return Names(reading.text, reading.id)


def _crawl(reading: Reading, running: Running) -> Crawl[Source]:
    return Crawl(Pages(reading.extract, reading.convert_timeout), running.jobs)


def _open(path: str, names: Names, crawl: Crawl[Source], encoding: str | None) -> Source:
    """Open a file; only the module of its format is loaded."""
    source, (codec, kind) = source_name(path), bare(path)
    if is_archive(path):
        if find_spec("fastwarc") is None:
            raise MissingExtra("fastwarc", "archives")
        from ilk.readers.rows.archive import ArchiveRows

        return ArchiveRows(source, path, names, crawl)
    if not is_known(codec, kind):
        known = ", ".join((*JSON_LINES, *CSV, *PARQUET, *WARC, *ARC))
        raise OptionError(
            f"{path}: its name does not say how its rows are written. Rows are read from {known}, "
            f"all but Parquet also with {' or '.join(CODECS)} after that; rename the file."
        )
    if kind in PARQUET:
        from ilk.readers.rows.parquet import ParquetRows

        return ParquetRows(source, path, names)
    grammar: Grammar
    if kind in CSV:
        from ilk.readers.rows.separated import Separated

        grammar = Separated(source, path, names, encoding)
    else:
        from ilk.readers.rows.jsonl import JsonLines

        grammar = JsonLines(path)
    return DelimitedRows(source, path, grammar, names)


def _expanded(name: str) -> list[str]:
    """Return the paths that a path or a glob matches, in the order of their bytes."""
    if name == STDIN:
        raise OptionError(
            "standard input can be read only once, but rows are read several times; save it to a "
            "file first."
        )
    if os.path.lexists(name):
        return [name]
    paths = sorted(glob.glob(name, recursive=True), key=os.fsencode)
    if not paths:
        raise SourceNotFound(
            f"there is no {name!r} (seen from {os.getcwd()!r}); give the path of a file or a "
            "folder that exists, or a glob that matches one"
        )
    return paths


def _files(names: Sequence[str], reading: Reading, tally: Tally) -> Iterator[str]:
    """Yield the files to read: named files, and in folders those that hold rows."""
    named = set(names)
    for path, *_ in find_files(names, reading.globs, tally):
        if path in named or holds_rows(path, reading.text):
            yield path
        else:
            kind = extension(path)
            tally.without_rows[kind] = tally.without_rows.get(kind, 0) + 1


def _below(path: str, names: Sequence[str]) -> str:
    """Return a file's path below the given folder, or its name if it was given itself."""
    folders = (name.rstrip("/") + "/" for name in names)
    above = [folder for folder in folders if path.startswith(folder)]
    return path[len(max(above, key=len)) :] if above else os.path.basename(path)
