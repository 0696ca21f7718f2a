"""CSV and TSV: a header, and one row of fields behind another, with line ends in quoted ones."""

from __future__ import annotations

from contextlib import closing

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels
from ilk.errors import ColumnTypeError, OptionError
from ilk.readers.files.content import Unreadable
from ilk.readers.rows.delimited import DelimitedRows, Found, mark
from ilk.readers.rows.pieces import Pieces
from ilk.readers.rows.sources import ID, Kind, Names, Values, no_column
from ilk.readers.rows.streams import Stream, bare
from ilk.readers.rows.values import spelled

#: What may separate fields: the first that cuts the header into several; else the first.
_DELIMITERS = {".csv": (b",", b";", b"\t"), ".tsv": (b"\t",), ".tab": (b"\t",)}


class Separated:
    """Rows with more or fewer fields than the header are rejected. A ``Grammar``.

    A field is a string, perhaps an empty one, never null.
    """

    form = "CSV"

    def __init__(self, name: str, columns: list[str], delimiter: bytes, header: bytes) -> None:
        """Take the header: its fields, and its bytes up to the first row."""
        self._name, self._columns, self._delimiter = name, columns, delimiter
        self.header, self.begin = header, len(header)

    def read(self, piece: pa.Array, last: bool, names: Names, wanted: pa.Array | None) -> Found:
        """Read the wanted rows of a piece."""
        count = len(self._columns)
        texts, row_id = self._places(names)
        delimiter = self._delimiter[0]
        return Found(*_kernels.csv_rows(piece, last, delimiter, count, texts, row_id, wanted))

    def content(self, piece: pa.Array, wanted: pa.Array, notes: pa.Table | None) -> pa.Array:
        """The wanted rows of a piece, each with its notes as fields at its end."""
        if notes is None:
            return _kernels.csv_bytes(piece, self._delimiter[0], wanted)
        values = [spelled(column, _field) for column in notes.columns]
        written = pc.binary_join_element_wise("", *values, self._delimiter.decode())
        return _kernels.csv_bytes(
            piece, self._delimiter[0], wanted, written.cast(pa.large_binary())
        )

    def noted(self, names: list[str]) -> bytes:
        """The header with more fields."""
        for name in names:
            if name in self._columns:
                raise OptionError(f"{self._name} has a column {name} already; rename it.")
        line = self.header.rstrip(b"\r\n")
        more = b"".join(self._delimiter + name.encode() for name in names)
        return line + more + (self.header[len(line) :] or b"\n")

    def column(self, found: Found) -> Values:
        """The ids as fields, which have no kind."""
        kinds = pa.repeat(pa.scalar(Kind.FIELD, pa.uint8()), len(found.ids))
        return Values(found.ids.view(pa.large_string()), kinds)

    def unlike(self, other: object) -> str | None:
        """Rows fit behind rows of the same header."""
        assert isinstance(other, Separated), "grammars of one form are of one class"
        if (other._columns, other._delimiter) == (self._columns, self._delimiter):
            return None
        return f"its columns are {', '.join(other._columns)}, not {', '.join(self._columns)}"

    def check(self, names: Names) -> None:
        """Refuse columns that are not there.

        Raises:
            ColumnTypeError: there is no such column, or there are two.
        """
        self._places(names)

    def _places(self, names: Names) -> tuple[list[int], int | None]:
        """The numbers of the fields that are read."""
        row_id = names.id or (ID if ID in self._columns else None)
        texts = [self._place(name) for name in names.texts]
        return texts, None if row_id is None else self._place(row_id)

    def _place(self, name: str) -> int:
        if (count := self._columns.count(name)) > 1:
            raise ColumnTypeError(
                f"{self._name} has {count} columns named {name}; rename all but one."
            )
        if not count:
            raise no_column(self._name, name, self._columns)
        return self._columns.index(name)


def _field(value: str | int | float | None) -> str:
    """A value as a field: quoted where it must be, empty for None."""
    text = "" if value is None else str(value)
    if any(mark in text for mark in ',;\t"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def separated(name: str, path: str, names: Names) -> DelimitedRows:
    """A file of CSV, its header read. A byte order mark is part of the header.

    Raises:
        OSError: it cannot be opened.
        Unreadable: it is UTF-16, or has no header.
        ColumnTypeError: it has not the columns that are to be read.
    """
    grammar = _header(name, path)
    grammar.check(names)
    return DelimitedRows(name, path, grammar, names)


def _header(name: str, path: str) -> Separated:
    with closing(Stream(path)) as stream:
        head = Pieces(stream)
        found: list[tuple[list[str], int, int]] = []
        delimiters = _DELIMITERS[bare(path)[1]]
        while not found and not head.last:
            head.fill()
            begin = mark(head.content(0, 4))
            piece = head.column()[begin:]
            rows = [_kernels.csv_header(piece, head.last, one[0]) for one in delimiters]
            found = [row for row in rows if row is not None]
    if not found:
        raise Unreadable(f"is damaged ({head.damage})" if head.damage else "has no header")
    at = next((at for at, row in enumerate(found) if len(row[0]) > 1), 0)
    columns, _, end = found[at]
    return Separated(name, columns, delimiters[at], head.content(0, begin + end))
