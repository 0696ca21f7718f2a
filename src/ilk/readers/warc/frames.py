"""The bytes of an archive, decompressed, from any record on.

Most archives are compressed record by record: every frame (a member of gzip, a frame of zstd or
LZ4) is one record, and can be read alone. So a record's place is the frame it begins in, and how
many decompressed bytes of it come before.
"""

from __future__ import annotations

import io
import math
import os
from typing import IO, Any, NamedTuple

import pyarrow as pa

#: How frames begin, by the name that the codec has at the end of file names.
MAGIC = {".gz": b"\x1f\x8b\x08", ".zst": b"\x28\xb5\x2f\xfd", ".lz4": b"\x04\x22\x4d\x18"}

#: The names of the codecs in pyarrow, which tells where a frame is cut off.
_ARROWS = {".gz": "gzip", ".zst": "zstd", ".lz4": "lz4"}

#: How a dictionary begins, which stands before the frames of zstd that need it.
_DICTIONARY = b"\x5d\x2a\x4d\x18"

#: Bytes read at once.
STEP = 1 << 16

_LARGEST_DICTIONARY = 1 << 24

#: Bytes that are read at once where an end is looked for.
_AHEAD = 64

_LONGEST_END = 4


class Place(NamedTuple):
    """Where a record begins: the offset of a frame, and decompressed bytes behind its begin.

    In a file that is not compressed every record is a frame of its own.
    """

    frame: int
    within: int


class Frames:
    """A file that is read from a place on.

    codec: how it is compressed, a key of ``MAGIC``; "" if it is not.
    at: bytes read so far.
    """

    def __init__(self, path: str, start: Place = Place(0, 0)) -> None:  # noqa: B008 - immutable.
        """Open the file.

        Raises:
            OSError: it cannot be opened, or not be read up to that place.
        """
        self._file = open(path, "rb")  # noqa: SIM115 - it is closed with the stream.
        try:
            head = self._file.read(len(_DICTIONARY))
            self.codec = _codec(head)
            self._dictionary = _dictionary(self._file) if head == _DICTIONARY else None
            self._open(start.frame)
            self.at = self._first = 0
            # The last frame that began with the byte that ``first`` gave, and where that was.
            self._frame, self._begin = start.frame, 0
            self.skip(start.within)
        except OSError:
            self.close()
            raise

    def _open(self, frame: int) -> None:
        """Begin to read at a frame."""
        self._file.seek(frame)
        self._start = self._crossed = frame
        self._held = b""
        self._reader = self._opened()

    def _opened(self) -> Any:
        if not self.codec:
            return self._file
        from fastwarc import stream_io

        if self.codec == ".gz":
            return stream_io.GzipReader(self._file)
        if self.codec == ".lz4":
            return stream_io.Lz4Reader(self._file)
        return stream_io.ZstdReader(self._file, dictionary=self._dictionary)

    @property
    def alone(self) -> bool:
        """Whether a frame needs nothing but itself to be read."""
        return self._dictionary is None

    @property
    def progress(self) -> int:
        """Bytes of the file read so far."""
        return self._file.tell()

    @property
    def left(self) -> int | float:
        """How many bytes can follow at the most; it is not known where they are compressed."""
        if self.codec:
            return math.inf
        return os.fstat(self._file.fileno()).st_size - self._start - self.at

    @property
    def reached(self) -> int:
        """Where in the file is what could not be decompressed, as exactly as it can be told."""
        # Of LZ4 more is read ahead than is decompressed.
        return self._reader.inner_tell() if self.codec in (".gz", ".zst") else self.touched

    @property
    def touched(self) -> int:
        """Where the frame begins that was read last."""
        return self._crossed if self.codec else self._start + self.at

    def read(self, size: int) -> bytes:
        """So many bytes, or as many as there are.

        Raises:
            OSError: the file is damaged here.
        """
        content, self._held = self._held[:size], self._held[size:]
        if len(content) < size:
            content += self._reader.read(size - len(content))
            if self.codec and content:
                self._crossed = self._reader.frame_start_position()
        self.at += len(content)
        return content

    def skip(self, size: int) -> None:
        """Go on behind so many bytes, or at the end.

        Raises:
            OSError: the file is damaged before that.
        """
        end = self.at + size
        while self.at < end and self.read(min(STEP, end - self.at)):
            pass

    def first(self) -> tuple[bytes, Place]:
        """One byte, and its place; nothing at the end.

        Raises:
            OSError: the file is damaged here.
        """
        before, at = self._crossed, self.at
        self._first = at
        content = self.read(1)
        if not self.codec:
            return content, Place(self._start + at, 0)
        if self._crossed != before:
            self._frame, self._begin = self._crossed, at
        return content, Place(self._frame, at - self._begin)

    def until(self, ends: tuple[bytes, ...], most: int) -> bytes:
        """Bytes up to one of some ends; where it does not come, ``most`` or all that there are.

        It is called behind ``first``.

        Raises:
            OSError: the file is damaged before that.
        """
        begin, frame, step = self.at, self._crossed, _AHEAD
        found = b""
        while len(found) < most and (piece := self.read(step)):
            if self._crossed != frame and self._begin == self._first and step > 1:
                # Where the next frame begins is known only when its first byte is read alone.
                self._open(self._frame)
                self.at = self._begin
                self.skip(begin - self._begin)
                frame, step, found = self._crossed, 1, b""
                continue
            searched = max(0, len(found) - _LONGEST_END)
            found += piece
            at = min(
                (found.find(end, searched) + len(end) for end in ends if end in found), default=0
            )
            if at:
                self._held = found[at:] + self._held
                self.at -= len(found) - at
                return found[:at]
        return found

    def end(self, frame: int) -> int:
        """Where a frame ends that is the last of the file; -1 if it is cut off."""
        size = os.fstat(self._file.fileno()).st_size
        if not self.codec:
            return size
        with pa.PythonFile(open(self._file.name, "rb"), mode="r") as file:
            file.seek(frame)
            try:
                stream = pa.CompressedInputStream(file, _ARROWS[self.codec])
                while stream.read(STEP):
                    pass
            except OSError:
                return -1
        return size

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


def codec_of(path: str) -> str:
    """How a file is compressed: a key of ``MAGIC``; "" if it is not.

    Raises:
        OSError: it cannot be opened.
    """
    with open(path, "rb") as file:
        return _codec(file.read(len(_DICTIONARY)))


def _codec(head: bytes) -> str:
    if head.startswith(_DICTIONARY):
        return ".zst"
    return next((name for name, magic in MAGIC.items() if head.startswith(magic)), "")


def _dictionary(file: IO[bytes]) -> bytes:
    """The dictionary, of which the first four bytes are read; it may be compressed itself."""
    content = file.read(min(int.from_bytes(file.read(4), "little"), _LARGEST_DICTIONARY))
    if not content.startswith(MAGIC[".zst"]):
        return content
    from fastwarc import stream_io

    return stream_io.ZstdReader(io.BytesIO(content)).read(_LARGEST_DICTIONARY)
