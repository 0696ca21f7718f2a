"""The bytes that a file holds, decompressed where its name says so, read from front to back."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from ilk.readers.names import extension

#: Bytes asked of a decompressor at once.
_STEP = 1 << 16


class Damaged(Exception):
    """A file ends, or makes no sense, before its content does; all before that was read."""


def _gzip(file: io.FileIO) -> Any:
    """The same bytes from either; isal (the extra "gzip") takes a third of the time."""
    codec = import_module("isal.igzip" if find_spec("isal") else "gzip")
    return codec.GzipFile(fileobj=file, mode="rb")


def _zstandard(file: io.FileIO) -> Any:
    import pyarrow as pa

    return pa.CompressedInputStream(pa.PythonFile(file, mode="r"), "zstd")


#: How files of these extensions are decompressed.
CODECS: dict[str, Callable[[io.FileIO], Any]] = {".gz": _gzip, ".zst": _zstandard}


def bare(path: str) -> tuple[str, str]:
    """The extensions of a path, lower-cased: that of its codec, or "", and that before it."""
    codec = extension(path)
    if codec not in CODECS:
        return "", codec
    return codec, extension(path[: -len(codec)])


class Stream:
    """What a file holds, as a stream that is read into memory of the caller's."""

    def __init__(self, path: str) -> None:
        """Open the file.

        Raises:
            OSError: it cannot be opened.
        """
        self._path = path
        self._codec = CODECS.get(bare(path)[0])
        self._damage: str | None = None
        self._open()

    def _open(self) -> None:
        self._file = io.FileIO(self._path)
        self._content = self._codec(self._file) if self._codec else self._file
        self.at = 0  # Bytes of the content read so far.

    @property
    def progress(self) -> int:
        """Bytes of the file read so far."""
        return self._file.tell()

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def readinto(self, memory: memoryview) -> int:
        """Read as many bytes as there are and fit, and tell how many; 0 at the end.

        Raises:
            Damaged: there is no end, and nothing more can be read.
        """
        done = 0
        while self._damage is None and done < len(memory):
            step = len(memory) - done
            read = self._read(memory[done : done + (min(step, _STEP) if self._codec else step)])
            done += read
            if not read:
                break
        if self._damage is not None and not done:
            raise Damaged(self._damage)
        return done

    def _read(self, memory: memoryview) -> int:
        try:
            read = int(self._content.readinto(memory))
        except Exception as error:  # Every decompressor has errors of its own.
            return self._salvage(memory, str(error))
        self.at += read
        return read

    def _salvage(self, memory: memoryview, reason: str) -> int:
        """Read what a failed call had read before it failed, byte by byte."""
        self._damage = reason
        if self._codec is None:
            return 0
        wanted, done = self.at, 0
        self.close()
        self._open()
        self.skip(wanted)
        try:
            while done < len(memory) and self._content.readinto(memory[done : done + 1]):
                done += 1
        except Exception:
            pass  # Here it failed before.
        self.at += done
        return done

    def skip(self, count: int) -> None:
        """Go on behind so many bytes."""
        if self._codec is None:
            self._file.seek(count, os.SEEK_CUR)
            self.at += count
            return
        memory = memoryview(bytearray(min(count, _STEP)))
        while count > 0:
            read = self._content.readinto(memory[:count])
            if not read:
                return
            count -= read
            self.at += read
