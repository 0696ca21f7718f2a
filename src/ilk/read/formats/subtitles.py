"""SubRip and WebVTT subtitles: the spoken text, without numbers, times, notes and tags.

Source: WebVTT, section 4.1 (W3C); SubRip has no standard, its cues are the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from ilk.read.encodings.decoding import decode
from ilk.read.formats.limits import Limits
from ilk.read.formats.parts import Left, Part, Text, Unfit

_TIMES = re.compile(r"(?:\d+:)?\d{1,2}:\d{2}[,.]\d{1,3}\s+-->\s+(?:\d+:)?\d{1,2}:\d{2}[,.]\d{1,3}")
_TAG = re.compile(r"</?[A-Za-z0-9.][^<>\n]{0,200}>|\{\\[^{}\n]{0,200}\}")


def read(file: BinaryIO, limits: Limits) -> Iterator[Part]:
    """Yield the text."""
    del limits  # The calling code enforces them.
    decoded = decode(file.read())
    if decoded is None:
        raise Unfit("is not text")
    lines, shown, times = [], False, Left()
    for line in decoded.utf8.decode().splitlines():
        if _TIMES.match(line.strip()):
            shown = True
            times.add("times", line.strip().encode())
        elif not line.strip():
            shown = False
        elif shown:
            lines.append(_TAG.sub("", line).strip())
    yield Text("\n".join(lines), left=times)
