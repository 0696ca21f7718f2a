"""Where records continue after damage, and when to stop looking."""

from __future__ import annotations

from contextlib import closing

from ilk_web.warc import heads
from ilk_web.warc.forms import Form, begins_with_head_unless_cut_off, find_head
from ilk_web.warc.frames import (
    MAGIC,
    STEP,
    ArchivePath,
    Frames,
    RecordPlace,
    open_archive,
    read_codec_extension_or_empty,
    size_in_bytes,
)

#: Bytes that may be read in vain before the rest is abandoned, and how many more for each byte of
#: the file and for each byte read successfully. Otherwise a file could be made that is read as
#: often as it has records, or that consists only of zeros, a thousand times smaller when
#: compressed.
MOST_IN_VAIN = 1 << 28
_BY_SIZE, _BY_SUCCESS = 32, 8

#: The cost in bytes of one search for a record, since opening a file takes time too.
_LOOK = 1 << 16

#: Bytes to read first in a search for a record: it is often near.
_NEAR = 1 << 12


class LostRecordError(Exception):
    """The place where records were lost, and the reason; they may continue after that."""

    def __init__(
        self, place: RecordPlace, reason: str, *, frame_ends: bool = False, is_cut_off: bool = False
    ) -> None:
        """Keep both.

        ``frame_ends`` means that the frame cannot be read any further; ``is_cut_off`` that a sound
        head begins the record, and that less follows than it says.
        """
        super().__init__(reason)
        self.place, self.reason = place, reason
        self.frame_ends, self.is_cut_off = frame_ends, is_cut_off


class TooManyWastedBytesError(Exception):
    """Too much was read in vain."""


class RecordSearch:
    """The search for records in a file, with the bytes that may still be read in vain.

    Every method except ``count_useful_bytes`` raises TooManyWastedBytesError when none are left.
    """

    def __init__(self, path: ArchivePath, kind: Form, max_wasted_bytes: int) -> None:
        """Start with that many bytes, and some for each byte of the file."""
        self._path, self._kind = path, kind
        self._left = max_wasted_bytes + _BY_SIZE * size_in_bytes(path)

    def count_useful_bytes(self, byte_count: int) -> None:
        """Count bytes that were read successfully: more may then be read in vain."""
        self._left += _BY_SUCCESS * byte_count

    def count_wasted_bytes(self, byte_count: int) -> None:
        """Count bytes that were read in vain.

        Raises:
            TooManyWastedBytesError: they are more than were allowed.
        """
        self._left -= byte_count
        if self._left < 0:
            raise TooManyWastedBytesError

    def find_next_record_place_or_none(
        self, error: LostRecordError, offset_of_frame_read_last: int
    ) -> RecordPlace | None:
        """Find where records continue; None if they do not.

        ``offset_of_frame_read_last`` is the offset of the frame that was read last.
        """
        if error.frame_ends:
            return self._find_next_record_frame_or_none(offset_of_frame_read_last + 1, None)
        record = self._find_next_record_line_or_none(error.place)
        # A frame that begins with a record is more reliable than a line that looks like one.
        return (
            self._find_next_record_frame_or_none(error.place.frame + 1, record and record.frame)
            or record
        )

    def _find_next_record_line_or_none(self, lost_place: RecordPlace) -> RecordPlace | None:
        """Find a line that begins a record after a lost one, as far as frames can be read.

        Its place is counted from the last frame that begins before it.
        """
        self.count_wasted_bytes(lost_place.within + _LOOK)
        try:
            with closing(Frames(self._path, lost_place)) as frames:
                window, begin, at, step = b"", lost_place.within, 1, _NEAR
                while piece := frames.read(step):
                    self.count_wasted_bytes(len(piece))
                    window, step = window + piece, min(2 * step, STEP)
                    found, at = find_head(self._kind, window, at)
                    if found:
                        place = RecordPlace(lost_place.frame, begin + at)
                        with closing(Frames(self._path, place)) as again:
                            return again.read_past_line_breaks(0).place
                    # Keep the byte before it: a record begins after a line break.
                    window, begin, at = window[at - 1 :], begin + at - 1, 1
        except OSError:
            return None
        return None

    def _find_next_record_frame_or_none(
        self, offset: int, last_offset: int | None
    ) -> RecordPlace | None:
        """Find a frame that begins with a record, at an offset or later.

        If ``last_offset`` is given, frames that begin after it are not looked at.
        """
        magic = MAGIC.get(read_codec_extension_or_empty(self._path))
        if magic is None:
            return None
        end = size_in_bytes(self._path) if last_offset is None else last_offset + len(magic)
        with open_archive(self._path) as file:
            file.seek(offset)
            window = b""
            while piece := file.read(max(0, min(STEP, end - file.tell()))):
                self.count_wasted_bytes(len(piece))
                window += piece
                at = window.find(magic)
                while at >= 0:
                    self.count_wasted_bytes(_LOOK)
                    if self._frame_begins_with_record(offset + at):
                        return RecordPlace(offset + at, 0)
                    at = window.find(magic, at + 1)
                gone = max(0, len(window) - len(magic) + 1)
                window, offset = window[gone:], offset + gone
        return None

    def _frame_begins_with_record(self, offset: int) -> bool:
        """Return whether a frame at an offset can be read, and begins with a record."""
        try:
            with closing(Frames(self._path, RecordPlace(offset, 0))) as frames:
                content = frames.read(_NEAR)
                if begins_with_head_unless_cut_off(self._kind, content) is None:
                    content += frames.read(heads.LONGEST - _NEAR)
                return bool(begins_with_head_unless_cut_off(self._kind, content))
        except OSError:
            return False
