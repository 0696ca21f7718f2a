"""CSV and TSV: a header, and rows of fields, with line breaks in quoted ones."""

from __future__ import annotations

from contextlib import closing

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels
from ilk.base.errors import ColumnTypeError, OptionError
from ilk.read.files.content import Unreadable
from ilk.read.rows import edited
from ilk.read.rows.delimited import Grammar, RowCut, mark
from ilk.read.rows.pieces import Pieces
from ilk.read.rows.sources import ID, Kind, Names, Values, no_column
from ilk.read.rows.streams import Recoded, Stream, bare
from ilk.read.rows.values import spelled

#: Possible separators: the first one that splits the header is used; else the first.
_DELIMITERS = {".csv": (b",", b";", b"\t"), ".tsv": (b"\t",), ".tab": (b"\t",)}


class Separated(Grammar):
    """A grammar that rejects rows with more or fewer fields than the header.

    A field is a string, perhaps an empty one, never null.
    """

    form = "CSV"

    def __init__(self, name: str, path: str, names: Names, encoding: str | None = None) -> None:
        """Read the header; a byte order mark is part of it.

        Content in another encoding is read, and kept, as UTF-8.

        Unreadable means that it has no header, ColumnTypeError that it lacks a column to read.
        """
        self._encoding = encoding
        headers: dict[bytes, tuple[list[str], int, int]] = {}
        with closing(self.stream(path)) as stream:
            head = Pieces(stream)
            while not headers and not head.last:
                head.fill()
                begin = mark(head.content(0, 4))
                piece = head.column()[begin:]
                for delimiter in _DELIMITERS[bare(path)[1]]:
                    header = _kernels.csv_header(piece, head.last, delimiter[0])
                    if header is not None:
                        headers[delimiter] = header
        if not headers:
            raise Unreadable(f"is damaged ({head.damage})" if head.damage else "has no header")
        cuts = (delimiter for delimiter, (columns, *_) in headers.items() if len(columns) > 1)
        self._name, self._delimiter = name, next(cuts, next(iter(headers)))
        self._columns, _, end = headers[self._delimiter]
        self._fields = edited.Fields(self._delimiter)
        self.header = head.content(0, begin + end)
        self.begin = len(self.header)
        self._places(names)

    def stream(self, path: str) -> Stream:
        """Open the content of a file as UTF-8."""
        return Stream(path) if self._encoding in (None, "utf-8") else Recoded(path, self._encoding)

    def read(self, piece: pa.Array, last: bool, names: Names, wanted: pa.Array | None) -> RowCut:
        """Read the wanted rows of a piece."""
        delimiter, count = self._delimiter[0], len(self._columns)
        return RowCut(
            *_kernels.csv_rows(piece, last, delimiter, count, *self._places(names), wanted)
        )

    def content(self, piece: pa.Array, wanted: pa.Array, notes: pa.Table | None) -> pa.Array:
        """Return the wanted rows of a piece, each with its notes as fields at its end."""
        delimiter = self._delimiter
        if notes is None:
            return _kernels.csv_bytes(piece, delimiter[0], wanted)
        values = [spelled(column, _field) for column in notes.columns]
        written = pc.binary_join_element_wise("", *values, delimiter.decode())
        return _kernels.csv_bytes(piece, delimiter[0], wanted, written.cast(pa.large_binary()))

    def split(self, content: bytes) -> list[bytes]:
        """Return rows one by one."""
        return self._fields.split(content)

    def with_text(self, row: bytes, name: str, text: str) -> bytes:
        """Return a row with another text in a field."""
        return self._fields.replaced(row, self._place(name), text)

    def noted(self, names: list[str]) -> bytes:
        """Return the header with more fields."""
        for name in names:
            if name in self._columns:
                raise OptionError(f"{self._name} already has a column {name}; rename it.")
        line = self.header.rstrip(b"\r\n")
        more = b"".join(self._delimiter + name.encode() for name in names)
        return line + more + (self.header[len(line) :] or b"\n")

    def names(self, row: bytes) -> list[str]:
        """Return the header."""
        del row
        return self._columns

    def column(self, cut: RowCut) -> Values:
        """Return the ids as fields, which have no kind."""
        kinds = pa.repeat(pa.scalar(Kind.FIELD, pa.uint8()), len(cut.ids))
        return Values(cut.ids.view(pa.large_string()), kinds)

    def unlike(self, other: Grammar) -> str | None:
        """Compare the headers."""
        assert isinstance(other, Separated), "grammars of one form are of one class"
        if (other._columns, other._delimiter) == (self._columns, self._delimiter):
            return None
        return f"its columns are {', '.join(other._columns)}, not {', '.join(self._columns)}"

    def _places(self, names: Names) -> tuple[list[int], int | None]:
        """Return the numbers of the fields to read; ColumnTypeError if one does not exist."""
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
    """Write a value as a field: quoted if necessary, empty for None."""
    text = "" if value is None else str(value)
    if any(mark in text for mark in ',;\t"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text
