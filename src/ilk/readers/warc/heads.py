"""The fields before a record: a block of named ones in WARC, a line in ARC."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

#: Bytes that a head may have.
LONGEST = 1 << 16

#: What begins a line that is the first of a head.
WARC_LINE = re.compile(rb"WARC/\d\.\d+[ \t]*\r?\n")
ARC_LINE = re.compile(
    rb"[A-Za-z][A-Za-z0-9+.-]*:[^\n]{0,8000} [0-9A-Fa-f.:]+ \d{14} \S+(?: \S+){0,5} \d+\r?\n"
)

#: How the address of the record begins that tells how the others in an ARC are written.
_FILE = "filedesc:"

#: Fields of a line of ARC: the address, the host's number, time, type and length; version 2 has
#: five more before the length.
_ARC_FIELDS = {"1": 5, "2": 10}

_DIGITS = re.compile(r"\d{1,18}", re.ASCII)


class Head(NamedTuple):
    """The fields before a record.

    kind: what WARC calls it: ``response``, ``revisit``, ``warcinfo``, ...; "" if it is not told.
    length: bytes of the record behind the head.
    fields: names in lower case, and values, in their order.
    """

    kind: str
    length: int
    fields: Sequence[tuple[str, str]]

    def all(self, name: str) -> list[str]:
        """The values of a field, in their order."""
        return [value for field, value in self.fields if field == name]

    def get(self, name: str) -> str:
        """The first value of a field, or ""."""
        return next(iter(self.all(name)), "")


class Malformed(Exception):
    """A head makes no sense; the message is the reason."""


def warc(head: bytes) -> Head:
    """Read a head of WARC.

    Raises:
        Malformed: its length is not told.
    """
    found = fields(head)
    lengths = [value for name, value in found if name == "content-length"]
    if not lengths:
        raise Malformed("has no Content-Length")
    if any(_DIGITS.fullmatch(length) is None for length in lengths) or len(set(lengths)) > 1:
        raise Malformed(f"has a Content-Length of {lengths[0][:40]!r}")
    kinds = [value.lower() for name, value in found if name == "warc-type"]
    return Head(kinds[0] if kinds else "", int(lengths[0]), found)


def arc(line: bytes, version: str) -> Head:
    """Read a line of ARC, as a head of WARC has it.

    Raises:
        Malformed: it has not its fields.
    """
    # Addresses with spaces in them are counted from the right.
    parts = line.decode("utf-8", "replace").strip().rsplit(" ", _ARC_FIELDS[version] - 1)
    if len(parts) < _ARC_FIELDS[version] or not _DIGITS.fullmatch(parts[-1]):
        raise Malformed("is no line of ARC")
    url, _, time, media, *_ = parts
    found = [("warc-target-uri", url), ("warc-date", _spelled(time)), ("content-type", media)]
    kind = "warcinfo" if url.startswith(_FILE) else "response"
    return Head(kind, int(parts[-1]), found)


def arc_version(body: bytes) -> str:
    """The version of ARC that the record before all others tells: "1" or "2"."""
    return "2" if body.startswith(b"2 ") else "1"


def fields(head: bytes) -> list[tuple[str, str]]:
    """The fields behind the first line of a head; a line that begins with white space goes on."""
    found: list[tuple[str, str]] = []
    for line in head.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")[1:]:
        if line[:1] in (" ", "\t") and found:
            name, value = found[-1]
            found[-1] = (name, f"{value} {line.strip()}")
        elif ":" in line:
            name, _, value = line.partition(":")
            found.append((name.strip().lower(), value.strip()))
    return found


def _spelled(time: str) -> str:
    """A time of fourteen digits as WARC writes it."""
    day = f"{time[:4]}-{time[4:6]}-{time[6:8]}"
    return f"{day}T{time[8:10]}:{time[10:12]}:{time[12:14]}Z"
