"""Rows of a data frame, read once: the evidence of each, and its records to be joined."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from ilk.plugins import LARGE, Evidence, Thresholds, arrow, evidence_builder
from ilk.plugins import kernels as _kernels
from ilk_spark.asked import Asked
from ilk_spark.packed import SCHEMA, packed, pieces

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

#: The most texts to count shingles in, and the cells for each of them.
_SAMPLE, _CELLS_PER_TEXT = 20_000, 1_024

#: The separator of joined texts, as everywhere.
_BETWEEN = "\n\n"


@dataclass(frozen=True)
class MakeEvidence:
    """The task that turns texts into evidence, and into records to be joined.

    Attributes:
        shingle: words per shingle.
        kept: the columns to keep besides it.
        ratio: the least resemblance for the join; None for no join.
        counts: how often shingles occur, by cell.
        bands: how many bands of least images to send instead of shingles, and their width.
    """

    shingle: int
    kept: tuple[str, ...]
    ratio: tuple[int, int] | None = None
    counts: bytes = b""
    bands: tuple[int, int] | None = None

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield what is kept of each row."""
        for batch in pieces(batches):
            rows = evidence(batch["text"], self.shingle, hashes=True)
            found = {name: batch[name] for name in self.kept}
            if self.ratio is not None:
                found["records"] = self._records(batch["doc"], rows)
                found["measured"] = _measured(rows)
            yield pa.RecordBatch.from_pydict(found | packed(_with_few_hashes(rows)))

    def _records(self, docs: pa.Array, rows: pa.StructArray) -> pa.Array:
        assert self.ratio is not None
        # A blank text has no digest, and is like no other.
        some = rows.field("digest").is_valid()
        if self.bands is not None:
            sent = _kernels.band_records(docs, *_joined_by(rows), *self.bands)
        else:
            cells = [None, pa.py_buffer(self.counts)]
            counts = pa.Array.from_buffers(pa.uint8(), len(self.counts), cells)
            sent = _kernels.shingle_records(docs, *_joined_by(rows), counts, *self.ratio)
        return pc.if_else(some, sent, pa.scalar(b"", pa.large_binary())).cast(pa.binary())


@dataclass(frozen=True)
class FindCells:
    """The task that finds the cells of the shingles of some texts, to be counted.

    Attributes:
        shingle: words per shingle.
        bits: there are 2^bits cells.
    """

    shingle: int
    bits: int

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the digest and the cells of each text that is not blank."""
        for batch in pieces(batches):
            rows = evidence(batch["text"], self.shingle, hashes=True)
            cells = _kernels.shingle_cells(*_joined_by(rows), self.bits)
            found = {"digest": rows.field("digest"), "cells": cells}
            yield pa.RecordBatch.from_pydict(
                {name: values.cast(pa.binary()) for name, values in found.items()}
            ).filter(rows.field("digest").is_valid())


def evidence(texts: pa.Array, shingle: int, *, hashes: bool = False) -> pa.StructArray:
    """Return the evidence of texts, if requested with whole hashes for all."""
    builder = evidence_builder(shingle, 1, 0 if hashes else LARGE)
    for chunk in arrow.kernel_chunks(arrow.texts(texts)):
        builder.add(chunk)
    return builder.finish()


def named(frame: DataFrame, asked: Asked, *, held: bool, salt: int) -> DataFrame:
    """Return the rows with numbers derived from their ids, and what is known of them.

    A row without an id has no number.
    """
    from pyspark.sql import functions as sf

    own = sf.col(quoted(asked.id))
    number = sf.xxhash64(sf.lit(salt), sf.lit(held), own)
    doc = sf.when(own.isNotNull(), number).alias("doc")
    known = [sf.col(quoted(name)).alias(place) for place, name in asked.known.items()]
    return frame.select(doc, sf.lit(held).alias("held"), own.alias("id"), *known, _text(asked))


def counted(rows: DataFrame, shingle: int, count: int) -> bytes:
    """Return how often shingles occur in a sample of the rows, chosen by their ids.

    Args:
        rows: from ``named``.
        shingle: words per shingle.
        count: the number of rows.
    """
    from pyspark.sql import functions as sf

    texts = min(count, _SAMPLE)
    bits = max(10, min(25, (texts * _CELLS_PER_TEXT).bit_length()))
    of = max(1, -(-count // _SAMPLE))
    sample = rows.where(sf.pmod(sf.col("doc"), sf.lit(of)) == 0).select("text")
    found = sample.mapInArrow(FindCells(shingle, bits), "digest binary, cells binary").toArrow()
    # Copies of one text count once.
    first = found.append_column("row", pa.arange(0, len(found))).group_by("digest")
    once = arrow.flat(first.aggregate([("row", "min")])["row_min"])
    cells = arrow.flat(found["cells"].cast(pa.large_binary())).take(once)
    return bytes(_kernels.count_cells(cells, bits).buffers()[1])


def facts(rows: DataFrame, asked: Asked, counts: bytes) -> DataFrame:
    """Return the evidence of rows from ``named``, and their records to be joined."""
    kept = tuple(name for name in rows.columns if name != "text")
    task = MakeEvidence(asked.query.shingle, kept, asked.ratio, counts, asked.bands)
    schema = f"{_schema(rows, kept)}, records binary, measured double, {SCHEMA}"
    return rows.mapInArrow(task, schema)


def kept(frame: DataFrame, asked: Asked) -> DataFrame:
    """Return the evidence of a frame, by the id of its rows."""
    from pyspark.sql import functions as sf

    rows = frame.select(sf.col(quoted(asked.id)).alias("id"), _text(asked))
    task = MakeEvidence(asked.query.shingle, ("id",))
    return rows.mapInArrow(task, f"{_schema(rows, ('id',))}, {SCHEMA}")


def quoted(name: str) -> str:
    """Return the name of a column in a form that Spark always accepts."""
    return "`" + name.replace("`", "``") + "`"


def _text(asked: Asked) -> Column:
    from pyspark.sql import functions as sf

    texts = [sf.col(quoted(name)) for name in asked.text]
    whole = sf.when(sf.coalesce(*texts).isNotNull(), sf.concat_ws(_BETWEEN, *texts))
    return (texts[0] if len(texts) == 1 else whole).alias("text")


def _schema(rows: DataFrame, names: Iterable[str]) -> str:
    kinds = {field.name: field.dataType.simpleString() for field in rows.schema.fields}
    return ", ".join(f"{name} {kinds[name]}" for name in names)


def _joined_by(rows: pa.StructArray) -> tuple[pa.Array, pa.Array, pa.Array]:
    return rows.field("words"), rows.field("word_hashes"), rows.field("character_shingles")


def _with_few_hashes(rows: pa.StructArray) -> pa.StructArray:
    """Return evidence with whole hashes only for large sets, as everywhere."""
    hashes = rows.field("word_hashes")
    large = pc.greater(pc.list_value_length(hashes), LARGE)
    none = pa.scalar([], hashes.type)
    few = pc.if_else(large, hashes, none)
    return Evidence(rows).replaced(word_hashes=few).rows


def _measured(rows: pa.StructArray) -> pa.Array:
    """Return the resemblance of each text and a copy of it: 1, or 0 if it has no shingle."""
    own = pa.arange(0, len(rows))
    return arrow.flat(Evidence(rows).judge(own, own, Thresholds())["resemblance"])
