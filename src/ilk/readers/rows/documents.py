"""Rows of data sets, and texts in memory, as documents among others."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk import columns
from ilk.readers.files.walk import STDIN
from ilk.readers.reading import PLAINLY, Reading
from ilk.readers.rows.dataset import DataSet
from ilk.readers.rows.kinds import holds_rows, is_archive
from ilk.readers.rows.memory import is_table
from ilk.readers.rows.opening import rows_of_table
from ilk.readers.tally import Tally


def is_rows(path: str | os.PathLike[str]) -> bool:
    """Tell whether a path that was given is one of rows.

    It is no folder, and its name says so; or it is an archive, whatever its name.
    """
    name = os.fsdecode(path)
    if name == STDIN or os.path.isdir(name):
        return False
    return holds_rows(name) or is_archive(name)


def read_rows(data_set: DataSet, tally: Tally) -> Iterator[pa.RecordBatch]:
    """Yield the rows as ``DOCUMENTS``, numbered after the documents that were read before."""
    before = tally.documents
    for batch in data_set.batches():
        tally.documents += len(batch)
        yield batch.set_column(0, batch.schema.field(0), pc.add(batch["doc"], before))
    for row in data_set.rejected():
        tally.fail(f"{row.source}:{row.at}", row.reason)
    for source in data_set.sources:
        tally.bytes += source.size
        tally.replaced += [source.name] * source.counts.replaced
        if source.failure:
            tally.fail(source.name, source.failure)


def read_table(source: Any, reading: Reading, tally: Tally) -> pa.Table:
    """Return a list or column of texts, or a table, as ``DOCUMENTS``.

    A document's source is ``#`` and its row number.

    Args:
        source: the texts.
        reading: the columns of a table.
        tally: counts them.

    Raises:
        ColumnTypeError: there is no column of texts.
    """
    if is_table(source):
        data_set = rows_of_table(source, reading)
    else:
        data_set = rows_of_table(pa.table({PLAINLY.text[0]: columns.texts(source)}))
    return pa.Table.from_batches(read_rows(data_set, tally), schema=columns.DOCUMENTS)
