"""A store as ``against``: the texts are read once more before the search, to ask the store.

What the store may have of each of them becomes the reference; the search itself is the same as
with any other. The room of the store is loaded where there is a reference.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import pyarrow as pa

from ilk import arrow, read
from ilk.base.errors import OptionError
from ilk.base.run_options import Running
from ilk.base.stores import is_store_file
from ilk.fingerprints.digest import row_digests_with_null_as_empty
from ilk.read import Reading, ReadReport, paths_or_none_if_texts
from ilk.read.collection import Collection, open_rows_replacing_paths_if_asked
from ilk.read.files.walk import STDIN
from ilk.tasks.request import Request

if TYPE_CHECKING:
    from ilk.store import Store

#: A store, or the path of one.
StoreOrPath: TypeAlias = "str | os.PathLike[str] | Store"


class TextsWithGroups(NamedTuple):
    """Some texts, and the digests of their groups; None if they are in no groups."""

    texts: pa.Array
    group_digests: pa.Array | None


#: How the name of a store ends that is made if it is missing.
_STORE = ".ilk"


def read_source_to_ask_store_if_any(
    against: Any,
    source: Any,
    request: Request,
    running: Running,
    *,
    rows_are_written_again: bool,
    batch_key: str | None = None,
) -> Any:
    """Return what a store has that may be alike to the texts of a source, which is read once more
    for that (documents with ``within``, twice); a reference that is no store as it is.

    Args:
        against, source: as ``find`` and ``deduplicate`` take them.
        rows_are_written_again: whether the source is rows, which are written again.
        batch_key: the key of the source, if what stays of it is to be added to the store.

    Raises:
        OptionError: the store cannot promise what is asked, stands beside other paths, or the
            source can be read only once.
    """
    store = store_of_reference_or_none(against)
    if store is None:
        return against
    _refuse_request_unfit_for_store(source, request)
    from ilk.store.reference import read_documents_alike_to

    within = tuple(sorted(request.within))
    return read_documents_alike_to(
        store,
        _read_texts_with_group_digests_unreported(
            source,
            request.reading,
            running,
            group_columns=within,
            rows_are_written_again=rows_are_written_again,
        ),
        request.query,
        equal_only=request.exact,
        within=within,
        before_batch=batch_key,
        jobs=running.jobs,
    )


@contextmanager
def find_or_make_store_removed_if_unused(
    against: Any, source: Any, request: Request, running: Running
) -> Iterator[StoreOrPath]:
    """Give the store that is the reference, to which rows are to be added; if it is a path that
    ends in .ilk, and does not exist, an exact store is made that promises what is asked. It is
    removed again if nothing was added to it, so that a corrected command can make another one.

    Raises:
        OptionError: the reference is something else; or no store can promise what is asked.
        OutputError: the store cannot be made.
    """
    store = store_of_reference_or_none(against)
    if store is not None:
        yield store
        return
    paths = [] if against is None else list(paths_or_none_if_texts(against) or ())
    if len(paths) != 1 or not _is_missing_or_empty_with_store_name(paths[0]):
        raise OptionError(
            "`add` adds the rows that stay to the store of `against`; name a store, or a path that "
            f"ends in {_STORE}, at which one is made."
        )
    _refuse_request_unfit_for_store(source, request)
    from ilk.store.db.file import remove_store_if_unused
    from ilk.store.reference import make_empty_or_check_store_for_query

    make_empty_or_check_store_for_query(paths[0], request.query, request.within, running.jobs)
    try:
        yield paths[0]
    finally:
        remove_store_if_unused(Path(paths[0]))


def _is_missing_or_empty_with_store_name(path: str | os.PathLike[str]) -> bool:
    """Return whether nothing is there, or an empty file, under the name of a store."""
    if not os.fsdecode(path).endswith(_STORE):
        return False
    return not os.path.lexists(path) or (os.path.isfile(path) and not os.path.getsize(path))


def _refuse_request_unfit_for_store(source: Any, request: Request) -> None:
    """Refuse what no store can be asked."""
    _refuse_source_readable_only_once(source)
    if request.key is not None:
        raise OptionError("`key` compares columns, and a store has none; leave out one of them.")
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


def store_of_reference_or_none(against: Any) -> StoreOrPath | None:
    """Return the store that is the reference; None if the reference is something else.

    Raises:
        OptionError: a store stands beside other paths.
    """
    if against is None:
        return None
    from ilk.store import Store

    if isinstance(against, Store):
        return against
    paths = paths_or_none_if_texts(against)
    stores = [path for path in paths or () if is_store_file(path)]
    if not stores:
        return None
    if len(paths or ()) > 1:
        raise OptionError(
            f"{os.fsdecode(stores[0])} is a store; as a reference (`against`) it stands alone. "
            "Ask one store at a time, or the other paths without it."
        )
    return stores[0]


def path_of_store(store: StoreOrPath) -> str:
    """Return where a store is, given as itself or as its path."""
    from ilk.store import Store

    return os.fsdecode(store.path if isinstance(store, Store) else store)


def _refuse_source_readable_only_once(source: Any) -> None:
    paths = paths_or_none_if_texts(source) or ()
    if isinstance(source, pa.RecordBatchReader) or any(os.fspath(path) == STDIN for path in paths):
        raise OptionError(
            "a source that can be read only once cannot be compared with a store (`against`): its "
            "texts are read once to ask the store, and again to compare them. Write it to a file, "
            "or give a table."
        )


def _read_texts_with_group_digests_unreported(
    source: Any,
    reading: Reading,
    running: Running,
    *,
    group_columns: tuple[str, ...],
    rows_are_written_again: bool,
) -> Iterator[TextsWithGroups]:
    """Yield the texts of a source in batches, with the digests of their groups; the search that
    follows reports what cannot be read.

    Args:
        source, reading, running: what to read, and how.
        group_columns: those by whose values rows are in groups; none without groups.
        rows_are_written_again: whether the source is rows, which are written again.
    """
    within = group_columns
    reading = replace(reading, columns=within, within=within)
    if rows_are_written_again:
        data_set = open_rows_replacing_paths_if_asked(source, reading, running)
        if within and data_set.batches_have_group_digests:
            for batch in data_set.batches():
                yield TextsWithGroups(batch.column("text"), arrow.flat(batch.column("group")))
            return
        columns = [arrow.flat(data_set.read_column(one, as_written=True)) for one in within]
        batches = data_set.batches()
    else:
        columns = []
        if within:
            collection = Collection.of(source, reading, running, ReadReport())
            for _ in collection.batches():
                pass  # Columns are read again, and compared with the documents that there are.
            columns = [
                collection.read_column_of_each_part(one, as_written=True)[0] for one in within
            ]
        batches = read.read_documents(source, reading, running, ReadReport())
    groups = (
        row_digests_with_null_as_empty([one.cast(pa.large_string()) for one in columns])
        if within
        else None
    )
    begin = 0
    for batch in batches:
        digests = None if groups is None else groups.slice(begin, len(batch))
        yield TextsWithGroups(batch.column("text"), digests)
        begin += len(batch)
