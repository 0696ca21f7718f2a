"""What a WACZ lists beside its archives: pages with their titles, and where captures are.

Either is a file of lines, which hold JSON. Lines that make no sense are counted, and left out.
"""

from __future__ import annotations

import gzip
import io
import re
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import IO, Any

from ilk import Limits
from ilk.companions import parse_json
from ilk.plugins import Unfit

#: The longest line in bytes: a page may come with its text.
_LONGEST_LINE = 1 << 26

#: What begins a line of an index that is no capture.
_META = b"!"

#: An address and a time before the JSON of a line of an index.
_KEY = re.compile(rb"[^{]*")


class ListedTitles:
    """The titles of pages by address and time."""

    def __init__(self) -> None:
        """Start without titles."""
        self._of: dict[str, list[tuple[float, str]]] = {}

    def check_and_add_entry(self, page: Any) -> None:
        """Add the title of a page from the JSON value of its line, if that has one.

        Raises:
            ValueError: it is no page.
        """
        if not isinstance(page, dict):
            raise ValueError("not an object")
        url, title = page.get("url"), page.get("title")
        if "format" in page and url is None:
            return  # The line that says what the others are.
        if not isinstance(url, str):
            raise ValueError("no address")
        if isinstance(title, str) and title.strip():
            whole = title.strip().encode("utf-8", "replace").decode()
            self._of.setdefault(url, []).append(
                (_seconds_since_1970_or_zero(page.get("ts")), whole)
            )

    def title_nearest_in_time(self, url: str, time: datetime | None) -> str | None:
        """Return the title of the page of an address whose time is nearest; None if it has none."""
        seconds = 0.0 if time is None else time.timestamp()
        titles = self._of.get(url, ())
        return min(titles, key=lambda one: abs(one[0] - seconds))[1] if titles else None


class ListedOffsets:
    """By the name of an archive, where an index says that records begin."""

    def __init__(self) -> None:
        """Start without any."""
        self._of: dict[str, array[int]] = {}

    def check_and_add_entry(self, capture: Any) -> None:
        """Add the offset of a record from the JSON value of its line.

        Raises:
            ValueError: it names no archive or no offset.
        """
        try:
            name, offset = capture["filename"], int(capture["offset"])
            self._of.setdefault(name.rpartition("/")[2], array("q")).append(offset)
        except (TypeError, KeyError, AttributeError, OverflowError) as error:
            raise ValueError("no place") from error

    def listed_offsets_without_record(
        self, archive_name: str, record_offsets: array[int]
    ) -> list[int]:
        """Return the offsets at which an archive, by its name, has no record.

        ``record_offsets``: where records begin, ascending.
        """
        listed = sorted(set(self._of.get(archive_name.rpartition("/")[2], ())))
        places = ((offset, bisect_left(record_offsets, offset)) for offset in listed)
        return [
            offset
            for offset, at in places
            if at == len(record_offsets) or record_offsets[at] != offset
        ]


def read_listing_lines(
    file: IO[bytes], name: str, limits: Limits, packed_size: int
) -> Iterator[bytes]:
    """Yield the lines of a file of ``packed_size`` bytes, unpacked if its name says so.

    Raises:
        OSError, EOFError: it is damaged.
        Unfit: a line is longer than 64 MiB, or it unpacks to too much.
    """
    content: Any = gzip.GzipFile(fileobj=file) if name.endswith(".gz") else file
    lines, unpacked = io.BufferedReader(content), 0
    while line := lines.readline(_LONGEST_LINE):
        unpacked += len(line)
        limits.refuse_too_much(unpacked, packed_size)
        if len(line) == _LONGEST_LINE:
            raise Unfit(f"has a line of {_LONGEST_LINE:,} bytes or more")
        yield line


def add_pages_and_count_bad_lines(lines: Iterable[bytes], titles: ListedTitles) -> int:
    """Add the titles of a list of pages; return how many lines make no sense."""
    return sum(not _try_to_add(line, titles) for line in lines if line.strip())


def add_index_and_count_bad_lines(lines: Iterable[bytes], offsets: ListedOffsets) -> int:
    """Add the places of an index; return how many lines make no sense."""
    described = (line for line in lines if line.strip() and not line.startswith(_META))
    return sum(not _try_to_add(_KEY.sub(b"", line, count=1), offsets) for line in described)


def _try_to_add(line: bytes, to: ListedTitles | ListedOffsets) -> bool:
    try:
        to.check_and_add_entry(parse_json(line))
    except ValueError:
        return False
    return True


def _seconds_since_1970_or_zero(time: Any) -> float:
    """Return the seconds from 1970 of a time, as tools write it: ISO 8601, or milliseconds."""
    if isinstance(time, int | float):
        return time / 1000
    try:
        stated_time = datetime.fromisoformat(time)
    except (TypeError, ValueError):
        return 0.0
    return (stated_time if stated_time.tzinfo else stated_time.replace(tzinfo=UTC)).timestamp()
