"""The frames of a gzip file, for as long as they are sound.

A decompressor of isal or zlib stops at the end of a frame, so it is known where the next one
begins. Those of FastWARC read on unless they get there byte by byte, which takes longer than
decompression; but they give what comes before damage, which isal and zlib lose.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import IO, Any, NamedTuple

from ilk_web.warc.frames import STEP, Frames, NextByte, RecordPlace

#: The most bytes to decompress at once.
_LARGEST = 1 << 18

#: Bytes to search at once for the end of a head.
_NEAR = 1 << 12

_NO_LINE_BREAK = re.compile(rb"[^\r\n]")


class Unsound(Exception):
    """Something is not a sound frame, or cannot be read."""


class _DecompressedPiece(NamedTuple):
    """A piece of the content of a frame, by the offset of that frame in the file."""

    frame: int
    content: bytes


class GzipFrames(Frames):
    """A gzip file that is read starting at a place.

    All reading raises Unsound instead of OSError; then ``Frames`` reads more.
    """

    def _restart_frame_and_skip_to(self, at: int) -> None:
        self._file.seek(self._frame)
        self._frame_reached = self._frame
        self._pieces = _decompressed_pieces(self._file)
        self._piece, self._next = b"", 0
        self.at = self._begin
        self.skip(at - self._begin)

    @property
    def is_cut_off(self) -> bool:
        """Whether the file ends within a frame: then reading has raised Unsound."""
        return False

    def _go_to_next_piece(self) -> bool:
        """Go on to the next piece; False at the end."""
        frame, self._piece = next(self._pieces, (self._frame, b""))
        self._next = 0
        if frame != self._frame:
            self._frame = self._frame_reached = frame
            self._begin = self.at
        return bool(self._piece)

    def _take_bytes(self, size: int) -> bytes:
        """Return bytes of this piece, at most ``size``."""
        content = self._piece[self._next : self._next + size]
        self._next += len(content)
        self.at += len(content)
        return content

    def read(self, size: int) -> bytes:
        """Return ``size`` bytes, or as many as there are."""
        content = self._take_bytes(size)
        while len(content) < size and self._go_to_next_piece():
            content += self._take_bytes(size - len(content))
        return content

    def read_past_line_breaks(self, max_line_breaks: int) -> NextByte:
        """Return line breaks, the first other byte, and its place, as ``Frames`` does."""
        ends = b""
        while len(ends) <= max_line_breaks:
            room = max_line_breaks + 1 - len(ends)
            other = _NO_LINE_BREAK.search(self._piece, self._next, self._next + room)
            ends += self._take_bytes(other.start() - self._next if other else room)
            if other or not (self._next < len(self._piece) or self._go_to_next_piece()):
                break
        byte = self._take_bytes(1) if len(ends) <= max_line_breaks else b""
        return NextByte(ends, byte, RecordPlace(self._frame, self.at - 1 - self._begin))

    def read_until(self, ends: tuple[bytes, ...], max_bytes: int) -> bytes:
        """Return the bytes up to and with one of some ends, or ``max_bytes`` if none comes."""
        content, longest = b"", max(map(len, ends))
        while len(content) < max_bytes and (
            self._next < len(self._piece) or self._go_to_next_piece()
        ):
            new = max(0, len(content) - longest + 1)  # An end may begin in an earlier piece.
            content += self._take_bytes(min(_NEAR, max_bytes - len(content)))
            stops = [at + len(end) for end in ends if (at := content.find(end, new)) >= 0]
            if stops:
                more = len(content) - min(stops)
                self._next -= more
                self.at -= more
                return content[: min(stops)]
        return content


def _decompressed_pieces(file: IO[bytes]) -> Iterator[_DecompressedPiece]:
    """Yield the content of frames in pieces.

    Raises:
        Unsound: a frame is damaged or cut off, or the file cannot be read.
    """
    library: Any = import_module("isal.isal_zlib") if find_spec("isal") else zlib
    end, chunk = file.tell(), b""
    try:
        while chunk := chunk or file.read(STEP):
            begin, frame = end, library.decompressobj(wbits=zlib.MAX_WBITS | 16)
            while not frame.eof:
                if not (chunk or (chunk := file.read(STEP))):
                    raise Unsound
                piece = frame.decompress(chunk, _LARGEST)
                rest = frame.unused_data or frame.unconsumed_tail
                end, chunk = end + len(chunk) - len(rest), rest
                if piece:
                    yield _DecompressedPiece(begin, piece)
    except (OSError, library.error) as error:
        raise Unsound from error
