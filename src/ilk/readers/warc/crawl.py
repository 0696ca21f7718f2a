"""What the archives of one data set share: the texts of their captures, and which is like which.

A text is made once, for that takes longer than all else, and may end differently the next time; so
it is kept in a file without a name, which is gone with the process. A revisit has the text of what
it revisits: the same bytes of that file.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import weakref
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import IO, Generic, TypeVar

from ilk.errors import OptionError, OutputError
from ilk.readers.pages.extraction import Pages

#: What knows the captures of an archive by their rows.
T = TypeVar("T")

#: A text that is not there.
_NONE = -1


class Crawl(Generic[T]):
    """Captures, numbered from 0 in the order in which they are read.

    pages: makes text of pages. jobs: of how many at a time.
    """

    def __init__(self, extract: str, timeout: float, jobs: int) -> None:
        """Hold nothing yet.

        Args:
            extract: how text is made of pages, a name of ``EXTRACTS``.
            timeout: seconds that a page may take.
            jobs: how many pages are extracted at a time.

        Raises:
            OptionError, MissingExtra: as for ``Pages``.
        """
        if not timeout > 0:
            raise OptionError(f"convert_timeout is {timeout!r}; it must be seconds above 0.")
        self.pages, self.jobs = Pages(extract, timeout), jobs
        self._begins, self._sizes = array("q"), array("q")
        self._end = 0
        self._known: dict[bytes, int] = {}
        self._archives: list[tuple[int, T]] = []

    @cached_property
    def _file(self) -> IO[bytes]:
        file = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as this does.
        weakref.finalize(self, file.close)
        return file

    def __len__(self) -> int:
        """How many captures there are."""
        return len(self._begins)

    def enter(self, archive: T) -> int:
        """Go on with the captures of another archive, and tell the number of the first."""
        self._archives.append((len(self), archive))
        return len(self)

    def where(self, number: int) -> tuple[T, int]:
        """The archive of a capture, and its row in it."""
        at = bisect_right(self._archives, number, key=lambda entered: entered[0]) - 1
        first, archive = self._archives[at]
        return archive, number - first

    def add(self, text: bytes | None, known_by: Iterable[tuple[str, ...]]) -> None:
        """Take a capture, and by what revisits may know it.

        Raises:
            OutputError: there is no room for the text.
        """
        self._know(known_by, len(self))
        self._begins.append(self._end)
        self._sizes.append(_NONE if text is None else len(text))
        with _room():
            self._file.write(text or b"")
        self._end += len(text or b"")

    def original(self, refers: Iterable[tuple[str, ...]]) -> int | None:
        """The number of the capture that a revisit refers to; None if it was not read before."""
        keys = (_hash(key) for key in refers)
        return next((self._known[key] for key in keys if key in self._known), None)

    def repeat(self, original: int, known_by: Iterable[tuple[str, ...]]) -> None:
        """Take a capture that has the text of another one, and stands for it to other revisits."""
        self._know(known_by, original)
        self._begins.append(self._begins[original])
        self._sizes.append(self._sizes[original])

    def _know(self, keys: Iterable[tuple[str, ...]], number: int) -> None:
        for key in keys:
            self._known[_hash(key)] = number

    def size(self, number: int) -> int:
        """Bytes of the text of a capture; 0 where there is none."""
        return max(0, self._sizes[number])

    def text(self, number: int) -> bytes | None:
        """The text of a capture.

        Raises:
            OutputError: there was no room for it.
        """
        size = self._sizes[number]
        if size == _NONE:
            return None
        with _room():
            self._file.flush()
        return os.pread(self._file.fileno(), size, self._begins[number])


@contextlib.contextmanager
def _room() -> Iterator[None]:
    """Say where there is no room, if there is none."""
    try:
        yield
    except OSError as error:
        raise OutputError(
            f"the texts of archives cannot be kept in {tempfile.gettempdir()}: "
            f"{error.strerror or error}. Make room, or name another folder: TMPDIR."
        ) from error


def _hash(key: tuple[str, ...]) -> bytes:
    content = "\n".join(key).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(content, digest_size=16).digest()
