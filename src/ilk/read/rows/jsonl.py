"""JSON lines: one object per line; and JSON arrays of objects, read as such lines.

The kernel turns the commas between the elements of an array into line ends, and line ends between
the tokens of an element into spaces, so that every byte stays where it is.
"""

from __future__ import annotations

import json
import re
from contextlib import ExitStack, closing
from typing import IO

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels
from ilk.base.errors import OptionError
from ilk.base.json_text import parse_json
from ilk.base.packing import writer_compressed_by_name
from ilk.read.rows.delimited import (
    DelimitedRows,
    RowCut,
    byte_order_mark_length,
    join_rows,
    spell_values,
)
from ilk.read.rows.sources import ID, Names, ValueKind, Writer, choose_rows, replaces_column
from ilk.read.rows.streams import Pieces, Stream, split_extensions
from ilk.read.rows.text_path import paths_of_values

#: Bytes at the start in which to look for the first token.
_HEAD = 1 << 12


class ArrayStream(Stream):
    """The content of a file that holds an array, as lines."""

    seeks = False

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._lines = _kernels.ArrayLines()

    def _read_some(self, memory: memoryview) -> int:
        read = super()._read_some(memory)
        self._lines.rewrite_in_place(memory[:read])
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
    last of two fields with the same name, so a note may have the name of a field.
    """

    form = "JSON lines"

    def __init__(self, name: str, path: str, names: Names) -> None:
        super().__init__(name, path, names)
        with closing(Stream(path)) as stream:
            head = Pieces(stream).take_at(0, _HEAD)
        content = head.copy_bytes(0, head.size)
        self.begin = byte_order_mark_length(content)  # It is not part of the first line.
        self._array = content[self.begin :].lstrip().startswith(b"[")

    def _open_content(self) -> Stream:
        return ArrayStream(self._path) if self._array else Stream(self._path)

    def writer(self, out: IO[bytes], name: str, notes: pa.Schema | None = None) -> Writer:
        """Return a writer of lines; or of an array, if one is read and the name is for one."""
        if self._array and split_extensions(name)[1] == ".json":
            return ArrayWriter(out, name)
        return super().writer(out, name, notes)

    def _find_whole_rows(self, pieces: Pieces, last: bool) -> tuple[int, RowCut | None]:
        return pieces.size if last else pieces.size_of_whole_lines(), None

    def _cut_rows(
        self, piece: pa.Array, last: bool, names: Names, wanted_mask: pa.Array | None
    ) -> RowCut:
        fields = _kernels.JsonFields(
            texts=list(names.texts), id=names.id or ID, others=self._columns_beside_texts(names)
        )
        return RowCut(*_kernels.read_json_rows(piece, last, fields, wanted_mask))

    def _bytes_of_wanted_rows(
        self, piece: pa.Array, wanted_mask: pa.Array, notes: pa.Table | None
    ) -> pa.Array:
        if notes is None:
            return _kernels.gather_json_rows(piece, wanted_mask)
        fields, replaced = list[pa.Array](), dict[str, pa.Array]()
        for note in notes.schema:
            values = spell_values(notes[note.name], json.dumps)
            name = pa.scalar(f", {json.dumps(note.name)}: ")
            added = pc.binary_join_element_wise(name, values, "")
            if replaces_column(note):
                kinds = self._cut_rows(piece, True, Names((), note.name), wanted_mask).id_kinds
                there = pc.not_equal(kinds, ValueKind.MISSING)
                if pc.any(there).as_py():
                    replaced[note.name], added = there, pc.if_else(there, "", added)
            fields.append(added)
        written = pc.binary_join_element_wise(*fields, "")
        content = _kernels.gather_json_rows(piece, wanted_mask, written.cast(pa.large_binary()))
        if not replaced:
            return content
        rows = self.split_rows(bytes(content.buffers()[1]))
        for name, there in replaced.items():
            own = zip(rows, there.to_pylist(), notes[name].to_pylist(), strict=True)
            rows = [replace_json_value(row, name, of) if has else row for row, has, of in own]
        return join_rows(rows)

    def split_rows(self, content: bytes) -> list[bytes]:
        return re.findall(rb"[^\n]*\n|[^\n]+$", content)

    def with_text(self, row: bytes, name: str, text: str) -> bytes:
        return replace_json_value(row, name, text)

    def read_column_names(self) -> list[str]:
        first = next(self.rows_for_writer(choose_rows([0], self.counts.rows), lambda _: None), b"")
        try:
            return list(parse_json(bytes(first).decode("utf-8", "replace")))
        except ValueError:
            return []

    def read_text_paths(self, row: int) -> list[str]:
        line = next(self.rows_for_writer(choose_rows([row], self.counts.rows), lambda _: None), b"")
        try:
            return paths_of_values(parse_json(bytes(line).decode("utf-8", "replace")))
        except ValueError:
            return []


_DECODER = json.JSONDecoder(strict=False)
_BLANKS = re.compile(r"[ \t\r\n]*")


def replace_json_value(row: bytes, name: str, value: str | int | None) -> bytes:
    r"""Return an object with another value in a field; a dot in the name may lead into a nested
    object.

    >>> replace_json_value(b'{"n": 1.50, "text" :"old"}\n', "text", "new")
    b'{"n": 1.50, "text" :"new"}\n'

    Raises:
        OptionError: it has no value with that name, or is nested too deeply.
    """
    # Bytes that are not UTF-8 are written back as they are.
    line = row.decode("utf-8", "surrogateescape")
    try:
        begin, end = _find_value(line, _skip_blanks(line, 0), name.split("."))
    except (ValueError, KeyError, IndexError, RecursionError):
        raise OptionError(f"a row has no value in {name} that can be changed in place.") from None
    # ASCII stays ASCII.
    written = json.dumps(value, ensure_ascii=line[begin:end].isascii())
    return (line[:begin] + written + line[end:]).encode("utf-8", "surrogateescape")


def _find_value(line: str, at: int, steps: list[str]) -> tuple[int, int]:
    """Return where the value of a field of the object at a place begins and ends."""
    if line[at] != "{":
        raise KeyError(steps[0])
    spans: dict[str, tuple[int, int]] = {}
    at = _skip_blanks(line, at + 1)
    while line[at] != "}":
        name, at = _DECODER.raw_decode(line, at)
        begin = _skip_blanks(line, _skip_blanks(line, at) + 1)
        end = _DECODER.raw_decode(line, begin)[1]
        spans[name] = (begin, end)  # Readers use the last of two fields with the same name.
        at = _skip_blanks(line, end)
        if line[at] == ",":
            at = _skip_blanks(line, at + 1)
    whole = ".".join(steps)
    if whole in spans or len(steps) == 1:
        return spans[whole]
    return _find_value(line, spans[steps[0]][0], steps[1:])


def _skip_blanks(line: str, at: int) -> int:
    match = _BLANKS.match(line, at)
    assert match is not None, "it matches nothing, too"
    return match.end()
