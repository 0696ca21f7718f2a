"""Hugging Face data sets: streams without what a store has seen, and cards."""

from __future__ import annotations

import pyarrow as pa

from ilk.base.errors import ColumnTypeError, MissingExtra, OptionError
from ilk.base.options import default
from ilk.store import Store
from ilk.tasks.result import Result

try:
    import datasets as hf
except ImportError as error:
    raise MissingExtra("datasets", "datasets") from error

__all__ = ["add_unseen", "card"]


def add_unseen(
    stream: hf.IterableDataset, store: Store, *, text: str = default("text")
) -> hf.IterableDataset:
    """Add the rows of a stream that are like nothing in a store to it; return a stream of them.

    Each row is compared with all earlier rows, of this pass or a previous one: a second pass over
    the same stream returns only rows without text. Rows without text stay.

    Args:
        stream: rows, read once.
        store: open as long as the stream is read.
        text: the column of texts.

    Raises:
        ColumnTypeError: it is not a stream.
        OptionError: it is not a store.
    """
    if not isinstance(stream, hf.IterableDataset):
        raise ColumnTypeError(
            f"expected an IterableDataset, got {type(stream).__name__}; "
            "ilk.tables.deduplicate takes a Dataset."
        )
    if not isinstance(store, Store):
        raise OptionError(f"the store is {type(store).__name__}; open one: ilk.Store(path).")

    def add_and_select_unseen(texts: list[str | None]) -> list[bool]:
        column = pa.array(texts, pa.large_string())
        return [one.id is not None for one in store.add_many(column, on_duplicate="refuse")]

    return stream.filter(add_and_select_unseen, batched=True, input_columns=text)


def card(result: Result) -> str:
    """Return the section of a data set's card that says what was removed, in Markdown."""
    if not isinstance(result, Result):
        raise OptionError(f"the result is {result!r}; give that of ilk.deduplicate.")
    report = result.report
    kept = f"Of {report['documents']:,} rows, ilk keeps {report['kept']:,}"
    rows = [f"| {verdict} | {count:,} |" for verdict, count in report["dropped"].items()]
    head = ["## Deduplication", "", f"{kept}; the promise is: {report['promise']}.", ""]
    return "\n".join([*head, "| removed as | rows |", "|---|---|", *rows, ""])
