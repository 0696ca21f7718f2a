"""The bytes of a file, decompressed if its name says so, in pieces of whole rows.

A piece is in memory that is reused for a later one.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import os
from collections.abc import Callable, Container
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple, TypeAlias

import pyarrow as pa

from ilk.fingerprints.digest import buffer_digest
from ilk.read.files.content import last_dotted_extension, open_regular_file
from ilk.read.rows.sources import PIECE

#: Bytes to request at once, from a decompressor and from a file.
_STEP, _WHOLE_STEP = 1 << 16, 1 << 20


class Damaged(Exception):
    """A file that is truncated or corrupt; everything before that was read."""


#: A function that fills the caller's memory with the next bytes, and returns how many; 0 at the
#: end.
_ReadInto: TypeAlias = Callable[[memoryview], int]


def _fast_gzip_reader(file: io.FileIO) -> _ReadInto:
    """Read the same bytes with either; isal (the extra "gzip") takes a third of the time."""
    codec = import_module("isal.igzip" if find_spec("isal") else "gzip")
    reader: _ReadInto = codec.GzipFile(fileobj=file, mode="rb").readinto
    return reader


def _gzip_reader_up_to_damage(file: io.FileIO) -> _ReadInto:
    return gzip.GzipFile(fileobj=file, mode="rb").readinto1


def _fast_zstandard_reader(file: io.FileIO) -> _ReadInto:
    reader: _ReadInto = pa.CompressedInputStream(pa.PythonFile(file, mode="r"), "zstd").readinto
    return reader


def _zstandard_reader_up_to_damage(file: io.FileIO) -> _ReadInto:
    readinto = _fast_zstandard_reader(file)
    return lambda memory: readinto(memory[:1])


def _fast_bzip2_reader(file: io.FileIO) -> _ReadInto:
    return bz2.BZ2File(file).readinto


def _bzip2_reader_up_to_damage(file: io.FileIO) -> _ReadInto:
    return bz2.BZ2File(file).readinto1


def _fast_xz_reader(file: io.FileIO) -> _ReadInto:
    return lzma.LZMAFile(file).readinto


def _xz_reader_up_to_damage(file: io.FileIO) -> _ReadInto:
    return lzma.LZMAFile(file).readinto1


#: Decompressors by extension: a fast one, which loses what it reads together with an error, and
#: one that reads everything before an error.
CODECS = {
    ".gz": (_fast_gzip_reader, _gzip_reader_up_to_damage),
    ".zst": (_fast_zstandard_reader, _zstandard_reader_up_to_damage),
    ".bz2": (_fast_bzip2_reader, _bzip2_reader_up_to_damage),
    ".xz": (_fast_xz_reader, _xz_reader_up_to_damage),
}


class CodecAndExtension(NamedTuple):
    """The extensions of a path in lower case: that of its codec, or "", and the one before it."""

    codec: str
    extension: str


def split_codec_and_extension(path: str, codecs: Container[str] = CODECS) -> CodecAndExtension:
    """Return the extension of a path, apart from that of a codec after it."""
    last = last_dotted_extension(path)
    if last not in codecs:
        return CodecAndExtension("", last)
    return CodecAndExtension(last, last_dotted_extension(path[: -len(last)]))


class Stream:
    """The content of a file, read into the caller's memory.

    seeks: whether an uncompressed file holds the content byte for byte.
    at: bytes of the content read so far.
    """

    seeks = True

    def __init__(self, path: str) -> None:
        self.at, self._codec = 0, CODECS.get(split_codec_and_extension(path).codec)
        self._damage: str | None = None
        self._file = io.FileIO(path, opener=lambda path, _: open_regular_file(path, follow=True))
        self._restart_reading(up_to_damage=self._codec is None)

    def _restart_reading(self, *, up_to_damage: bool) -> None:
        self._file.seek(0)
        self._up_to_damage, self._place = up_to_damage, 0
        self._readinto = (
            self._codec[up_to_damage](self._file) if self._codec else self._file.readinto
        )

    @property
    def file_bytes_read(self) -> int:
        """Bytes of the file, which may be compressed, that were read so far."""
        return self._file.tell()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def readinto(self, memory: memoryview) -> int:
        """Read as many bytes as exist and fit, and return how many; 0 at the end.

        Damaged if the end is missing, and nothing more can be read.
        """
        bytes_done, step = 0, _WHOLE_STEP if self._codec is None else _STEP
        while bytes_done < len(memory) and (
            read := self._read_some_or_note_damage(memory[bytes_done : bytes_done + step])
        ):
            bytes_done += read
        self.at += bytes_done
        if self._damage is not None and not bytes_done:
            raise Damaged(self._damage)
        return bytes_done

    def skip_bytes_or_to_end(self, count: int) -> None:
        """Skip ``count`` bytes of the content, or to its end."""
        if self._codec is None and self.seeks:
            self._file.seek(count, os.SEEK_CUR)
            self.at += count
            return
        memory = memoryview(bytearray(min(count, _STEP)))
        while count > 0 and (read := self._read_some_or_note_damage(memory[:count])):
            count, self.at = count - read, self.at + read

    def _read_some_or_note_damage(self, memory: memoryview) -> int:
        """Read some of the next bytes into the memory, and return how many; 0 at the end, or where
        the file is damaged.
        """
        if self._damage is not None:
            return 0
        try:
            read = self._readinto(memory)
        except Exception as error:  # Every decompressor has its own errors.
            if self._up_to_damage:
                self._damage = str(error)
                return 0
            place, self._fast = self._place, self._readinto  # pyarrow closes the file with its own.
            self._restart_reading(up_to_damage=True)
            # From the beginning: a decompressor cannot go back. What was passed on before is read
            # once more and dropped.
            passed = memoryview(bytearray(min(place, _STEP)))
            while self._place < place and Stream._read_some_or_note_damage(
                self, passed[: place - self._place]
            ):
                pass
            return Stream._read_some_or_note_damage(self, memory)
        self._place += read
        return read


class RecodedStream(Stream):
    """The content of a file in some encoding, as UTF-8, with U+FFFD for invalid bytes."""

    seeks = False

    def __init__(self, path: str, encoding: str) -> None:
        super().__init__(path)
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")
        self._ready, self._at_end = memoryview(b""), False

    def _read_some_or_note_damage(self, memory: memoryview) -> int:
        while not self._ready and not self._at_end:
            raw = memoryview(bytearray(_STEP))
            read = super()._read_some_or_note_damage(raw)
            self._at_end = read == 0
            text = self._decoder.decode(bytes(raw[:read]), self._at_end and self._damage is None)
            self._ready = memoryview(text.encode("utf-8", "replace"))
        count = min(len(memory), len(self._ready))
        memory[:count], self._ready = self._ready[:count], self._ready[count:]
        return count


class Full(Exception):
    """A piece may not become larger, and holds no whole row."""


class TakenBytes(NamedTuple):
    """Some bytes of the content, in memory that nothing else uses until it is recycled.

    start, size: where they begin, and their number.
    file_bytes_read: of the file, when they were taken.
    """

    start: int
    size: int
    memory: bytearray
    file_bytes_read: int

    def view_bytes(self) -> pa.Array:
        """Return the bytes as a column, without a copy."""
        memory = pa.py_buffer(memoryview(self.memory)[: self.size])
        return pa.Array.from_buffers(pa.uint8(), self.size, [None, memory])

    def digest(self) -> bytes:
        """Return the digest of the bytes."""
        return buffer_digest(pa.py_buffer(memoryview(self.memory)[: self.size]))

    def copy_bytes(self, begin: int, end: int) -> bytes:
        """Copy some of the bytes."""
        return bytes(memoryview(self.memory)[begin:end])

    def count_line_ends(self, begin: int, end: int) -> int:
        """Count the lines that end in some of the bytes."""
        return self.memory.count(b"\n", begin, end)


class ReadBuffer:
    """The bytes of a stream that were read but not yet taken.

    Attributes:
        start: where in the content they begin.
        size: their number.
        last: whether nothing follows them.
        damage: why nothing follows, if that is not the end of the content.
    """

    def __init__(self, stream: Stream, size: int = PIECE, max_bytes: int = 1 << 62) -> None:
        """Hold nothing yet; ``max_bytes``: the most to hold at once, if more than ``size``."""
        self._stream, self._usual, self._max_bytes = stream, size, max(size, max_bytes)
        self._memory = bytearray(size)
        self._spare: list[bytearray] = []
        self.start, self.size = stream.at, 0
        self.last = False
        self.damage: str | None = None

    def fill_memory_enlarged_if_full(self) -> None:
        """Read until the memory is full, or nothing follows; enlarge it before, if it is full.

        Full if it would become larger than allowed.
        """
        if self.size == len(self._memory):
            if self.size >= self._max_bytes:
                raise Full
            # Doubled, so that a long row is copied a few times at most.
            larger = bytearray(min(2 * self.size, self._max_bytes))
            larger[: self.size] = self._memory
            self._memory = larger
        self._read_until_held(len(self._memory))

    def skip_to_and_take(self, start: int, size: int) -> TakenBytes:
        """Take ``size`` bytes from ``start``, which is after everything taken before."""
        self._stream.skip_bytes_or_to_end(start - self._stream.at)
        if size > len(self._memory):
            self._memory = bytearray(size)
        self.start, self.size = start, 0
        self._read_until_held(size)
        return self.take_first_bytes(self.size)

    def _read_until_held(self, size: int) -> None:
        """Read until ``size`` bytes are held, or nothing follows."""
        with memoryview(self._memory) as memory:
            while not self.last and self.size < size:
                try:
                    read = self._stream.readinto(memory[self.size : size])
                except Damaged as damage:
                    self.damage, read = str(damage), 0
                self.size += read
                self.last = read == 0

    def size_of_whole_lines(self) -> int:
        """Return the number of bytes up to the end of the last whole line."""
        return self._memory.rfind(b"\n", 0, self.size) + 1

    def view_held_bytes(self) -> pa.Array:
        """Return the bytes as a column, without a copy, before some of them are taken."""
        return TakenBytes(self.start, self.size, self._memory, 0).view_bytes()

    def copy_bytes(self, begin: int, end: int) -> bytes:
        """Copy some of the bytes."""
        return bytes(memoryview(self._memory)[begin:end])

    def take_first_bytes(self, count: int) -> TakenBytes:
        """Take the first bytes, with their memory; those after them stay."""
        piece = TakenBytes(self.start, count, self._memory, self._stream.file_bytes_read)
        rest = self.size - count
        spare = self._spare.pop() if self._spare else bytearray(self._usual)
        self._memory = spare if rest <= self._usual else bytearray(rest)
        with memoryview(piece.memory) as memory:
            self._memory[:rest] = memory[count : self.size]
        self.start, self.size = self.start + count, rest
        return piece

    def recycle_memory_of(self, piece: TakenBytes) -> None:
        """Use the memory of a piece again, which nothing refers to by now; in any thread."""
        # Memory that was enlarged for one long row is let go.
        if len(piece.memory) == self._usual:
            self._spare.append(piece.memory)
