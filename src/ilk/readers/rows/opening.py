"""Files and tables of rows, opened as ``Records`` by their names or what they are."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from typing import Any

from ilk.errors import NothingRead, OptionError, SourceNotFound
from ilk.readers.files.content import Unreadable, reason
from ilk.readers.files.converters import CONVERT_TIMEOUT
from ilk.readers.files.globs import compile_globs
from ilk.readers.files.names import extension, source_name
from ilk.readers.files.walk import STDIN, find_files
from ilk.readers.rows.dataset import Records
from ilk.readers.rows.formats import opener
from ilk.readers.rows.kinds import holds_rows
from ilk.readers.rows.output import Origin
from ilk.readers.rows.sources import Names, Source
from ilk.readers.tally import Tally
from ilk.readers.warc.crawl import Crawl
from ilk.system.progress import Progress, silent

#: The column of texts where nothing is said.
TEXT = "text"


def open_rows(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    text: str | Sequence[str] = TEXT,
    id: str | None = None,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    extract: str = "none",
    convert_timeout: float = CONVERT_TIMEOUT,
    jobs: int = 1,
    tally: Tally | None = None,
    progress: Progress = silent,
) -> Records:
    """The rows of files of JSON lines, CSV or Parquet, as their names say, and of archives.

    Args:
        paths: files, folders (of which the files that hold rows are read) and globs, or one such.
        text: the column of texts, or several, which are put together with a blank line between
            two. A dot in a name stands for itself or for a step into an object.
        id: the column of ids; ``id``, where there is one, if nothing is said.
        include, exclude: globs that files in folders must, and must not, match.
        extract: how text is made of pages in archives, a name of ``pages.EXTRACTS``.
        convert_timeout: seconds that the text of a page may take.
        jobs: how many pages are extracted at a time.
        tally: told what cannot be opened, and what is left out.
        progress: told of the bytes read in each pass.

    Raises:
        SourceNotFound: a path does not exist.
        OptionError: a file is named of which the name does not tell the format.
        ColumnTypeError: a file has not the columns that are to be read.
        NothingRead: there is no file that can be opened.
        MissingExtra: an archive, or a page, needs a package that is not installed.
    """
    tally = Tally() if tally is None else tally
    given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    names = [name for path in given for name in _expanded(os.fsdecode(path))]
    wanted = _wanted(text, id)
    crawl: Crawl[Source] = Crawl(extract, convert_timeout, jobs)
    sources: list[Source] = []
    origins: list[Origin] = []
    for path in _files(names, include, exclude, tally):
        try:
            sources.append(opener(path, crawl)(source_name(path), path, wanted))
        except Unreadable as error:
            tally.fail(source_name(path), str(error))
        except OSError as error:
            tally.fail(source_name(path), reason(error))
        else:
            origins.append(Origin(path, _below(path, names)))
    if not sources:
        failures = [f"{failure.source}: {failure.reason}." for failure in tally.failures[:1]]
        raise NothingRead(" ".join(["there is no file of rows to read.", *failures]))
    return Records(sources, origins, wanted, progress)


def reopen_rows(
    origins: Sequence[Origin],
    *,
    text: str | Sequence[str],
    id: str | None,
    extract: str,
    convert_timeout: float,
    jobs: int,
    progress: Progress = silent,
) -> Records:
    """The rows of files that were opened before, known by their origins; the rest as for ``open``.

    Raises:
        SourceNotFound: one of them is gone.
        ColumnTypeError, Unreadable: as for ``open``.
    """
    wanted = _wanted(text, id)
    crawl: Crawl[Source] = Crawl(extract, convert_timeout, jobs)
    sources: list[Source] = []
    for path, _ in origins:
        if path is None or not os.path.isfile(path):
            raise SourceNotFound(f"there is no file {path!r} any more; decide again.")
        sources.append(opener(path, crawl)(source_name(path), path, wanted))
    return Records(sources, origins, wanted, progress)


def rows_of_table(
    values: Any,
    *,
    text: str | Sequence[str] = TEXT,
    id: str | None = None,
    progress: Progress = silent,
) -> Records:
    """The rows of a table in memory: of pyarrow, Polars, pandas, DuckDB or Hugging Face.

    A stream, such as a ``RecordBatchReader``, can be read but once, so it is held in memory.

    Args:
        values: the table.
        text, id, progress: as for ``open``.

    Raises:
        ColumnTypeError: it is no table, or has not the columns that are to be read.
    """
    from ilk.readers.rows.memory import memory

    wanted = _wanted(text, id)
    return Records([memory(values, wanted)], [Origin(None, "")], wanted, progress)


def _wanted(text: str | Sequence[str], row_id: str | None) -> Names:
    texts = (text,) if isinstance(text, str) else tuple(text)
    if not texts:
        raise OptionError("no column of texts is named; name at least one.")
    return Names(texts, row_id)


def _expanded(name: str) -> list[str]:
    """The paths that a path or a glob stands for, in the order of their bytes."""
    if name == STDIN:
        raise OptionError(
            "standard input can be read but once, and rows are read several times; "
            "save it to a file first."
        )
    if os.path.lexists(name):
        return [name]
    found = sorted(glob.glob(name, recursive=True), key=os.fsencode)
    if not found:
        raise SourceNotFound(
            f"there is no {name!r} (seen from {os.getcwd()!r}); give the path of a file or a "
            "folder that exists, or a glob that matches one"
        )
    return found


def _files(
    names: Sequence[str], include: Sequence[str], exclude: Sequence[str], tally: Tally
) -> Iterator[str]:
    """The files to read: those that are named, and in folders those that hold rows."""
    named = set(names)
    for path, _ in find_files(names, compile_globs(include, exclude), tally):
        if path in named or holds_rows(path):
            yield path
        else:
            tally.skip(extension(path))


def _below(path: str, names: Sequence[str]) -> str:
    """A file's path below the folder that was given, or its name if it was given itself."""
    folders = (name.rstrip("/") + "/" for name in names)
    above = [folder for folder in folders if path.startswith(folder)]
    return path[len(max(above, key=len)) :] if above else os.path.basename(path)
