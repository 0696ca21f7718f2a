"""Rows of a result, with their times as strings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ilk.companions import write

if TYPE_CHECKING:
    import pyarrow as pa

#: Columns that hold times, in the results of this package.
_TIMES = ("from", "to", "fetched", "changed")


def rows_with_iso_times(table: pa.Table) -> Iterator[dict[str, Any]]:
    """Yield the rows of a result, with times in ISO 8601; what is no date or time, as a string."""
    times = [name for name in _TIMES if name in table.column_names]
    for row in write.plain_rows(table):
        yield row | {name: _spell_time_or_none(row[name]) for name in times}


def _spell_time_or_none(time: Any) -> str | None:
    """Return a date or time in ISO 8601, and any other value as a string."""
    if time is None:
        return None
    written: str = time.isoformat() if hasattr(time, "isoformat") else str(time)
    return written.replace("+00:00", "Z")
