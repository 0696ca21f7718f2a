"""The bytes of a file, decompressed if its name says so, in pieces of whole rows.

A piece is in memory that is reused for the next one.
"""

from __future__ import annotations

import codecs
import io
import os
from collections.abc import Callable, Container
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple, TypeAlias

import pyarrow as pa

from ilk.read.files.content import extension

#: Bytes to request from a decompressor at once.
_STEP = 1 << 16


class Damaged(Exception):
    """A file that is truncated or corrupt; everything before that was read."""


#: A function that fills the caller's memory with the next bytes, and returns how many; 0 at the
#: end.
_Reader: TypeAlias = Callable[[memoryview], int]


class _Codec(NamedTuple):
    """A way to decompress files.

    fast: loses what it reads together with an error.
    careful: reads everything before an error.
    """

    fast: Callable[[io.FileIO], _Reader]
    careful: Callable[[io.FileIO], _Reader]


def _plain(file: io.FileIO) -> _Reader:
    return file.readinto


def _gzip(file: io.FileIO) -> _Reader:
    """Read the same bytes with either; isal (the extra "gzip") takes a third of the time."""
    codec = import_module("isal.igzip" if find_spec("isal") else "gzip")
    reader: _Reader = codec.GzipFile(fileobj=file, mode="rb").readinto
    return reader


def _careful_gzip(file: io.FileIO) -> _Reader:
    import gzip

    return gzip.GzipFile(fileobj=file, mode="rb").readinto1


def _zstandard(file: io.FileIO) -> _Reader:
    import pyarrow as pa

    reader: _Reader = pa.CompressedInputStream(pa.PythonFile(file, mode="r"), "zstd").readinto
    return reader


def _careful_zstandard(file: io.FileIO) -> _Reader:
    readinto = _zstandard(file)
    return lambda memory: readinto(memory[:1])


_NONE = _Codec(_plain, _plain)

#: Decompressors by extension.
CODECS = {".gz": _Codec(_gzip, _careful_gzip), ".zst": _Codec(_zstandard, _careful_zstandard)}


def bare(path: str, codecs: Container[str] = CODECS) -> tuple[str, str]:
    """Return the extensions of a path, lower-cased: its codec's, or "", and the one before it."""
    last = extension(path)
    return (last, extension(path[: -len(last)])) if last in codecs else ("", last)


class Stream:
    """The content of a file, read into the caller's memory."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._codec = CODECS.get(bare(path)[0], _NONE)
        self._damage: str | None = None
        self._open(self._codec.fast)

    def _open(self, reader: Callable[[io.FileIO], _Reader]) -> None:
        self._file = io.FileIO(self._path)
        self._readinto = reader(self._file)
        self._careful = reader is self._codec.careful
        self.at = 0  # Bytes of the content read so far.

    @property
    def progress(self) -> int:
        """Bytes of the file read so far."""
        return self._file.tell()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def readinto(self, memory: memoryview) -> int:
        """Read as many bytes as exist and fit, and return how many; 0 at the end.

        Damaged if the end is missing, and nothing more can be read.
        """
        done = 0
        while done < len(memory) and (read := self._read(memory[done : done + _STEP])):
            done += read
        if self._damage is not None and not done:
            raise Damaged(self._damage)
        return done

    def _read(self, memory: memoryview) -> int:
        if self._damage is not None:
            return 0
        try:
            read = self._readinto(memory)
        except Exception as error:  # Every decompressor has its own errors.
            if self._careful:
                self._damage = str(error)
                return 0
            at = self.at
            self.close()
            self._open(self._codec.careful)
            self.skip(at)
            return self._read(memory)
        self.at += read
        return read

    def skip(self, count: int) -> None:
        """Skip ``count`` bytes, or to the end."""
        if self._codec is _NONE:
            self._file.seek(count, os.SEEK_CUR)
            self.at += count
            return
        memory = memoryview(bytearray(min(count, _STEP)))
        while count > 0 and (read := self._read(memory[:count])):
            count -= read


class Recoded(Stream):
    """The content of a file in some encoding, as UTF-8, with U+FFFD for invalid bytes."""

    def __init__(self, path: str, encoding: str) -> None:
        self._bytes = Stream(path)
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")
        self._ready, self._ended = memoryview(b""), False
        self.at = 0

    @property
    def progress(self) -> int:
        return self._bytes.progress

    def close(self) -> None:
        self._bytes.close()

    def readinto(self, memory: memoryview) -> int:
        done = 0
        while done < len(memory) and (self._ready or self._more()):
            count = min(len(memory) - done, len(self._ready))
            memory[done : done + count] = self._ready[:count]
            self._ready = self._ready[count:]
            done += count
        self.at += done
        return done

    def _more(self) -> bool:
        """Decode the next bytes; False at the end."""
        raw = memoryview(bytearray(_STEP))
        while not self._ready and not self._ended:
            read = self._bytes.readinto(raw)
            self._ended = read == 0
            text = self._decoder.decode(bytes(raw[:read]), self._ended)
            self._ready = memoryview(text.encode("utf-8", "replace"))
        return bool(self._ready)

    def skip(self, count: int) -> None:
        """Read everything in between, since the places of characters are unknown."""
        memory = memoryview(bytearray(min(count, _STEP)))
        while count > 0 and (read := self.readinto(memory[:count])):
            count -= read


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
