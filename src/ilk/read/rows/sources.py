"""The interface of sources of rows: files of any format, or tables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass
from enum import IntEnum
from typing import IO, Any, NamedTuple, Protocol, TypeAlias

import pyarrow as pa

from ilk.base.errors import ColumnTypeError, OptionError
from ilk.read.rows.chosen import Chosen
from ilk.read.rows.signature import Signature, Stamp

#: A function of the number of bytes of a source read so far.
Tell: TypeAlias = Callable[[int], None]


class Names(NamedTuple):
    """The columns to read. A dot means itself, or a step into a column.

    texts: joined in this order, with a blank line between them.
    id: None if not given; then it is the column ``id``, if it exists.
    """

    texts: tuple[str, ...]
    id: str | None


#: The default column of ids.
ID = "id"


class Part(NamedTuple):
    """Consecutive rows of a source: their numbers in it, their texts and ids.

    labels: what to append to the number in the names of rows, if there is more.
    """

    rows: pa.Int64Array
    texts: pa.LargeStringArray
    ids: pa.StringArray
    labels: pa.StringArray | None = None


class Kind(IntEnum):
    """The kind of a value: for JSON as numbered by the kernels, or a CSV field, which has no
    kind.
    """

    MISSING = 0
    NULL = 1
    BOOL = 2
    NUMBER = 3
    STRING = 4
    NESTED = 5
    FIELD = 6


class Values(NamedTuple):
    """Values of one column: of a type (no kinds), or as written, each with its ``Kind``."""

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

    def add(self, kind: Kind, number: int) -> None:
        """Count rows by the value in place of the text."""
        names = {Kind.STRING: "with_text", Kind.MISSING: "missing", Kind.NULL: "null"}
        name = names.get(kind, "other")
        self.rows += number
        setattr(self, name, getattr(self, name) + number)

    def add_texts(self, texts: pa.Array) -> None:
        """Count rows by their texts, null if they have no text."""
        self.add(Kind.NULL, texts.null_count)
        self.add(Kind.STRING, len(texts) - texts.null_count)

    def __add__(self, other: Counts) -> Counts:
        """Add the counts of both."""
        pairs = zip(astuple(self), astuple(other), strict=True)
        return Counts(*(left + right for left, right in pairs))


class Writer(Protocol):
    """Writes kept rows as a source returns them, and ends the file."""

    def write(self, rows: Any) -> None:
        """Write some rows."""

    def close(self) -> None:
        """Write buffered rows."""


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
        """Read nothing yet."""
        self.name, self.size = name, size
        self.counts = Counts()
        self.failure: str | None = None

    @abstractmethod
    def read(self, tell: Tell) -> Iterator[Part]:
        """Yield all rows, and remember what later passes need."""

    @abstractmethod
    def again(self, chosen: Chosen, tell: Tell) -> Iterator[Part]:
        """Yield the chosen rows."""

    @abstractmethod
    def column(self, name: str, tell: Tell) -> Iterator[Values]:
        """Yield another column of all rows."""

    @abstractmethod
    def kept(self, chosen: Chosen, tell: Tell, notes: pa.Table | None = None) -> Iterator[Any]:
        """Yield the chosen rows for the writer, unchanged except for notes at their ends.

        Raises:
            OptionError: a row has a column of the same name.
        """

    def write(self, chosen: Chosen, to: Writer, tell: Tell, notes: pa.Table | None) -> None:
        """Write the chosen rows."""
        for rows in self.kept(chosen, tell, notes):
            to.write(rows)

    @abstractmethod
    def writer(self, out: IO[bytes], name: str, notes: pa.Schema | None = None) -> Writer:
        """Return a writer of such rows, with such notes, to a file with this name."""

    def split(self, content: bytes) -> list[bytes]:
        """Return consecutive rows, each with its end, if rows are bytes.

        Raises:
            OptionError: they are not.
        """
        del content
        raise OptionError(f"rows of {self.form} have no text that can be changed in place.")

    def with_text(self, row: bytes, name: str, text: str) -> bytes:
        """Return a row with another text in a field, and nothing else changed.

        Raises:
            OptionError: it has no text there.
        """
        del name, text
        return self.split(row)[0]

    def names(self) -> list[str]:
        """Return the names of the columns of the first row, once the rows were read."""
        return []

    def signature(self) -> Signature:
        """Return a signature, to detect changes."""
        return self._stamp.signature()

    def rejected(self) -> Iterator[Rejected]:
        """Yield the rows that cannot be read, or for which there is no text."""
        return iter(())

    def references(self) -> Iterator[tuple[int, Source, int]]:
        """Yield rows that are mere references, each with source and row of another."""
        return iter(())

    def unlike(self, other: Any) -> str | None:
        """Return why rows of another source of this form do not fit after these; None if they
        do.
        """
        del other
        return None


def no_column(source: str, name: str, seen: list[str]) -> ColumnTypeError:
    """Return the error that there is no such column, with the existing columns."""
    there = ", ".join(seen[:20]) + (", ..." if len(seen) > 20 else "") or "none"
    where = source or "the table"
    return ColumnTypeError(
        f"{where} has no column named {name} (it has {there}). Name the column of texts with "
        "`text`, and the column of ids with `id`."
    )
