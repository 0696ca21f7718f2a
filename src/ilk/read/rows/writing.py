"""Kept rows, written as they were read: which go where, when that is refused, and the writers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple, TypeAlias

import pyarrow as pa

from ilk.base import whole
from ilk.base.compression import writer_compressed_by_name
from ilk.base.errors import OptionError, OutputError
from ilk.read.rows.kinds import (
    can_hold_added_columns,
    default_file_name,
    extensions_of_form,
    has_extension_of_rows,
    name_suits_form,
)
from ilk.read.rows.sources import (
    Repeat,
    RowChoice,
    Source,
    TellBytesRead,
    renumber_choice_from,
    row_numbers_of_mask,
)

if TYPE_CHECKING:
    from pyarrow.parquet import FileMetaData

#: Where rows are written: an open file, or the path of a file or a folder.
Output: TypeAlias = str | os.PathLike[str] | IO[bytes]

#: Rows whose numbers are listed at a time.
_AT_A_TIME = 1 << 16

#: A function that returns the bytes to write for a row, which is numbered among all rows.
Edit: TypeAlias = Callable[[Source, int, bytes], bytes]


class Origin(NamedTuple):
    """The place of a source: its path, None for a table, and its path below the folder given."""

    path: str | None
    below: str


class SourcePass(NamedTuple):
    """A source that is about to be read, as part of a data set.

    first_document: the number of its first row among all rows.
    tell: told how many of its bytes were read.
    """

    first_document: int
    source: Source
    tell: TellBytesRead


class Destination(NamedTuple):
    """Where rows are written.

    Attributes:
        file: the path of a file, or an open one.
        format_path: a path whose name says how rows are written to it.
        source_count: how many of the sources that follow go into it.
    """

    file: Path | IO[bytes]
    format_path: Path
    source_count: int


def choose_destinations_or_refuse(
    sources: Sequence[Source],
    origins: Sequence[Origin],
    to: Output,
    *,
    force: bool,
    with_added_columns: bool,
    kept_files: Iterable[str] = (),
) -> list[Destination]:
    """Return the files to write, in the order of the sources.

    ``to`` is a file for all of them; or a folder, if it is one or ends in "/". ``kept_files`` are
    others that must not be overwritten, besides those of the sources.

    Raises:
        OutputError: a file already exists, is an input file, or cannot be created.
        OptionError: the sources do not fit into one file, or not with more columns.
    """
    place = Path(to) if isinstance(to, str | os.PathLike) else to
    if isinstance(place, Path) and (str(to).endswith("/") or os.path.isdir(place)):
        file_of: dict[Path, str] = {}
        for origin, below in origins:
            if origin is None:
                raise OptionError(
                    "a table or a query has no name; name a file, such as out.parquet."
                )
            if (path := place / below) in file_of:
                raise OutputError(
                    f"{file_of[path]} and {origin} would both be written to {path}; rename one of "
                    "them, or write to one file."
                )
            file_of[path] = origin
        files = [Destination(path, path, 1) for path in file_of]
    else:
        path = output_path_or_default_if_stream(sources, place)
        _refuse_sources_unfit_for_one_file(sources, path)
        whole.refuse_unwritable(place if isinstance(place, Path) else None, force=True)
        files = [Destination(place, path, len(sources))]
    names = [*kept_files, *(origin.path for origin in origins if origin.path is not None)]
    identities = cache(lambda: whole.identify_existing_files(names))
    for (file, path, _), source in zip(files, sources, strict=False):  # One file may be for all.
        if isinstance(file, Path):
            whole.refuse_overwriting(file, force=force, inputs=identities)
        if with_added_columns and not can_hold_added_columns(source.form, path.name):
            raise OptionError(
                f"{source.form} cannot hold notes, which {path} would contain; name a file of "
                f"rows, such as {path.stem}.jsonl."
            )
    return files


def _refuse_sources_unfit_for_one_file(sources: Sequence[Source], path: Path) -> None:
    """Refuse one file for rows that differ, or whose name is for another format, or for none."""
    first = sources[0]
    if len(sources) > 1 and not has_extension_of_rows(path.name):
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
        if reason := first.why_unfit_for_one_file(source):
            raise OptionError(
                f"the rows of {source.name} do not fit after those of {first.name}: {reason}. Name "
                f"a folder, for a file each: {path.stem}/"
            )
        if not name_suits_form(source.form, path.name):
            ends = extensions_of_form(source.form)
            raise OptionError(
                f"rows of {source.form} are written as they are, but the name {path.name} is of "
                f"another format; choose one that ends in {' or '.join(ends)}."
            )


def output_path_or_default_if_stream(sources: Sequence[Source], to: Path | IO[bytes]) -> Path:
    """Return a path whose name says how rows are written to a file: its own, or for an open file,
    and for a pipe whose name does not say it, one for plain rows like those of the first source.
    """
    if isinstance(to, Path) and (
        has_extension_of_rows(to.name) or not whole.is_stream_or_device(to)
    ):
        return to
    return Path(default_file_name(sources[0].form))


def write_sources_and_count_revisits(
    out: IO[bytes],
    file_name: str,
    *,
    passes: Iterable[SourcePass],
    choice: RowChoice,
    added_columns: pa.Table | None,
    edit: Edit | None = None,
    repeats: Mapping[int, Repeat] | None = None,
    jobs: int = 1,
) -> int:
    """Write the chosen rows of sources into an open file, in the format of the name it would have,
    with more columns at their ends; return how many of ``repeats`` are written as revisits.
    """
    revisits = 0
    schema = None if added_columns is None else added_columns.schema
    with ExitStack() as stack:
        writer = None
        for first, source, tell in passes:
            if writer is None:
                writer = stack.enter_context(closing(source.open_writer(out, file_name, schema)))
            if repeats is not None:
                rows = range(first, first + source.counts.rows)
                own_repeats = {row - first: repeats[row] for row in rows if row in repeats}
                revisits += source.write_and_count_revisits(
                    renumber_choice_from(choice, first), writer, tell, own_repeats
                )
                continue
            own_choice = renumber_choice_from(choice, first)
            own_columns = (
                None if added_columns is None else added_columns.slice(first, source.counts.rows)
            )
            if edit is None:
                source.write_chosen_rows(
                    own_choice, writer, tell=tell, added_columns=own_columns, jobs=jobs
                )
                continue
            number = _iterate_chosen_row_numbers(choice, first, source.counts.rows)
            for kept in source.read_rows_for_writer(own_choice, tell, own_columns):
                split = source.split_rows(bytes(kept))
                writer.write(b"".join(edit(source, next(number), row) for row in split))
    return revisits


def _iterate_chosen_row_numbers(choice: RowChoice, first_row: int, row_count: int) -> Iterator[int]:
    """Yield the numbers of the chosen rows among some, a part of them at a time."""
    end = first_row + row_count
    for begin in range(first_row, end, _AT_A_TIME):
        mask = choice(begin, min(_AT_A_TIME, end - begin))
        if mask is not None:
            yield from row_numbers_of_mask(mask, begin).to_pylist()


class BytesWriter:
    """Rows that are bytes, each with its end, after a header; compressed if the name says so."""

    def __init__(self, out: IO[bytes], name: str, header: bytes) -> None:
        self._stack = ExitStack()
        self._out = self._stack.enter_context(writer_compressed_by_name(out, name))
        self._ends = True
        self.write(header)

    def write(self, rows: bytes | pa.Buffer) -> None:
        """Write rows, and first the line break that the last row of a file may lack."""
        content = memoryview(rows).cast("B")
        if not len(content):
            return
        if not self._ends:
            self._out.write(b"\n")
        self._out.write(content)
        self._ends = content[-1] in b"\r\n"

    def close(self) -> None:
        """Flush the codec; the file itself stays open."""
        self._stack.close()


class ParquetLayout(NamedTuple):
    """The layout of a Parquet file: rows per group, and pyarrow's options for the rest."""

    rows_per_group: int
    options: dict[str, Any]


#: The layout without another file as a model.
_LAYOUT = ParquetLayout(1 << 17, {"compression": "zstd"})


class ParquetWriter:
    """Writes rows with a schema like another file: compression, and rows per group."""

    def __init__(self, out: IO[bytes], schema: pa.Schema, layout: ParquetLayout = _LAYOUT) -> None:
        import pyarrow.parquet as pq

        self._rows_per_group = layout.rows_per_group
        self._writer = pq.ParquetWriter(out, schema, **layout.options)
        self._schema = schema
        self._batches: list[pa.RecordBatch] = []
        self._count = 0

    def write(self, rows: pa.RecordBatch) -> None:
        """Add rows, and write full groups."""
        while self._count + len(rows) >= self._rows_per_group:
            # Groups are as in the other file, wherever batches end.
            room = self._rows_per_group - self._count
            self._batches.append(rows.slice(0, room))
            self._write_group()
            rows = rows.slice(room)
        self._batches.append(rows)
        self._count += len(rows)

    def _write_group(self) -> None:
        table = pa.Table.from_batches(self._batches, self._schema)
        self._batches, self._count = [], 0
        self._writer.write_table(table, row_group_size=self._rows_per_group)

    def close(self) -> None:
        """Write the last group and the footer; the file itself stays open."""
        if self._count:
            self._write_group()
        self._writer.close()


def layout_like_file(metadata: FileMetaData) -> ParquetLayout:
    """Return the layout of the file that has this metadata; the default one if it has no rows."""
    groups = [metadata.row_group(at) for at in range(metadata.num_row_groups)]
    rows = max([group.num_rows for group in groups], default=0)
    if not rows:
        return _LAYOUT
    chunks = [groups[0].column(at) for at in range(groups[0].num_columns)]
    codecs = {chunk.path_in_schema: chunk.compression.lower() for chunk in chunks}
    options = {
        "compression": {
            path: "none" if codec == "uncompressed" else codec for path, codec in codecs.items()
        },
        "use_dictionary": [chunk.path_in_schema for chunk in chunks if chunk.has_dictionary_page],
        "use_deprecated_int96_timestamps": any(c.physical_type == "INT96" for c in chunks),
        # The names of list elements, and no Arrow schema if there was none.
        "use_compliant_nested_type": False,
        "store_schema": b"ARROW:schema" in (metadata.metadata or {}),
    }
    return ParquetLayout(rows, options)
