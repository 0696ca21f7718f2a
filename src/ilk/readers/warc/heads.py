"""The fields before a record: a block of named fields in WARC, a line in ARC."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

#: The most bytes of a head.
LONGEST = 1 << 16

#: The beginning of the address of the record that describes the format of the others in an ARC.
_FILE = "filedesc:"

#: Fields of a line of ARC: the address, the host's number, time, type and length; version 2 has
#: five more before the length.
_ARC_FIELDS = {"1": 5, "2": 10}

_DIGITS = re.compile(r"\d{1,18}", re.ASCII)


class Head(NamedTuple):
    """The fields before a record.

    kind: its type in WARC: ``response``, ``revisit``, ``warcinfo``, ...; "" if it has none. length:
    bytes of the record after the head.
    fields: names in lower case, and values, in their order.
    """

    kind: str
    length: int
    fields: Sequence[tuple[str, str]]

    def all(self, name: str) -> list[str]:
        """Return the values of a field, in their order."""
        return [value for field, value in self.fields if field == name]

    def get(self, name: str) -> str:
        """Return the first value of a field, or ""."""
        return next(iter(self.all(name)), "")


class Malformed(Exception):
    """An invalid head; the message is the reason."""


def warc(head: bytes) -> Head:
    """Read a head of WARC; raise Malformed if it lacks a length."""
    pairs = fields(head)
    lengths = [value for name, value in pairs if name == "content-length"]
    if not lengths:
        raise Malformed("has no Content-Length")
    if any(_DIGITS.fullmatch(length) is None for length in lengths) or len(set(lengths)) > 1:
        raise Malformed(f"has a Content-Length of {lengths[0][:40]!r}")
    kinds = [value.lower() for name, value in pairs if name == "warc-type"]
    return Head(kinds[0] if kinds else "", int(lengths[0]), pairs)


def says_length(head: bytes) -> bool:
    """Return whether a head of WARC has the length of its record."""
    try:
        warc(head)
    except Malformed:
        return False
    return True


def arc(line: bytes, version: str) -> Head:
    """Read a line of ARC, in the form of a WARC head; raise Malformed if it lacks a field."""
    # Fields are counted from the right, since addresses may contain spaces.
    parts = line.decode("utf-8", "replace").strip().rsplit(" ", _ARC_FIELDS[version] - 1)
    if len(parts) < _ARC_FIELDS[version] or not _DIGITS.fullmatch(parts[-1]):
        raise Malformed("is not a line of ARC")
    url, _, time, media, *_ = parts
    date = f"{time[:4]}-{time[4:6]}-{time[6:8]}T{time[8:10]}:{time[10:12]}:{time[12:14]}Z"
    kind = "warcinfo" if url.startswith(_FILE) else "response"
    pairs = [("warc-target-uri", url), ("warc-date", date), ("content-type", media)]
    return Head(kind, int(parts[-1]), pairs)


def arc_version(body: bytes) -> str:
    """Return the version of ARC, "1" or "2", from the body of the first record."""
    return "2" if body.startswith(b"2 ") else "1"


def fields(head: bytes) -> list[tuple[str, str]]:
    """Return the fields after the first line; a line that begins with white space continues the one
    before.
    """
    pairs: list[tuple[str, str]] = []
    for line in head.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")[1:]:
        if line[:1] in (" ", "\t") and pairs:
            name, value = pairs[-1]
            pairs[-1] = (name, f"{value} {line.strip()}")
        elif ":" in line:
            name, _, value = line.partition(":")
            pairs.append((name.strip().lower(), value.strip()))
    return pairs
