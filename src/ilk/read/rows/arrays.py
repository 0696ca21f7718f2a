"""JSON arrays of objects, read as JSON lines: every byte stays where it is.

The commas between the elements, and the closing bracket, become line breaks; line breaks between
the tokens of an element become spaces. So a reader of lines reads elements, in bounded memory, and
each is the same JSON as before.
"""

from __future__ import annotations

import codecs
import os
import re
from typing import IO

import pyarrow as pa

from ilk.read.rows.streams import Stream
from ilk.read.rows.writers import CODECS

#: A string, perhaps without its end; or a structural character.
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+("?)|[\[\]{},\r\n]', re.DOTALL)

#: The rest of a string that began earlier.
_REST = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)

_SPACE, _LINE_END = ord(" "), ord("\n")
_QUOTE = ord('"')
_OPEN, _CLOSE, _LINE_ENDS = frozenset(b"[{"), frozenset(b"]}"), frozenset(b"\r\n")


def is_array(head: bytes) -> bool:
    """Return whether JSON begins like an array."""
    return head.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"[")


class ArrayStream(Stream):
    """The content of a file that holds an array, as lines."""

    def __init__(self, path: str) -> None:
        """Open the file."""
        super().__init__(path)
        self._begun = self._ended = self._in_string = self._escaped = False
        self._depth = 0

    def readinto(self, memory: memoryview) -> int:
        """Read like ``Stream``, and convert what was read."""
        read = super().readinto(memory)
        self._turn(memory[:read])
        return read

    def skip(self, count: int) -> None:
        """Read everything in between, since the conversion depends on it."""
        memory = memoryview(bytearray(min(count, 1 << 20)))
        while count > 0 and (read := self.readinto(memory[:count])):
            count -= read

    def _turn(self, memory: memoryview) -> None:
        """Convert the next bytes of the file."""
        data, at = bytes(memory), 0
        if self._in_string and data:
            rest = _REST.match(data, 1 if self._escaped else 0)
            assert rest is not None, "it matches nothing, too"
            at = self._after_string(data, rest.end())
        if self._in_string:
            return
        for token in _TOKEN.finditer(data, at):
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

    def _after_string(self, data: bytes, end: int) -> int:
        """Note the state of a string read up to an offset; return where it ends."""
        closed = data[end : end + 1] == b'"'
        self._in_string = not closed
        self._escaped = not closed and end < len(data)  # A backslash is the last byte.
        return end + 1


class ArrayWriter:
    """A file that becomes an array of rows given as lines."""

    def __init__(self, out: IO[bytes], name: str) -> None:
        """Write the bracket."""
        codec = CODECS.get(os.path.splitext(name)[1].lower())
        self._out = codec(out) if codec else out
        self._compressed = codec is not None
        self._before = b"[\n"

    def write(self, rows: bytes | pa.Buffer) -> None:
        """Write rows."""
        lines = filter(None, (line.strip() for line in bytes(rows).split(b"\n")))
        content = b",\n".join(lines)
        if content:
            self._out.write(self._before + content)
            self._before = b",\n"

    def close(self) -> None:
        """Write the other bracket; the file itself stays open."""
        self._out.write(b"[]\n" if self._before == b"[\n" else b"\n]\n")
        if self._compressed:
            self._out.close()
