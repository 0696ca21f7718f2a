"""Sources of rows, files of any format or tables: their interface, and selections of rows.

A source can be read again and again; its signature detects changes since it was first read.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import astuple, dataclass
from enum import IntEnum
from typing import IO, Any, NamedTuple, Protocol, TypeAlias, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from ilk.arrow import flat
from ilk.base import resources
from ilk.base.errors import ColumnTypeError, OptionError, RowTooLong, SourceChanged
from ilk.fingerprints.digest import digest_of_file
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


class Stamp:
    """Which file there was when it was first seen, its size, and its last change."""

    def __init__(self, name: str, path: str) -> None:
        self._name, self._path = name, path
        self.size, *_ = self._seen = self._read_status()

    def _read_status(self) -> tuple[int, int, int]:
        status = os.stat(self._path)
        return status.st_size, status.st_mtime_ns, status.st_ino

    def refuse_if_changed(self) -> None:
        """Raise SourceChanged if there is another file, or it has changed."""
        with suppress(OSError):
            if self._read_status() == self._seen:
                return
        raise self.changed_error()

    @contextmanager
    def refuse_changes(self) -> Iterator[None]:
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

    def read_signature(self, part: IO[bytes] | None = None) -> Signature:
        """Return it with a digest of the file, or of an open part of it."""
        self.refuse_if_changed()
        with nullcontext(part) if part else open(self._path, "rb", buffering=0) as file:
            digest = digest_of_file(file)
        return Signature(self._name, self.size, self._seen[1], digest.hex())


#: A function that returns Booleans for ``count`` rows, starting at ``first``; None if none is
#: wanted.
RowChoice: TypeAlias = Callable[[int, int], pa.BooleanArray | None]


def choose_every_row(first: int, count: int) -> pa.BooleanArray | None:
    """Choose every row."""
    del first
    return pa.repeat(True, count) if count else None


def choose_rows(rows: Any, total: int) -> RowChoice:
    """Choose rows by a Boolean for each of the ``total`` rows, or by ascending row numbers."""
    column = _choice_column(rows)
    if column.null_count:
        raise OptionError(f"{column.null_count} of the row numbers are null; leave them out.")
    if not pa.types.is_boolean(column.type):
        return _choose_by_number(column, total)
    if len(column) != total:
        raise OptionError(f"{len(column):,} Booleans for {total:,} rows; give one per row.")

    def within(first: int, count: int) -> pa.BooleanArray | None:
        wanted = column.slice(first, count)
        return wanted if wanted.true_count else None

    return within


def shift_choice(chosen: RowChoice, by: int) -> RowChoice:
    """Choose the same rows, numbered from another first one."""
    return lambda first, count: chosen(first + by, count)


def count_chosen(rows: Any) -> int:
    """Count the chosen rows."""
    column = _choice_column(rows)
    return int(column.true_count) if pa.types.is_boolean(column.type) else len(column)


def chosen_numbers(mask: pa.BooleanArray, first: int) -> pa.Int64Array:
    """Return the numbers of the rows for which the mask is true; the first row is ``first``."""
    return pc.add(pc.indices_nonzero(mask).cast(pa.int64()), first)


def _choice_column(rows: Any) -> pa.Array:
    return flat(rows) if isinstance(rows, pa.Array | pa.ChunkedArray) else pa.array(rows)


def _choose_by_number(column: pa.Array, total: int) -> RowChoice:
    if len(column) and not pa.types.is_integer(column.type):
        raise OptionError(f"the rows are given as {column.type}; give Booleans or row numbers.")
    column = column.cast(pa.int64(), safe=False)  # Numbers that are too large become negative.
    if len(column) > 1 and not pc.all(pc.greater(column[1:], column[:-1])).as_py():
        raise OptionError("the row numbers do not ascend; sort them, and remove repeated ones.")
    if len(column) and not 0 <= column[0].as_py() <= column[-1].as_py() < total:
        raise OptionError(
            f"rows {column[0]} to {column[-1]} are given, but there are only {total:,} rows, "
            "counted from 0."
        )
    values = memoryview(column.buffers()[1] or b"").cast("q")
    values = values[column.offset : column.offset + len(column)]

    def within(first: int, count: int) -> pa.BooleanArray | None:
        low = bisect_left(values, first)
        high = bisect_left(values, first + count, low)
        if low == high:
            return None
        return pc.is_in(pa.arange(first, first + count), value_set=column.slice(low, high - low))

    return within


#: A function of the number of bytes of a source read so far.
Tell: TypeAlias = Callable[[int], None]


#: Bytes of a piece of a file. Larger ones exceed the processor's cache; smaller ones cannot keep
#: two threads busy.
PIECE = 4 << 20

#: Memory that the process takes for every byte of a text, until it has its evidence: measured 6
#: for words, and 10 for a text without spaces, whose shingles are of characters.
_PER_BYTE = 12


#: Memory for each thread that reads pieces ahead: two, each with its rows and their evidence, and
#: what it takes to make that of one.
ROOM = (_PER_BYTE + 6) * PIECE


class LongestRow(NamedTuple):
    """The most bytes that a row may have, and the option that says so."""

    most: int
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

    def longest_row(self, compressed_size: int | None = None) -> LongestRow:
        """Return how long a row may be now.

        ``compressed_size``: that of the file, if it is compressed.
        """
        bounds = [LongestRow(self.text, "limit_text")]
        if self.memory:
            free = (self.memory - resources.resident_memory_or_zero()) // _PER_BYTE
            bounds.append(LongestRow(max(PIECE, free), "memory"))
        if compressed_size is not None:
            most = max(SMALL, self.ratio * compressed_size)
            bounds.append(LongestRow(most, "limit_ratio"))
        return min(bounds)


#: Limits that no row reaches.
UNLIMITED = RowLimits(1 << 62, 1 << 62, 0)


def too_long_error(name: str, row: int, limit: LongestRow, perhaps: str = "") -> RowTooLong:
    """Return the error that a row is longer than a limit; ``perhaps``: why it may be."""
    return RowTooLong(
        f"row {row:,} of {name or 'the table'}, counted from 0, is longer than {limit.most:,} "
        f"bytes, the most that `{limit.option}` allows{perhaps}; nothing was written. Allow more, "
        "or take the row out."
    )


class Names(NamedTuple):
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
_OUTCOMES = {ValueKind.STRING: "with_text", ValueKind.MISSING: "missing", ValueKind.NULL: "null"}


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

    def add(self, kind: ValueKind, number: int) -> None:
        """Count rows by the value in place of the text."""
        name = _OUTCOMES.get(kind, "other")
        self.rows += number
        setattr(self, name, getattr(self, name) + number)

    def add_texts(self, texts: pa.Array, missing: int = 0) -> None:
        """Count rows by their texts: null without one, or if nothing is there (``missing``)."""
        self.add(ValueKind.MISSING, missing)
        self.add(ValueKind.NULL, texts.null_count - missing)
        self.add(ValueKind.STRING, len(texts) - texts.null_count)

    def __add__(self, other: Counts) -> Counts:
        pairs = zip(astuple(self), astuple(other), strict=True)
        return Counts(*(left + right for left, right in pairs))


class Writer(Protocol):
    """Writes kept rows as a source returns them, and ends the file."""

    def write(self, rows: Any) -> None:
        """Write some rows."""

    def close(self) -> None:
        """Write buffered rows."""


class Repeat(NamedTuple):
    """What is known of a row that does not stay, to write it as a mere reference to one that does.

    original: the source and the row that stays. content: the source and the row that have the
    content of this row: itself, unless it is a mere reference already.
    """

    original: tuple[Source, int]
    content: tuple[Source, int]


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
    def tells_groups(self) -> bool:
        """Whether the parts that are read tell the groups of rows."""
        return False

    @abstractmethod
    def read(self, tell: Tell) -> Iterator[Part]:
        """Yield all rows, and remember what later passes need."""

    @abstractmethod
    def read_again(self, chosen: RowChoice, tell: Tell) -> Iterator[Part]:
        """Yield the chosen rows."""

    @abstractmethod
    def read_column(self, name: str, tell: Tell) -> Iterator[Values]:
        """Yield another column of all rows."""

    @abstractmethod
    def rows_for_writer(
        self, chosen: RowChoice, tell: Tell, notes: pa.Table | None = None
    ) -> Iterator[Any]:
        """Yield the chosen rows for the writer, unchanged except for notes at their ends."""

    def write(self, chosen: RowChoice, to: Writer, tell: Tell, notes: pa.Table | None) -> None:
        """Write the chosen rows."""
        for rows in self.rows_for_writer(chosen, tell, notes):
            to.write(rows)

    def refuse_unwritable_repeats(self, name: str) -> None:
        """Raise OptionError if rows cannot be written as mere references in a file of this name."""
        del name
        raise self._no_revisits_error()

    def _no_revisits_error(self) -> OptionError:
        return OptionError(
            f"{self.name or 'the table'} is {self.form}, which has no revisit records; `revisits` "
            "needs captures in WARC files."
        )

    def write_and_count_repeats(
        self, chosen: RowChoice, to: Writer, tell: Tell, repeats: Mapping[int, Repeat]
    ) -> int:
        """Write the chosen rows, and those that repeat others as mere references to these, if
        their content is the same; return how many such references there are.
        """
        del chosen, to, tell, repeats
        raise self._no_revisits_error()

    @abstractmethod
    def writer(self, out: IO[bytes], name: str, notes: pa.Schema | None = None) -> Writer:
        """Return a writer of such rows, with such notes, to a file with this name."""

    def split_rows(self, content: bytes) -> list[bytes]:
        """Return consecutive rows, each with its end; OptionError if rows are not bytes."""
        del content
        raise OptionError(f"rows of {self.form} have no text that can be changed in place.")

    def with_text(self, row: bytes, name: str, text: str) -> bytes:
        """Return a row with another text in a field, and nothing else changed."""
        del name, text
        return self.split_rows(row)[0]

    def read_column_names(self) -> list[str]:
        """Return the names of the columns of the first row, once the rows were read."""
        return []

    def read_text_paths(self, row: int) -> list[str]:
        """Return the names that lead to a text in a row, through objects and lists."""
        del row
        return []

    def files(self) -> list[str]:
        """Return the files on this machine that are read, if no path was given for each."""
        return []

    def read_signature(self) -> Signature:
        """Return a signature, to detect changes."""
        return self._stamp.read_signature()

    def rejected_rows(self) -> Iterator[Rejected]:
        """Yield the rows that cannot be read, or for which there is no text."""
        return iter(())

    def references(self) -> Iterator[tuple[int, Source, int]]:
        """Yield rows that are mere references, each with source and row of another."""
        return iter(())

    def why_unlike(self, other: Any) -> str | None:
        """Return why rows of another source of this form do not fit after these, if they do not."""
        del other
        return None


#: What marks a note whose values replace those of a column of its name.
_REPLACES = {b"ilk": b"replaces"}


def make_replacing_notes(name: str, values: pa.Array) -> pa.Table:
    """Return notes of one column, which replaces a column of its name if the rows have one."""
    field = pa.field(name, values.type, metadata=_REPLACES)
    return pa.table([values], schema=pa.schema([field]))


def replaces_column(note: pa.Field) -> bool:
    """Return whether a note takes the place of a column of its name."""
    return (note.metadata or {}).get(b"ilk") == b"replaces"


def add_notes(table: pa.Table, notes: pa.Table) -> pa.Table:
    """Return a table with more columns, or with other values in columns that notes replace."""
    for field in notes.schema:
        values = notes[field.name]
        if field.name in table.column_names and replaces_column(field):
            place = table.schema.get_field_index(field.name)
            table = table.set_column(place, field, values)
        else:
            table = table.append_column(field, values)
    return table


class NoSuchColumn(ColumnTypeError):
    """A source has no column of that name."""


def find_text_columns(names: Names, find: Callable[[str], _Place]) -> dict[str, _Place]:
    """Return where the columns of texts of a source are, those that it may lack left out.

    Raises:
        ColumnTypeError: by ``find``, for a column that it may not lack.
    """
    places, missing = dict[str, _Place](), list[NoSuchColumn]()
    for name in names.texts:
        try:
            places[name] = find(name)
        except NoSuchColumn as error:
            missing.append(error)
    if missing and not (names.partly and places):
        raise missing[0]
    return places


def no_column_error(
    source: str, name: str, seen: list[str], paths: Iterable[str] | None = None
) -> NoSuchColumn:
    """Return the error that there is no such column, with the existing columns.

    paths: the names that lead to texts, if the name may be one of these.
    """
    there = ", ".join(seen[:20]) + (", ..." if len(seen) > 20 else "") or "none"
    where = source or "the table"
    how = (
        " Name the column of texts with `text`, and the column of ids with `id`."
        if paths is None
        else spell_text_paths(paths)
    )
    return NoSuchColumn(f"{where} has no column named {name} (it has {there}).{how}")


def may_name_nested_column(name: str) -> bool:
    """Return whether a name may lead into an object or a list."""
    return "." in name or "[" in name


def spell_text_paths(paths: Iterable[str]) -> str:
    """Return where texts are, and how names lead to them, as sentences that follow others."""
    names = list(paths)
    shown = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
    there = f"Texts are in {shown}: name one with `text`" if names else "No column holds texts"
    return (
        f" {there}. A name leads into objects with dots, and into lists with brackets: "
        "turns[].text, turns[0].text, turns[role=user].text."
    )
