"""JSON lines: one object per line; and JSON arrays of objects, read as such lines.

The commas between the elements of an array, and the closing bracket, become line breaks; line
breaks between the tokens of an element become spaces. So a reader of lines reads elements, in
bounded memory, each the same JSON as before, and every byte stays where it is.
"""

from __future__ import annotations

import itertools
import json
import re
from contextlib import ExitStack, closing
from typing import IO

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels
from ilk.base.errors import OptionError
from ilk.base.parsed import parsed
from ilk.read.rows.delimited import DelimitedRows, RowCut, mark, spelled
from ilk.read.rows.sources import ID, Names, Writer
from ilk.read.rows.streams import Pieces, Stream, bare
from ilk.read.rows.writing import packed

#: A string, perhaps without its end; or a structural character.
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+("?)|[\[\]{},\r\n]', re.DOTALL)

#: The rest of a string that began earlier.
_REST = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)

_SPACE, _LINE_END = ord(" "), ord("\n")
_QUOTE = ord('"')
_OPEN, _CLOSE, _LINE_ENDS = frozenset(b"[{"), frozenset(b"]}"), frozenset(b"\r\n")


class ArrayStream(Stream):
    """The content of a file that holds an array, as lines."""

    seeks = False

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._begun = self._ended = self._in_string = self._escaped = False
        self._depth = 0

    def _read(self, memory: memoryview) -> int:
        read, at = super()._read(memory), 0
        data = bytes(memory[:read])
        if self._in_string and data:
            rest = _REST.match(data, 1 if self._escaped else 0)
            assert rest is not None, "it matches nothing, too"
            at = self._after_string(data, rest.end())
        for token in () if self._in_string else _TOKEN.finditer(data, at):
            begin = token.start()
            byte = data[begin]
            if byte == _QUOTE:
                if not token[1]:
                    self._after_string(data, token.end())
                continue
            if byte in _OPEN:
                self._depth += 1
                if not self._begun:
                    memory[begin] = _SPACE
                    self._begun = True
            elif byte in _CLOSE:
                self._depth -= 1
                if not self._depth and not self._ended:
                    memory[begin] = _LINE_END
                    self._ended = True
            elif not self._begun or self._ended:
                continue
            elif byte in _LINE_ENDS:
                memory[begin] = _SPACE
            elif self._depth == 1:
                memory[begin] = _LINE_END
        return read

    def _after_string(self, data: bytes, end: int) -> int:
        """Note the state of a string read up to an offset; return where it ends."""
        closed = data[end : end + 1] == b'"'
        self._in_string = not closed
        self._escaped = not closed and end < len(data)  # A backslash is the last byte.
        return end + 1


class ArrayWriter(Writer):
    """A file that becomes an array of rows given as lines."""

    def __init__(self, out: IO[bytes], name: str) -> None:
        self._stack = ExitStack()
        self._out = self._stack.enter_context(packed(out, name))
        self._before = b"[\n"

    def write(self, rows: bytes | pa.Buffer) -> None:
        lines = filter(None, (line.strip() for line in bytes(rows).split(b"\n")))
        content = b",\n".join(lines)
        if content:
            self._out.write(self._before + content)
            self._before = b",\n"

    def close(self) -> None:
        """Write the other bracket; the file itself stays open."""
        self._out.write(b"[]\n" if self._before == b"[\n" else b"\n]\n")
        self._stack.close()


#: Bytes at the start in which to look for the first token.
_HEAD = 1 << 12


class JsonRows(DelimitedRows):
    """Lines; anything but objects is rejected, and blank lines are not rows.

    A file with one array is read as if each of its elements were on its own line. Readers use the
    last of two fields with the same name, so a note may have the name of a field.
    """

    form = "JSON lines"

    def __init__(self, name: str, path: str, names: Names) -> None:
        super().__init__(name, path, names)
        with closing(Stream(path)) as stream:
            head = Pieces(stream)
            head.jump(0, _HEAD)
        content = head.content(0, head.size)
        self.begin = mark(content)  # It is not part of the first line.
        self._array = content[self.begin :].lstrip().startswith(b"[")

    def _stream(self) -> Stream:
        return ArrayStream(self._path) if self._array else Stream(self._path)

    def writer(self, out: IO[bytes], name: str, notes: pa.Schema | None = None) -> Writer:
        """Return a writer of lines; or of an array, if one is read and the name is for one."""
        if self._array and bare(name)[1] == ".json":
            return ArrayWriter(out, name)
        return super().writer(out, name, notes)

    def _cut(self, piece: pa.Array, last: bool, names: Names, wanted: pa.Array | None) -> RowCut:
        texts = list(names.texts)
        return RowCut(*_kernels.json_rows(piece, last, texts, names.id or ID, wanted))

    def _content(self, piece: pa.Array, wanted: pa.Array, notes: pa.Table | None) -> pa.Array:
        if notes is None:
            return _kernels.json_bytes(piece, wanted)
        fields = [pa.repeat(f", {json.dumps(name)}: ", len(notes)) for name in notes.column_names]
        values = [spelled(notes[name], json.dumps) for name in notes.column_names]
        pairs = itertools.chain.from_iterable(zip(fields, values, strict=True))
        written = pc.binary_join_element_wise(*pairs, "")
        return _kernels.json_bytes(piece, wanted, written.cast(pa.large_binary()))

    def split(self, content: bytes) -> list[bytes]:
        return re.findall(rb"[^\n]*\n|[^\n]+$", content)

    def with_text(self, row: bytes, name: str, text: str) -> bytes:
        return json_with(row, name, text)

    def names(self) -> list[str]:
        try:
            return list(parsed(self._first_row().decode("utf-8", "replace")))
        except ValueError:
            return []


_DECODER = json.JSONDecoder(strict=False)
_BLANKS = re.compile(r"[ \t\r\n]*")


def json_with(row: bytes, name: str, text: str) -> bytes:
    r"""Return an object with another text in a field; a dot in the name may lead into a nested
    object.

    >>> json_with(b'{"n": 1.50, "text" :"old"}\n', "text", "new")
    b'{"n": 1.50, "text" :"new"}\n'

    Raises:
        OptionError: it has no text with that name, or is nested too deeply.
    """
    line = row.decode("utf-8", "surrogateescape")
    try:
        begin, end = _value(line, _after(line, 0), name.split("."))
    except (ValueError, KeyError, IndexError, RecursionError):
        raise OptionError(f"a row has no text in {name} that can be cut in place.") from None
    # ASCII stays ASCII.
    written = json.dumps(text, ensure_ascii=line[begin:end].isascii())
    return (line[:begin] + written + line[end:]).encode("utf-8", "surrogateescape")


def _value(line: str, at: int, steps: list[str]) -> tuple[int, int]:
    """Return where the value of a field of the object at a place begins and ends."""
    if line[at] != "{":
        raise KeyError(steps[0])
    found: dict[str, tuple[int, int]] = {}
    at = _after(line, at + 1)
    while line[at] != "}":
        name, at = _DECODER.raw_decode(line, at)
        begin = _after(line, _after(line, at) + 1)
        end = _DECODER.raw_decode(line, begin)[1]
        found[name] = (begin, end)  # Readers use the last of two fields with the same name.
        at = _after(line, end)
        if line[at] == ",":
            at = _after(line, at + 1)
    whole = ".".join(steps)
    if whole in found or len(steps) == 1:
        return found[whole]
    return _value(line, found[steps[0]][0], steps[1:])


def _after(line: str, at: int) -> int:
    match = _BLANKS.match(line, at)
    assert match is not None, "it matches nothing, too"
    return match.end()
