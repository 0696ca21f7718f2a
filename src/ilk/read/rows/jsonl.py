"""JSON lines: one object per line; and JSON arrays of objects, read as such lines.

The kernel turns the commas between the elements of an array into line ends, and line ends between
the tokens of an element into spaces, so that every byte stays where it is.
"""

from __future__ import annotations

import json
import re
from contextlib import ExitStack, closing
from typing import IO, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels
from ilk.base.compression import writer_compressed_by_name
from ilk.base.errors import OptionError
from ilk.base.json_text import parse_json
from ilk.read.rows.delimited import (
    DelimitedRows,
    RowCut,
    WholeRows,
    join_rows_as_byte_array,
    spell_values_and_nulls,
    utf8_mark_length_or_refuse_utf16,
)
from ilk.read.rows.sources import (
    ID,
    ColumnRequest,
    ValueKind,
    Writer,
    make_row_choice,
    may_replace_column,
)
from ilk.read.rows.streams import ReadBuffer, Stream, split_codec_and_extension
from ilk.read.rows.text_path import string_paths_in_object

#: Bytes at the start in which to look for the first token.
_HEAD = 1 << 12


class ArrayStream(Stream):
    """The content of a file that holds an array, as lines."""

    seeks = False

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._lines = _kernels.ArrayLines()

    def _read_some_or_note_damage(self, memory: memoryview) -> int:
        read = super()._read_some_or_note_damage(memory)
        self._lines.rewrite_in_place_unchecked(memory[:read])
        return read


class ArrayWriter(Writer):
    """A file that becomes an array of rows given as lines."""

    def __init__(self, out: IO[bytes], name: str) -> None:
        self._stack = ExitStack()
        self._out = self._stack.enter_context(writer_compressed_by_name(out, name))
        self._before = b"[\n"

    def write(self, rows: bytes | pa.Buffer) -> None:
        lines = filter(None, (line.strip() for line in bytes(rows).split(b"\n")))
        if content := b",\n".join(lines):
            self._out.write(self._before + content)
            self._before = b",\n"

    def close(self) -> None:
        """Write the other bracket; the file itself stays open."""
        self._out.write(b"[]\n" if self._before == b"[\n" else b"\n]\n")
        self._stack.close()


class JsonRows(DelimitedRows):
    """Lines; anything but objects is rejected, and blank lines are not rows.

    A file with one array is read as if each of its elements were on its own line. Readers use the
    last of two fields with the same name, so an added column may have the name of a field.
    """

    form = "JSON lines"

    def __init__(self, name: str, path: str, request: ColumnRequest) -> None:
        super().__init__(name, path, request)
        with closing(Stream(path)) as stream:
            head = ReadBuffer(stream).skip_to_and_take(0, _HEAD)
        content = head.copy_bytes(0, head.size)
        self.begin = utf8_mark_length_or_refuse_utf16(content)  # It is not part of the first line.
        self._array = content[self.begin :].lstrip().startswith(b"[")

    def _open_content(self) -> Stream:
        return ArrayStream(self._path) if self._array else Stream(self._path)

    def open_writer(
        self, out: IO[bytes], file_name: str, added_columns: pa.Schema | None = None
    ) -> Writer:
        """Return a writer of lines; or of an array, if one is read and the name is for one."""
        if self._array and split_codec_and_extension(file_name).extension == ".json":
            return ArrayWriter(out, file_name)
        return super().open_writer(out, file_name, added_columns)

    def _measure_or_cut_whole_rows(self, buffer: ReadBuffer, is_last: bool) -> WholeRows:
        return WholeRows(buffer.size if is_last else buffer.size_of_whole_lines(), None)

    def _cut_rows(
        self, piece: pa.Array, is_last: bool, request: ColumnRequest, wanted_mask: pa.Array | None
    ) -> RowCut:
        fields = _kernels.JsonFields(
            texts=list(request.texts),
            id=request.id or ID,
            others=self._other_columns_read_with_texts(request),
        )
        return RowCut(*_kernels.read_json_rows(piece, is_last, fields, wanted_mask))

    def _bytes_of_wanted_rows(
        self, piece: pa.Array, wanted_mask: pa.Array, added_columns: pa.Table | None
    ) -> pa.Array:
        if added_columns is None:
            return _kernels.gather_json_rows(piece, wanted_mask)
        fields, has_field = list[pa.Array](), dict[str, pa.Array]()
        for field in added_columns.schema:
            values = spell_values_and_nulls(added_columns[field.name], json.dumps)
            name = pa.scalar(f", {json.dumps(field.name)}: ")
            added_text = pc.binary_join_element_wise(name, values, "")
            if may_replace_column(field):
                kinds = self._cut_rows(
                    piece, True, ColumnRequest((), field.name), wanted_mask
                ).id_kinds
                there = pc.not_equal(kinds, ValueKind.MISSING)
                if pc.any(there).as_py():
                    has_field[field.name], added_text = there, pc.if_else(there, "", added_text)
            fields.append(added_text)
        written = pc.binary_join_element_wise(*fields, "")
        content = _kernels.gather_json_rows(piece, wanted_mask, written.cast(pa.large_binary()))
        if not has_field:
            return content
        rows = self.split_rows(bytes(content.buffers()[1]))
        for name, there in has_field.items():
            values = zip(rows, there.to_pylist(), added_columns[name].to_pylist(), strict=True)
            rows = [
                replace_existing_json_value(row, name, value) if is_there else row
                for row, is_there, value in values
            ]
        return join_rows_as_byte_array(rows)

    def split_rows(self, content: bytes) -> list[bytes]:
        return re.findall(rb"[^\n]*\n|[^\n]+$", content)

    def row_with_text(self, row: bytes, column_name: str, text: str) -> bytes:
        return replace_existing_json_value(row, column_name, text)

    def read_column_names(self) -> list[str]:
        first = next(
            self.read_rows_for_writer(make_row_choice([0], self.counts.rows), lambda _: None), b""
        )
        try:
            return list(parse_json(bytes(first).decode("utf-8", "replace")))
        except ValueError:
            return []

    def read_text_column_paths(self, row: int) -> list[str]:
        line = next(
            self.read_rows_for_writer(make_row_choice([row], self.counts.rows), lambda _: None), b""
        )
        try:
            return string_paths_in_object(parse_json(bytes(line).decode("utf-8", "replace")))
        except ValueError:
            return []


_DECODER = json.JSONDecoder(strict=False)
_BLANKS = re.compile(r"[ \t\r\n]*")


class _ValueSpan(NamedTuple):
    """Where a value begins and ends in a line."""

    begin: int
    end: int


def replace_existing_json_value(row: bytes, column_path: str, value: str | int | None) -> bytes:
    r"""Return a row with another value in a field; a dot may lead into a nested object.

    >>> replace_existing_json_value(b'{"n": 1.50, "text" :"old"}\n', "text", "new")
    b'{"n": 1.50, "text" :"new"}\n'

    Raises:
        OptionError: it has no value with that name, or is nested too deeply.
    """
    # Bytes that are not UTF-8 are written back as they are.
    line = row.decode("utf-8", "surrogateescape")
    try:
        begin, end = _find_existing_value_span(
            line, _position_after_blanks(line, 0), column_path.split(".")
        )
    except (ValueError, KeyError, IndexError, RecursionError):
        raise OptionError(
            f"a row has no value in {column_path} that can be changed in place."
        ) from None
    # ASCII stays ASCII.
    written = json.dumps(value, ensure_ascii=line[begin:end].isascii())
    return (line[:begin] + written + line[end:]).encode("utf-8", "surrogateescape")


def _find_existing_value_span(line: str, object_begin: int, steps: list[str]) -> _ValueSpan:
    """Return where the value is to which the names of fields lead from an object.

    Raises:
        KeyError: there is no such field, or no object.
        ValueError, IndexError: this is no JSON.
    """
    if line[object_begin] != "{":
        raise KeyError(steps[0])
    spans: dict[str, _ValueSpan] = {}
    at = _position_after_blanks(line, object_begin + 1)
    while line[at] != "}":
        name, at = _DECODER.raw_decode(line, at)
        begin = _position_after_blanks(line, _position_after_blanks(line, at) + 1)
        end = _DECODER.raw_decode(line, begin)[1]
        spans[name] = _ValueSpan(
            begin, end
        )  # Readers use the last of two fields with the same name.
        at = _position_after_blanks(line, end)
        if line[at] == ",":
            at = _position_after_blanks(line, at + 1)
    whole = ".".join(steps)
    if whole in spans or len(steps) == 1:
        return spans[whole]
    return _find_existing_value_span(line, spans[steps[0]].begin, steps[1:])


def _position_after_blanks(line: str, position: int) -> int:
    match = _BLANKS.match(line, position)
    assert match is not None, "it matches nothing, too"
    return match.end()
