"""What a terminal can show of names and rows that may hold anything."""

from __future__ import annotations

import codecs
import io
import re
import sys
import unicodedata
from typing import IO, Any, cast


def printable(name: str) -> str:
    """Return a name with its control characters escaped."""
    if name.isprintable():
        return name
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in name)


def count_cells(text: str) -> int:
    """Return how many cells of a terminal a text takes: wide characters two, marks none.

    >>> count_cells("minutes"), count_cells("\u8b70\u4e8b\u9332"), count_cells("e\u0301")
    (7, 6, 1)
    """
    if text.isascii():
        return len(text)
    return sum(map(_count_cells_of, text))


def _count_cells_of(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def shorten_middle(name: str, cells: int) -> str:
    """Return a name in at most that many cells, at least one: its end matters more than its start.

    >>> shorten_middle("Documents/old work (1)/Letters/2003/Brief an Frau Weber.pdf", 40)
    'Documents/old\u202603/Brief an Frau Weber.pdf'
    """
    if count_cells(name) <= cells:
        return name
    begin, room = "", (cells - 1) // 3
    for character in name:
        room -= _count_cells_of(character)
        if room < 0:
            break
        begin += character
    end, room = "", cells - 1 - count_cells(begin)
    for character in reversed(name):
        room -= _count_cells_of(character)
        if room < 0:
            break
        end = character + end
    return f"{begin}\u2026{end}"


def shorten_end(text: str, cells: int) -> str:
    """Return the start of a text, in at most that many cells."""
    if count_cells(text) <= cells:
        return text
    begin = ""
    for character in text:
        if count_cells(begin + character) > cells - 1:
            break
        begin += character
    return begin + "\u2026"


#: A space at which a line may end.
_BETWEEN_WORDS = re.compile(r"(?<!\d) | (?!(?:[kMGTP]?B|files?)\b)")


def wrap_keeping_indent_shortening_words(line: str, cells: int) -> list[str]:
    """Return a line wrapped between words; lines after the first are indented as it is.

    A word that no line could hold is shortened in its middle. Spaces at the start stay. A number
    stays with its unit.

    >>> wrap_keeping_indent_shortening_words("in all 12 files, 240 kB", 20)
    ['in all 12 files,', '240 kB']
    """
    if count_cells(line) <= cells:
        return [line]
    bare = line.lstrip(" ")
    indent = min(len(line) - len(bare), max(0, cells - 20))
    lines, at = [], " " * indent
    empty = True
    for word in _BETWEEN_WORDS.split(bare):
        if not empty and count_cells(at) + 1 + count_cells(word) > cells:
            lines.append(at)
            at, empty = " " * indent, True
        at += ("" if empty else " ") + shorten_middle(word, max(1, cells - indent))
        empty = False
    return [*lines, at]


def printable_if_stdout_terminal(out: IO[bytes]) -> IO[bytes]:
    """Return a file to write rows to: ``out``, or what escapes them if it is stdout's terminal."""
    screen = out is sys.stdout.buffer and sys.stdout.isatty()
    return cast("IO[bytes]", _EscapingScreen(out)) if screen else out


class _EscapingScreen(io.RawIOBase):
    """A terminal for rows: their control characters would move its cursor, or change more."""

    def __init__(self, out: IO[bytes]) -> None:
        self._out = out
        self._decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")

    def writable(self) -> bool:
        """Return that it is, as pyarrow asks."""
        return True

    def write(self, piece: Any) -> int:
        """Write what can be shown of some bytes of UTF-8; lines stay lines."""
        lines = self._decoder.decode(bytes(piece)).split("\n")
        self._out.write("\n".join(printable(line.removesuffix("\r")) for line in lines).encode())
        return len(piece)
