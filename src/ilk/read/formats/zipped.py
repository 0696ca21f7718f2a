"""Zips, with sizes checked before anything is inflated."""

from __future__ import annotations

import zipfile
from typing import BinaryIO

from ilk.read.formats.limits import Limits
from ilk.read.formats.parts import Unfit


def opened(file: BinaryIO, limits: Limits) -> zipfile.ZipFile:
    """Open a zip; Unfit if its declared sizes exceed what it may unpack to."""
    archive = zipfile.ZipFile(file)
    size = file.seek(0, 2)
    limits.check(sum(one.file_size for one in archive.infolist()), size)
    return archive


def part(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return the bytes of a part; empty if it does not exist, or has a password."""
    try:
        info = archive.getinfo(name)
    except KeyError:
        return b""
    if info.flag_bits & 1:
        raise Unfit("is encrypted; save it without a password")
    return archive.read(info)
