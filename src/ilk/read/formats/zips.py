"""ZIP archives: every file is a document. Nothing is written to a disk."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from typing import BinaryIO

from ilk.read.formats.limits import Limits
from ilk.read.formats.parts import Member, Part, Unread
from ilk.read.formats.zipped import opened


def read(file: BinaryIO, limits: Limits) -> Iterator[Part]:
    """Yield the files."""
    with opened(file, limits) as archive:
        for info in archive.infolist():
            if not info.is_dir():
                yield _member(archive, info, limits)


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, limits: Limits) -> Part:
    name = "!/" + info.filename
    if info.flag_bits & 1:
        return Unread(name, "is encrypted; unpack it with its password")
    if info.file_size > limits.part:
        return Unread(name, limits.too_large(info.file_size))
    try:
        return Member(name, archive.read(info))
    except MemoryError:
        raise
    except Exception as error:  # Every codec has its own errors.
        return Unread(name, f"is damaged: {error}")
