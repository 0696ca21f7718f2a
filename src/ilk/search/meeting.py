"""Who may meet: pairs that no label, no time between them and no baseline keeps apart.

Most joins nominate as if there were no such rule; only pairs that may meet are counted as alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.base.errors import ColumnTypeError, TooManyPairs
from ilk.fingerprints.digest import best_rows_by_digest_or_self, row_digests
from ilk.search.clustering import CannotLink, are_repeated

_SECOND = 1_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

#: The seconds at which the year 10000 begins; numbers from there on are no seconds.
_LAST_SECOND = 253_402_300_800

#: Numbers that look like days, from 1900-01-01 to 2999-12-31.
_DAYS = 19_000_101, 29_991_231


@dataclass(frozen=True, slots=True)
class Window:
    """The rule that documents may be alike only if they are at most ``span`` apart in time.

    Documents without a time meet only each other.

    Attributes:
        times: n times in microseconds since 1970 (``int64``); null without one.
        span: microseconds.
        copies: for each document, the best one of equal text (or key, or bytes) at any time.
    """

    times: pa.Array
    span: int
    copies: pa.Array

    def best_copies_at_equal_time(self, ranking: pa.Array) -> pa.Array:
        """Return for each document the best one of equal text and equal time.

        Args:
            ranking: all documents, best first.
        """
        times = pc.fill_null(self.times.cast(pa.large_string()), "")
        return best_rows_by_digest_or_self(
            row_digests([self.copies.cast(pa.large_string()), times]), ranking
        )

    def are_near_or_both_untimed(self, left: pa.Array, right: pa.Array) -> pa.BooleanArray:
        """Return which pairs of documents are near enough in time, or have no time, both."""
        one, other = self.times.take(left), self.times.take(right)
        near = pc.less_equal(pc.abs(pc.subtract(one, other)), self.span)
        return pc.fill_null(near, pc.and_(one.is_null(), other.is_null()))

    def list_near_pairs_in_groups(
        self, groups: pa.Array, *, baseline_size: int, max_pairs: int
    ) -> pa.Table:
        """Return every pair of rows of one group that may meet: ``left`` < ``right``.

        Args:
            groups: the group of each row; null for rows of no group.
            baseline_size: the first rows, as many as these, make no pairs with one another.

        Raises:
            TooManyPairs: there are more than ``max_pairs``.
        """
        rows = pc.indices_nonzero(pc.and_(groups.is_valid(), are_repeated(groups))).cast(pa.int64())
        table = pa.table({"group": groups.take(rows), "time": self.times.take(rows), "row": rows})
        # Rows without a time come last in their group.
        table = table.sort_by([(name, "ascending") for name in table.column_names])
        group, time, row = (table[name].to_pylist() for name in table.column_names)
        first, firsts = 0, list[int]()
        for at, own in enumerate(time):
            # Times ascend in a group, so that the first row in reach only moves on: each row is
            # passed once.
            while group[first] != group[at] or not self._is_near_or_both_untimed(time[first], own):
                first += 1
            firsts.append(first)
        counts = [at - start for at, start in enumerate(firsts)]
        # Before any pair is made.
        if sum(counts) > max_pairs:
            raise TooManyPairs(sum(counts), max_pairs)
        one = pa.array((row[k] for at, start in enumerate(firsts) for k in range(start, at)), _ROW)
        other = pa.array((row[at] for at, count in enumerate(counts) for _ in range(count)), _ROW)
        left, right = pc.min_element_wise(one, other), pc.max_element_wise(one, other)
        pairs = pa.table({"left": left, "right": right})
        pairs = pairs.filter(pc.greater_equal(pairs["right"], baseline_size))
        return pairs.sort_by([("left", "ascending"), ("right", "ascending")])

    def _is_near_or_both_untimed(self, time: int | None, other_time: int | None) -> bool:
        if time is None or other_time is None:
            return time is other_time
        return abs(time - other_time) <= self.span


_ROW = pa.int64()


def representatives_from_baseline_or_self(
    representatives: pa.Array, baseline_size: int
) -> pa.Array:
    """Return representatives, none of which stands for another document outside the baseline."""
    rows = pa.arange(0, len(representatives))
    return pc.if_else(pc.less(representatives, baseline_size), representatives, rows)


@dataclass(frozen=True, slots=True)
class Meeting:
    """Which pairs of representatives may be alike at all.

    Attributes:
        representatives: for each document the one that stands for it.
        apart: the documents that a person has labelled different; None without labels.
        window: None if time does not count.
        baseline_size: how many documents, the first ones, are the baseline.
        compares_only_with_baseline: whether one of two must be of the baseline, whose documents may
            represent later ones.
    """

    representatives: pa.Array
    apart: CannotLink | None = None
    window: Window | None = None
    baseline_size: int = 0
    compares_only_with_baseline: bool = False

    @property
    def has_any_rule(self) -> bool:
        """Whether some pairs may not meet."""
        return self.apart is not None or self.window is not None or self.compares_only_with_baseline

    def are_allowed(self, left: pa.Array, right: pa.Array) -> pa.BooleanArray:
        """Return which pairs of representatives may be alike."""
        allowed = self.are_allowed_ignoring_labels(left, right)
        if self.apart is not None:
            not_apart = self.apart.are_allowed(left, right, self.representatives)
            allowed = pc.and_(allowed, not_apart)
        return allowed

    def are_allowed_ignoring_labels(self, left: pa.Array, right: pa.Array) -> pa.BooleanArray:
        """Return which pairs of documents may be compared, whatever a person has labelled."""
        allowed = pa.repeat(True, len(left))
        if self.window is not None:
            allowed = pc.and_(allowed, self.window.are_near_or_both_untimed(left, right))
        if self.compares_only_with_baseline:
            sides = (pc.less(side, self.baseline_size) for side in (left, right))
            allowed = pc.and_(allowed, pc.or_(*sides))
        return allowed

    def filter_allowed(self, pairs: pa.Table) -> pa.Table:
        """Return those of some pairs that may be alike, by ``left`` and ``right``."""
        if not self.has_any_rule:
            return pairs
        return pairs.filter(self.are_allowed(arrow.flat(pairs["left"]), arrow.flat(pairs["right"])))

    def list_equal_representative_pairs_in_window(self, max_pairs: int) -> pa.Table:
        """Return every pair of representatives of equal text that may be alike, left < right.

        Without a window no pair is left: labels and the baseline keep equal documents apart for
        good.

        Raises:
            TooManyPairs: there are more than ``max_pairs``.
        """
        if self.window is None:
            return pa.table({"left": pa.array([], _ROW), "right": pa.array([], _ROW)})
        represents = pc.equal(self.representatives, pa.arange(0, len(self.representatives)))
        copies = self.window.copies
        groups = pc.if_else(represents, copies, pa.scalar(None, copies.type))
        return self.filter_allowed(
            self.window.list_near_pairs_in_groups(groups, baseline_size=0, max_pairs=max_pairs)
        )


def parse_times_in_microseconds(
    column_name: str,
    values: pa.Array,
    name_row: Callable[[int], str],
    *,
    first_row_number: int = 0,
) -> pa.Int64Array:
    """Return the times of a column in microseconds since 1970 (``int64``); null without one.

    Numbers are seconds since 1970; texts are dates or times as ISO 8601 writes them, those without
    a zone in UTC. An empty text is no time.

    Args:
        column_name: for messages.
        values: n values.
        name_row: returns how people call the row of a number, for messages.
        first_row_number: the number of the first row.

    Raises:
        ColumnTypeError: a value is no time.
    """
    kind = values.type
    if pa.types.is_null(kind):
        return pa.nulls(len(values), pa.int64())
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        # Less than a microsecond does not count.
        times = values.cast(pa.timestamp("us", getattr(kind, "tz", None)), safe=False)
        return times.cast(pa.int64())
    dictionary_array = arrow.flat(values).dictionary_encode()
    distinct_values = dictionary_array.dictionary.to_pylist()
    try:
        times = pa.array(_parse_time_values_in_microseconds(distinct_values), pa.int64())
    except _NoTime as error:
        row = first_row_number + pc.index(dictionary_array.indices, error.at).as_py()
        raise ColumnTypeError(
            f"{name_row(row)} has {distinct_values[error.at]!r} in the column {column_name}, "
            f"{error}; write dates such as 2026-11-29 or 2026-11-29T12:00:00Z, or seconds since "
            "1970 as numbers, or leave it empty."
        ) from None
    return times.take(dictionary_array.indices)


class _NoTime(Exception):
    """A value that is no time, and its place."""

    def __init__(self, at: int, reason: str) -> None:
        super().__init__(reason)
        self.at = at


def _parse_time_values_in_microseconds(values: list[object]) -> Iterator[int | None]:
    """Yield values in microseconds since 1970; None for a blank text.

    Raises:
        _NoTime: a value is no time.
    """
    for at, value in enumerate(values):
        try:
            yield _parse_microseconds_or_none_if_blank_text(value)
        except (ValueError, OverflowError, TypeError) as error:
            reason = str(error) if isinstance(error, _Refusal) else "which is no date"
            raise _NoTime(at, reason) from None


class _Refusal(ValueError):
    """Why a number is no time."""


def _parse_microseconds_or_none_if_blank_text(value: object) -> int | None:
    if isinstance(value, str):
        if not value.strip():
            return None
        moment = datetime.fromisoformat(value.strip())
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return (moment - _EPOCH) // timedelta(microseconds=1)
    if isinstance(value, bool) or value is None:
        raise TypeError
    seconds = float(value) if not isinstance(value, int) else value  # type: ignore[arg-type]
    if isinstance(value, int) and _DAYS[0] <= value <= _DAYS[1]:
        raise _Refusal("which may be a day, or seconds since 1970")
    if not abs(seconds) < _LAST_SECOND:
        raise _Refusal("which is more seconds since 1970 than there are until the year 10000")
    return round(seconds * _SECOND)
