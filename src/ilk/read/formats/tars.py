"""Tar archives: every file is a document; links and devices are not.

They are read from front to back, so a compressed one is never held unpacked.
"""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from typing import BinaryIO

from ilk.read.formats.limits import Limits
from ilk.read.formats.parts import Member, Part, Unread

#: The offset of the magic in the first block of a tar.
MAGIC, OFFSET = b"ustar", 257


def read(file: BinaryIO, limits: Limits) -> Iterator[Part]:
    """Yield the files."""
    unpacked = 0
    with tarfile.open(fileobj=file, mode="r|") as archive:
        for info in archive:
            name = "!/" + info.name
            if not info.isreg():
                if not info.isdir():
                    yield Unread(name, "is a link or a device, not a file", known=True)
                continue
            unpacked += info.size
            limits.check(unpacked, unpacked)
            if info.size > limits.part:
                yield Unread(name, limits.too_large(info.size))
            elif content := archive.extractfile(info):
                yield Member(name, content.read())
