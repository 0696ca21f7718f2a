"""The indexes of sets in the file of a store: postings, in runs that are merged little by little.

A posting says that a document has a key (``_kernels.SetKeys``), or takes back one that says so.
What a transaction adds to an index is a *run*: postings, ascending, cut by the upper
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
from typing import NamedTuple, TypeAlias

from ilk import _kernels
from ilk.base.errors import StoreDamaged
from ilk.store import records
from ilk.store.db.settings import (
    read_count_of_segments_or_runs_or_zero,
    write_count_of_segments_or_runs,
)

#: Runs of one tier that are merged, and postings of a run of the first tier. Each posting is then
#: rewritten once per tier, so that adding n of them costs n log n, and a lookup reads few runs.
_RUNS_MERGED_TOGETHER, _POSTINGS_OF_FIRST_TIER = 4, 1 << 12

#: Postings that a transaction merges: as many, and this many times what it adds; and at a time. The
#: bound spreads a large merge over later transactions: no single addition waits for all of it.
_FREE_POSTINGS, _POSTINGS_PER_ADDED_ONE, _POSTINGS_AT_A_TIME = 1 << 16, 8, 1 << 18

#: Postings per bucket, at most, on average: at 8 bytes each they fit into a page of 4,096 bytes.
_POSTINGS_PER_BUCKET = 480

#: The bits of a key, and of the number of a bucket.
_KEY_BITS, _BUCKET_BITS = 32, 24

_REMEDY = "Rebuild the indexes from the documents: `ilk store rebuild`."

#: The name of an index of sets in the file, such as ``words``.
IndexName: TypeAlias = str


class PostingRun(NamedTuple):
    """A run.

    Attributes:
        number, index_name: its number, and the index that it is of.
        bits: it has 2^bits buckets.
        postings: how many it has, or would have if none were taken back.
        goes_into: the run that is being made of it.
        bound: it has no keys from here on.
        since: it has no keys before this one.
    """

    number: int
    index_name: IndexName
    bits: int
    postings: int
    goes_into: int | None
    bound: int = 1 << _KEY_BITS
    since: int = 0

    @property
    def tier(self) -> int:
        """About how many times its postings were merged."""
        return ((self.postings // _POSTINGS_OF_FIRST_TIER).bit_length() + 1) // 2

    def row_number_of_bucket(self, bucket: int) -> int:
        """Return the number of the row of a bucket."""
        return (self.number << _BUCKET_BITS) + bucket

    @property
    def present_buckets(self) -> range:
        """The buckets whose keys are in it."""
        return range(*(key >> (_KEY_BITS - self.bits) for key in (self.since, self.bound)))


class ValueOrder(NamedTuple):
    """The order of values of one set index.

    Attributes:
        generation: the number of the transaction that wrote it.
        documents: the number of documents in the store at that time.
        counts: from ``_kernels.SetKeys``.
    """

    generation: int
    documents: int
    counts: bytes


def read_runs_by_number(
    connection: sqlite3.Connection, index_name: IndexName
) -> dict[int, PostingRun]:
    """Return the runs of an index by number.

    Raises:
        StoreDamaged: one of them is damaged or missing.
    """
    query = (
        "SELECT number, part, bits, postings, goes_into, bound, checksum FROM runs WHERE part = ?"
    )
    run_of = {}
    for *values, checksum in connection.execute(query, (index_name,)):
        if checksum != records.checksum(tuple(values)):
            raise StoreDamaged(f"a run of {index_name} is damaged. {_REMEDY}")
        run_of[values[0]] = PostingRun(*values)
    # A run that is missing would otherwise only hide documents.
    if len(run_of) != read_count_of_segments_or_runs_or_zero(connection, index_name):
        raise StoreDamaged(f"a run of {index_name} is missing. {_REMEDY}")
    for run in run_of.values():
        if run.goes_into is not None:
            run_of[run.number] = run._replace(since=run_of[run.goes_into].bound)
    return run_of


def feed_question_and_count_postings(
    connection: sqlite3.Connection, index_name: IndexName, question: _kernels.SetQuestion
) -> int:
    """Give a question the postings of its keys; return how many it has met in all."""
    posting_count = 0
    for run in read_runs_by_number(connection, index_name).values():
        buckets = filter(run.present_buckets.__contains__, question.find_buckets(run.bits))
        # Adjacent numbers differ from their place by the same: each run of buckets is one range of
        # rows.
        for _, adjacent in groupby(zip(buckets, count()), lambda one: one[0] - one[1]):
            in_row = [bucket for bucket, _ in adjacent]
            for packed in _read_buckets(connection, run, range(in_row[0], in_row[-1] + 1)):
                posting_count = question.meet_postings_and_count_all_hits(packed)
    return posting_count


def add_postings_and_merge_some_runs(
    connection: sqlite3.Connection, index_name: IndexName, packed_postings: bytes
) -> None:
    """Add a run with these postings, and merge some of the runs."""
    if not packed_postings:
        return
    runs_by_number = read_runs_by_number(connection, index_name)
    posting_count = len(packed_postings) // 8
    run = _unwritten_run_with_next_number(
        connection, index_name, posting_count=posting_count, least_bits=0
    )
    _write_buckets(
        connection,
        run,
        0,
        _kernels.cut_postings_into_buckets(packed_postings, run.bits, 0, 1 << run.bits),
    )
    runs_by_number[run.number] = run
    _write_run(connection, run)
    postings_left = _FREE_POSTINGS + _POSTINGS_PER_ADDED_ONE * posting_count
    while postings_left > 0:
        target = _choose_or_begin_target_run_or_none(connection, index_name, runs_by_number)
        if target is None:
            break
        # One more than none: merges of empty buckets must end this loop, too.
        postings_left -= 1 + _merge_next_buckets_and_count_postings(
            connection,
            target,
            runs_by_number,
            max_postings=min(postings_left, _POSTINGS_AT_A_TIME),
        )
    write_count_of_segments_or_runs(connection, index_name, len(runs_by_number))


def clear_all_postings_and_orders(
    connection: sqlite3.Connection, index_names: Iterable[IndexName]
) -> None:
    """Remove the postings and the orders of all parts, even damaged ones."""
    for table in ("postings", "runs", "orders"):
        connection.execute(f"DELETE FROM {table}")
    for index_name in index_names:
        write_count_of_segments_or_runs(connection, index_name, 0)


def checksum_each_bucket_of_each_run(
    connection: sqlite3.Connection, index_name: IndexName
) -> Iterator[int]:
    """Yield a sum of the postings of each bucket of an index, run by run; in the total of all, what
    was taken back cancels out.
    """
    for run in read_runs_by_number(connection, index_name).values():
        yield from map(
            _kernels.checksum_remaining_postings,
            _read_buckets(connection, run, run.present_buckets),
        )


def find_generation_of_order_or_none(
    connection: sqlite3.Connection, index_name: IndexName
) -> int | None:
    """Return the generation that wrote the order of an index; None without one."""
    row = connection.execute("SELECT made FROM orders WHERE part = ?", (index_name,)).fetchone()
    return None if row is None else row[0]


def read_order(connection: sqlite3.Connection, index_name: IndexName) -> ValueOrder:
    """Return the order of an index.

    Raises:
        StoreDamaged: it is damaged or missing.
    """
    query = "SELECT made, documents, counts, checksum FROM orders WHERE part = ?"
    row = connection.execute(query, (index_name,)).fetchone()
    with contextlib.suppress(TypeError, zlib.error):
        if row is not None and row[3] == _checksum_of_order(
            index_name, packed := ValueOrder(*row[:3])
        ):
            return packed._replace(counts=zlib.decompress(packed.counts))
    raise StoreDamaged(f"the order {index_name} is missing or damaged. {_REMEDY}")


def write_order(connection: sqlite3.Connection, index_name: IndexName, order: ValueOrder) -> None:
    """Write the order of an index."""
    packed = order._replace(counts=zlib.compress(order.counts, 1))
    connection.execute(
        "INSERT OR REPLACE INTO orders VALUES (?, ?, ?, ?, ?)",
        (index_name, *packed, _checksum_of_order(index_name, packed)),
    )


def _checksum_of_order(index_name: IndexName, order: ValueOrder) -> int:
    return zlib.crc32(
        order.counts, zlib.crc32(f"{index_name} {order.generation} {order.documents}".encode())
    )


def _choose_or_begin_target_run_or_none(
    connection: sqlite3.Connection, index_name: IndexName, runs_to_update: dict[int, PostingRun]
) -> PostingRun | None:
    """Return the smallest run that others are merged into, perhaps a new one, which is added to
    the runs by number; None if no runs are to be merged.
    """
    free_runs = sorted(
        (
            run
            for run in runs_to_update.values()
            if run.goes_into is None and run.bound == 1 << _KEY_BITS
        ),
        key=lambda run: (run.tier, run.number),
    )
    for _, tier in groupby(free_runs, lambda run: run.tier):
        sources = list(tier)
        if len(sources) >= _RUNS_MERGED_TOGETHER:
            target = _unwritten_run_with_next_number(
                connection,
                index_name,
                posting_count=sum(run.postings for run in sources),
                least_bits=min(run.bits for run in sources),
            )
            # It has no key yet; sources keep theirs until a bucket has moved.
            runs_to_update[target.number] = target._replace(bound=0)
            for run in sources:
                runs_to_update[run.number] = run._replace(goes_into=target.number)
                _write_run(connection, runs_to_update[run.number])
            break
    targets = (run for run in runs_to_update.values() if run.bound < 1 << _KEY_BITS)
    return min(targets, key=lambda run: run.postings, default=None)


def _merge_next_buckets_and_count_postings(
    connection: sqlite3.Connection,
    target: PostingRun,
    runs_to_update: dict[int, PostingRun],
    *,
    max_postings: int,
) -> int:
    """Merge the next buckets of the runs that go into one; return how many postings moved."""
    sources = [run for run in runs_to_update.values() if run.goes_into == target.number]
    # A slice of the keys is a bucket of the sources with the fewest.
    slice_bits = min(run.bits for run in sources)
    start = target.bound >> (_KEY_BITS - slice_bits)
    # As many slices as hold that many postings on average, and one at least: else nothing would
    # move.
    slices = max(1, (max_postings << slice_bits) // target.postings)
    stop = min(start + slices, 1 << slice_bits)
    pieces: list[bytes] = []
    for run in sources:
        buckets = range(start << (run.bits - slice_bits), stop << (run.bits - slice_bits))
        pieces += _read_buckets(connection, run, buckets)
        bounds = run.row_number_of_bucket(buckets.start), run.row_number_of_bucket(buckets.stop)
        connection.execute("DELETE FROM postings WHERE place >= ? AND place < ?", bounds)
    wider = target.bits - slice_bits
    packed = _kernels.merge_postings(pieces)
    first_bucket, bucket_count = start << wider, (stop - start) << wider
    _write_buckets(
        connection,
        target,
        first_bucket,
        _kernels.cut_postings_into_buckets(packed, target.bits, first_bucket, bucket_count),
    )
    runs_to_update[target.number] = target._replace(bound=stop << (_KEY_BITS - slice_bits))
    _write_run(connection, runs_to_update[target.number])
    if stop == 1 << slice_bits:
        for run in sources:
            connection.execute("DELETE FROM runs WHERE number = ?", (run.number,))
            del runs_to_update[run.number]
    else:
        for run in sources:
            runs_to_update[run.number] = run._replace(since=stop << (_KEY_BITS - slice_bits))
    return sum(map(len, pieces)) // 8


def _unwritten_run_with_next_number(
    connection: sqlite3.Connection, index_name: IndexName, *, posting_count: int, least_bits: int
) -> PostingRun:
    """Return a run that is not written yet, with at least that many bits."""
    (last,) = connection.execute("SELECT coalesce(max(number), 0) FROM runs").fetchone()
    enough = (max(posting_count // _POSTINGS_PER_BUCKET, 1) - 1).bit_length()
    bits = min(max(least_bits, enough), _BUCKET_BITS)
    return PostingRun(
        number=last + 1, index_name=index_name, bits=bits, postings=posting_count, goes_into=None
    )


def _write_run(connection: sqlite3.Connection, run: PostingRun) -> None:
    values = run[:-1]
    connection.execute(
        "INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?)",
        (*values, records.checksum(values)),
    )


def _write_buckets(
    connection: sqlite3.Connection,
    run: PostingRun,
    first_bucket: int,
    packed_buckets: Iterable[bytes],
) -> None:
    connection.executemany(
        "INSERT OR REPLACE INTO postings VALUES (?, ?, ?)",
        (
            (place, records.blob_checksum(place, packed), packed)
            for place, packed in enumerate(packed_buckets, run.row_number_of_bucket(first_bucket))
        ),
    )


def _read_buckets(
    connection: sqlite3.Connection, run: PostingRun, buckets: range
) -> Iterator[bytes]:
    """Yield the postings of each of some buckets."""
    query = "SELECT place, checksum, entries FROM postings WHERE place >= ? AND place < ?"
    places = map(run.row_number_of_bucket, buckets)
    bounds = run.row_number_of_bucket(buckets.start), run.row_number_of_bucket(buckets.stop)
    for place, checksum, packed in connection.execute(query, bounds):
        sound = isinstance(packed, bytes) and checksum == records.blob_checksum(place, packed)
        if place != next(places, None) or not sound:
            raise StoreDamaged(f"a bucket of {run.index_name} is damaged. {_REMEDY}")
        yield packed
    if next(places, None) is not None:
        raise StoreDamaged(f"a bucket of {run.index_name} is missing. {_REMEDY}")
