"""The indexes of sets in the file of a store: postings, in runs that are merged little by little.

A posting says that a document has a key (``_kernels.SetKeys``), or takes back one that says so.
What a transaction adds to an index (a *part*) is a *run*: postings, ascending, cut by the upper
bits of their keys into buckets. A bucket is a row with a checksum; runs never change, and a
question reads the buckets of its keys in every run.

Runs of one tier (each tier has four times the postings of the one before) are merged, as in a
log-structured merge-tree (O'Neil, Cheng, Gawlick and O'Neil 1996). Every transaction that writes
merges a little, so none waits for a large merge. Keys below the bound of a run that is being made
are in it, others still in those that it is made of.
"""

from __future__ import annotations

import contextlib
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from itertools import count, groupby
from typing import NamedTuple

from ilk import _kernels
from ilk.base.errors import StoreDamaged
from ilk.store import records
from ilk.store.db.settings import read_segment_count, write_segment_count

#: Runs of one tier that are merged, and postings of a run of the first tier. Each posting is then
#: rewritten once per tier, so that adding n of them costs n log n, and a lookup reads few runs.
_TOGETHER, _SMALL = 4, 1 << 12

#: Postings that a transaction merges: as many, and this many times what it adds; and at a time. The
#: bound spreads a large merge over later transactions: no single addition waits for all of it.
_FREE, _SHARE, _AT_A_TIME = 1 << 16, 8, 1 << 18

#: Postings per bucket, at most, on average: at 8 bytes each they fit into a page of 4,096 bytes.
_BUCKET = 480

#: The bits of a key, and of the number of a bucket.
_KEY, _MOST = 32, 24

_REMEDY = "Rebuild the indexes from the documents: `ilk store rebuild`."


class PostingRun(NamedTuple):
    """A run.

    Attributes:
        number, part: its number, and the index that it is of.
        bits: it has 2^bits buckets.
        postings: how many it has, or would have if none were taken back.
        goes_into: the run that is being made of it.
        bound: it has no keys from here on.
        since: it has no keys before this one.
    """

    number: int
    part: str
    bits: int
    postings: int
    goes_into: int | None
    bound: int = 1 << _KEY
    since: int = 0

    @property
    def tier(self) -> int:
        """About how many times its postings were merged."""
        return ((self.postings // _SMALL).bit_length() + 1) // 2

    def number_of_bucket_row(self, bucket: int) -> int:
        """Return the number of the row of a bucket."""
        return (self.number << _MOST) + bucket

    @property
    def buckets(self) -> range:
        """The buckets whose keys are in it."""
        return range(*(key >> (_KEY - self.bits) for key in (self.since, self.bound)))


class ValueOrder(NamedTuple):
    """The order of values of one set index.

    Attributes:
        made: the transaction that wrote it.
        documents: the number of documents in the store at that time.
        counts: from ``_kernels.SetKeys``.
    """

    made: int
    documents: int
    counts: bytes


def read_runs(connection: sqlite3.Connection, part: str) -> dict[int, PostingRun]:
    """Return the runs of a part by number.

    Raises:
        StoreDamaged: one of them is damaged or missing.
    """
    query = (
        "SELECT number, part, bits, postings, goes_into, bound, checksum FROM runs WHERE part = ?"
    )
    runs_of = {}
    for *values, checksum in connection.execute(query, (part,)):
        if checksum != records.checksum(tuple(values)):
            raise StoreDamaged(f"a run of {part} is damaged. {_REMEDY}")
        runs_of[values[0]] = PostingRun(*values)
    # A run that is missing would otherwise only hide documents.
    if len(runs_of) != read_segment_count(connection, part):
        raise StoreDamaged(f"a run of {part} is missing. {_REMEDY}")
    for run in runs_of.values():
        if run.goes_into is not None:
            runs_of[run.number] = run._replace(since=runs_of[run.goes_into].bound)
    return runs_of


def feed_postings_and_count_meetings(
    connection: sqlite3.Connection, part: str, question: _kernels.SetQuestion
) -> int:
    """Let a question meet the postings of its keys; return how many it has met in all."""
    meetings = 0
    for run in read_runs(connection, part).values():
        buckets = filter(run.buckets.__contains__, question.find_buckets(run.bits))
        # Adjacent numbers differ from their place by the same: each run of buckets is one range of
        # rows.
        for _, adjacent in groupby(zip(buckets, count()), lambda one: one[0] - one[1]):
            some = [bucket for bucket, _ in adjacent]
            for packed in _read_buckets(connection, run, range(some[0], some[-1] + 1)):
                meetings = question.meet_postings(packed)
    return meetings


def add_run_and_merge_some(connection: sqlite3.Connection, part: str, packed: bytes) -> None:
    """Add a run, with postings of any documents, and merge some of the others."""
    if not packed:
        return
    runs_by_number = read_runs(connection, part)
    postings = len(packed) // 8
    made = _make_run(connection, part, postings, 0)
    _write_buckets(
        connection,
        made,
        0,
        _kernels.cut_postings_into_buckets(packed, made.bits, 0, 1 << made.bits),
    )
    runs_by_number[made.number] = made
    _write_run(connection, made)
    left = _FREE + _SHARE * postings
    while (
        left > 0
        and (target := _choose_or_begin_target(connection, part, runs_by_number)) is not None
    ):
        left -= _merge_some_and_count_postings(
            connection, target, runs_by_number, min(left, _AT_A_TIME)
        )
    write_segment_count(connection, part, len(runs_by_number))


def clear_postings(connection: sqlite3.Connection, parts: Iterable[str]) -> None:
    """Remove the postings and the orders of all parts, even damaged ones."""
    for table in ("postings", "runs", "orders"):
        connection.execute(f"DELETE FROM {table}")
    for part in parts:
        write_segment_count(connection, part, 0)


def read_sums_of_buckets(connection: sqlite3.Connection, part: str) -> Iterator[int]:
    """Yield a sum of the postings of each bucket of a part, in which what was taken back cancels
    out.
    """
    for run in read_runs(connection, part).values():
        yield from map(_kernels.checksum_postings, _read_buckets(connection, run, run.buckets))


def read_order_transaction(connection: sqlite3.Connection, part: str) -> int | None:
    """Return the transaction that wrote the order of a part; None if none did."""
    row = connection.execute("SELECT made FROM orders WHERE part = ?", (part,)).fetchone()
    return None if row is None else row[0]


def read_order(connection: sqlite3.Connection, part: str) -> ValueOrder:
    """Return the order of a part.

    Raises:
        StoreDamaged: it is damaged or missing.
    """
    query = "SELECT made, documents, counts, checksum FROM orders WHERE part = ?"
    row = connection.execute(query, (part,)).fetchone()
    with contextlib.suppress(TypeError, zlib.error):
        if row is not None and row[3] == _checksum_of_order(part, found := ValueOrder(*row[:3])):
            return found._replace(counts=zlib.decompress(found.counts))
    raise StoreDamaged(f"the order {part} is missing or damaged. {_REMEDY}")


def write_order(connection: sqlite3.Connection, part: str, order: ValueOrder) -> None:
    """Write the order of a part."""
    packed = order._replace(counts=zlib.compress(order.counts, 1))
    connection.execute(
        "INSERT OR REPLACE INTO orders VALUES (?, ?, ?, ?, ?)",
        (part, *packed, _checksum_of_order(part, packed)),
    )


def _checksum_of_order(part: str, order: ValueOrder) -> int:
    return zlib.crc32(order.counts, zlib.crc32(f"{part} {order.made} {order.documents}".encode()))


def _choose_or_begin_target(
    connection: sqlite3.Connection, part: str, runs_by_number: dict[int, PostingRun]
) -> PostingRun | None:
    """Return the smallest run that is being made, perhaps a new one; None without one."""
    free = sorted(
        (
            run
            for run in runs_by_number.values()
            if run.goes_into is None and run.bound == 1 << _KEY
        ),
        key=lambda run: (run.tier, run.number),
    )
    for _, tier in groupby(free, lambda run: run.tier):
        some = list(tier)
        if len(some) >= _TOGETHER:
            least = min(run.bits for run in some)
            made = _make_run(connection, part, sum(run.postings for run in some), least)
            # It has no key yet; sources keep theirs until a bucket has moved.
            runs_by_number[made.number] = made = made._replace(bound=0)
            for run in some:
                runs_by_number[run.number] = run._replace(goes_into=made.number)
                _write_run(connection, runs_by_number[run.number])
            break
    making = (run for run in runs_by_number.values() if run.bound < 1 << _KEY)
    return min(making, key=lambda run: run.postings, default=None)


def _merge_some_and_count_postings(
    connection: sqlite3.Connection,
    target: PostingRun,
    runs_by_number: dict[int, PostingRun],
    most_postings: int,
) -> int:
    """Merge the next buckets of the runs that go into one; return how many postings moved."""
    sources = [run for run in runs_by_number.values() if run.goes_into == target.number]
    least = min(run.bits for run in sources)
    first = target.bound >> (_KEY - least)
    # As many buckets as hold that many postings on average, and one at least: else nothing would
    # move.
    slices = max(1, (most_postings << least) // target.postings)
    last = min(first + slices, 1 << least)
    pieces: list[bytes] = []
    for run in sources:
        some = range(first << (run.bits - least), last << (run.bits - least))
        pieces += _read_buckets(connection, run, some)
        bounds = run.number_of_bucket_row(some.start), run.number_of_bucket_row(some.stop)
        connection.execute("DELETE FROM postings WHERE place >= ? AND place < ?", bounds)
    wider = target.bits - least
    packed = _kernels.merge_postings(pieces)
    start, size = first << wider, (last - first) << wider
    _write_buckets(
        connection,
        target,
        start,
        _kernels.cut_postings_into_buckets(packed, target.bits, start, size),
    )
    runs_by_number[target.number] = target._replace(bound=last << (_KEY - least))
    _write_run(connection, runs_by_number[target.number])
    if last == 1 << least:
        for run in sources:
            connection.execute("DELETE FROM runs WHERE number = ?", (run.number,))
            del runs_by_number[run.number]
    else:
        for run in sources:
            runs_by_number[run.number] = run._replace(since=last << (_KEY - least))
    # One more than none: a merge of empty buckets must end the loop of the caller, too.
    return sum(map(len, pieces)) // 8 + 1


def _make_run(connection: sqlite3.Connection, part: str, postings: int, bits: int) -> PostingRun:
    """Return a new run, with at least that many bits."""
    (last,) = connection.execute("SELECT coalesce(max(number), 0) FROM runs").fetchone()
    enough = (max(postings // _BUCKET, 1) - 1).bit_length()
    return PostingRun(last + 1, part, min(max(bits, enough), _MOST), postings, None)


def _write_run(connection: sqlite3.Connection, run: PostingRun) -> None:
    values = run[:-1]
    connection.execute(
        "INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?)",
        (*values, records.checksum(values)),
    )


def _write_buckets(
    connection: sqlite3.Connection, run: PostingRun, first: int, cut: Iterable[bytes]
) -> None:
    connection.executemany(
        "INSERT OR REPLACE INTO postings VALUES (?, ?, ?)",
        (
            (place, records.blob_checksum(place, one), one)
            for place, one in enumerate(cut, run.number_of_bucket_row(first))
        ),
    )


def _read_buckets(
    connection: sqlite3.Connection, run: PostingRun, buckets: range
) -> Iterator[bytes]:
    """Yield the postings of some buckets."""
    query = "SELECT place, checksum, entries FROM postings WHERE place >= ? AND place < ?"
    places = map(run.number_of_bucket_row, buckets)
    bounds = run.number_of_bucket_row(buckets.start), run.number_of_bucket_row(buckets.stop)
    for place, checksum, packed in connection.execute(query, bounds):
        sound = isinstance(packed, bytes) and checksum == records.blob_checksum(place, packed)
        if place != next(places, None) or not sound:
            raise StoreDamaged(f"a bucket of {run.part} is damaged. {_REMEDY}")
        yield packed
    if next(places, None) is not None:
        raise StoreDamaged(f"a bucket of {run.part} is missing. {_REMEDY}")
