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
    begin: how a record begins after the end of a line.
    ends: what ends the head of a record.
    trailers: what stands after every record, as the standard and as some programs have it.
    """

    name: str
    begin: re.Pattern[bytes]
    ends: tuple[bytes, ...]
    trailers: tuple[bytes, ...]


_BLANK_LINES = (b"\r\n\r\n", b"\n\n")

WARC = Form(
    "WARC", re.compile(rb"(?<=\n)WARC/\d\.\d+[ \t]*\r?\n"), ends=_BLANK_LINES, trailers=_BLANK_LINES
)
ARC = Form(
    "ARC",
    re.compile(
        rb"(?<=\n)[A-Za-z][A-Za-z0-9+.-]*:[^\n]{0,8000} "
        rb"[0-9A-Fa-f.:]+ \d{14} \S+(?: \S+){0,5} \d+\r?\n"
    ),
    ends=(b"\n",),
    trailers=(b"\n", b"\r\n"),
)


def form(path: str) -> Form | None:
    """Return what a file is, as its first bytes say; None if it is no archive, or damaged."""
    with closing(Frames(path)) as frames:
        try:
            head = b"\n" + frames.read(heads.LONGEST)
        except OSError:
            return None
    return next((kind for kind in (WARC, ARC) if kind.begin.match(head, 1)), None)
