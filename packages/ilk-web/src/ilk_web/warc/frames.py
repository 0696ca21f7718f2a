"""The decompressed bytes of an archive, starting at any record.

Most archives are compressed record by record: every frame (a member of gzip, a frame of zstd or
LZ4) is one record, and can be read alone. So a record's place is the frame it begins in, and how
many decompressed bytes of it come before.
"""

from __future__ import annotations

import errno
import io
import math
import os
import stat
from typing import IO, Any, NamedTuple, Protocol, TypeAlias

import pyarrow as pa

#: The beginning of frames, by the codec's file extension.
MAGIC = {".gz": b"\x1f\x8b\x08", ".zst": b"\x28\xb5\x2f\xfd", ".lz4": b"\x04\x22\x4d\x18"}

#: The names of the codecs in pyarrow, which detects truncated frames.
_ARROWS = {".gz": "gzip", ".zst": "zstd", ".lz4": "lz4"}

#: The beginning of a dictionary, which comes before the zstd frames that need it; and that of any
#: frame of zstd or LZ4 to skip, after its first byte, which is 0x50 to 0x5f. pzstd begins with one.
_DICTIONARY = b"\x5d\x2a\x4d\x18"
_SKIPPED = _DICTIONARY[1:]

#: Frames to skip before the first other one, at most.
_SKIPPED_MOST = 1 << 10

#: Bytes to read at once.
STEP = 1 << 16

_LARGEST_DICTIONARY = 1 << 24

#: What the readers of zstd and LZ4 say of a file that ends within a frame. That of gzip is silent.
_ENDS_EARLY = ("incomplete frame", "failed to fill whole buffer")

#: Bytes to read at once in a search for an end.
_AHEAD = 64


class InnerFile(Protocol):
    """A file inside another one, which is opened as if it were a file of its own."""

    @property
    def size(self) -> int:
        """The number of its bytes."""

    def open(self) -> IO[bytes]:
        """Open it, as often as asked."""


#: Where a file of records is: on a disk, or inside another file.
ArchivePath: TypeAlias = str | InnerFile


class RecordPlace(NamedTuple):
    """The offset of the frame in which a record begins, and the decompressed bytes before it there.

    In an uncompressed file, every record is its own frame.
    """

    frame: int
    within: int


class NextByte(NamedTuple):
    """Line breaks, the byte after them (none at the end of the file), and its place."""

    line_breaks: bytes
    byte: bytes
    place: RecordPlace


class Frames:
    """A file that is read starting at a place.

    All reading raises OSError if the file is damaged. A file that ends within a frame is read up to
    there.

    codec: how it is compressed, a key of ``MAGIC``; "" if it is not.
    at: bytes read so far.
    """

    def __init__(self, path: ArchivePath, start: RecordPlace = RecordPlace(0, 0)) -> None:  # noqa: B008 - immutable.
        """Open the file, and read up to that place."""
        self._path, self._size = path, size_in_bytes(path)
        self._file = open_archive(path)
        try:
            self.codec = _recognise_codec_extension_or_empty(self._file)
            self._dictionary = _read_dictionary_if_any(self._file)
            # The last frame that began with a byte from ``read_past_line_breaks``, and where that
            # byte was; and whether the last byte began a frame.
            self._frame, self._begin, self._begins = start.frame, 0, False
            self._restart_frame_and_skip_to(start.within)
        except OSError:
            self.close()
            raise

    def _restart_frame_and_skip_to(self, at: int) -> None:
        """Go back to the last known beginning of a frame, and read from it up to a byte after."""
        self._file.seek(self._frame)
        self._start = self._frame_reached = self._frame
        self._ahead = b""
        self._ends_early = False
        self._reader = self._make_decompressor()
        self.at = self._begin
        self.skip(at - self._begin)

    def _make_decompressor(self) -> Any:
        if not self.codec:
            return self._file
        from fastwarc import stream_io

        if self.codec == ".zst":
            try:
                return stream_io.ZstdReader(self._file, dictionary=self._dictionary)
            except BaseException as error:
                if type(error).__name__ == "PanicException":  # It is no Exception.
                    raise OSError("the dictionary is damaged") from None
                raise
        return (stream_io.GzipReader if self.codec == ".gz" else stream_io.Lz4Reader)(self._file)

    def go_to(self, place: RecordPlace) -> None:
        """Continue at another place; a frame of many records is read only once."""
        if place.frame == self._frame and place.within >= self.at:
            self.skip(place.within - self.at)
        else:
            self._frame, self._begin = place.frame, 0
            self._restart_frame_and_skip_to(place.within)

    @property
    def frames_are_independent(self) -> bool:
        """Whether a frame can be read without the others."""
        return self._dictionary is None

    @property
    def file_bytes_read(self) -> int:
        """Bytes of the file read so far."""
        return self._file.tell()

    @property
    def max_bytes_left(self) -> int | float:
        """The most bytes that can follow; infinite if they are compressed."""
        if self.codec:
            return math.inf
        return self._size - self._start - self.at

    @property
    def failure_offset(self) -> int:
        """The offset where decompression failed, as exactly as it is known."""
        # For LZ4, more is read ahead than is decompressed.
        return self._reader.inner_tell() if self.codec in (".gz", ".zst") else self.frame_offset

    @property
    def frame_offset(self) -> int:
        """The offset of the frame that was read last."""
        return self._frame_reached if self.codec else self._start + self.at

    def read(self, size: int) -> bytes:
        """Return ``size`` bytes, or as many as there are."""
        content, self._ahead = self._ahead[:size], self._ahead[size:]
        self.at += len(content)
        if len(content) < size:
            more = self._read_more(size - len(content))
            self.at += len(more)
            content += more
            if self.codec and content:
                self._frame_reached = self._reader.frame_start_position()
        return content

    def _read_more(self, size: int) -> bytes:
        if self._ends_early:
            return b""
        try:
            return self._read_decompressed(size)
        except OSError as error:
            if str(error) not in _ENDS_EARLY:
                raise
            return self._read_last_bytes(size)

    def _read_last_bytes(self, size: int) -> bytes:
        """Return fewer than ``size`` bytes, the last before the end of a file within a frame."""
        content = bytearray()
        if size > 1:
            # The reader loses what it decompresses in a call that fails, so ask byte by byte.
            self._restart_frame_and_skip_to(self.at)
            try:
                while len(content) < size and (byte := self._read_decompressed(1)):
                    content += byte
            except OSError as error:
                if str(error) not in _ENDS_EARLY:
                    raise
        self._ends_early = True
        return bytes(content)

    def _read_decompressed(self, size: int) -> bytes:
        before = None
        while not (piece := self._reader.read(size)) and self.codec == ".lz4":
            # It ends at an empty frame, and goes on after it.
            if before == (before := self._reader.inner_tell()):
                break
        return bytes(piece)

    def skip(self, size: int) -> None:
        """Skip ``size`` bytes, or to the end."""
        end = self.at + size
        while self.at < end and self.read(min(STEP, end - self.at)):
            pass

    def read_past_line_breaks(self, max_line_breaks: int) -> NextByte:
        """Return line breaks, the first other byte, and its place.

        There is no other byte at the end, nor if more than ``max_line_breaks`` come; then the
        place is that of the last one.
        """
        ends = bytearray()
        while True:
            byte, place = self._read_byte_and_place()
            if not byte or byte not in b"\r\n":
                return NextByte(bytes(ends), byte, place)
            ends += byte
            if len(ends) > max_line_breaks:
                return NextByte(bytes(ends), b"", place)

    def _read_byte_and_place(self) -> tuple[bytes, RecordPlace]:
        """Return one byte, and its place; nothing at the end."""
        before, at = self._frame_reached, self.at
        byte = self.read(1)
        if not self.codec:
            return byte, RecordPlace(self._start + at, 0)
        if self._frame_reached != before:
            self._frame, self._begin = self._frame_reached, at
        self._begins = at == self._begin
        return byte, RecordPlace(self._frame, at - self._begin)

    def read_until(self, ends: tuple[bytes, ...], max_bytes: int) -> bytes:
        """Return the rest of a head: the bytes up to and with one of some ends, or ``max_bytes``.

        The head began with the last byte from ``read_past_line_breaks``.
        """
        begin = self.at
        # The start of the next frame is known only if its first byte is read by itself. It must be
        # known if frames are records, that is, if this head began with its frame.
        rest = self._read_until_or_crossing(ends, max_bytes, _AHEAD, may_cross=not self._begins)
        if rest is None:
            self._restart_frame_and_skip_to(begin)
            rest = self._read_until_or_crossing(ends, max_bytes, 1, may_cross=True)
        assert rest is not None, "frames may be crossed"
        return rest

    def _read_until_or_crossing(
        self, ends: tuple[bytes, ...], max_bytes: int, step: int, *, may_cross: bool
    ) -> bytes | None:
        """Read up to one of some ends, ``step`` bytes at a time; return what comes after it to the
        buffer.

        None means that bytes of the next frame were read although frames must not be crossed.
        """
        content, frame = bytearray(), self._frame_reached
        longest = max(map(len, ends))
        while len(content) < max_bytes and (piece := self.read(step)):
            if not may_cross and self._frame_reached != frame:
                return None
            new = max(0, len(content) - longest + 1)  # An end may begin in an earlier piece.
            content += piece
            stops = [at + len(end) for end in ends if (at := content.find(end, new)) >= 0]
            if stops:
                size = min(stops)
                self._ahead = bytes(content[size:]) + self._ahead
                self.at -= len(content) - size
                return bytes(content[:size])
        return bytes(content)

    @property
    def is_cut_off(self) -> bool:
        """Whether the file ends within a frame, once it was read to its end."""
        # The reader of zstd alone says so wherever it is.
        return self._ends_early or (
            self.codec in (".gz", ".lz4")
            and self.file_end_or_minus_one_if_truncated(self._frame_reached) < 0
        )

    def file_end_or_minus_one_if_truncated(self, last_frame_offset: int) -> int:
        """Return the size of the file; -1 if its last frame is truncated."""
        if not self.codec:
            return self._size
        with pa.PythonFile(open_archive(self._path), mode="r") as file:
            file.seek(last_frame_offset)
            try:
                stream = pa.CompressedInputStream(file, _ARROWS[self.codec])
                while stream.read(STEP):
                    pass
            except OSError:
                return -1
        return self._size

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def open_archive(path: ArchivePath) -> IO[bytes]:
    """Open a file; OSError if a FIFO, which is not waited for, or a device stands there."""
    return open(path, "rb", opener=_open_regular_file) if isinstance(path, str) else path.open()


def size_in_bytes(path: ArchivePath) -> int:
    """Return the size of a file in bytes; OSError if it is not there."""
    return os.path.getsize(path) if isinstance(path, str) else path.size


def _open_regular_file(path: str, flags: int) -> int:
    descriptor = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a file", path)
    return descriptor


def read_codec_extension_or_empty(path: ArchivePath) -> str:
    """Return how a file is compressed: a key of ``MAGIC``; "" if it is not."""
    with open_archive(path) as file:
        return _recognise_codec_extension_or_empty(file)


def _recognise_codec_extension_or_empty(file: IO[bytes]) -> str:
    head = file.read(len(_DICTIONARY))
    if head == _DICTIONARY:
        return ".zst"
    for _ in range(_SKIPPED_MOST):
        if head[1:] != _SKIPPED or head[0] >> 4 != 5:
            break
        file.seek(int.from_bytes(file.read(4), "little"), io.SEEK_CUR)
        head = file.read(len(_DICTIONARY))
    return next((name for name, magic in MAGIC.items() if head.startswith(magic)), "")


def _read_dictionary_if_any(file: IO[bytes]) -> bytes | None:
    """Return the dictionary at the beginning, if there is one; it may be compressed itself."""
    file.seek(0)
    if file.read(len(_DICTIONARY)) != _DICTIONARY:
        return None
    content = file.read(min(int.from_bytes(file.read(4), "little"), _LARGEST_DICTIONARY))
    if not content.startswith(MAGIC[".zst"]):
        return content
    from fastwarc import stream_io

    return stream_io.ZstdReader(io.BytesIO(content)).read(_LARGEST_DICTIONARY)
