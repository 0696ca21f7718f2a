"""A stream in pieces of whole rows, in memory that is reused for the next piece."""

from __future__ import annotations

import pyarrow as pa

from ilk.read.rows.streams import Damaged, Stream

#: Bytes of a piece. Larger ones exceed the processor's cache; smaller ones cannot keep two threads
#: busy.
PIECE = 4 << 20


class Pieces:
    """The bytes of a stream that were read but not yet dropped.

    Attributes:
        start: where in the content they begin.
        size: their number.
        last: whether nothing follows them.
        damage: why nothing follows, if that is not the end of the content.
    """

    def __init__(self, stream: Stream) -> None:
        """Start empty."""
        self._stream = stream
        self._memory = bytearray(PIECE)
        self.start, self.size = stream.at, 0
        self.last = False
        self.damage: str | None = None

    def fill(self) -> None:
        """Read until the memory is full, or nothing follows; enlarge the memory if it is full."""
        if self.size == len(self._memory):
            self._memory = self._memory + bytearray(self.size)
        self._read(len(self._memory))

    def jump(self, start: int, size: int) -> None:
        """Hold ``size`` bytes from ``start``, which is after everything held before."""
        self._stream.skip(start - self._stream.at)
        if size > len(self._memory):
            self._memory = bytearray(size)
        self.start, self.size = start, 0
        self._read(size)

    def _read(self, size: int) -> None:
        with memoryview(self._memory) as memory:
            while not self.last and self.size < size:
                try:
                    read = self._stream.readinto(memory[self.size : size])
                except Damaged as damage:
                    self.damage, read = str(damage), 0
                self.size += read
                self.last = read == 0

    def column(self) -> pa.Array:
        """Return the bytes as a column, without a copy, so it changes with the next call."""
        memory = pa.py_buffer(memoryview(self._memory)[: self.size])
        return pa.Array.from_buffers(pa.uint8(), self.size, [None, memory])

    def drop(self, count: int) -> None:
        """Drop the first bytes."""
        rest = self.size - count
        with memoryview(self._memory) as memory:
            memory[:rest] = memory[count : self.size]
        self.start, self.size = self.start + count, rest

    def content(self, begin: int, end: int) -> bytes:
        """Copy some of the bytes."""
        return bytes(memoryview(self._memory)[begin:end])

    def line_ends(self, begin: int, end: int) -> int:
        """Count the lines that end in some of the bytes."""
        return self._memory.count(b"\n", begin, end)
