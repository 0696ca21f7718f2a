"""The fields before a record: a block of named fields in WARC, a line in ARC."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

#: The most bytes of a head.
LONGEST = 1 << 16

#: The beginning of the address of the record that describes the format of the others in an ARC.
_FILE = "filedesc:"

#: Fields of a line of ARC: the address, the host's number, time, type and length; version 2 has
#: five more before the length.
_ARC_FIELDS = {"1": 5, "2": 10}

#: The values of a field that is missing.
_MISSING = ("",)

_WARC = b"WARC/"

#: Fields of WARC that are true only of a whole record, with the lines that continue them.
_OF_THE_WHOLE = re.compile(
    rb"^(?:Content-Length|WARC-Truncated|WARC-(?:Block|Payload)-Digest)[ \t]*:.*\n(?:[ \t].*\n)*",
    re.ASCII | re.IGNORECASE | re.MULTILINE,
)

_DIGITS = re.compile(r"\d{1,18}", re.ASCII)


class Head(NamedTuple):
    """The fields before a record.

    kind: its type in WARC: ``response``, ``revisit``, ``warcinfo``, ...; "" if it has none. length:
    bytes of the record after the head.
    fields: names in lower case, each with its values in their order.
    """

    kind: str
    length: int
    fields: Mapping[str, Sequence[str]]

    def values_of(self, name: str) -> Sequence[str]:
        """Return the values of a field, in their order."""
        return self.fields.get(name, ())

    def first_value_or_empty(self, name: str) -> str:
        """Return the first value of a field, or ""."""
        return self.fields.get(name, _MISSING)[0]


class Malformed(Exception):
    """An invalid head; the message is the reason."""


def parse_warc_head(head: bytes) -> Head:
    """Read a head of WARC; raise Malformed if it lacks a length."""
    head_fields = parse_fields(head)
    if "content-length" not in head_fields:
        raise Malformed("has no Content-Length")
    length, *others = head_fields["content-length"]
    if _DIGITS.fullmatch(length) is None or any(other != length for other in others):
        raise Malformed(f"has a Content-Length of {length[:40]!r}")
    return Head(head_fields.get("warc-type", _MISSING)[0].lower(), int(length), head_fields)


def has_content_length(head: bytes) -> bool:
    """Return whether a head of WARC has the length of its record."""
    try:
        parse_warc_head(head)
    except Malformed:
        return False
    return True


def parse_arc_line(line: bytes, version: str) -> Head:
    """Read a line of ARC, in the form of a WARC head; raise Malformed if it lacks a field."""
    # Fields are counted from the right, since addresses may contain spaces.
    parts = line.decode("utf-8", "replace").strip().rsplit(" ", _ARC_FIELDS[version] - 1)
    if len(parts) < _ARC_FIELDS[version] or not _DIGITS.fullmatch(parts[-1]):
        raise Malformed("is not a line of ARC")
    url, _, time, media, *_ = parts
    date = f"{time[:4]}-{time[4:6]}-{time[6:8]}T{time[8:10]}:{time[10:12]}:{time[12:14]}Z"
    kind = "warcinfo" if url.startswith(_FILE) else "response"
    named = {"warc-target-uri": [url], "warc-date": [date], "content-type": [media]}
    return Head(kind, int(parts[-1]), named)


def head_of_truncated_record(head: bytes, length: int) -> bytes:
    """Return the head of a record that is cut off with the length of what there is.

    A head of WARC says so by a field of its own (WARC 1.1, section 5.13), and has no digests any
    more: they are of what was whole.
    """
    if not head.startswith(_WARC):
        return re.sub(rb"\d+(?=\r?\n$)", b"%d" % length, head)
    first, end, rest = head.partition(b"\n")
    rest = _OF_THE_WHOLE.sub(b"", rest)
    fields = b"Content-Length: %d\r\nWARC-Truncated: unspecified\r\n" % length
    return first + end + fields + rest


def arc_version(body: bytes) -> str:
    """Return the version of ARC, "1" or "2", from the body of the first record."""
    return "2" if body.startswith(b"2 ") else "1"


def parse_fields(head: bytes) -> dict[str, list[str]]:
    """Return the fields after the first line, each with its values in their order; a line that
    begins with white space continues the one before.
    """
    values_by_name: dict[str, list[str]] = {}
    last: list[str] = []
    for line in head.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")[1:]:
        name, colon, value = line.partition(":")
        if last and line[:1] in (" ", "\t"):
            last[-1] = f"{last[-1]} {line.strip()}"
        elif colon:
            last = values_by_name.setdefault(name.strip().lower(), [])
            last.append(value.strip())
    return values_by_name
