"""Where records go on after what is damaged, and when to look no further."""

from __future__ import annotations

import os
from contextlib import closing

from ilk.readers.warc import heads
from ilk.readers.warc.forms import Form
from ilk.readers.warc.frames import MAGIC, STEP, Frames, Place, codec_of

#: Bytes that may be read for nothing before the rest is given up, and how many more for each that
#: was read with success: else a file could be made that is read as often as it has records.
MOST_IN_VAIN = 1 << 33
_MORE = 8


class Lost(Exception):
    """The place where records were lost, and the reason; they may go on after that."""

    def __init__(self, place: Place, reason: str, *, frame_ends: bool = False) -> None:
        """Take both; ``frame_ends`` says that the frame cannot be read any further."""
        super().__init__(reason)
        self.place, self.reason, self.frame_ends = place, reason, frame_ends


class OutOfPatienceError(Exception):
    """Too much was read for nothing."""


class Search:
    """The search for records in a file, with the bytes that may still be read for nothing.

    Every method but ``gain`` raises OutOfPatienceError when none is left.
    """

    def __init__(self, path: str, kind: Form, most: int) -> None:
        """Begin with ``most`` bytes."""
        self._path, self._kind, self._left = path, kind, most

    def gain(self, size: int) -> None:
        """Count bytes that were read with success."""
        self._left += _MORE * size

    def spend(self, size: int) -> None:
        """Count bytes that were read for nothing."""
        self._left -= size
        if self._left < 0:
            raise OutOfPatienceError

    def next_place(self, lost: Lost, touched: int) -> Place | None:
        """Find where records go on; None if they do not.

        ``touched`` is the offset of the frame that was read last.
        """
        if lost.frame_ends:
            return self._next_frame(touched + 1, None)
        record = self._next_record(lost.place)
        # A frame that begins with a record says more than a line that looks like one.
        return self._next_frame(lost.place.frame + 1, record and record.frame) or record

    def _next_record(self, lost: Place) -> Place | None:
        """Find a line that begins a record after one that was lost, as far as frames can be read.

        Its place is counted from the last frame that begins before it.
        """
        self.spend(lost.within)
        try:
            with closing(Frames(self._path, lost)) as frames:
                window, begin = b"", lost.within
                while piece := frames.read(STEP):
                    self.spend(len(piece))
                    window += piece
                    if match := self._kind.begin.search(window, 1):
                        place = Place(lost.frame, begin + match.start())
                        with closing(Frames(self._path, place)) as again:
                            return again.first()[1]
                    gone = max(0, len(window) - heads.LONGEST)
                    window, begin = window[gone:], begin + gone
        except OSError:
            return None
        return None

    def _next_frame(self, offset: int, last: int | None) -> Place | None:
        """Find a frame that begins with a record, from an offset on, and not after the ``last``."""
        magic = MAGIC.get(codec_of(self._path))
        if magic is None:
            return None
        end = os.path.getsize(self._path) if last is None else last + len(magic)
        with open(self._path, "rb") as file:
            file.seek(offset)
            window = b""
            while piece := file.read(max(0, min(STEP, end - file.tell()))):
                self.spend(len(piece))
                window += piece
                at = window.find(magic)
                while at >= 0:
                    self.spend(heads.LONGEST)
                    if self._begins(offset + at):
                        return Place(offset + at, 0)
                    at = window.find(magic, at + 1)
                gone = max(0, len(window) - len(magic) + 1)
                window, offset = window[gone:], offset + gone
        return None

    def _begins(self, offset: int) -> bool:
        """Tell whether a frame at an offset can be read, and begins with a record."""
        try:
            with closing(Frames(self._path, Place(offset, 0))) as frames:
                return self._kind.begin.match(b"\n" + frames.read(heads.LONGEST), 1) is not None
        except OSError:
            return False
