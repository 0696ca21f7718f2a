"""What tells whether a source has changed since it was read."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable
from typing import NamedTuple

import pyarrow as pa

from ilk.errors import SourceChanged
from ilk.fingerprints.digest import bytes_digests

_PIECE = 1 << 20


class Signature(NamedTuple):
    """The same where a source is the same.

    size: in bytes. modified: nanoseconds from 1970; None for a table. digest: of its content, in
    hexadecimal digits.
    """

    source: str
    size: int
    modified: int | None
    digest: str


class Stamp:
    """A file's size and last change when it was first seen."""

    def __init__(self, name: str, path: str) -> None:
        """Look at the file.

        Raises:
            OSError: there is none.
        """
        self._name, self._path = name, path
        self._status = os.stat(path)

    @property
    def size(self) -> int:
        """In bytes."""
        return self._status.st_size

    def check(self) -> None:
        """Refuse to go on with a file that has changed.

        Raises:
            SourceChanged: its size or its last change is another.
        """
        try:
            seen, was = os.stat(self._path), self._status
        except OSError as error:
            raise self.changed() from error
        if (seen.st_size, seen.st_mtime_ns) != (was.st_size, was.st_mtime_ns):
            raise self.changed()

    def changed(self) -> SourceChanged:
        """The error that the file is not what it was."""
        return SourceChanged(
            f"{self._name} has changed since it was first read; leave it alone, and run again."
        )

    def signature(self) -> Signature:
        """With a digest of the file's bytes: of the digests of its pieces of a megabyte."""
        self.check()
        pieces = _pieces(self._path)
        return Signature(self._name, self.size, self._status.st_mtime_ns, digest(pieces))


def digest(contents: Iterable[bytes]) -> str:
    """A digest of the digests of some contents, in their order."""
    digests = [bytes_digests([content])[0].as_py() for content in contents]
    whole: pa.Array = bytes_digests([b"".join(digests)])
    return str(whole[0].as_py().hex())


def _pieces(path: str) -> Iterable[bytes]:
    with io.FileIO(path) as file:
        while piece := file.read(_PIECE):
            yield piece
