"""Rows of JSON lines and CSV with another text in one field, and no other byte changed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Protocol

from ilk.base.errors import OptionError

_DECODER = json.JSONDecoder(strict=False)
_SPACE = re.compile(r"[ \t\r\n]*")


class SplitRows(Protocol):
    """A source whose rows are bytes."""

    def split(self, content: bytes) -> list[bytes]:
        """Return consecutive rows, each with its end."""


class EditedRows:
    """A writer of rows that passes each one, with its number, to a function first."""

    def __init__(
        self, to: Any, source: SplitRows, first: int, edit: Callable[[int, bytes], bytes]
    ) -> None:
        """Begin with the row numbered ``first``."""
        self._to, self._source, self._at, self._edit = to, source, first, edit

    def write(self, rows: Any) -> None:
        """Write some rows."""
        edited = []
        for row in self._source.split(bytes(rows)):
            edited.append(self._edit(self._at, row))
            self._at += 1
        self._to.write(b"".join(edited))

    def close(self) -> None:
        """Leave closing to the inner writer."""


def json_with(row: bytes, name: str, text: str) -> bytes:
    r"""Return an object with another text in a field; a dot in the name may lead into a nested
    object.

    >>> json_with(b'{"n": 1.50, "text" :"old"}\n', "text", "new")
    b'{"n": 1.50, "text" :"new"}\n'

    Raises:
        OptionError: it has no text with that name, or is nested too deeply.
    """
    line = row.decode("utf-8", "surrogateescape")
    try:
        begin, end = _value(line, _after(line, 0), name.split("."))
    except (ValueError, KeyError, IndexError, RecursionError):
        raise OptionError(f"a row has no text in {name} that can be cut in place.") from None
    # ASCII stays ASCII.
    written = json.dumps(text, ensure_ascii=line[begin:end].isascii())
    return (line[:begin] + written + line[end:]).encode("utf-8", "surrogateescape")


def _value(line: str, at: int, steps: list[str]) -> tuple[int, int]:
    """Return where the value of a field of the object at a place begins and ends."""
    if line[at] != "{":
        raise KeyError(steps[0])
    found: dict[str, tuple[int, int]] = {}
    at = _after(line, at + 1)
    while line[at] != "}":
        name, at = _DECODER.raw_decode(line, at)
        begin = _after(line, _after(line, at) + 1)
        end = _DECODER.raw_decode(line, begin)[1]
        found[name] = (begin, end)  # Readers use the last of two fields with the same name.
        at = _after(line, end)
        if line[at] == ",":
            at = _after(line, at + 1)
    whole = ".".join(steps)
    if whole in found or len(steps) == 1:
        return found[whole]
    return _value(line, found[steps[0]][0], steps[1:])


def _after(line: str, at: int) -> int:
    """Return the place after white space."""
    match = _SPACE.match(line, at)
    assert match is not None, "it matches nothing, too"
    return match.end()


class Fields:
    """Rows of CSV with a delimiter."""

    def __init__(self, delimiter: bytes) -> None:
        """Take a byte."""
        mark = re.escape(delimiter)
        # A quotation mark is special only at the beginning of a field.
        field = rb'(?:"(?:[^"]|"")*(?:"|$)[^%b\r\n]*|[^%b\r\n]*)' % (mark, mark)
        self._field = re.compile(field)
        self._row = re.compile(rb"%b(?:%b%b)*(?:\r\n|\r|\n|$)" % (field, mark, field))

    def split(self, content: bytes) -> list[bytes]:
        """Return rows that follow one another, each with its end; blank lines stay before the next
        row.
        """
        rows, before = [], b""
        for match in self._row.finditer(content):
            row = match[0]
            if row.strip(b"\r\n"):
                rows.append(before + row)
                before = b""
            else:
                before += row
        return rows

    def replaced(self, row: bytes, number: int, text: str) -> bytes:
        """Return a row with another text in a field, in quotes if it was, or must be."""
        at = len(row) - len(row.lstrip(b"\r\n"))
        match = self._field.match(row, at)
        for _ in range(number):
            assert match is not None, "it matches nothing, too"
            match = self._field.match(row, match.end() + 1)
        assert match is not None, "it matches nothing, too"
        written = text.encode()
        plain = self._field.fullmatch(written) is not None and not written.startswith(b'"')
        if match[0].startswith(b'"') or not plain:
            written = b'"' + written.replace(b'"', b'""') + b'"'
        return row[: match.start()] + written + row[match.end() :]
