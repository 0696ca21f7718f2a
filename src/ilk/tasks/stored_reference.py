"""A store as ``against``: the texts are read once more before the search, to ask the store.

What the store may have of each of them becomes the reference; the search itself is the same as
with any other. The room of the store is loaded where there is a reference.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ilk import read
from ilk.base.errors import OptionError
from ilk.base.run_options import Running
from ilk.base.stores import is_store
from ilk.read import Reading, ReadReport, paths_if_given
from ilk.read.collection import open_rows_perhaps_of_files
from ilk.read.files.walk import STDIN
from ilk.tasks.request import Request

if TYPE_CHECKING:
    from ilk.store import Store


def read_alike_if_store(
    against: Any,
    source: Any,
    request: Request,
    running: Running,
    *,
    rows: bool,
    batch: str | None = None,
) -> Any:
    """Return what a store has that may be alike to the texts of a source; another source as it is.

    Args:
        against, source: as ``find`` and ``deduplicate`` take them.
        rows: whether the source is rows, which are written again.
        batch: the key of the source, if what stays of it is to be added to the store.

    Raises:
        OptionError: the store cannot promise what is asked, stands beside other paths, or the
            source can be read only once.
    """
    store = store_of_reference(against)
    if store is None:
        return against
    _refuse_source_read_once(source)
    if request.key is not None:
        raise OptionError("`key` compares columns, and a store has none; leave out one of them.")
    if request.within:
        raise OptionError(
            "`within` compares rows with equal values in a column, and a store as the reference "
            "(`against`) has no columns; leave out one of them."
        )
    if request.window is not None:
        raise OptionError(
            "`window` compares documents by their times, and a store as the reference (`against`) "
            "has none; leave out one of them."
        )
    if request.reading.files_in is not None:
        raise OptionError(
            "`files_in` takes the texts from files that the rows name, and a store as the "
            "reference (`against`) needs them in the rows; leave out one of the two."
        )
    from ilk.store.reference import read_alike

    texts = _read_texts(source, request.reading, running, rows)
    return read_alike(
        store, texts, request.query, exact=request.exact, batch=batch, jobs=running.jobs
    )


def store_of_reference(against: Any) -> str | os.PathLike[str] | Store | None:
    """Return the store that is the reference; None if the reference is something else."""
    if against is None:
        return None
    from ilk.store import Store

    if isinstance(against, Store):
        return against
    paths = paths_if_given(against)
    stores = [path for path in paths or () if is_store(path)]
    if not stores:
        return None
    if len(paths or ()) > 1:
        raise OptionError(
            f"{os.fsdecode(stores[0])} is a store; as a reference (`against`) it stands alone. "
            "Ask one store at a time, or the other paths without it."
        )
    return stores[0]


def _refuse_source_read_once(source: Any) -> None:
    paths = paths_if_given(source) or ()
    if isinstance(source, pa.RecordBatchReader) or any(os.fspath(path) == STDIN for path in paths):
        raise OptionError(
            "a source that can be read only once cannot be compared with a store (`against`): its "
            "texts are read once to ask the store, and again to compare them. Write it to a file, "
            "or give a table."
        )


def _read_texts(source: Any, reading: Reading, running: Running, rows: bool) -> Iterator[pa.Array]:
    """Yield the texts of a source; the search that follows reports what cannot be read."""
    if rows:
        batches = open_rows_perhaps_of_files(source, reading, running).batches()
    else:
        batches = read.read_documents(source, reading, running, ReadReport())
    for batch in batches:
        yield batch.column("text")
