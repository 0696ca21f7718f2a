"""Opening files and tables of rows, by their names or types."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import groupby
from typing import Any

from ilk.base.errors import NothingRead, OptionError, SourceChanged, SourceNotFound
from ilk.base.packages import OFFERED, companion_extra_or_none, make_missing_extra_error
from ilk.base.run_options import ALONE, Running
from ilk.read.files.content import (
    Unreadable,
    last_dotted_extension,
    not_found_error,
    source_name,
    spell_os_error,
)
from ilk.read.files.walk import STDIN, find_files_and_tally_others
from ilk.read.reading import PLAINLY, Reading
from ilk.read.report import ReadReport
from ilk.read.rows.arrow import ParquetRows
from ilk.read.rows.dataset import DataSet
from ilk.read.rows.kinds import (
    CSV,
    JSON_LINES,
    PARQUET,
    Opener,
    can_read_rows_without_package,
    find_registered_reader_or_none,
    holds_rows_by_default,
    is_address_or_partitioned_glob,
)
from ilk.read.rows.sources import ID, ROOM, ColumnRequest, RowLimits, Source, may_be_column_path
from ilk.read.rows.streams import CODECS, split_codec_and_extension
from ilk.read.rows.table_sources import (
    ScannedRows,
    TableRows,
    is_scan_like_arrow_data_set,
    paths_or_none_if_texts,
    texts_to_table_or_as_given,
)
from ilk.read.rows.writing import Origin


def open_rows(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    reading: Reading = PLAINLY,
    running: Running = ALONE,
    tally: ReadReport | None = None,
) -> DataSet:
    """Open the rows of files of JSON lines, CSV or Parquet, by their names, and of archives.

    Args:
        paths: files, folders (reading their files that hold rows) and globs, or one of these;
            a package queries those for which ``kinds.is_address_or_partitioned_glob`` is True.
        reading, running: which columns and files, and how. A dot in the name of a column means
            itself or a step into an object; brackets in that of a text, themselves or a step into
            a list.
        tally: filled with what cannot be opened, and what is left out.

    Raises:
        SourceNotFound: a path does not exist.
        OptionError: the name of a file does not say its format.
        ColumnTypeError: a file lacks the columns to read.
        NothingRead: there is no file that can be opened.
        MissingExtra: an archive, a page or a query needs a package that is not installed.
    """
    tally = ReadReport() if tally is None else tally
    given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    open_sources = _make_opener_of_sources(reading, running)
    sources: list[Source] = []
    origins: list[Origin] = []
    for queried, group in groupby(map(os.fsdecode, given), is_address_or_partitioned_glob):
        if queried:
            sources += [source for path in group for source in open_sources(path)]
            origins += [Origin(None, "")] * (len(sources) - len(origins))
            continue
        group_paths = list(group)
        if STDIN in group_paths:
            raise OptionError(
                "standard input can be read only once, but rows are read several times; save it to "
                "a file first."
            )
        names = [name for path in group_paths for name in _expand_glob_unless_existing_path(path)]
        given_paths = set(names)
        for path, *_ in find_files_and_tally_others(
            names,
            reading.globs,
            tally,
            walk_rules=reading.walk_rules,
            file_filter=reading.file_filter,
        ):
            if path not in given_paths and not holds_rows_by_default(path, reading.text):
                kind = last_dotted_extension(path)
                tally.without_rows[kind] = tally.without_rows.get(kind, 0) + 1
                continue
            try:
                inner_sources = open_sources(path)
            except (Unreadable, OSError) as error:
                why = spell_os_error(error) if isinstance(error, OSError) else str(error)
                tally.fail(source_name(path), why)
            else:
                sources += inner_sources
                below, name = _path_below_folder_or_name(path, names), source_name(path)
                inner = (
                    source.name.removeprefix(name).replace("!/", "/", 1) for source in inner_sources
                )
                origins += [Origin(path, below + rest) for rest in inner]
    if not sources:
        hint = " Files that are documents: ilk scan." if tally.without_rows else ""
        raise NothingRead(f"there is no file of rows to read.{tally.spell_first_failure()}{hint}")
    return DataSet(
        sources=sources,
        origins=origins,
        request=_make_column_request(reading, running),
        progress=running.tell,
        tally=tally,
    )


def reopen_rows(origins: Sequence[Origin], reading: Reading, running: Running) -> DataSet:
    """Open the rows of files again, by their origins; SourceNotFound if one is gone, SourceChanged
    if it holds no rows any more.
    """
    open_sources, sources = _make_opener_of_sources(reading, running), list[Source]()
    while len(sources) < len(origins):
        path = origins[len(sources)].path or ""
        if not os.path.isfile(path):
            raise SourceNotFound(f"there is no file {path!r} any more; decide again.")
        try:
            sources += open_sources(path)
        except Unreadable as error:
            why = str(error).removesuffix(".")
            raise SourceChanged(f"{path} has changed, and {why}; decide again.") from error
    if len(sources) > len(origins):
        raise SourceChanged(f"{path} has changed, and holds more files of rows; decide again.")
    return DataSet(
        sources=sources,
        origins=origins,
        request=_make_column_request(reading, running),
        progress=running.tell,
    )


def open_table_or_scan(
    values: Any, reading: Reading = PLAINLY, running: Running = ALONE
) -> DataSet:
    """Open the rows of a table: pyarrow, Polars, pandas, DuckDB or Hugging Face.

    A query (``tables.is_scan_like_arrow_data_set``) runs again for every pass. A stream, such as a
    ``RecordBatchReader``, can be read only once, so it is held in memory.
    """
    request = _make_column_request(reading, running)
    source: Source = (ScannedRows if is_scan_like_arrow_data_set(values) else TableRows)(
        values, request
    )
    return DataSet(
        sources=[source], origins=[Origin(None, "")], request=request, progress=running.tell
    )


def open_data_set(source: Any, reading: Reading, running: Running) -> DataSet:
    """Open a source as explained in ``ilk.read.rows.table_sources``; a path may be a glob."""
    paths = paths_or_none_if_texts(source)
    if paths is not None:
        return open_rows(paths, reading, running)
    return open_table_or_scan(texts_to_table_or_as_given(source), reading, running)


def _make_opener_of_sources(
    reading: Reading, running: Running
) -> Callable[[str], Sequence[Source]]:
    """Return what opens the files of one data set, each by its path."""

    @cache  # The files of one data set may refer to one another.
    def make_opener(reader: Any) -> Opener:
        opener: Opener = reader.make_opener(reading, running)
        return opener

    return partial(_open_sources_in_file, reading, running, make_opener)


def _make_column_request(reading: Reading, running: Running) -> ColumnRequest:
    """Return which columns to read, and how long a row may be."""
    limits = RowLimits(reading.limits.text, reading.limits.ratio, running.memory)
    jobs = running.thread_count_that_fits(bytes_per_helper=ROOM)
    # What leads into objects takes a reader long, and so does a column that is read twice.
    read = {*reading.text, reading.id, ID}
    others = tuple(
        name for name in reading.columns if not may_be_column_path(name) and name not in read
    )
    return ColumnRequest(
        texts=reading.text,
        id=reading.id,
        keyed=reading.keyed,
        limits=limits,
        jobs=jobs,
        others=others,
        within=reading.within,
        partly=reading.partly,
    )


def _open_sources_in_file(
    reading: Reading, running: Running, opener_of_reader: Callable[[Any], Opener], path: str
) -> Sequence[Source]:
    """Open a file, or every file of rows in it; only the module of its format is loaded."""
    request = _make_column_request(reading, running)
    source, (codec, kind) = source_name(path), split_codec_and_extension(path)
    reader = find_registered_reader_or_none(path)
    if reader is not None:
        return opener_of_reader(reader)(source, path, request)
    if not can_read_rows_without_package(codec, kind):
        uncompressed = path[: len(path) - len(codec)]
        package = companion_extra_or_none(rows_extension=kind) or companion_extra_or_none(
            rows_extension=last_dotted_extension(uncompressed)
        )
        # One that is installed may read fewer compressions than ilk does.
        if package is not None and find_registered_reader_or_none(uncompressed) is None:
            raise make_missing_extra_error(package)
        others = [one for _, extensions in OFFERED.values() for one in extensions]
        raise OptionError(
            f"{path}: its name does not say how its rows are written. Rows are read from "
            f"{', '.join((*JSON_LINES, *CSV))}, also with {' or '.join(CODECS)} after that, and "
            f"from {', '.join((*PARQUET, *others))}; rename the file."
        )
    if kind in PARQUET:
        return [ParquetRows(source, path, request)]
    if kind in CSV:
        from ilk.read.rows.csv_rows import CsvRows

        return [CsvRows(source, path, request, reading.encoding)]
    from ilk.read.rows.jsonl import JsonRows

    return [JsonRows(source, path, request)]


def _expand_glob_unless_existing_path(name: str) -> list[str]:
    """Return a path, or the paths that a glob matches, in the order of their bytes; SourceNotFound
    if nothing has this path, or matches.
    """
    if os.path.lexists(name):
        return [name]
    paths = sorted(glob.glob(name, recursive=True), key=os.fsencode)
    if not paths:
        raise not_found_error(name, "a glob that matches one")
    return paths


def _path_below_folder_or_name(path: str, given_paths: Sequence[str]) -> str:
    """Return a file's path below the given folder, or its name if it was given itself."""
    folders = (name.rstrip("/") + "/" for name in given_paths)
    above = [folder for folder in folders if path.startswith(folder)]
    return path[len(max(above, key=len)) :] if above else os.path.basename(path)
