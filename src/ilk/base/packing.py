"""Files that are written compressed if their names say so."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from ilk.base.whole import whole_file


def _gzip_writer(out: IO[bytes]) -> Any:
    # Without name and time, so that the same rows give the same bytes.
    return gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=out, mtime=0)


def _xz_writer(out: IO[bytes]) -> Any:
    return lzma.LZMAFile(out, "wb")


def _arrow_writer(codec: str) -> Callable[[IO[bytes]], Any]:
    return lambda out: pa.CompressedOutputStream(pa.PythonFile(_LeftOpen(out), mode="w"), codec)


class _LeftOpen(io.RawIOBase):
    """A file that stays open when the codec, which closes whatever it writes to, is closed."""

    def __init__(self, out: IO[bytes]) -> None:
        self._out = out

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        return self._out.write(content)


#: Compressors by extension; closing one ends what it writes.
CODECS: dict[str, Callable[[IO[bytes]], Any]] = {
    ".gz": _gzip_writer,
    ".lz4": _arrow_writer("lz4"),
    ".zst": _arrow_writer("zstd"),
    ".bz2": lambda out: bz2.BZ2File(out, "wb"),
    ".xz": _xz_writer,
}


def open_compressor_by_name(out: IO[bytes], name: str) -> Any:
    """Return a context with an open file, compressed if a name says so; it stays open itself."""
    codec = CODECS.get(os.path.splitext(name)[1].lower())
    return nullcontext(out) if codec is None else closing(codec(out))


@contextmanager
def whole_file_compressed_by_name(path: Path) -> Iterator[IO[bytes]]:
    """Open a file to write, compressed if its name says so; it appears complete or not at all."""
    with whole_file(path) as out, open_compressor_by_name(out, path.name) as file:
        yield file
