"""Records copied from an archive into another: as compressed bytes wherever that can be."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import closing
from typing import IO, Protocol

from ilk.readers.warc.entries import Entry
from ilk.readers.warc.forms import Form
from ilk.readers.warc.frames import STEP, Frames, Place
from ilk.writers.rows import CODECS


class Copier:
    """Writes records into a file, each as a frame of its own if the file's name has a codec."""

    def __init__(self, out: IO[bytes], name: str) -> None:
        """Write nothing yet."""
        self._out = out
        self._codec = os.path.splitext(name)[1].lower()
        self._compress = CODECS.get(self._codec)

    def copy(self, path: str, kind: Form, entries: Iterable[Entry]) -> None:
        """Copy records of an archive, in their order.

        A record that lies in a frame of its own is copied as it is, byte for byte, if the file is
        compressed in the same way; else its own bytes are what is copied.

        Raises:
            EOFError: the archive ends before its records do.
            OSError: it cannot be read, or the file not be written.
        """
        with closing(_Moving(path)) as source, open(path, "rb") as file:
            same = source.codec == (self._codec if self._compress else "")
            for entry in entries:
                if same and source.alone and entry.end >= 0:
                    file.seek(entry.place.frame)
                    _copy(file, self._out, entry.end - entry.place.frame)
                else:
                    self._write(source.at(entry.place), entry.size, kind)

    def _write(self, record: Frames, size: int, kind: Form) -> None:
        """Write a record, and what stands behind every one."""
        out = self._compress(self._out) if self._compress else self._out
        _copy(record, out, size)
        out.write(kind.trailers[0])
        if self._compress:
            out.close()


class _Moving:
    """An archive that is read from one place on, and then from another behind it."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._frames = Frames(path)
        self._frame = 0
        self.codec, self.alone = self._frames.codec, self._frames.alone

    def at(self, place: Place) -> Frames:
        """The bytes from a place on; a frame of many records is read but once."""
        if place.frame != self._frame or place.within < self._frames.at:
            self.close()
            self._frames, self._frame = Frames(self._path, Place(place.frame, 0)), place.frame
        self._frames.skip(place.within - self._frames.at)
        return self._frames

    def close(self) -> None:
        """Let go of the file."""
        self._frames.close()


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def _copy(source: _Readable, out: IO[bytes], size: int) -> None:
    """Copy so many bytes.

    Raises:
        EOFError: there are less.
    """
    while size:
        piece = source.read(min(STEP, size))
        if not piece:
            raise EOFError("ends before its records do")
        out.write(piece)
        size -= len(piece)
