"""Where records go on behind what is damaged, and when to look no further."""

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
    """Where records were lost, and why; they may go on behind that."""

    def __init__(self, place: Place, reason: str, *, frame_ends: bool = False) -> None:
        """Take both; ``frame_ends`` says that the frame cannot be read any further."""
        super().__init__(reason)
        self.place, self.reason, self.frame_ends = place, reason, frame_ends


class Patience:
    """How many bytes may still be read for nothing."""

    def __init__(self) -> None:
        """Begin."""
        self._left = MOST_IN_VAIN

    def gain(self, size: int) -> None:
        """So many bytes were read with success."""
        self._left += _MORE * size

    def spend(self, size: int) -> None:
        """Read so many.

        Raises:
            OutOfPatienceError: they are too many.
        """
        self._left -= size
        if self._left < 0:
            raise OutOfPatienceError


class OutOfPatienceError(Exception):
    """Too much was read for nothing."""


def found_again(
    path: str, lost: Lost, touched: int, kind: Form, patience: Patience
) -> Place | None:
    """Where records go on; None if they do not.

    Args:
        path: the file.
        lost: what is wrong.
        touched: where the frame begins that was read last.
        kind: what the file is.
        patience: spent on the search.

    Raises:
        OutOfPatienceError: it takes too long.
    """
    if lost.frame_ends:
        return _next_frame(path, touched + 1, None, kind, patience)
    found = _next_record(path, lost.place, kind, patience)
    last = found.frame if found else None
    # A frame that begins with a record tells more than a line that looks like one.
    return _next_frame(path, lost.place.frame + 1, last, kind, patience) or found


def _next_record(path: str, lost: Place, kind: Form, patience: Patience) -> Place | None:
    """Where a line begins a record behind one that was lost, as far as frames can be read."""
    patience.spend(lost.within)
    try:
        with closing(Frames(path, lost)) as frames:
            held, begin = b"", lost.within
            while piece := frames.read(STEP):
                patience.spend(len(piece))
                held += piece
                if found := kind.begin.search(held, 1):
                    return _resolved(path, Place(lost.frame, begin + found.start()))
                gone = max(0, len(held) - heads.LONGEST)
                held, begin = held[gone:], begin + gone
    except OSError:
        return None
    return None


def _resolved(path: str, place: Place) -> Place:
    """A place as it is told: by the last frame that begins before it."""
    with closing(Frames(path, place)) as frames:
        return frames.first()[1]


def _next_frame(
    path: str, offset: int, last: int | None, kind: Form, patience: Patience
) -> Place | None:
    """Where a frame begins with a record, from an offset on, and not behind the ``last``."""
    magic = MAGIC.get(codec_of(path))
    if magic is None:
        return None
    end = os.path.getsize(path) if last is None else last + len(magic)
    with open(path, "rb") as file:
        file.seek(offset)
        held = b""
        while piece := file.read(max(0, min(STEP, end - file.tell()))):
            patience.spend(len(piece))
            held += piece
            at = held.find(magic)
            while at >= 0:
                patience.spend(heads.LONGEST)
                if _begins(path, offset + at, kind):
                    return Place(offset + at, 0)
                at = held.find(magic, at + 1)
            gone = max(0, len(held) - len(magic) + 1)
            held, offset = held[gone:], offset + gone
    return None


def _begins(path: str, offset: int, kind: Form) -> bool:
    """Whether a frame at an offset can be read, and begins with a record."""
    try:
        with closing(Frames(path, Place(offset, 0))) as frames:
            return kind.begin.match(b"\n" + frames.read(heads.LONGEST), 1) is not None
    except OSError:
        return False
