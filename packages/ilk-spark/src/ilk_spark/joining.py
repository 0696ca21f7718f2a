"""Connect texts that may resemble each other: records go to places, edges come back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from ilk.companions import kernels as _kernels
from ilk.plugins import arrow
from ilk_spark.packed import gather_batches_or_none, split_large_batches
from ilk_spark.reading import SHINGLE_BYTES, RecordMaker

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: Bytes of shuffled data per task. It needs about six times as much.
SHARE = 64 << 20

#: Bytes of records to distribute together.
_TOGETHER = 64 << 20

#: All bits of a 32-bit number.
_WORD = (1 << 32) - 1

EDGES = "left long, right long, left_size long, right_size long"


@dataclass(frozen=True)
class ShareOutTask:
    """The task that decides which records go where.

    Attributes:
        places: the value of ``place`` that leads to each partition.
        record_maker: what texts send.
    """

    places: tuple[int, ...]
    record_maker: RecordMaker

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the records for each place."""
        arrays: list[pa.Array] = []
        size = 0
        for batch in split_large_batches(batches):
            arrays.append(self.record_maker(batch).cast(pa.large_binary()))
            size += arrays[-1].nbytes
            if size > _TOGETHER:
                yield self._distribute_records(arrays)
                arrays, size = [], 0
        if arrays:
            yield self._distribute_records(arrays)

    def _distribute_records(self, records: list[pa.Array]) -> pa.RecordBatch:
        """Return rows of a ``place`` and its ``records``, for the places that get any."""
        shares = _kernels.concatenate_records_by_place(pa.concat_arrays(records), len(self.places))
        columns = {"place": pa.array(self.places, pa.int32()), "records": shares.cast(pa.binary())}
        batch = pa.RecordBatch.from_pydict(columns)
        return batch.filter(pc.greater(pc.binary_length(batch["records"]), 0))


@dataclass(frozen=True)
class ConnectTask:
    """The task that connects texts that may be alike among the records of one place.

    Attributes:
        ratio: the least resemblance.
        radius: how many bits of their sketches may differ.
    """

    ratio: tuple[int, int]
    radius: int

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield edges: a forest."""
        table = gather_batches_or_none(batches)
        if table is not None:
            records = arrow.flat(table["records"].cast(pa.large_binary()))
            found = _kernels.make_candidate_forest_with_sizes(records, self.ratio, self.radius)
            names = ["left", "right", "left_size", "right_size"]
            yield pa.RecordBatch.from_arrays(list(found), names=names)


def find_candidate_edges(
    facts: DataFrame, partition_keys: tuple[int, ...], record_maker: RecordMaker, radius: int
) -> DataFrame:
    """Return edges that connect every pair at a resemblance, as ``EDGES``.

    Args:
        facts: of one text per digest.
        partition_keys: from ``choose_partition_keys``.
        record_maker: what texts send.
        radius: as for ``ConnectTask``.
    """
    some = facts.select("doc", "text", "records")
    shared = some.mapInArrow(
        ShareOutTask(partition_keys, record_maker), "place int, records binary"
    )
    placed = shared.repartition(len(partition_keys), "place")
    return placed.mapInArrow(ConnectTask(record_maker.ratio, radius), EDGES)


def group_texts_differing_only_in_numbers(facts: DataFrame) -> DataFrame:
    """Return the groups of two or more texts that differ only in numbers.

    A text in which each word has a number is in no group, as in ``ilk.find``.

    Args:
        facts: of one text per digest.

    Returns:
        ``masked_digest``; ``texts``, their number; ``first``, the least of their ``doc`` with its
        ``size``.
    """
    from pyspark.sql import functions as sf

    first = sf.min(sf.struct("doc", "size")).alias("first")
    groups = _texts_with_plain_words(facts).groupBy("masked_digest")
    return groups.agg(sf.count("*").alias("texts"), first).where("texts > 1")


def connect_texts_differing_only_in_numbers(facts: DataFrame, groups: DataFrame) -> DataFrame:
    """Return edges that connect every two texts that differ only in numbers, as ``EDGES``.

    Args:
        facts: of one text per digest.
        groups: from ``group_texts_differing_only_in_numbers``.
    """
    others = _texts_with_plain_words(facts).join(groups, "masked_digest").where("doc != first.doc")
    return others.selectExpr(
        "first.doc as left", "doc as right", "first.size as left_size", "size as right_size"
    )


def _texts_with_plain_words(facts: DataFrame) -> DataFrame:
    """Return ``masked_digest``, ``doc`` and ``size`` (about how many shingles, no fewer) of texts
    with a word that has no number: the masked digests of the others begin with zeros.
    """
    from pyspark.sql import functions as sf

    mark = bytes(_kernels.WORDLESS_BYTES)
    # A text below 100 words, held instead of its sets, has fewer shingles than bytes.
    shingles = sf.length("word_shingles") + sf.length("character_shingles")
    size = sf.coalesce(sf.length("text"), shingles / SHINGLE_BYTES).cast("long").alias("size")
    has_plain_word = sf.substring("masked_digest", 1, len(mark)) != sf.lit(mark)
    return facts.where(has_plain_word).select("masked_digest", "doc", size)


def choose_partition_keys(count: int) -> tuple[int, ...]:
    """Return numbers that lead to the partitions 0 to ``count`` - 1 of ``repartition``.

    Spark uses the remainder of a hash, so consecutive numbers would leave partitions empty.
    """
    found: dict[int, int] = {}
    number = 0
    while len(found) < count:
        found.setdefault(_hash_as_spark(number) % count, number)
        number += 1
    return tuple(found[place] for place in range(count))


def _hash_as_spark(number: int) -> int:
    """Return the hash of a number (``int``) by which Spark shuffles, signed.

    It is Murmur3 (Appleby 2011) of the four bytes with the seed 42.
    """
    mixed_bits = number * 0xCC9E2D51 & _WORD
    mixed_bits = (mixed_bits << 15 | mixed_bits >> 17) * 0x1B873593 & _WORD
    mixed_bits ^= 42
    mixed_bits = ((mixed_bits << 13 | mixed_bits >> 19) & _WORD) * 5 + 0xE6546B64 & _WORD
    mixed_bits ^= 4
    mixed_bits = (mixed_bits ^ mixed_bits >> 16) * 0x85EBCA6B & _WORD
    mixed_bits = (mixed_bits ^ mixed_bits >> 13) * 0xC2B2AE35 & _WORD
    mixed_bits ^= mixed_bits >> 16
    return mixed_bits - (mixed_bits >> 31 << 32)


def choose_partition_count(
    session: SparkSession, shuffled_bytes: float, least_tasks: int | None
) -> int:
    """Return the number of partitions for that much shuffled data.

    Args:
        session: the session, with some number of processors.
        shuffled_bytes: how many bytes.
        least_tasks: the least number, from the user; None for the number of processors.
    """
    if least_tasks is None:
        least_tasks = session.sparkContext.defaultParallelism
    return max(1, least_tasks, -(-int(shuffled_bytes) // SHARE))
