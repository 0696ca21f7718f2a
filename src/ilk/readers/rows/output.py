"""Kept rows written to files: which rows go where, and when that is refused."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from ilk.errors import OptionError, OutputError
from ilk.readers.rows.chosen import Chosen, shifted
from ilk.readers.rows.kinds import suits, takes_notes
from ilk.readers.rows.sources import Source, Tell
from ilk.system.whole import check, whole_file


class Origin(NamedTuple):
    """The place of a source: its path, None for a table, and its path below the folder given."""

    path: str | None
    below: str


def destinations(
    sources: Sequence[Source], origins: Sequence[Origin], to: str | Path, force: bool, notes: bool
) -> list[tuple[Path, int]]:
    """Return the files to write, each with the number of sources that go into it, in their order.

    ``to`` is a file for all of them; or a folder, where it is one or ends in "/".

    Raises:
        OutputError: a file is there already, or is one of the sources, or cannot be there.
        OptionError: the sources do not fit into one file, or into one of that name, or it has no
            place for notes.
    """
    folder = Path(to)
    if str(to).endswith("/") or folder.is_dir():
        files = [(folder / origin.below, 1) for origin in origins]
        _check_names(origins, [path for path, _ in files])
    else:
        _check_fit(sources, folder)
        check(folder)
        files = [(folder, len(sources))]
    read = {os.path.realpath(origin.path) for origin in origins if origin.path is not None}
    for (path, _), source in zip(files, sources, strict=False):  # One file may be for all.
        if os.path.realpath(path) in read:
            raise OutputError(
                f"{path} is read; rows are never written in place. Choose another name."
            )
        if path.is_file() and not force:
            raise OutputError(
                f"{path} is there already; choose another name, or replace it: --force."
            )
        if notes and not takes_notes(source.form, path.name):
            raise OptionError(
                f"{source.form} has no place for notes, as {path} would hold; name a file of rows, "
                f"such as {path.stem}.jsonl."
            )
    return files


def _check_names(origins: Sequence[Origin], files: Sequence[Path]) -> None:
    """Refuse a folder of outputs where two would have one name."""
    taken: dict[Path, str] = {}
    for (path, _), file in zip(origins, files, strict=True):
        if path is None:
            raise OptionError("a table has no name of its own; name a file, such as out.parquet.")
        if file in taken:
            raise OutputError(
                f"{taken[file]} and {path} would both be written to {file}; rename one of them, "
                "or write to one file."
            )
        taken[file] = path


def _check_fit(sources: Sequence[Source], path: Path) -> None:
    """Refuse one file of rows that differ, or whose name is that of another format."""
    first = sources[0]
    for source in sources:
        if source.form != first.form:
            raise OptionError(
                f"{first.name} holds {first.form}, {source.name} holds {source.form}: they do not "
                f"fit into one file. Name a folder for one file each: {path.stem}/"
            )
        if reason := first.unlike(source):
            raise OptionError(
                f"the rows of {source.name} do not fit after those of {first.name}: {reason}. "
                f"Name a folder for one file each: {path.stem}/"
            )
        if not suits(source.form, path.name):
            raise OptionError(
                f"rows of {source.form} are written as they are, and {path.name} is the name of "
                "another format; choose a name like those of the files that are read."
            )


def write(
    path: Path,
    members: int,
    passes: Iterator[tuple[int, Source, Tell]],
    wanted: Chosen,
    notes: pa.Table | None,
) -> None:
    """Write the wanted rows of the next sources into one file, with notes at their ends.

    OutputError says that it cannot be written; it has not taken its name then.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    schema = None if notes is None else notes.schema
    with whole_file(path) as out, ExitStack() as stack:
        writer = None
        for first, source, tell in islice(passes, members):
            if writer is None:
                writer = stack.enter_context(closing(source.writer(out, path.name, schema)))
            own = None if notes is None else notes.slice(first, source.counts.rows)
            source.write(shifted(wanted, first), writer, tell, own)
