"""What the archives of one data set share: the texts of their captures, and revisits.

Each text is extracted once, since that takes longer than everything else, and may have another
result the next time; so it is kept in a file without a name, which disappears with the process. A
revisit has the text of its original: the same bytes of that file.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import threading
import weakref
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import IO, Generic, TypeAlias, TypeVar

import pyarrow as pa

from ilk.companions import Pages, errors
from ilk.plugins import OutputError

#: What a revisit may name of the capture that it repeats: a kind (``id``, ``url`` or ``digest``)
#: and its values.
RevisitKey: TypeAlias = tuple[str, ...]

#: An object that finds the captures of an archive by their rows.
T = TypeVar("T")

#: Where no system call reads at a place, one thread reads at a time.
_READING = threading.Lock()

#: Bytes of texts to write at once.
_BUFFER = 1 << 20

#: The size of a missing text.
_NONE = -1


def _open_temporary_file() -> IO[bytes]:
    return tempfile.TemporaryFile(buffering=_BUFFER)


class Crawl(Generic[T]):
    """Captures, numbered from 0 in the order in which they are read.

    OutputError if there is no room for their texts.

    pages: extracts text from pages. jobs: how many at a time.
    """

    def __init__(
        self,
        pages: Pages,
        jobs: int,
        open_text_file: Callable[[], IO[bytes]] = _open_temporary_file,
    ) -> None:
        """Start without captures."""
        self.pages, self.jobs, self._open_text_file = pages, jobs, open_text_file
        self._begins, self._sizes = array("q"), array("q")
        self._end = 0
        self._numbers: dict[bytes, int] = {}
        self._archives: list[tuple[int, T]] = []

    @cached_property
    def _file(self) -> IO[bytes]:
        file = self._open_text_file()
        weakref.finalize(self, file.close)
        return file

    def __len__(self) -> int:
        """Count the captures."""
        return len(self._begins)

    def begin_archive(self, archive: T) -> int:
        """Continue with the captures of another archive, and return the number of the first."""
        self._archives.append((len(self), archive))
        return len(self)

    def archive_and_row_of(self, number: int) -> tuple[T, int]:
        """Return the archive of a capture, and its row in it."""
        at = bisect_right(self._archives, number, key=lambda entered: entered[0]) - 1
        first, archive = self._archives[at]
        return archive, number - first

    def add_capture(self, text: bytes | None, keys: Iterable[RevisitKey]) -> None:
        """Add a capture, and the keys by which revisits may find it."""
        self._point_keys_at_number(keys, len(self))
        self._begins.append(self._end)
        self._sizes.append(_NONE if text is None else len(text))
        if text:
            try:
                self._file.write(text)
            except OSError as error:
                raise no_room_error(error) from error
            self._end += len(text)

    def number_of_original_or_none(
        self, keys_of_revisited_original: Iterable[RevisitKey]
    ) -> int | None:
        """Return the number of the capture that a revisit refers to; None if it was not read."""
        keys = (_hash_key(key) for key in keys_of_revisited_original)
        return next((self._numbers[key] for key in keys if key in self._numbers), None)

    def add_revisit(self, original_number: int, keys: Iterable[RevisitKey]) -> None:
        """Add a capture that has the text of another one, and is as good for other revisits."""
        self._point_keys_at_number(keys, original_number)
        self._begins.append(self._begins[original_number])
        self._sizes.append(self._sizes[original_number])

    def _point_keys_at_number(self, keys: Iterable[RevisitKey], number: int) -> None:
        for key in keys:
            self._numbers[_hash_key(key)] = number

    def text_byte_count(self, number: int) -> int:
        """Return the bytes of the text of a capture; 0 if it has no text."""
        return max(0, self._sizes[number])

    def read_texts(self, numbers: Iterable[int]) -> pa.LargeStringArray:
        """Return the texts of captures; null for one that has none."""
        ends, chunks = array("q", [0]), []
        runs: list[tuple[int, int]] = []
        for number in numbers:
            begin, size = self._begins[number], self.text_byte_count(number)
            chunks.append(self._sizes[number] != _NONE)
            ends.append(ends[-1] + size)
            # Texts that follow each other are read at once.
            first = runs.pop()[0] if runs and runs[-1][1] == begin else begin
            runs.append((first, begin + size))
        try:
            self._file.flush()
        except OSError as error:
            raise no_room_error(error) from error
        content = b"".join(
            read_at_most_bytes_at(self._file.fileno(), end - begin, begin) for begin, end in runs
        )
        valid = pa.array(chunks, pa.bool_()).buffers()[1]
        buffers = [valid, pa.py_buffer(ends), pa.py_buffer(content)]
        texts = pa.Array.from_buffers(pa.large_string(), len(chunks), buffers)
        texts.validate()  # Arrow would read beyond the end of what is too short.
        return texts


def read_at_most_bytes_at(handle: int, max_bytes: int, at: int) -> bytes:
    """Return some bytes of an open file, starting at ``at``, from any thread."""
    if hasattr(os, "pread"):
        return os.pread(handle, max_bytes, at)
    with _READING:
        os.lseek(handle, at, os.SEEK_SET)
        return os.read(handle, max_bytes)


def no_room_error(error: OSError) -> OutputError:
    """Return the error that a temporary file cannot hold more."""
    return OutputError(
        f"cannot keep the texts of archives in {tempfile.gettempdir()}: "
        f"{errors.reason_of_error(error)}. Free some space, or name another folder in TMPDIR."
    )


def _hash_key(key: RevisitKey) -> bytes:
    content = "\n".join(key).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(content, digest_size=16).digest()
