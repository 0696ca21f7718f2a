"""Archives and compressed files: every file in them is a document.

Nothing is written to a disk. A tar is read from front to back, so a compressed one is never held
unpacked; its links and devices are no documents.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from typing import IO, Any, BinaryIO

from ilk.read.encodings.kinds import TAR_MAGIC, TAR_OFFSET
from ilk.read.formats.parts import DocumentPart, Limits, MemberPart, Unfit, Unread

_STEP = 1 << 20

#: Flags of gzip: an extra field, a remark.
_GZIP_EXTRA, _GZIP_REMARK = 0x04, 0x10

_ZSTANDARD = b"\x28\xb5\x2f\xfd"


def open_zip_within_limits(file: BinaryIO, limits: Limits) -> zipfile.ZipFile:
    """Open a zip; Unfit if its declared sizes exceed what it may unpack to."""
    archive = zipfile.ZipFile(file)
    limits.refuse_too_much(
        sum(one.file_size for one in archive.infolist()), file.seek(0, io.SEEK_END)
    )
    return archive


def read_zip(file: BinaryIO, limits: Limits) -> Iterator[DocumentPart]:
    """Yield the files."""
    with open_zip_within_limits(file, limits) as archive:
        for info in archive.infolist():
            name = "!/" + info.filename
            if info.is_dir():
                continue
            if info.flag_bits & 1:
                yield Unread(name, "is encrypted; unpack it with its password")
            elif info.file_size > limits.member_bytes:
                yield Unread(name, limits.spell_too_large(info.file_size))
            else:
                try:
                    yield MemberPart(name, archive.read(info))
                except MemoryError:
                    raise
                except Exception as error:  # Every codec has its own errors.
                    yield Unread(name, f"is damaged: {error}")
        if has_bytes_beside_files(archive, file):
            yield Unread("", "remarks, or bytes that belong to none of its files", known=True)


def has_bytes_beside_files(archive: zipfile.ZipFile, file: IO[bytes]) -> bool:
    """Return whether a zip has remarks, or bytes before, between or after its files."""
    rest = archive.start_dir
    for one in archive.infolist():
        file.seek(one.header_offset + 26)  # Where the lengths of name and extra field are.
        rest -= 30 + sum(int.from_bytes(file.read(2), "little") for _ in "ab") + one.compress_size
        rest -= 24 if one.flag_bits & 0x08 else 0  # Sizes after the file: 24 bytes at most.
    file.seek(-22, io.SEEK_END)  # Where it ends if no remark follows.
    whole = rest <= 0 and file.read(4) == b"PK\x05\x06"
    return not whole or any(one.comment for one in archive.infolist())


def read_tar(file: BinaryIO, limits: Limits) -> Iterator[DocumentPart]:
    """Yield the files."""
    bytes_unpacked = 0
    with tarfile.open(fileobj=file, mode="r|") as archive:
        for info in archive:
            name = "!/" + info.name
            if not info.isreg():
                if not info.isdir():
                    yield Unread(name, "is a link or a device, not a file", known=True)
                continue
            bytes_unpacked += info.size
            limits.refuse_too_much(bytes_unpacked, bytes_unpacked)
            if info.size > limits.member_bytes:
                yield Unread(name, limits.spell_too_large(info.size))
            elif content := archive.extractfile(info):
                yield MemberPart(name, content.read())
        after: Any = archive.fileobj
        if any(step.strip(b"\0") for step in iter(lambda: after.read(_STEP), b"")):
            yield Unread("", "bytes after the last file; there may be more files")


def read_compressed(file: BinaryIO, limits: Limits) -> Iterator[DocumentPart]:
    """Yield the compressed file, with the name of the outer one; or the files of the archive."""
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    magic = file.read(6)
    file.seek(0)
    unpack = next((unpack for begin, unpack in _BEGINS if magic.startswith(begin)), _open_zstandard)
    content = io.BufferedReader(_LimitedStream(unpack(file), size, limits), _STEP)
    if content.peek(512).startswith(TAR_MAGIC, TAR_OFFSET):
        yield from read_tar(content, limits)
        return
    data = bytearray()
    while step := content.read(_STEP):
        data += step
        if len(data) > limits.member_bytes:
            raise Unfit(limits.spell_too_large(len(data)))
    yield MemberPart("", bytes(data))
    if _has_bytes_not_unpacked(file, magic):
        yield Unread("", "a field, a remark or a frame besides what is compressed", known=True)


def _has_bytes_not_unpacked(file: BinaryIO, magic: bytes) -> bool:
    """Return whether a compressed file holds something that unpacking does not give.

    Source: RFC 1952, section 2.3 (gzip); RFC 8878, section 3.1 (Zstandard). Of gzip the first
    header is looked at.
    """
    if magic.startswith(b"\x1f\x8b"):
        return bool(magic[3] & (_GZIP_EXTRA | _GZIP_REMARK))
    return _begins_zstandard(magic) and _has_bytes_outside_zstandard_frames(file)


def _begins_zstandard(magic: bytes) -> bool:
    return magic.startswith(_ZSTANDARD) or _begins_skippable_frame(magic)


def _begins_skippable_frame(begin: bytes) -> bool:
    return begin[1:4] == b"\x2a\x4d\x18" and 0x50 <= begin[0] <= 0x5F


def _has_bytes_outside_zstandard_frames(file: BinaryIO) -> bool:
    """Return whether Zstandard has a frame of other bytes, or something that is no frame."""
    file.seek(0)
    while begin := file.read(5):
        if not begin.startswith(_ZSTANDARD):
            return True
        flags = begin[4]
        single, size = flags >> 5 & 1, flags >> 6
        # A window, the id of a dictionary, and the size of the content.
        file.seek((1 - single) + (0, 1, 2, 4)[flags & 3] + ((single, 2, 4, 8)[size]), io.SEEK_CUR)
        last = False
        while not last:
            header = file.read(3)
            if len(header) < 3:
                return True
            block = int.from_bytes(header, "little")
            last, repeated = bool(block & 1), block >> 1 & 3 == 1
            file.seek(1 if repeated else block >> 3, io.SEEK_CUR)
        file.seek(4 if flags & 4 else 0, io.SEEK_CUR)
    return False


def _open_zstandard(file: BinaryIO) -> IO[bytes]:
    import pyarrow as pa

    stream: IO[bytes] = pa.CompressedInputStream(pa.PythonFile(file, mode="r"), "zstd")
    return stream


class _ConcatenatedStreams:
    """What streams of xz or bzip2 hold, one after another, with nothing else between or after them.

    Python's modules silently stop at the padding of xz, or at other bytes.
    """

    def __init__(self, file: BinaryIO, start: Callable[[], Any], padding: bytes = b"") -> None:
        self._file, self._start, self._padding = file, start, padding
        self._stream, self._rest, self._has_begun = start(), b"", True

    def read(self, size: int) -> bytes:
        """Return some of the content; Unfit if something else follows a stream."""
        while self._begin_next_stream_if_needed():
            piece = b""
            if self._stream.needs_input:
                piece, self._rest = self._rest or self._file.read(_STEP), b""
                if not piece:
                    raise EOFError("it ends before its end")
            try:
                data: bytes = self._stream.decompress(piece, size)
            except (OSError, lzma.LZMAError):
                if self._has_begun:
                    raise
                raise Unfit("has other bytes after what is compressed") from None
            self._has_begun = self._has_begun or bool(data) or self._stream.eof
            if data:
                return data
        return b""

    def _begin_next_stream_if_needed(self) -> bool:
        """Begin the next stream if this one has ended; return False after the last one."""
        if not self._stream.eof:
            return True
        rest = self._stream.unused_data.lstrip(self._padding)
        while not rest:
            step = self._file.read(_STEP)
            if not step:
                return False
            rest = step.lstrip(self._padding)
        self._stream, self._rest, self._has_begun = self._start(), rest, False
        return True


def _open_xz(file: BinaryIO) -> _ConcatenatedStreams:
    return _ConcatenatedStreams(file, lzma.LZMADecompressor, padding=b"\0")


def _open_bzip2(file: BinaryIO) -> _ConcatenatedStreams:
    return _ConcatenatedStreams(file, bz2.BZ2Decompressor)


#: Decompressors by the first bytes of a file; anything else is Zstandard.
_BEGINS = ((b"\x1f\x8b", gzip.open), (b"BZh", _open_bzip2), (b"\xfd7zXZ", _open_xz))


class _LimitedStream(io.RawIOBase):
    """The output of a decompressor, until it is too much."""

    def __init__(self, content: Any, packed_bytes: int, limits: Limits) -> None:
        self._content, self._packed_bytes, self._limits = content, packed_bytes, limits
        self._read = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer)
        data = self._content.read(len(view))
        view[: len(data)] = data
        self._read += len(data)
        self._limits.refuse_too_much(self._read, self._packed_bytes)
        return len(data)
