"""Cutting a file into records, and the damage between them.

A record is accepted if it is followed by the right bytes. If not, its length is wrong, and the next
record is searched for after its head. If a frame cannot be decompressed, the next one is searched
for in the bytes of the file. The last record is read as far as the file goes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import NamedTuple

from ilk_web.warc import heads
from ilk_web.warc.forms import ARC, WARC, Form
from ilk_web.warc.frames import (
    STEP,
    ArchivePath,
    Frames,
    NextByte,
    RecordPlace,
    read_codec_extension_or_empty,
)
from ilk_web.warc.gzipped import GzipFrames, Unsound
from ilk_web.warc.heads import Head, Malformed
from ilk_web.warc.recovery import (
    MOST_IN_VAIN,
    LostRecordError,
    RecordSearch,
    TooManyWastedBytesError,
)

#: The most bytes of a record to hold in memory.
LARGEST = 1 << 26

_WARC = b"WARC/"

#: The kind of the record that describes the format of the others.
_NOTE = "warcinfo"


class ArchiveRecord(NamedTuple):
    """A record.

    place, size: where it begins, and the bytes of its head and body, decompressed.
    end: the end of the frame that holds only this record; -1 if there is no such frame.
    body: what follows its head; None if it is not wanted, or is too large.
    missing: the bytes that its head promises, and that the file, which ends before, does not have.
    """

    place: RecordPlace
    size: int
    end: int
    head: Head
    body: bytes | None
    missing: int = 0


class Damage(NamedTuple):
    """Unreadable data: the offset of the frame in which it begins, and why."""

    offset: int
    reason: str


def read_records(
    path: ArchivePath,
    form: Form,
    wants_body: Callable[[Head], bool],
    tell_file_bytes_read: Callable[[int], None],
    *,
    max_body_bytes: int = LARGEST,
    max_wasted_bytes: int = MOST_IN_VAIN,
) -> Iterator[ArchiveRecord | Damage]:
    """Yield the records of a file, in order, and the damage between them.

    Args:
        path: the file.
        form: its form.
        wants_body: whether a record needs its body.
        tell_file_bytes_read: called with the number of bytes of the file read so far.
        max_body_bytes: bodies with more bytes are not read.
        max_wasted_bytes: the bytes with which ``RecordSearch`` starts. When more were read in vain
            than it counts, the rest of the file is abandoned.
    """
    cutter, search = (
        _Cutter(form, wants_body, max_body_bytes),
        RecordSearch(path, form, max_wasted_bytes),
    )
    start: RecordPlace | None = RecordPlace(0, 0)
    fastest = frame_type = GzipFrames if read_codec_extension_or_empty(path) == ".gz" else Frames
    while start is not None:
        cutter.prepare_to_start_at(start)
        try:
            with closing(frame_type(path, RecordPlace(start.frame, 0))) as frames:
                try:
                    for record in cutter.cut_records(frames):
                        tell_file_bytes_read(frames.file_bytes_read)
                        yield record
                    return
                except LostRecordError as lost:
                    damage = lost
                bytes_wasted = start.within + frames.at - cutter.sound_until
                last_offset = frames.frame_offset
        except Unsound:  # The other class gives what comes before the damage, and its reason.
            search.count_useful_bytes(cutter.sound_until - start.within)
            start, frame_type = cutter.place, Frames
            continue
        frame_type = fastest
        search.count_useful_bytes(cutter.sound_until - start.within)
        try:
            search.count_wasted_bytes(bytes_wasted)
            start = search.find_next_record_place_or_none(damage, last_offset)
        except TooManyWastedBytesError:
            yield Damage(damage.place.frame, damage.reason)
            yield Damage(damage.place.frame, "so much is damaged that the rest was not read")
            return
        if start is None and damage.is_cut_off:
            yield cutter.read_cut_off_record(path, damage.place)
        else:
            yield Damage(damage.place.frame, damage.reason)


class _CutOff(Exception):
    """A sound head, and less after it than it says; the message is the reason."""


class _Cutter:
    """Cuts records out of frames, as long as there is no damage.

    place: where the record begins that is being cut.
    sound_until: bytes up to the end of the last record that was sound.
    """

    def __init__(self, kind: Form, wants_body: Callable[[Head], bool], max_body_bytes: int) -> None:
        self._kind, self._wants_body, self._max_body_bytes = kind, wants_body, max_body_bytes
        self._arc_version = "1"
        self.prepare_to_start_at(RecordPlace(0, 0))

    def prepare_to_start_at(self, place: RecordPlace) -> None:
        """Prepare to cut records, starting at a place."""
        self.place, self.sound_until = place, place.within

    def cut_records(self, frames: Frames) -> Iterator[ArchiveRecord]:
        """Yield the records from there to the end.

        LostRecordError is raised where there is something else. ``frames`` begins with the frame
        of that place.
        """
        try:
            frames.skip(self.place.within)
        except OSError as error:
            raise LostRecordError(self.place, _describe_failure(error), frame_ends=True) from None
        _, first, place = _read_past_line_breaks(frames)
        if not first and frames.is_cut_off:
            raise LostRecordError(self.place, "is cut off before its first record", frame_ends=True)
        while first:
            self.place, begin = place, frames.at - 1
            try:
                head = self._read_head(first, frames)
                body = self._read_or_skip_body(head, frames)
                if self._kind is ARC and head.kind == _NOTE:
                    self._arc_version = heads.arc_version(body or b"")
            except OSError as error:
                raise LostRecordError(place, _describe_failure(error), frame_ends=True) from None
            except Malformed as error:
                raise LostRecordError(place, str(error)) from None
            except _CutOff as error:
                raise LostRecordError(place, str(error), is_cut_off=True) from None
            end, damage = frames.at, None
            try:
                line_ends, first, after = _read_past_line_breaks(frames)
            except LostRecordError as error:
                line_ends, first, after, damage = b"", b"", place, error
            new_frame = bool(frames.codec) and after.within == 0
            if first and not (line_ends.startswith(self._kind.trailers) or new_frame):
                raise LostRecordError(place, f"is not {head.length:,} bytes long, as its head says")
            self.sound_until = end
            alone = (
                -1
                if damage
                else _end_of_frame_with_one_record_or_minus_one(place, first, after, frames)
            )
            yield ArchiveRecord(place=place, size=end - begin, end=alone, head=head, body=body)
            if damage:
                raise damage
            # Decompressors mistake an invalid frame header for the end of the file.
            if not first and alone < 0 and (not place.within or frames.is_cut_off):
                raise LostRecordError(place, "is cut off, or no frame follows it", frame_ends=True)
            place = after

    def read_cut_off_record(self, path: ArchivePath, place: RecordPlace) -> ArchiveRecord:
        """Return the record at a place, although the file ends before it does."""
        with closing(Frames(path, RecordPlace(place.frame, 0))) as frames:
            frames.skip(place.within)
            _, first, place = _read_past_line_breaks(frames)
            begin = frames.at - 1
            head = self._read_head(first, frames)
            pieces, after = [], frames.at
            while piece := frames.read(STEP):
                if self._needs_body(head) and frames.at - after <= self._max_body_bytes:
                    pieces.append(piece)
            size = frames.at - after
            body = (
                b"".join(pieces)
                if self._needs_body(head) and size <= self._max_body_bytes
                else None
            )
            return ArchiveRecord(
                place=place,
                size=frames.at - begin,
                end=-1,
                head=head,
                body=body,
                missing=head.length - size,
            )

    def _read_head(self, first: bytes, frames: Frames) -> Head:
        """Read a head that begins with this byte; raise Malformed if it is not a head."""
        begin = first
        if self._kind is WARC:
            begin += frames.read(len(_WARC) - 1)
            if begin != _WARC:
                raise Malformed("is not a record")
        content = begin + frames.read_until(self._kind.ends, heads.LONGEST)
        if not content.endswith(self._kind.ends):
            short = len(content) < heads.LONGEST
            raise Malformed("is cut off in its head" if short else "has a head that does not end")
        return (
            heads.parse_warc_head(content)
            if self._kind is WARC
            else heads.parse_arc_line(content, self._arc_version)
        )

    def _read_or_skip_body(self, head: Head, frames: Frames) -> bytes | None:
        """Read a body, and return it if it is wanted; raise _CutOff if it is not all there."""
        if head.length > frames.max_bytes_left:
            raise _CutOff(f"is cut off: its head says {head.length:,} bytes")
        wants_body = self._needs_body(head) and head.length <= self._max_body_bytes
        pieces, left = [], head.length
        while left and (piece := frames.read(min(STEP, left))):
            left -= len(piece)
            if wants_body:
                pieces.append(piece)
        if left:
            raise _CutOff(f"is cut off: {left:,} of {head.length:,} bytes are missing")
        return b"".join(pieces) if wants_body else None

    def _needs_body(self, head: Head) -> bool:
        return head.kind == _NOTE or self._wants_body(head)


def _describe_failure(error: OSError) -> str:
    return f"cannot be decompressed ({error})"


def _read_past_line_breaks(frames: Frames) -> NextByte:
    """Read line breaks and the byte after them; LostRecordError without such a byte."""
    try:
        next_byte = frames.read_past_line_breaks(heads.LONGEST)
    except OSError as error:
        raise LostRecordError(
            RecordPlace(frames.failure_offset, 0), _describe_failure(error), frame_ends=True
        ) from None
    if len(next_byte.line_breaks) > heads.LONGEST:
        raise LostRecordError(next_byte.place, "consists only of line breaks")
    return next_byte


def _end_of_frame_with_one_record_or_minus_one(
    place: RecordPlace, first: bytes, next_place: RecordPlace, frames: Frames
) -> int:
    """Return the end of the frame that holds only the record at a place; -1 if no frame does."""
    if place.within or (next_place.within and first):
        return -1
    return next_place.frame if first else frames.file_end_or_minus_one_if_truncated(place.frame)
