"""What a terminal can show of names and rows that may hold anything."""

from __future__ import annotations

import codecs
import io
import sys
from typing import IO, Any, cast


def printable(name: str) -> str:
    """Return a name without control characters."""
    if name.isprintable():
        return name
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in name)


def shown(out: IO[bytes]) -> IO[bytes]:
    """Return where rows are written: their exact bytes, or what a terminal can show of them."""
    screen = out is sys.stdout.buffer and sys.stdout.isatty()
    return cast("IO[bytes]", _Screen(out)) if screen else out


class _Screen(io.RawIOBase):
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
