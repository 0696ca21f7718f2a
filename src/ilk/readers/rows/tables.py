"""Texts that are in memory already: lists, columns and tables of any Arrow library."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from ilk import columns
from ilk.readers.rows import TEXT, rows_of_table
from ilk.readers.rows.documents import read_rows
from ilk.readers.rows.memory import is_table
from ilk.readers.tally import Tally


def read_table(
    source: Any, tally: Tally, *, text: str | Sequence[str] = TEXT, id: str | None = None
) -> pa.Table:
    """A list or column of texts, or a table.

    Args:
        source: the texts.
        tally: told how many they are.
        text, id: the columns of a table, as for ``rows_of_table``.

    Returns:
        ``DOCUMENTS``; a document's source is ``#`` and its row number.

    Raises:
        ColumnTypeError: there is no column of texts.
    """
    if is_table(source):
        data_set = rows_of_table(source, text=text, id=id)
    else:
        data_set = rows_of_table(pa.table({TEXT: columns.texts(source)}))
    return pa.Table.from_batches(read_rows(data_set, tally), schema=columns.DOCUMENTS)
