"""CSV and TSV: a header, and rows of fields, with line breaks in quoted ones."""

from __future__ import annotations

import re
from contextlib import closing
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels
from ilk.base.errors import ColumnTypeError, OptionError
from ilk.read.files.content import Unreadable
from ilk.read.rows.delimited import (
    DelimitedRows,
    RowCut,
    join_rows_as_byte_array,
    spell_values_and_nulls,
    utf8_mark_length_or_refuse_utf16,
)
from ilk.read.rows.sources import (
    ID,
    ColumnRequest,
    Source,
    ValueKind,
    find_text_columns,
    may_replace_column,
    no_such_column_error,
)
from ilk.read.rows.streams import Full, ReadBuffer, RecodedStream, Stream, split_codec_and_extension

#: Possible separators: the first one that splits the header is used; else the first.
_DELIMITERS = {".csv": (b",", b";", b"\t"), ".tsv": (b"\t",), ".tab": (b"\t",)}


class _FieldNumbers(NamedTuple):
    """Which fields of a row are its texts and its id (None without one), as the kernel asks."""

    texts: list[int]
    id: int | None


class CsvRows(DelimitedRows):
    """Rows of fields; those with more or fewer fields than the header are rejected.

    A field is a string, perhaps an empty one, never null.
    """

    form = "CSV"
    _possible_reason_of_long_rows = " (perhaps a quotation mark is not closed)"

    def __init__(
        self, name: str, path: str, request: ColumnRequest, encoding: str | None = None
    ) -> None:
        """Read the header; a byte order mark is part of it.

        Unreadable means that it has no header, ColumnTypeError that it lacks a column to read.
        """
        super().__init__(name, path, request)
        self._encoding = encoding
        headers: dict[bytes, _kernels.CsvHeader] = {}
        limit = self._row_byte_limit_now()
        with closing(self._open_content()) as stream:
            head = ReadBuffer(stream, max_bytes=limit.max_bytes)
            while not headers and not head.last:
                try:
                    head.fill_memory_enlarged_if_full()
                except Full:
                    raise Unreadable(
                        f"has a header longer than {limit.max_bytes:,} bytes"
                        f"{self._possible_reason_of_long_rows}"
                    ) from None
                begin = utf8_mark_length_or_refuse_utf16(head.copy_bytes(0, 4))
                piece = head.view_held_bytes()[begin:]
                for delimiter in _DELIMITERS[split_codec_and_extension(path).extension]:
                    header = _kernels.read_csv_header(piece, head.last, delimiter[0])
                    if header is not None:
                        headers[delimiter] = header
        if not headers:
            raise Unreadable(f"is damaged ({head.damage})" if head.damage else "has no header")
        cuts = (delimiter for delimiter, header in headers.items() if len(header.names) > 1)
        self._delimiter = next(cuts, next(iter(headers)))
        self._columns, end = headers[self._delimiter].names, headers[self._delimiter].end
        comma = re.escape(self._delimiter)
        # A quotation mark is special only at the beginning of a field.
        field = rb'(?:"(?:[^"]|"")*(?:"|$)[^%b\r\n]*|[^%b\r\n]*)' % (comma, comma)
        self._field = re.compile(field)
        self._row = re.compile(rb"%b(?:%b%b)*(?:\r\n|\r|\n|$)" % (field, comma, field))
        self.header = head.copy_bytes(0, begin + end)
        self.begin = len(self.header)
        self._text_and_id_field_numbers(request)

    def _open_content(self) -> Stream:
        if self._encoding in (None, "utf-8"):
            return Stream(self._path)
        return RecodedStream(self._path, self._encoding)

    def _cut_rows(
        self, piece: pa.Array, is_last: bool, request: ColumnRequest, wanted_mask: pa.Array | None
    ) -> RowCut:
        texts, row_id = self._text_and_id_field_numbers(request)
        others = [
            self._columns.index(name) for name in self._other_columns_read_with_texts(request)
        ]
        fields = _kernels.CsvFields(count=len(self._columns), texts=texts, id=row_id, others=others)
        cut = RowCut(
            *_kernels.read_csv_rows(piece, is_last, self._delimiter[0], fields, wanted_mask)
        )
        kinds = pa.repeat(pa.scalar(ValueKind.FIELD, pa.uint8()), len(cut.ids))
        return cut._replace(id_kinds=kinds, others=[(values, kinds) for values, _ in cut.others])

    def _other_columns_read_with_texts(self, request: ColumnRequest) -> list[str]:
        return [name for name in request.others if name in self._columns]

    def _bytes_of_wanted_rows(
        self, piece: pa.Array, wanted_mask: pa.Array, added_columns: pa.Table | None
    ) -> pa.Array:
        if added_columns is None:
            return _kernels.gather_csv_rows(piece, self._delimiter[0], wanted_mask)
        replaced_names = [
            field.name for field in added_columns.schema if self._field_replaces_column(field)
        ]
        more = added_columns.drop_columns(replaced_names)
        values = [spell_values_and_nulls(column, _spell_csv_field) for column in more.columns]
        joined = None
        if values:
            joined = pc.binary_join_element_wise("", *values, self._delimiter.decode())
            joined = joined.cast(pa.large_binary())
        content = _kernels.gather_csv_rows(piece, self._delimiter[0], wanted_mask, joined)
        if not replaced_names:
            return content
        rows = self.split_rows(bytes(content.buffers()[1]))
        for name in replaced_names:
            fields = spell_values_and_nulls(added_columns[name], _spell_csv_field).to_pylist()
            rows = [
                self.row_with_text(row, name, text) for row, text in zip(rows, fields, strict=True)
            ]
        return join_rows_as_byte_array(rows)

    def _field_replaces_column(self, field: pa.Field) -> bool:
        return field.name in self._columns and may_replace_column(field)

    def split_rows(self, content: bytes) -> list[bytes]:
        rows, before = [], b""  # Blank lines stay before the next row.
        for match in self._row.finditer(content):
            row = match[0]
            if row.strip(b"\r\n"):
                rows.append(before + row)
                before = b""
            else:
                before += row
        return rows

    def row_with_text(self, row: bytes, column_name: str, text: str) -> bytes:
        """Return a row with another text in a field, in quotes if it was, or must be."""
        match = self._field.match(row, len(row) - len(row.lstrip(b"\r\n")))
        for _ in range(self._field_number(column_name)):
            assert match is not None, "it matches nothing, too"
            match = self._field.match(row, match.end() + 1)
        assert match is not None, "it matches nothing, too"
        written = text.encode()
        plain = self._field.fullmatch(written) is not None and not written.startswith(b'"')
        if match[0].startswith(b'"') or not plain:
            written = b'"' + written.replace(b'"', b'""') + b'"'
        return row[: match.start()] + written + row[match.end() :]

    def _header_with_added_columns_or_refuse(self, added_columns: pa.Schema) -> bytes:
        names = [field.name for field in added_columns if not self._field_replaces_column(field)]
        for name in names:
            if name in self._columns:
                raise OptionError(f"{self.name} already has a column {name}; rename it.")
        line = self.header.rstrip(b"\r\n")
        more = b"".join(self._delimiter + name.encode() for name in names)
        return line + more + (self.header[len(line) :] or b"\n")

    def read_column_names(self) -> list[str]:
        return self._columns

    def why_unfit_for_one_file(self, other: Source) -> str | None:
        assert isinstance(other, CsvRows), "sources of one form are of one class"
        if (other._columns, other._delimiter) == (self._columns, self._delimiter):
            return None
        return f"its columns are {', '.join(other._columns)}, not {', '.join(self._columns)}"

    def _text_and_id_field_numbers(self, request: ColumnRequest) -> _FieldNumbers:
        """Return the numbers of the fields to read; ColumnTypeError if one does not exist."""
        row_id = request.id or (ID if ID in self._columns else None)
        texts = list(find_text_columns(request, self._field_number).values())
        return _FieldNumbers(texts, None if row_id is None else self._field_number(row_id))

    def _field_number(self, column_name: str) -> int:
        """Return the number of the field of a column; ColumnTypeError if there is not just one."""
        if (count := self._columns.count(column_name)) > 1:
            raise ColumnTypeError(
                f"{self.name} has {count} columns named {column_name}; rename all but one."
            )
        if not count:
            raise no_such_column_error(self.name, column_name, self._columns)
        return self._columns.index(column_name)


def _spell_csv_field(value: str | int | float | None) -> str:
    """Write a value as a field: quoted if necessary, empty for None."""
    text = "" if value is None else str(value)
    if any(mark in text for mark in ',;\t"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text
