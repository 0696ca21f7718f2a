"""Where the records of an archive are, and which of them belong to which capture."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from ilk_web.warc.cutting import ArchiveRecord
from ilk_web.warc.frames import RecordPlace
from ilk_web.warc.heads import Head

#: The row of a record that belongs to no capture, such as ``warcinfo``.
_NOBODY = -1

#: Fields in which a record names the record that it belongs to.
_LINKS = ("warc-concurrent-to", "warc-refers-to", "warc-segment-origin-id")


class Entry(NamedTuple):
    """The place of a record, as in ``cutting.Record``.

    is_cut_off: whether its head says more bytes than there are.
    row: of the capture that it is; -1 of any other record.
    rewrite: a function from the record to what is written in its place; None copies it.
    """

    place: RecordPlace
    size: int
    end: int
    is_cut_off: bool = False
    row: int = _NOBODY
    rewrite: Callable[[bytes], bytes] | None = None


class Entries:
    """The records of an archive, in order; some forty bytes each.

    A request, or metadata, belongs to the capture that it names, or that names it: recorders write
    either, before the capture or after it (WARC 1.1, section 5.7).
    """

    def __init__(self) -> None:
        """Start without records."""
        self._values = array("q")  # Five of each record: place, size, end and row.
        self._cut_off: RecordPlace | None = None  # Only the last record of a file can be cut off.
        self._captures = array("q")  # The number of the record of each capture.
        self._rows: dict[str, int] = {}
        self._others: list[tuple[int, Head]] = []

    def add_record(self, record: ArchiveRecord, row: int | None) -> None:
        """Add the next record, and its row if it is a capture."""
        head = record.head
        if row is None:
            self._others.append((len(self._values) + 4, head))
        else:
            self._captures.append(len(self._values) // 5)
            for name in [
                head.first_value_or_empty("warc-record-id"),
                *head.values_of("warc-concurrent-to"),
            ]:
                self._rows.setdefault(name, row)
        if record.missing:
            self._cut_off = record.place
        row = _NOBODY if row is None else row
        self._values.extend((*record.place, record.size, record.end, row))

    def link_records(self) -> None:
        """Link records to captures, once all have been added."""
        for at, head in self._others:
            links = (name for link in _LINKS for name in head.values_of(link))
            names = [head.first_value_or_empty("warc-record-id"), *links]
            rows = (self._rows[name] for name in names if name and name in self._rows)
            self._values[at] = next(rows, _NOBODY)
        self._rows, self._others = {}, []

    def records_to_keep(self, is_kept_capture: Sequence[bool]) -> Iterator[Entry]:
        """Yield the records of kept captures, and those that belong to no capture."""
        records = zip(*[iter(self._values)] * 5, strict=True)
        for number, (frame, within, size, end, row) in enumerate(records):
            if row == _NOBODY or is_kept_capture[row]:
                own = row if row != _NOBODY and self._captures[row] == number else _NOBODY
                yield self._make_entry(RecordPlace(frame, within), size, end, own)

    def frame_offsets_of_records(self) -> array[int]:
        """Return the offsets of the frames in which records begin, ascending."""
        return self._values[::5]

    def records_of_captures(self, rows: Iterable[int]) -> Iterator[Entry]:
        """Yield the records that are some captures."""
        for row in rows:
            at = 5 * self._captures[row]
            frame, within, size, end = self._values[at : at + 4]
            yield self._make_entry(RecordPlace(frame, within), size, end, row)

    def _make_entry(self, place: RecordPlace, size: int, end: int, row: int) -> Entry:
        return Entry(place, size, end, is_cut_off=place == self._cut_off, row=row)
