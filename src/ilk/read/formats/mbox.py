"""A mailbox in one file: its messages, one after another, whatever its size.

A message begins, after a blank line, with a line ``From `` that has a sender and a time; such a
line in a text has a ``>`` before it.

Source: RFC 4155, appendix A.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from ilk.read.formats.limits import Limits
from ilk.read.formats.parts import Member, Part

_SENT = re.compile(rb"From .{0,200}\d\d:\d\d.{0,40}\d{4}")
_ESCAPED = re.compile(rb"^>(>*From )", re.MULTILINE)


def read(file: BinaryIO, limits: Limits) -> Iterator[Part]:
    """Yield the messages, by their numbers from 0."""
    del limits  # The calling code enforces them.
    lines: list[bytes] = []
    number, blank = 0, True
    for line in file:
        if blank and _SENT.match(line):
            if lines:
                yield _message(number, lines)
                number, lines = number + 1, []
            blank = False
            continue
        lines.append(line)
        blank = not line.strip()
    if lines:
        yield _message(number, lines)


def _message(number: int, lines: list[bytes]) -> Member:
    return Member(f"#{number}", _ESCAPED.sub(rb"\1", b"".join(lines)), "mail")
