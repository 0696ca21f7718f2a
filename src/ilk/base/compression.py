"""Files that are written compressed if their names say so."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from ilk.base.whole import whole_file


def _open_gzip_compressor(out: IO[bytes]) -> gzip.GzipFile:
    # Without name and time, so that the same rows give the same bytes.
    return gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=out, mtime=0)


def _open_xz_compressor(out: IO[bytes]) -> lzma.LZMAFile:
    return lzma.LZMAFile(out, "wb")


def _opener_of_arrow_compressor(codec: str) -> Callable[[IO[bytes]], pa.CompressedOutputStream]:
    """Return a function that opens a compressor, which leaves open what it writes to."""
    return lambda out: pa.CompressedOutputStream(pa.PythonFile(_KeptOpenFile(out), mode="w"), codec)


class _KeptOpenFile(io.RawIOBase):
    """A file that stays open when the codec, which closes whatever it writes to, is closed."""

    def __init__(self, out: IO[bytes]) -> None:
        self._out = out

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        return self._out.write(content)


#: Functions that open a compressor, by extension; closing it ends what it writes.
CODECS: dict[str, Callable[[IO[bytes]], Any]] = {
    ".gz": _open_gzip_compressor,
    ".lz4": _opener_of_arrow_compressor("lz4"),
    ".zst": _opener_of_arrow_compressor("zstd"),
    ".bz2": lambda out: bz2.BZ2File(out, "wb"),
    ".xz": _open_xz_compressor,
}


def writer_compressed_by_name(out: IO[bytes], file_name: str) -> AbstractContextManager[IO[bytes]]:
    """Return a context that writes to an open file, compressed if a name says so.

    The file stays open when the context ends.
    """
    codec = CODECS.get(os.path.splitext(file_name)[1].lower())
    return nullcontext(out) if codec is None else closing(codec(out))


@contextmanager
def whole_file_compressed_by_name(path: Path) -> Iterator[IO[bytes]]:
    """Open a file to write, compressed if its name says so; it appears complete or not at all."""
    with whole_file(path) as out, writer_compressed_by_name(out, path.name) as file:
        yield file
