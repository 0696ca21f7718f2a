"""Signatures of sources, to detect changes since they were read."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable
from typing import NamedTuple

import pyarrow as pa

from ilk.base.errors import SourceChanged
from ilk.fingerprints.digest import bytes_digests

_PIECE = 1 << 20


class Signature(NamedTuple):
    """A value that is equal for equal sources.

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
        """Examine the file; OSError if it does not exist."""
        self._name, self._path = name, path
        status = os.stat(path)
        self.size, self._modified = status.st_size, status.st_mtime_ns

    def check(self) -> None:
        """Raise SourceChanged if the size or the last change of the file differs."""
        try:
            status = os.stat(self._path)
        except OSError as error:
            raise self.changed() from error
        if (status.st_size, status.st_mtime_ns) != (self.size, self._modified):
            raise self.changed()

    def changed(self) -> SourceChanged:
        """Return the error that the file has changed."""
        return SourceChanged(
            f"{self._name} has changed since it was first read; run again when nothing writes to "
            "it."
        )

    def signature(self) -> Signature:
        """Return it with a digest of the file: the digest of the digests of its megabytes."""
        self.check()
        with io.FileIO(self._path) as file:
            pieces = iter(lambda: file.read(_PIECE), b"")
            return Signature(self._name, self.size, self._modified, digest(pieces))


def digest(contents: Iterable[bytes]) -> str:
    """Return a digest of the digests of some contents, in their order."""
    digests = [bytes_digests([content])[0].as_py() for content in contents]
    whole: pa.Array = bytes_digests([b"".join(digests)])
    return str(whole[0].as_py().hex())
