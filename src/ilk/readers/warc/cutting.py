"""Records one after another, and what is damaged between them.

A record is believed when the bytes behind it are those that must stand there. Where they are not,
its length lies, and what follows is looked for behind its head. Where a frame cannot be
decompressed, the next one is looked for in the bytes of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import NamedTuple

from ilk.readers.warc import heads
from ilk.readers.warc.forms import ARC, WARC, Form
from ilk.readers.warc.frames import STEP, Frames, Place
from ilk.readers.warc.heads import Head, Malformed
from ilk.readers.warc.recovery import Lost, OutOfPatienceError, Patience, found_again

#: Bytes of a record that are held in memory at the most.
LARGEST = 1 << 26

_WARC = b"WARC/"

#: The kind of the record that tells how the others are written.
_NOTE = "warcinfo"


class Record(NamedTuple):
    """A record.

    place, size: where it begins, and the bytes of its head and body, decompressed.
    end: where the frame ends that holds it and nothing else; -1 if there is none.
    body: what follows its head; None where nobody wants it, or it is too large.
    """

    place: Place
    size: int
    end: int
    head: Head
    body: bytes | None


class Damage(NamedTuple):
    """What cannot be read: the offset of the frame in which it begins, and why."""

    offset: int
    reason: str


def records(
    path: str, kind: Form, wanted: Callable[[Head], bool], tell: Callable[[int], None]
) -> Iterator[Record | Damage]:
    """The records of a file, in their order, and what is damaged between them.

    Args:
        path: the file.
        kind: what it is.
        wanted: which of them are needed with their bodies.
        tell: told of the bytes of the file read so far.

    Raises:
        OSError: it cannot be opened.
    """
    cutter, patience = _Cutter(kind, wanted), Patience()
    start: Place | None = Place(0, 0)
    while start is not None:
        with closing(Frames(path, start)) as frames:
            try:
                for record in cutter.cut(frames):
                    tell(frames.progress)
                    yield record
                return
            except Lost as lost:
                yield Damage(lost.place.frame, lost.reason)
                patience.gain(cutter.sound_until - start.within)
                in_vain, touched = start.within + frames.at - cutter.sound_until, frames.touched
                damage = lost
        try:
            patience.spend(in_vain)
            start = found_again(path, damage, touched, kind, patience)
        except OutOfPatienceError:
            yield Damage(damage.place.frame, "so much is damaged that the rest is not read")
            return


class _Cutter:
    """Cuts records out of frames as long as all is well.

    sound_until: bytes up to the end of the last record that was sound.
    """

    def __init__(self, kind: Form, wanted: Callable[[Head], bool]) -> None:
        self._kind, self._wanted = kind, wanted
        self._arc_version = "1"
        self.sound_until = 0

    def cut(self, frames: Frames) -> Iterator[Record]:
        """The records from here to the end.

        Raises:
            Lost: there is something else.
        """
        self.sound_until = frames.at
        _, first, place = _behind_ends(frames)
        while first:
            begin = frames.at - 1
            try:
                head, body = self._read(first, place, frames)
            except OSError as error:
                raise Lost(place, _undone(error), frame_ends=True) from None
            end, lost = frames.at, None
            try:
                ends, first, behind = _behind_ends(frames)
            except Lost as error:
                ends, first, behind, lost = b"", b"", place, error
            if not self._sound(ends, first, behind, frames):
                raise Lost(place, f"is not {head.length:,} bytes long, as its head says")
            self.sound_until = end
            alone = -1 if lost else _end(place, first, behind, frames)
            yield Record(place, end - begin, alone, head, body)
            if lost:
                raise lost
            place = behind

    def _read(self, first: bytes, place: Place, frames: Frames) -> tuple[Head, bytes | None]:
        """A head, and the body if it is wanted.

        Raises:
            OSError: it cannot be decompressed.
            Lost: it makes no sense.
        """
        try:
            if self._kind is WARC:
                head = heads.warc(_block(first, frames))
            else:
                head = heads.arc(_line(first, frames), self._arc_version)
        except Malformed as error:
            raise Lost(place, str(error)) from None
        if head.length > frames.left:
            raise Lost(place, f"is cut off: its head tells of {head.length:,} bytes")
        held = (self._wanted(head) or head.kind == _NOTE) and head.length <= LARGEST
        pieces, left = [], head.length
        while left and (piece := frames.read(min(STEP, left))):
            left -= len(piece)
            if held:
                pieces.append(piece)
        if left:
            raise Lost(place, f"is cut off: {left:,} of {head.length:,} bytes are missing")
        body = b"".join(pieces) if held else None
        if self._kind is ARC and head.kind == _NOTE:
            self._arc_version = heads.arc_version(body or b"")
        return head, body

    def _sound(self, ends: bytes, first: bytes, behind: Place, frames: Frames) -> bool:
        """Whether what stands behind a record may stand there."""
        if not first or ends.startswith(self._kind.trailers):
            return True
        return bool(frames.codec) and behind.within == 0


def _undone(error: OSError) -> str:
    return f"cannot be decompressed ({error})"


def _behind_ends(frames: Frames) -> tuple[bytes, bytes, Place]:
    """Ends of lines, the first byte that is none (none at the end of the file), and its place.

    Raises:
        Lost: what follows cannot be decompressed.
    """
    ends = bytearray()
    while True:
        try:
            byte, place = frames.first()
        except OSError as error:
            raise Lost(Place(frames.reached, 0), _undone(error), frame_ends=True) from None
        if not byte or byte not in b"\r\n":
            return bytes(ends), byte, place
        ends += byte
        if len(ends) > heads.LONGEST:
            raise Lost(place, "is nothing but ends of lines")


def _end(place: Place, first: bytes, behind: Place, frames: Frames) -> int:
    """Where the frame ends that holds just the record at a place; -1 if there is none."""
    if place.within or (behind.within and first):
        return -1
    return behind.frame if first else frames.end(place.frame)


def _block(first: bytes, frames: Frames) -> bytes:
    """A head of WARC, with the blank line that ends it.

    Raises:
        OSError: it cannot be decompressed.
        Malformed: it is none.
    """
    head = first + frames.read(len(_WARC) - 1)
    if head != _WARC:
        raise Malformed("is no record")
    return _ended(head, (b"\r\n\r\n", b"\n\n"), frames)


def _line(first: bytes, frames: Frames) -> bytes:
    """A line of ARC, with its end.

    Raises:
        OSError: it cannot be decompressed.
        Malformed: it has no end.
    """
    return _ended(first, (b"\n",), frames)


def _ended(begin: bytes, ends: tuple[bytes, ...], frames: Frames) -> bytes:
    """What begins so, up to one of some ends.

    Raises:
        OSError: it cannot be decompressed.
        Malformed: no end comes.
    """
    found = begin + frames.until(ends, heads.LONGEST)
    if not found.endswith(ends):
        short = len(found) < heads.LONGEST
        raise Malformed("is cut off in its head" if short else "has a head without an end")
    return found
