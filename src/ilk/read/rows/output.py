"""Kept rows written to files: which rows go where, and when that is refused."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import IO, NamedTuple, TypeAlias

import pyarrow as pa

from ilk.base import whole
from ilk.base.errors import OptionError, OutputError
from ilk.read.rows.chosen import Chosen, shifted
from ilk.read.rows.edited import EditedRows
from ilk.read.rows.kinds import names_rows, suits, takes_notes
from ilk.read.rows.plugins import reader_of_form
from ilk.read.rows.sources import Source, Tell

#: A function that returns the bytes to write for a row, which is numbered among all rows.
Edit: TypeAlias = Callable[[Source, int, bytes], bytes]


class Origin(NamedTuple):
    """The place of a source: its path, None for a table, and its path below the folder given."""

    path: str | None
    below: str


#: The extensions for files of rows of a form.
PLAIN = {
    "JSON lines": "rows.jsonl",
    "CSV": "rows.csv",
    "Parquet": "rows.parquet",
    "a table": "rows.parquet",
    "a query": "rows.parquet",
}


def destinations(
    sources: Sequence[Source],
    origins: Sequence[Origin],
    to: str | Path,
    force: bool,
    notes: bool,
    read: Iterable[str] = (),
) -> list[tuple[Path, int]]:
    """Return the files to write, each with the number of sources that go into it, in their order.

    ``to`` is a file for all of them; or a folder, if it is one or ends in "/". ``read`` are other
    files that must not be overwritten.

    Raises:
        OutputError: a file already exists, is an input file, or cannot be created.
        OptionError: the sources do not fit into one file, or into one with that name, or it cannot
            hold notes.
    """
    folder = Path(to)
    if str(to).endswith("/") or os.path.isdir(folder):
        files = [(folder / origin.below, 1) for origin in origins]
        _check_names(origins, [path for path, _ in files])
    else:
        _check_fit(sources, folder)
        whole.check(folder, force=True)
        files = [(folder, len(sources))]
    names = [*read, *(origin.path for origin in origins if origin.path is not None)]
    identities = cache(lambda: whole.files(names))
    for (path, _), source in zip(files, sources, strict=False):  # One file may be for all.
        whole.spare(path, force=force, read=identities)
        if notes:
            _check_notes(source, path)
    return files


def _check_notes(source: Source, path: Path) -> None:
    """Refuse a file that cannot hold notes."""
    if not takes_notes(source.form, path.name):
        raise OptionError(
            f"{source.form} cannot hold notes, which {path} would contain; name a file of rows, "
            f"such as {path.stem}.jsonl."
        )


def _check_names(origins: Sequence[Origin], files: Sequence[Path]) -> None:
    """Refuse a folder of outputs if two would have the same name."""
    taken: dict[Path, str] = {}
    for (path, _), file in zip(origins, files, strict=True):
        if path is None:
            raise OptionError("a table or a query has no name; name a file, such as out.parquet.")
        if file in taken:
            raise OutputError(
                f"{taken[file]} and {path} would both be written to {file}; rename one of them, "
                "or write to one file."
            )
        taken[file] = path


def _check_fit(sources: Sequence[Source], path: Path) -> None:
    """Refuse one file for rows that differ, or whose name is for another format, or for none."""
    first = sources[0]
    if len(sources) > 1 and not names_rows(path.name):
        raise OptionError(
            f"{path} may be one file for the rows of all {len(sources)} sources, or a folder with "
            f"a file for each; write which one: {path}{Path(first.name).suffix} or {path}/"
        )
    for source in sources:
        if source.form != first.form:
            raise OptionError(
                f"{first.name} is {first.form}, but {source.name} is {source.form}: they do not "
                f"fit into one file. Name a folder, for a file each: {path.stem}/"
            )
        if reason := first.unlike(source):
            raise OptionError(
                f"the rows of {source.name} do not fit after those of {first.name}: {reason}. Name "
                f"a folder, for a file each: {path.stem}/"
            )
        if not suits(source.form, path.name):
            raise OptionError(
                f"rows of {source.form} are written as they are, but the name {path.name} is of "
                "another format; choose an extension of the input files."
            )


def write(
    path: Path,
    members: int,
    passes: Iterator[tuple[int, Source, Tell]],
    wanted: Chosen,
    notes: pa.Table | None,
    edit: Edit | None = None,
) -> None:
    """Write the wanted rows of the next sources into one file, with notes at their ends.

    OutputError means that it cannot be written; then no file appears under its name.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole.whole_file(path) as out:
        write_into(out, path.name, islice(passes, members), wanted, notes, edit)


def write_into(
    out: IO[bytes],
    name: str,
    passes: Iterable[tuple[int, Source, Tell]],
    wanted: Chosen,
    notes: pa.Table | None,
    edit: Edit | None = None,
) -> None:
    """Write the wanted rows of sources into an open file, in the format of the name it would
    have.
    """
    schema = None if notes is None else notes.schema
    with ExitStack() as stack:
        writer = None
        for first, source, tell in passes:
            if writer is None:
                writer = stack.enter_context(closing(source.writer(out, name, schema)))
            own = None if notes is None else notes.slice(first, source.counts.rows)
            to = (
                writer if edit is None else EditedRows(writer, source, first, partial(edit, source))
            )
            source.write(shifted(wanted, first), to, tell, own)


def streamed(sources: Sequence[Source], notes: bool) -> str:
    """Return the name that an uncompressed file of these rows would have.

    Raises:
        OptionError: they do not fit into one file, or it cannot hold notes.
    """
    form = sources[0].form
    reader = reader_of_form(form)
    name = PLAIN[form] if reader is None else f"rows{reader.forms[form][0]}"
    _check_fit(sources, Path(name))
    if notes:
        _check_notes(sources[0], Path(name))
    return name
