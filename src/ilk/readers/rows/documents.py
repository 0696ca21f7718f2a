"""Rows of data sets as documents among others."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from ilk.readers.files.walk import STDIN
from ilk.readers.rows.dataset import Records
from ilk.readers.rows.kinds import holds_rows, is_archive
from ilk.readers.tally import Tally


def is_rows(path: str | os.PathLike[str]) -> bool:
    """Whether a path that was given is one of rows.

    It is no folder, and its name says so; or it is an archive, whatever its name.
    """
    name = os.fsdecode(path)
    if name == STDIN or os.path.isdir(name):
        return False
    return holds_rows(name) or is_archive(name)


def read_rows(data_set: Records, tally: Tally) -> Iterator[pa.RecordBatch]:
    """The rows as ``DOCUMENTS``, numbered behind the documents that were read before.

    Raises:
        ColumnTypeError: no row has a column of that name, or it holds no texts.
    """
    behind = tally.documents
    for batch in data_set.batches():
        tally.documents += len(batch)
        yield batch.set_column(0, batch.schema.field(0), pc.add(batch["doc"], behind))
    for row in data_set.rejected():
        tally.fail(f"{row.source}:{row.at}", row.reason)
    for source in data_set.sources:
        tally.bytes += source.size
        tally.replaced += [source.name] * source.counts.replaced
        if source.failure:
            tally.fail(source.name, source.failure)
