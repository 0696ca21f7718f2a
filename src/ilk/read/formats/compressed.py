"""One file, or a tar archive, compressed by gzip, bzip2, xz or Zstandard."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from collections.abc import Iterator
from typing import IO, Any, BinaryIO, cast

from ilk.read.formats import tars
from ilk.read.formats.limits import Limits
from ilk.read.formats.parts import Member, Part, Unfit

_STEP = 1 << 20


def read(file: BinaryIO, limits: Limits) -> Iterator[Part]:
    """Yield the compressed file, with the name of the outer one; or the files of the archive."""
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    magic = file.read(6)
    file.seek(0)
    content = io.BufferedReader(_Counted(_decompressed(magic, file), size, limits), _STEP)
    if content.peek(512).startswith(tars.MAGIC, tars.OFFSET):
        yield from tars.read(content, limits)
        return
    data = bytearray()
    while step := content.read(_STEP):
        data += step
        if len(data) > limits.part:
            raise Unfit(limits.too_large(len(data)))
    yield Member("", bytes(data))


def _decompressed(magic: bytes, file: BinaryIO) -> IO[bytes]:
    if magic.startswith(b"\x1f\x8b"):
        return cast(IO[bytes], gzip.GzipFile(fileobj=file))
    if magic.startswith(b"BZh"):
        return bz2.BZ2File(file)
    if magic.startswith(b"\xfd7zXZ"):
        return lzma.LZMAFile(file)
    import pyarrow as pa

    stream: IO[bytes] = pa.CompressedInputStream(pa.PythonFile(file, mode="r"), "zstd")
    return stream


class _Counted(io.RawIOBase):
    """The output of a decompressor, until it is too much."""

    def __init__(self, content: IO[bytes], size: int, limits: Limits) -> None:
        self._content, self._size, self._limits = content, size, limits
        self._read = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer)
        data = self._content.read(len(view))
        view[: len(data)] = data
        self._read += len(data)
        self._limits.check(self._read, self._size)
        return len(data)
