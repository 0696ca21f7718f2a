"""Sources of rows, files of any format or tables: their interface, and selections of rows.

A source can be read again and again; its signature detects changes since it was first read.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import astuple, dataclass
from enum import IntEnum
from typing import IO, Any, NamedTuple, Protocol, TypeAlias, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from ilk.arrow import flat
from ilk.base import resources
from ilk.base.ahead import consume_behind
from ilk.base.errors import ColumnTypeError, OptionError, RowTooLong, SourceChanged
from ilk.fingerprints.digest import digest_of_rest_of_file
from ilk.read.formats.parts import SMALL

#: Where a column is, as a form says it.
_Place = TypeVar("_Place")


class Signature(NamedTuple):
    """A value that is equal for equal sources.

    modified: nanoseconds from 1970; None for a table. digest: of its content, in hexadecimal.
    """

    source: str
    size: int
    modified: int | None
    digest: str


class _FileStatus(NamedTuple):
    """What ``os.stat`` says of a file; ``modified``: nanoseconds from 1970."""

    size: int
    modified: int
    inode: int


class Stamp:
    """Which file there was when it was first seen, its size, and its last change."""

    def __init__(self, name: str, path: str) -> None:
        self._name, self._path = name, path
        self._status = self._read_status()
        self.size = self._status.size

    def _read_status(self) -> _FileStatus:
        status = os.stat(self._path)
        return _FileStatus(status.st_size, status.st_mtime_ns, status.st_ino)

    def refuse_if_changed(self) -> None:
        """Raise SourceChanged if there is another file, or it has changed."""
        with suppress(OSError):
            if self._read_status() == self._status:
                return
        raise self.changed_error()

    @contextmanager
    def refuse_changes_before_and_on_error(self) -> Iterator[None]:
        """Check before a use of the file; an error in it may be due to what stands there by now."""
        self.refuse_if_changed()
        try:
            yield
        except Exception:
            self.refuse_if_changed()
            raise

    def changed_error(self) -> SourceChanged:
        """Return the error that the file has changed."""
        return SourceChanged(
            f"{self._name} has changed since it was first read; run again when nothing writes to "
            "it."
        )

    def read_signature(self) -> Signature:
        """Return it with a digest of the file."""
        self.refuse_if_changed()
        with open(self._path, "rb", buffering=0) as file:
            return self.read_signature_with_digest_of(file)

    def read_signature_with_digest_of(self, part: IO[bytes]) -> Signature:
        """Return it with a digest of a part of the file, from where it is open."""
        self.refuse_if_changed()
        digest = digest_of_rest_of_file(part)
        return Signature(self._name, self.size, self._status.modified, digest.hex())


#: A Boolean for each of some consecutive rows; None if none of them is chosen.
MaskOrNoneIfNothingChosen: TypeAlias = "pa.BooleanArray | None"

#: A function of the number of the first row and a count of rows.
RowChoice: TypeAlias = Callable[[int, int], MaskOrNoneIfNothingChosen]

#: A Boolean for every row, or ascending row numbers: a column of Arrow, or what ``pa.array`` takes.
BooleansOrRowNumbers: TypeAlias = "pa.Array | pa.ChunkedArray | Sequence[bool] | Sequence[int]"


def choose_every_row(first_row: int, row_count: int) -> MaskOrNoneIfNothingChosen:
    """Choose every row: a ``RowChoice``."""
    del first_row
    return pa.repeat(True, row_count) if row_count else None


def make_row_choice(rows: BooleansOrRowNumbers, total_rows: int) -> RowChoice:
    """Return the choice of rows by a Boolean for each of all rows, or by their numbers.

    Raises:
        OptionError: there are fewer or more Booleans than rows; or the numbers do not ascend, or
            are too large.
    """
    column = _to_arrow_array(rows)
    if column.null_count:
        raise OptionError(f"{column.null_count} of the row numbers are null; leave them out.")
    if not pa.types.is_boolean(column.type):
        return _make_choice_by_numbers(column, total_rows)
    if len(column) != total_rows:
        raise OptionError(f"{len(column):,} Booleans for {total_rows:,} rows; give one per row.")

    def choose(first_row: int, row_count: int) -> MaskOrNoneIfNothingChosen:
        mask = column.slice(first_row, row_count)
        return mask if mask.true_count else None

    return choose


def renumber_choice_from(choice: RowChoice, new_first_row: int) -> RowChoice:
    """Return the choice of the same rows, where row ``new_first_row`` becomes row 0."""
    return lambda first_row, row_count: choice(first_row + new_first_row, row_count)


def count_chosen_rows(rows: BooleansOrRowNumbers) -> int:
    """Count the chosen rows."""
    column = _to_arrow_array(rows)
    return int(column.true_count) if pa.types.is_boolean(column.type) else len(column)


def row_numbers_of_mask(mask: pa.BooleanArray, first_row: int) -> pa.Int64Array:
    """Return the numbers of the rows for which the mask is true; it begins at ``first_row``."""
    return pc.add(pc.indices_nonzero(mask).cast(pa.int64()), first_row)


def _to_arrow_array(rows: BooleansOrRowNumbers) -> pa.Array:
    return flat(rows) if isinstance(rows, pa.Array | pa.ChunkedArray) else pa.array(rows)


def _make_choice_by_numbers(column: pa.Array, total_rows: int) -> RowChoice:
    """Return the choice of rows by their numbers; OptionError if they do not ascend, or are not
    those of rows.
    """
    if len(column) and not pa.types.is_integer(column.type):
        raise OptionError(f"the rows are given as {column.type}; give Booleans or row numbers.")
    column = column.cast(pa.int64(), safe=False)  # Numbers that are too large become negative.
    if len(column) > 1 and not pc.all(pc.greater(column[1:], column[:-1])).as_py():
        raise OptionError("the row numbers do not ascend; sort them, and remove repeated ones.")
    if len(column) and not 0 <= column[0].as_py() <= column[-1].as_py() < total_rows:
        raise OptionError(
            f"rows {column[0]} to {column[-1]} are given, but there are only {total_rows:,} rows, "
            "counted from 0."
        )
    values = memoryview(column.buffers()[1] or b"").cast("q")
    values = values[column.offset : column.offset + len(column)]

    def choose(first_row: int, row_count: int) -> MaskOrNoneIfNothingChosen:
        end = first_row + row_count
        low = bisect_left(values, first_row)
        high = bisect_left(values, end, low)
        if low == high:
            return None
        return pc.is_in(pa.arange(first_row, end), value_set=column.slice(low, high - low))

    return choose


#: Called during a pass with the number of bytes of the source that were read so far.
TellBytesRead: TypeAlias = Callable[[int], None]


#: Bytes of a piece of a file. Larger ones exceed the processor's cache; smaller ones cannot keep
#: two threads busy.
PIECE = 4 << 20

#: Memory that the process takes for every byte of a text, until it has its evidence: measured 6
#: for words, and 10 for a text without spaces, whose shingles are of characters.
_PER_BYTE = 12


#: Memory for each thread that reads pieces ahead: two, each with its rows and their evidence, and
#: what it takes to make that of one.
ROOM = (_PER_BYTE + 6) * PIECE


class RowByteLimit(NamedTuple):
    """The most bytes that a row may have, and the option that says so."""

    max_bytes: int
    option: str


class RowLimits(NamedTuple):
    """How long a row may be, and how much memory there is for it.

    text: bytes of its text, and of the row in a file of JSON lines or CSV.
    ratio: the same as a multiple of the size of a compressed file, beyond ``SMALL``.
    memory: bytes that the process may hold; 0 for no limit.
    """

    text: int
    ratio: int
    memory: int

    def byte_limit_now(self, compressed_size: int | None = None) -> RowByteLimit:
        """Return how long a row may be, with the memory that is free now.

        ``compressed_size``: that of the file, if it is compressed.
        """
        bounds = [RowByteLimit(self.text, "limit_text")]
        if self.memory:
            free = (self.memory - resources.resident_memory_or_zero()) // _PER_BYTE
            bounds.append(RowByteLimit(max(PIECE, free), "memory"))
        if compressed_size is not None:
            max_bytes = max(SMALL, self.ratio * compressed_size)
            bounds.append(RowByteLimit(max_bytes, "limit_ratio"))
        return min(bounds)


#: Limits that no row reaches.
UNLIMITED = RowLimits(1 << 62, 1 << 62, 0)


def row_too_long_error(
    source_name: str, row: int, limit: RowByteLimit, possible_reason: str = ""
) -> RowTooLong:
    """Return the error that a row is longer than a limit, and why it may be."""
    return RowTooLong(
        f"row {row:,} of {source_name or 'the table'}, counted from 0, is longer than "
        f"{limit.max_bytes:,} bytes, the most that `{limit.option}` allows{possible_reason}; "
        "nothing was written. Allow more, or take the row out."
    )


class ColumnRequest(NamedTuple):
    """The columns to read, and how long a row may be. A dot means itself, or a step into a column.

    texts: joined in this order, with a blank line between them; they may lead into lists.
    id: None if not given; then it is the column ``id``, if it exists.
    keyed: whether the text is a key, of any kind.
    limits: how long a row may be.
    jobs: how many threads read pieces of a file.
    others: more columns to read together with the texts, if that costs less than a pass.
    within: the columns whose values make the groups of rows.
    partly: whether a source may lack some of the columns of texts, but not all.
    """

    texts: tuple[str, ...]
    id: str | None
    keyed: bool = False
    limits: RowLimits = UNLIMITED
    jobs: int = 1
    others: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    partly: bool = False


#: The default column of ids.
ID = "id"


class Part(NamedTuple):
    """Consecutive rows of a source: numbers, texts, ids, and ``labels`` to append to the numbers in
    the names of rows.

    groups: digests, equal for rows of one group; None where they are not known yet.
    """

    rows: pa.Int64Array
    texts: pa.LargeStringArray
    ids: pa.StringArray
    labels: pa.StringArray | None = None
    groups: pa.FixedSizeBinaryArray | None = None


class ValueKind(IntEnum):
    """The kind of a value: for JSON as the kernels number it, or a CSV field, which has none."""

    MISSING = 0
    NULL = 1
    BOOL = 2
    NUMBER = 3
    STRING = 4
    NESTED = 5
    FIELD = 6


#: Counts of rows by the kind of the value in place of the text.
_OUTCOMES = {
    ValueKind.STRING: "with_text",
    ValueKind.MISSING: "missing",
    ValueKind.NULL: "null",
}


class Values(NamedTuple):
    """Values of one column: of a type (no kinds), or as written, each with its ``ValueKind``."""

    values: pa.Array
    kinds: pa.UInt8Array | None


class Rejected(NamedTuple):
    """An unreadable row: where it is, why, and its bytes.

    at: a line, from 1; or, according to ``unit``, an offset in bytes.
    """

    source: str
    at: int
    reason: str
    data: bytes
    unit: str = "line"


@dataclass(slots=True)
class Counts:
    """Counts of rows by outcome.

    rows: that can be read; ``with_text`` and those without, by the value in place of the text:
        nothing (``missing``), ``null``, or something that is not a text (``other``).
    rejected: unreadable rows; they are not among ``rows``.
    replaced: rows in which U+FFFD replaces invalid Unicode.
    """

    rows: int = 0
    with_text: int = 0
    missing: int = 0
    null: int = 0
    other: int = 0
    rejected: int = 0
    replaced: int = 0

    def add_rows(self, kind: ValueKind, row_count: int) -> None:
        """Add rows that have a value of this kind in place of the text."""
        name = _OUTCOMES.get(kind, "other")
        self.rows += row_count
        setattr(self, name, getattr(self, name) + row_count)

    def add_rows_of_texts(self, texts: pa.Array, missing_count: int = 0) -> None:
        """Add rows with these texts; of those that are null, ``missing_count`` lack the value."""
        self.add_rows(ValueKind.MISSING, missing_count)
        self.add_rows(ValueKind.NULL, texts.null_count - missing_count)
        self.add_rows(ValueKind.STRING, len(texts) - texts.null_count)

    def __add__(self, other: Counts) -> Counts:
        pairs = zip(astuple(self), astuple(other), strict=True)
        return Counts(*(left + right for left, right in pairs))


class Writer(Protocol):
    """Writes kept rows as a source returns them, and ends the file."""

    def write(self, rows: Any) -> None:
        """Write some rows."""

    def close(self) -> None:
        """Write buffered rows."""


class SourceRow(NamedTuple):
    """A row of a source, by its number there."""

    source: Source
    row: int


class Revisit(NamedTuple):
    """A row of a source that has no content, but names a row that has it."""

    row: int
    original: SourceRow


class Repeat(NamedTuple):
    """What is known of a row that does not stay, to write it as a revisit of one that does.

    original: the row that stays. content: the row that has the content of this one: itself, unless
    it is a revisit already.
    """

    original: SourceRow
    content: SourceRow


class Source(ABC):
    """Rows that can be read again and again.

    form: "JSON lines", "CSV", ...: only sources of the same form fit into one file.
    name: the path as it was given, or "" for a table.
    size: in bytes, as ``tell`` counts them.
    counts: complete once ``read`` has finished.
    failure: why the rest cannot be read; None if there is no failure.
    """

    form: str
    _stamp: Stamp  # Of a file.

    def __init__(self, name: str, size: int) -> None:
        self.name, self.size = name, size
        self.counts = Counts()
        self.failure: str | None = None
        #: The first row that holds something else in place of its text, and a phrase for its kind.
        self.first_other: tuple[int, str] | None = None

    @property
    def yields_groups(self) -> bool:
        """Whether the parts that are read come with the groups of their rows."""
        return False

    @abstractmethod
    def read_and_count(self, tell: TellBytesRead) -> Iterator[Part]:
        """Yield all rows, count them anew, and remember what later passes need."""

    @abstractmethod
    def read_again(self, choice: RowChoice, tell: TellBytesRead) -> Iterator[Part]:
        """Yield the chosen rows."""

    @abstractmethod
    def read_column(self, column_path: str, tell: TellBytesRead) -> Iterator[Values]:
        """Yield another column of all rows."""

    @abstractmethod
    def read_rows_for_writer(
        self, choice: RowChoice, tell: TellBytesRead, added_columns: pa.Table | None = None
    ) -> Iterator[Any]:
        """Yield the chosen rows for the writer, unchanged except for columns at their ends.

        Args:
            choice, tell: which rows; and a function that is called with the bytes read.
            added_columns: with a value for each of all rows.
        """

    def write_chosen_rows(
        self,
        choice: RowChoice,
        writer: Writer,
        *,
        tell: TellBytesRead,
        added_columns: pa.Table | None,
        jobs: int,
    ) -> None:
        """Write the chosen rows; with several threads, one writes while the others read."""
        rows = self.read_rows_for_writer(choice, tell, added_columns)
        consume_behind(writer.write, rows, jobs)

    def refuse_unwritable_revisits(self, file_name: str) -> None:
        """Raise OptionError if rows cannot be written as revisits in a file of this name."""
        del file_name
        raise self._no_revisits_error()

    def _no_revisits_error(self) -> OptionError:
        return OptionError(
            f"{self.name or 'the table'} is {self.form}, which has no revisit records; `revisits` "
            "needs captures in WARC files."
        )

    def write_and_count_revisits(
        self, choice: RowChoice, writer: Writer, tell: TellBytesRead, repeats: Mapping[int, Repeat]
    ) -> int:
        """Write the chosen rows, and those of ``repeats``, by their numbers, as revisits if their
        content is the same; return how many revisits were written.
        """
        del choice, writer, tell, repeats
        raise self._no_revisits_error()

    @abstractmethod
    def open_writer(
        self, out: IO[bytes], file_name: str, added_columns: pa.Schema | None = None
    ) -> Writer:
        """Open a writer of such rows, with these columns added, to a file with this name.

        It writes the header, if there is one, at once.
        """

    def split_rows(self, content: bytes) -> list[bytes]:
        """Return consecutive rows, each with its end; OptionError if rows are not bytes."""
        del content
        raise OptionError(f"rows of {self.form} have no text that can be changed in place.")

    def row_with_text(self, row: bytes, column_name: str, text: str) -> bytes:
        """Return a row with another text in a field, and nothing else changed."""
        del column_name, text
        return self.split_rows(row)[0]

    def read_column_names(self) -> list[str]:
        """Return the names of the columns of the first row, once the rows were read."""
        return []

    def read_text_column_paths(self, row: int) -> list[str]:
        """Return the names that lead to a text in a row, through objects and lists."""
        del row
        return []

    def local_files_of_queried_glob(self) -> list[str]:
        """Return the files on this machine that are read, if no path was given for each."""
        return []

    def read_signature(self) -> Signature:
        """Return a signature, to detect changes."""
        return self._stamp.read_signature()

    def read_rejected_rows(self) -> Iterator[Rejected]:
        """Yield the rows that cannot be read, or for which there is no text."""
        return iter(())

    def revisits(self) -> Iterator[Revisit]:
        """Yield the rows that are revisits, once the rows were read."""
        return iter(())

    def why_unfit_for_one_file(self, other: Any) -> str | None:
        """Return why rows of another source of this form do not fit after these; None: they do."""
        del other
        return None


#: What marks an added column whose values replace those of a column of its name.
_REPLACES = {b"ilk": b"replaces"}


def make_replacing_column(name: str, values: pa.Array) -> pa.Table:
    """Return a column to add, in a table, which replaces one of its name if the rows have it."""
    field = pa.field(name, values.type, metadata=_REPLACES)
    return pa.table([values], schema=pa.schema([field]))


def may_replace_column(field: pa.Field) -> bool:
    """Return whether a column to add takes the place of a column of its name."""
    return (field.metadata or {}).get(b"ilk") == b"replaces"


def table_with_replaced_or_more_columns(table: pa.Table, added_columns: pa.Table) -> pa.Table:
    """Return a table with more columns, or with other values in those that are replaced."""
    for field in added_columns.schema:
        values = added_columns[field.name]
        if field.name in table.column_names and may_replace_column(field):
            place = table.schema.get_field_index(field.name)
            table = table.set_column(place, field, values)
        else:
            table = table.append_column(field, values)
    return table


class NoSuchColumn(ColumnTypeError):
    """A source has no column of that name."""


def find_text_columns(
    request: ColumnRequest, find_column: Callable[[str], _Place]
) -> dict[str, _Place]:
    """Return by name where the columns of texts of a source are, without those that it may lack.

    Raises:
        ColumnTypeError: by ``find_column``, for a column that it may not lack.
    """
    places, missing = dict[str, _Place](), list[NoSuchColumn]()
    for name in request.texts:
        try:
            places[name] = find_column(name)
        except NoSuchColumn as error:
            missing.append(error)
    if missing and not (request.partly and places):
        raise missing[0]
    return places


def no_such_column_error(
    source_name: str,
    column_name: str,
    existing_names: list[str],
    text_column_paths: Iterable[str] | None = None,
) -> NoSuchColumn:
    """Return the error that there is no such column, with the existing columns.

    text_column_paths: the names that lead to texts, if the name may be one of these.
    """
    there = ", ".join(existing_names[:20]) + (", ..." if len(existing_names) > 20 else "")
    how = (
        " Name the column of texts with `text`, and the column of ids with `id`."
        if text_column_paths is None
        else explain_how_to_name_text_columns(text_column_paths)
    )
    return NoSuchColumn(
        f"{source_name or 'the table'} has no column named {column_name} (it has "
        f"{there or 'none'}).{how}"
    )


def may_be_column_path(name: str) -> bool:
    """Return whether a name may lead into an object or a list."""
    return "." in name or "[" in name


def explain_how_to_name_text_columns(paths: Iterable[str]) -> str:
    """Return where texts are, and how names lead to them, as sentences that follow others."""
    names = list(paths)
    shown = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
    there = f"Texts are in {shown}: name one with `text`" if names else "No column holds texts"
    return (
        f" {there}. A name leads into objects with dots, and into lists with brackets: "
        "turns[].text, turns[0].text, turns[role=user].text."
    )
