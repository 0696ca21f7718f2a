"""Where the records of an archive are, and which of them belong to which capture."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
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
    """

    place: RecordPlace
    size: int
    end: int
    is_cut_off: bool = False


class Entries:
    """The records of an archive, in order; some forty bytes each.

    A request, or metadata, belongs to the capture that it names, or that names it: recorders write
    either, before the capture or after it (WARC 1.1, section 5.7).
    """

    def __init__(self) -> None:
        """Start without records."""
        self._values = array("q")  # Five of each record: place, size, end and row.
        self._cut_off: RecordPlace | None = None  # Only the last record of a file can be cut off.
        self._rows: dict[str, int] = {}
        self._others: list[tuple[int, Head]] = []

    def add(self, record: ArchiveRecord, row: int | None) -> None:
        """Add the next record, and its row if it is a capture."""
        head = record.head
        if row is None:
            self._others.append((len(self._values) + 4, head))
        else:
            for name in [head.get("warc-record-id"), *head.all("warc-concurrent-to")]:
                self._rows.setdefault(name, row)
        if record.missing:
            self._cut_off = record.place
        row = _NOBODY if row is None else row
        self._values.extend((*record.place, record.size, record.end, row))

    def close(self) -> None:
        """Link records to captures, once all have been added."""
        for at, head in self._others:
            links = (name for link in _LINKS for name in head.all(link))
            names = [head.get("warc-record-id"), *links]
            rows = (self._rows[name] for name in names if name and name in self._rows)
            self._values[at] = next(rows, _NOBODY)
        self._rows, self._others = {}, []

    def kept_records(self, keeps: Sequence[bool]) -> Iterator[Entry]:
        """Yield the records of kept captures, and those that belong to no capture."""
        for frame, within, size, end, row in zip(*[iter(self._values)] * 5, strict=True):
            if row == _NOBODY or keeps[row]:
                place = RecordPlace(frame, within)
                yield Entry(place, size, end, is_cut_off=place == self._cut_off)
