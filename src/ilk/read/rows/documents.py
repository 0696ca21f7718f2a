"""Rows of data sets, and texts in memory, as documents among others."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.read.files.walk import STDIN
from ilk.read.reading import Reading
from ilk.read.rows.dataset import DataSet
from ilk.read.rows.given import of_memory
from ilk.read.rows.kinds import holds_rows, reader_of
from ilk.read.rows.opening import rows_of_table
from ilk.read.tally import Tally

#: A number as people write it, perhaps with a one-character unit, and its most bytes.
_NUMBER, _LONGEST_NUMBER = (
    r"^\s*[-+]?[$€£]?\s*[\d.,' ]*\d[\d.,' ]*([eE][-+]?\d+)?\s*[%$€£]?\s*$",
    40,
)


def is_rows(path: str | os.PathLike[str], reading: Reading) -> bool:
    """Return whether a given path is one of rows.

    It is not a folder, and its name says so; or a registered reader knows its first bytes.
    """
    name = os.fsdecode(path)
    if name == STDIN or os.path.isdir(name):
        return False
    return holds_rows(name, reading.text) or reader_of(name) is not None


def read_rows(data_set: DataSet, tally: Tally) -> Iterator[pa.RecordBatch]:
    """Yield the rows as ``DOCUMENTS``, numbered after the documents read before."""
    before = tally.documents
    for batch in data_set.batches():
        tally.documents += len(batch)
        texts = batch["text"]
        tally.missing += texts.null_count
        tally.texts += len(texts) - texts.null_count
        short = texts.filter(pc.less(pc.binary_length(texts), _LONGEST_NUMBER))
        tally.numbers += pc.sum(pc.match_substring_regex(short, _NUMBER)).as_py() or 0
        yield batch.set_column(0, batch.schema.field(0), pc.add(batch["doc"], before))
    for row in data_set.rejected():
        tally.fail(f"{row.source}:{row.at}", row.reason)
    for source in data_set.sources:
        tally.bytes += source.size
        tally.replaced += [source.name] * source.counts.replaced
        if source.failure:
            tally.fail(source.name, source.failure)


def read_table(source: Any, reading: Reading, tally: Tally) -> pa.Table:
    """Return texts in memory as ``DOCUMENTS``.

    A document's source is ``#`` and its row number.

    Args:
        source: as for ``of_memory``, which raises the same errors.
        reading: the columns of a table.
        tally: counts them.
    """
    data_set = rows_of_table(of_memory(source), reading)
    return pa.Table.from_batches(read_rows(data_set, tally), schema=arrow.DOCUMENTS)
