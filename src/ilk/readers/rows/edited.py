"""Rows of JSON lines and CSV with another text in one field; not a byte else of them changes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Protocol

from ilk.errors import OptionError

_DECODER = json.JSONDecoder(strict=False)
_SPACE = re.compile(r"[ \t\r\n]*")


class Rows(Protocol):
    """A source whose rows are bytes."""

    def split(self, content: bytes) -> list[bytes]:
        """Return rows that follow one another, each with its end."""


class EditedRows:
    """A writer of rows, each of which is given to a function first, with its number."""

    def __init__(
        self, to: Any, source: Rows, first: int, edit: Callable[[int, bytes], bytes]
    ) -> None:
        """Begin with the row of number ``first``."""
        self._to, self._source, self._at, self._edit = to, source, first, edit

    def write(self, rows: Any) -> None:
        """Write some rows."""
        edited = []
        for row in self._source.split(bytes(rows)):
            edited.append(self._edit(self._at, row))
            self._at += 1
        self._to.write(b"".join(edited))

    def close(self) -> None:
        """Leave the end to the writer after it."""


def json_with(row: bytes, name: str, text: str) -> bytes:
    r"""Return an object with another text in a field; a dot in its name may lead into another one.

    >>> json_with(b'{"n": 1.50, "text" :"old"}\n', "text", "new")
    b'{"n": 1.50, "text" :"new"}\n'

    Raises:
        OptionError: it has no text of that name, or is nested too deeply to be looked into.
    """
    line = row.decode("utf-8", "surrogateescape")
    try:
        begin, end = _value(line, _after(line, 0), name.split("."))
    except (ValueError, KeyError, IndexError, RecursionError):
        raise OptionError(f"a row has no text in {name} that can be cut in place.") from None
    # What was written in ASCII stays so.
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
        found[name] = (begin, end)  # Readers take the last of two fields of one name.
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
    """Rows of CSV as a delimiter cuts them."""

    def __init__(self, delimiter: bytes) -> None:
        """Take a byte."""
        mark = re.escape(delimiter)
        # A quotation mark means something at the beginning of a field alone.
        field = rb'(?:"(?:[^"]|"")*(?:"|$)[^%b\r\n]*|[^%b\r\n]*)' % (mark, mark)
        self._field = re.compile(field)
        self._row = re.compile(rb"%b(?:%b%b)*(?:\r\n|\r|\n|$)" % (field, mark, field))

    def split(self, content: bytes) -> list[bytes]:
        """Return rows that follow one another, each with its end; blank lines stay before one."""
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
