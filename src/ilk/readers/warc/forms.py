"""What makes an archive WARC or ARC."""

from __future__ import annotations

import re
from contextlib import closing
from typing import NamedTuple

from ilk.readers.warc import heads
from ilk.readers.warc.frames import Frames


class Form(NamedTuple):
    """A format of archives.

    name: what people call it.
    begin: how a record begins behind the end of a line.
    trailers: what stands behind every record, as the standard and as some programs have it.
    """

    name: str
    begin: re.Pattern[bytes]
    trailers: tuple[bytes, ...]


WARC = Form("WARC", re.compile(rb"(?<=\n)" + heads.WARC_LINE.pattern), (b"\r\n\r\n", b"\n\n"))
ARC = Form("ARC", re.compile(rb"(?<=\n)" + heads.ARC_LINE.pattern), (b"\n", b"\r\n"))


def form(path: str) -> Form | None:
    """What a file is, as its first bytes say; None if it is no archive, or cannot be read.

    Raises:
        OSError: it cannot be opened.
    """
    with closing(Frames(path)) as frames:
        try:
            head = b"\n" + frames.read(heads.LONGEST)
        except OSError:
            return None
    return next((kind for kind in (WARC, ARC) if kind.begin.match(head, 1)), None)
