"""Readers of rows that packages register: for files that the core cannot read itself.

A reader is an object that an entry point of the group ``ilk.readers`` names, with the members of
``Reader``.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from ilk.base.packages import registered
from ilk.base.running import Running
from ilk.read.reading import Reading
from ilk.read.rows.sources import Names, Source
from ilk.read.rows.streams import bare

#: Opens a file by its name for people and its path.
Opener = Callable[[str, str, Names], Source]


class Reader(Protocol):
    """What a package says of the files that it reads.

    forms: by the name of a form (``Source.form``), the extensions of its files.
    codecs: extensions of codecs that may come after them.
    also: extensions of other files that rows of these forms can be written to.
    """

    forms: Mapping[str, Sequence[str]]
    codecs: Sequence[str]
    also: Sequence[str]

    def begins(self, path: str) -> bool:
        """Return whether the first bytes of a file are those of a form."""

    def opener(self, reading: Reading, running: Running) -> Opener:
        """Return what opens the files of one data set, which may refer to one another."""


@functools.cache
def readers() -> tuple[Reader, ...]:
    """Return the readers that are installed."""
    return tuple(point.load() for point in registered("readers").values())


def reader_called(path: str) -> Reader | None:
    """Return the reader of a file by its name."""
    return next((reader for reader in readers() if extension(path, reader)), None)


def reader_of_content(path: str) -> Reader | None:
    """Return the reader of a file by its first bytes; None if it cannot be read."""
    if not os.path.isfile(path):
        return None
    return next((reader for reader in readers() if reader.begins(path)), None)


def reader_of_form(form: str) -> Reader | None:
    """Return the reader of a form."""
    return next((reader for reader in readers() if form in reader.forms), None)


def extension(path: str, reader: Reader) -> str:
    """Return the extension of a path before that of its codec, if the reader has it, else ""."""
    kind = bare(path, reader.codecs)[1]
    return kind if any(kind in kinds for kinds in reader.forms.values()) else ""
