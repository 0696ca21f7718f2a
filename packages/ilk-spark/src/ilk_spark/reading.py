"""Rows of a data frame, read once: the evidence of each, and its records to be joined."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from ilk.companions import LARGE, Counting, Evidence, Thresholds
from ilk.companions import kernels as _kernels
from ilk.plugins import arrow
from ilk_spark.frame_request import BandShape, FrameRequest
from ilk_spark.packed import SCHEMA, pack_evidence, split_large_batches, unpack_evidence

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

#: The most texts to count shingles in, and the bits of the least and the most cells to count in.
_SAMPLE, _LEAST_BITS, _MOST_BITS = 20_000, 10, 25

#: Bytes of a record, and about those of the heads of a text (as many as the kernels send).
_RECORD, _HEADS = 12, 100

#: The sets of evidence, and bytes of a shingle in the first two.
_SETS, SHINGLE_BYTES = ("word_shingles", "character_shingles", "word_hashes"), 4

#: The separator of joined texts, as everywhere.
_BETWEEN = "\n\n"


#: How many texts have a shingle in each cell, a byte per cell.
CellCounts: TypeAlias = bytes


class ShinglesToJoin(NamedTuple):
    """By text: the number of its words, the hashes of its word shingles, its character shingles."""

    words: pa.Array
    word_hashes: pa.Array
    character_shingles: pa.Array


@dataclass(frozen=True)
class RecordMaker:
    """What texts send to be joined.

    Attributes:
        counting: what counts of a text.
        ratio: the least resemblance.
        counts: how often shingles occur, by cell.
        bands: how many bands of least images to send instead of shingles, and their width.
    """

    counting: Counting
    ratio: tuple[int, int]
    counts: CellCounts = b""
    bands: BandShape | None = None

    def __call__(self, batch: pa.RecordBatch) -> pa.Array:
        """Return the records of each row: those that it holds, or those of the text it holds."""
        rows = make_evidence(
            _view_bytes_as_texts_unchecked(batch["text"]), self.counting, hash_small_sets=True
        )
        made, held = self.make_join_records(batch["doc"], rows), batch["records"].cast(pa.binary())
        return pc.if_else(batch["text"].is_valid(), made, held)

    def make_join_records(self, docs: pa.Array, rows: pa.StructArray) -> pa.Array:
        """Return the records of texts, which have their whole hashes."""
        # A blank text has no digest, and is like no other.
        some = rows.field("digest").is_valid()
        if self.bands is not None:
            count, width = self.bands
            records = _kernels.make_band_records(docs, _shingles_to_join(rows), count, width)
        else:
            cells = [None, pa.py_buffer(self.counts)]
            counts = pa.Array.from_buffers(pa.uint8(), len(self.counts), cells)
            records = _kernels.make_rarest_shingle_records(
                docs, _shingles_to_join(rows), counts, self.ratio
            )
        return pc.if_else(some, records, pa.scalar(b"", pa.large_binary())).cast(pa.binary())

    def estimate_record_bytes(self, length: Column) -> Column:
        """Return about how many bytes a text sends that is kept, by the number of its own."""
        from pyspark.sql import functions as sf

        if self.bands is not None:
            return sf.lit(2 * _RECORD * self.bands.bands + _HEADS)
        numerator, denominator = self.ratio
        return length * (_RECORD * (denominator - numerator) / denominator) + _HEADS


@dataclass(frozen=True)
class EvidenceTask:
    """The task that turns texts into evidence, and into records to be joined.

    With a ``record_maker``, a text that is smaller than its sets, as nearly all below 100 words, is
    kept instead of them and of its records: to make them again where they are needed costs less
    than to hold and to move them.

    Attributes:
        counting: what counts of a text.
        kept: the columns to keep besides it.
        record_maker: what texts send; None for evidence alone.
    """

    counting: Counting
    kept: tuple[str, ...]
    record_maker: RecordMaker | None = None

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the facts and evidence of each row."""
        for batch in split_large_batches(batches):
            rows = make_evidence(batch["text"], self.counting, hash_small_sets=True)
            columns = {name: batch[name] for name in self.kept}
            if self.record_maker is not None:
                columns["measured"] = _resemblance_to_itself(rows)
                smaller = _are_smaller_than_sets(batch["text"], rows)
                columns["text"] = pc.if_else(smaller, batch["text"], None).cast(pa.binary())
                rows = _with_sets_emptied(rows, smaller)
                columns["records"] = self.record_maker.make_join_records(batch["doc"], rows)
            yield pa.RecordBatch.from_pydict(
                columns | pack_evidence(_without_hashes_of_small_sets(rows))
            )


@dataclass(frozen=True)
class ReplaceTextsTask:
    """The task that replaces the texts that ``EvidenceTask`` kept by their evidence and records.

    Attributes:
        record_maker: what texts send.
        names: the columns to return.
    """

    record_maker: RecordMaker
    names: tuple[str, ...]

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the rows."""
        for batch in split_large_batches(batches):
            rows = evidence_of_facts(
                pa.Table.from_batches([batch]), self.record_maker.counting
            ).rows
            columns = dict(zip(batch.schema.names, batch.columns, strict=True))
            columns |= pack_evidence(rows) | {"records": self.record_maker(batch)}
            yield pa.RecordBatch.from_pydict({name: columns[name] for name in self.names})


@dataclass(frozen=True)
class CellsTask:
    """The task that finds the cells of the shingles of some texts, to be counted.

    Attributes:
        counting: what counts of a text.
        bits: there are 2^bits cells.
    """

    counting: Counting
    bits: int

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the digest and the cells of each text that is not blank."""
        for batch in split_large_batches(batches):
            rows = make_evidence(batch["text"], self.counting, hash_small_sets=True)
            cells = _kernels.find_shingle_cells(_shingles_to_join(rows), self.bits)
            columns = {"digest": rows.field("digest"), "cells": cells}
            yield pa.RecordBatch.from_pydict(
                {name: values.cast(pa.binary()) for name, values in columns.items()}
            ).filter(rows.field("digest").is_valid())


def make_evidence(
    texts: pa.Array, counting: Counting, *, hash_small_sets: bool = False
) -> pa.StructArray:
    """Return the evidence of texts, with whole hashes for large sets, or for all."""
    large = 0 if hash_small_sets else LARGE
    return Evidence.from_texts(
        arrow.import_texts(texts), counting, 1, whole_hashes_above_shingles=large
    ).rows


def evidence_of_facts(table: pa.Table, counting: Counting) -> Evidence:
    """Return the evidence of rows that hold it, or a short text from which it is made again."""
    rows = unpack_evidence(table)
    texts = arrow.flat(table["text"])
    made = make_evidence(_view_bytes_as_texts_unchecked(texts), counting)
    sets = {
        name: pc.if_else(texts.is_valid(), made.field(name), rows.field(name)) for name in _SETS
    }
    return rows.replace_fields(**sets)


def number_rows_by_hashed_id(
    frame: DataFrame, request: FrameRequest, *, is_baseline: bool, salt: int
) -> DataFrame:
    """Return the rows with numbers derived from their ids, and what is known of them.

    A row without an id has no number.
    """
    from pyspark.sql import functions as sf

    own = sf.col(quote_column(request.id))
    number = sf.xxhash64(sf.lit(salt), sf.lit(is_baseline), own)
    doc = sf.when(own.isNotNull(), number).alias("doc")
    known = [
        sf.col(quote_column(name)).alias(place)
        for place, name in request.extra_columns_by_new_name.items()
    ]
    return frame.select(
        doc, sf.lit(is_baseline).alias("held"), own.alias("id"), *known, _text_column(request)
    )


def count_sampled_shingle_cells(rows: DataFrame, counting: Counting, row_count: int) -> CellCounts:
    """Return how often shingles occur in a sample of the rows, chosen by their ids.

    Args:
        rows: from ``number_rows_by_hashed_id``.
        counting: what counts of a text.
        row_count: the number of rows.
    """
    from pyspark.sql import functions as sf

    rows_per_text = max(1, -(-row_count // _SAMPLE))
    sample = rows.where(sf.pmod(sf.col("doc"), sf.lit(rows_per_text)) == 0).select("text")
    counts = sample.mapInArrow(
        CellsTask(counting, _MOST_BITS), "digest binary, cells binary"
    ).toArrow()
    # Copies of one text count once.
    first = counts.append_column("row", pa.arange(0, len(counts))).group_by("digest")
    once = arrow.flat(first.aggregate([("row", "min")])["row_min"])
    cells = arrow.flat(counts["cells"].cast(pa.large_binary())).take(once)
    return count_shingles_by_cell(cells)


def count_shingles_by_cell(cells: pa.Array) -> CellCounts:
    """Return how often there is each cell, of 2^25 or fewer.

    There are about as many as shingles were seen: every shingle of every text is looked up, and a
    table that is larger than a processor's cache costs twice as much.
    """
    joined = b"".join(cells.to_pylist())
    numbers = pa.Array.from_buffers(
        pa.uint32(), len(joined) // SHINGLE_BYTES, [None, pa.py_buffer(joined)]
    )
    bits = min(_MOST_BITS, max(_LEAST_BITS, len(numbers).bit_length()))
    fewer = pc.shift_right(numbers, pa.scalar(_MOST_BITS - bits, pa.uint32()))
    together = pa.array([bytes(fewer.buffers()[1])[: len(joined)]], pa.large_binary())
    return bytes(_kernels.count_texts_by_cell_rounded(together, bits).buffers()[1])


def with_evidence_and_records_or_short_text(
    rows: DataFrame, record_maker: RecordMaker
) -> DataFrame:
    """Return numbered rows with their evidence and records, or with a short text instead.

    Args:
        rows: from ``number_rows_by_hashed_id``.
        record_maker: what texts send to be joined.
    """
    kept = tuple(name for name in rows.columns if name != "text")
    task = EvidenceTask(record_maker.counting, kept, record_maker)
    schema = f"{_spell_schema(rows, kept)}, measured double, text binary, records binary, {SCHEMA}"
    return rows.mapInArrow(task, schema)


def replace_texts_by_evidence(facts: DataFrame, record_maker: RecordMaker) -> DataFrame:
    """Return rows from ``facts`` without texts: all have their evidence and records."""
    names = tuple(name for name in facts.columns if name != "text")
    return facts.mapInArrow(ReplaceTextsTask(record_maker, names), _spell_schema(facts, names))


def evidence_columns(frame: DataFrame, request: FrameRequest) -> DataFrame:
    """Return the evidence of a frame, by the id of its rows."""
    from pyspark.sql import functions as sf

    rows = frame.select(sf.col(quote_column(request.id)).alias("id"), _text_column(request))
    task = EvidenceTask(request.query.counting, ("id",))
    return rows.mapInArrow(task, f"{_spell_schema(rows, ('id',))}, {SCHEMA}")


def quote_column(name: str) -> str:
    """Return the name of a column in a form that Spark always accepts."""
    return "`" + name.replace("`", "``") + "`"


def _text_column(request: FrameRequest) -> Column:
    from pyspark.sql import functions as sf

    texts = [sf.col(quote_column(name)) for name in request.text]
    whole = sf.when(sf.coalesce(*texts).isNotNull(), sf.concat_ws(_BETWEEN, *texts))
    return (texts[0] if len(texts) == 1 else whole).alias("text")


def _spell_schema(rows: DataFrame, names: Iterable[str]) -> str:
    kinds = {field.name: field.dataType.simpleString() for field in rows.schema.fields}
    return ", ".join(f"{name} {kinds[name]}" for name in names)


def _shingles_to_join(rows: pa.StructArray) -> ShinglesToJoin:
    return ShinglesToJoin(*(rows.field(name) for name in ShinglesToJoin._fields))


def _are_smaller_than_sets(texts: pa.Array, rows: pa.StructArray) -> pa.BooleanArray:
    """Return which texts are smaller than their sets; blank ones are not."""
    shingles = pc.add(*(pc.list_value_length(rows.field(name)) for name in _SETS[:2]))
    sets = pc.multiply(shingles, SHINGLE_BYTES)
    smaller = pc.less(pc.binary_length(texts), sets)
    return pc.and_(pc.fill_null(smaller, False), rows.field("digest").is_valid())


def _view_bytes_as_texts_unchecked(utf8_bytes: pa.Array) -> pa.Array:
    """Return texts from their bytes, which are those of texts that were read."""
    return utf8_bytes.cast(pa.binary()).view(pa.string())


def _with_sets_emptied(rows: pa.StructArray, emptied: pa.BooleanArray) -> pa.StructArray:
    """Return evidence without the sets of some texts."""
    sets = {name: rows.field(name) for name in _SETS}
    left = {name: pc.if_else(emptied, pa.scalar([], of.type), of) for name, of in sets.items()}
    return Evidence(rows).replace_fields(**left).rows


def _without_hashes_of_small_sets(rows: pa.StructArray) -> pa.StructArray:
    """Return evidence with whole hashes only for large sets, as everywhere."""
    hashes = rows.field("word_hashes")
    large = pc.greater(pc.list_value_length(hashes), LARGE)
    none = pa.scalar([], hashes.type)
    few = pc.if_else(large, hashes, none)
    return Evidence(rows).replace_fields(word_hashes=few).rows


def _resemblance_to_itself(rows: pa.StructArray) -> pa.Array:
    """Return the resemblance of each text to itself: 1, or 0 if it has no shingle."""
    own = pa.arange(0, len(rows))
    return arrow.flat(Evidence(rows).judge_pairs(own, own, Thresholds())["resemblance"])
