"""Files inside a ZIP that are opened as if they were files of their own, as often as asked."""

from __future__ import annotations

import io
import os
import tempfile
import weakref
from typing import IO

from ilk_web.warc.crawl import no_room_error, read_at_most_bytes_at
from ilk_web.warc.frames import open_archive


class UncompressedFile:
    """A file of a ZIP that is not compressed, read where it stands."""

    def __init__(self, path: str, begin: int, size: int) -> None:
        """Read nothing yet; ``begin`` and ``size`` in bytes."""
        self._path, self._begin, self.size = path, begin, size

    def open(self) -> IO[bytes]:
        """Open it; OSError if the file around it is gone."""
        return io.BufferedReader(_Stretch(open_archive(self._path), self._begin, self.size))


class UnpackedFile:
    """Bytes that were unpacked, in a file without a name, which goes with this object."""

    def __init__(self) -> None:
        """Start without bytes; OSError if no such file can be made."""
        self._content = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the object.
        weakref.finalize(self, self._content.close)
        self.size = 0

    def add(self, piece: bytes) -> None:
        """Add bytes at the end; OutputError if there is no room."""
        try:
            self._content.write(piece)
        except OSError as error:
            raise no_room_error(error) from error
        self.size += len(piece)

    def open(self) -> IO[bytes]:
        """Open what has been added so far."""
        try:
            self._content.flush()
        except OSError as error:
            raise no_room_error(error) from error
        handle = os.dup(self._content.fileno())
        return io.BufferedReader(_Stretch(os.fdopen(handle, "rb"), 0, self.size))


class _Stretch(io.RawIOBase):
    """Some bytes of an open file; its own place is not that of the file, which others may read."""

    def __init__(self, file: IO[bytes], begin: int, size: int) -> None:
        self._file, self._begin, self._size, self._at = file, begin, size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        begins = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}
        self._at = max(0, begins[whence] + offset)
        return self._at

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        wanted = max(0, min(len(buffer), self._size - self._at))
        piece = read_at_most_bytes_at(self._file.fileno(), wanted, self._begin + self._at)
        buffer[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)

    def close(self) -> None:
        self._file.close()
        super().close()
