"""Tables without their duplicates, as the kind that was given: Polars, pandas, Hugging Face, Arrow.

The tools move the data, and ilk makes every decision. No tool is imported here: the class of a
table shows which one it is of.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.base.errors import ColumnTypeError, OptionError
from ilk.base.options import default
from ilk.tasks.dedup import deduplicate as decide
from ilk.tasks.find import find
from ilk.tasks.result import Result

__all__ = ["clusters", "deduplicate", "near_pairs"]

_Table = TypeVar("_Table")

#: Arguments of ``ilk.deduplicate`` that are for files; a tool writes by itself.
_OF_FILES = frozenset({"annotate", "exclude", "force", "include", "output", "work"})

#: Classes of tables, with the package of each.
_KINDS = frozenset(
    {
        ("datasets", "Dataset"),
        ("pandas", "DataFrame"),
        ("polars", "DataFrame"),
        ("polars", "LazyFrame"),
        ("pyarrow", "Table"),
    }
)


def deduplicate(
    table: _Table,
    *,
    text: str | Sequence[str] = default("text"),
    against: Any = None,
    accept_alarm: bool = False,
    **options: Any,
) -> _Table:
    """Return the rows of a table that ``ilk.deduplicate`` keeps, in their order.

    Args:
        table: n rows: a data frame of Polars or pandas, a ``Dataset`` of Hugging Face, or an Arrow
            table. A ``LazyFrame`` runs several times, some thousand rows at a time, so a scan may
            be larger than memory; it must return the same rows in the same order.
        text: the column of texts; or several, joined with a blank line between them.
        against: another table; rows that are like one of its rows are dropped.
        accept_alarm: drop despite an alarm.
        options: those of ``ilk.deduplicate``, except for those of files.

    Returns:
        A table of the same kind with the same columns: of pandas with their index, of Hugging Face
        by ``select``, not copied. A lazy one returns its rows when it runs.

    Raises:
        AlarmRaised: so much would be dropped that a person should look first; its ``result`` has
            the clusters.
        ColumnTypeError, OptionError: as for ``ilk.deduplicate``; or it is another kind of table.
        SourceChanged: a lazy frame returned other rows the second time.
    """
    if against is not None:
        options["against"] = _source(against, text, options)
    result = decided(_source(table, text, options), text, options)
    result.refuse_alarm(accept_alarm)
    kept: _Table = _kept(table, result)
    return kept


def clusters(table: Any, *, text: str | Sequence[str] = default("text"), **options: Any) -> Any:
    """Return what each row of a table is like, as a table to put beside it.

    Args:
        table, text, options: as for ``deduplicate``.

    Returns:
        n rows in their order: ``family`` and ``cluster``, null for a row in no family; ``keeper``,
        the row that stays (its number, or in pandas its index); ``verdict``, which is ``unique``,
        ``keeper``, or what the row is to its keeper; and its ``resemblance`` to the keeper. Of the
        same kind, but not lazy.

    Raises:
        ColumnTypeError, OptionError, SourceChanged: as for ``deduplicate``.
    """
    found = labelled(_source(table, text, options), text, options)
    if _tool(table) != "pandas":
        return _like(table, found)
    pd: Any = sys.modules["pandas"]
    named = {name: pandas_series(found[name], table.index) for name in found.column_names}
    keepers = named["keeper"].astype("Int64").to_numpy(na_value=-1)
    labels = pd.Series(table.index.to_flat_index().take(keepers), index=table.index)
    return pd.DataFrame(named | {"keeper": labels.where(keepers >= 0)})


def near_pairs(table: Any, *, text: str | Sequence[str] = default("text"), **options: Any) -> Any:
    """Return all pairs of near-duplicates, including copies of the same text.

    Args:
        table, text: as for ``deduplicate``.
        options: those of ``ilk.find``, such as ``resemblance``, ``radius`` and ``max_pairs``.

    Returns:
        ``left`` and ``right`` (row numbers, left the lower one; in pandas of the index),
        ``resemblance``, ``containment_left``, ``containment_right`` and ``verdict``, sorted by row.
        Of the same kind, but not lazy.

    Raises:
        ColumnTypeError, OptionError, TooManyPairs: as for ``ilk.find``.
    """
    _refuse_files(options)
    found = find(_source(table, text, options), text=text, **options).pairs
    shown = ("left", "right", "resemblance", "containment_left", "containment_right", "verdict")
    pairs = _like(table, found.select(shown))
    if _tool(table) == "pandas":
        for side in ("left", "right"):
            pairs[side] = table.index.to_flat_index().take(pairs[side])
    return pairs


def decided(source: Any, text: str | Sequence[str], options: Mapping[str, Any]) -> Result:
    """Return the decision of ``ilk.deduplicate`` on a table.

    Raises:
        OptionError: an option is for files.
    """
    _refuse_files(options)
    return decide(source, text=text, **options)


def labelled(source: Any, text: str | Sequence[str], options: Mapping[str, Any]) -> pa.Table:
    """Return one row per row: ``family``, ``cluster``, ``keeper``, ``verdict``, ``resemblance``."""
    labels = decided(source, text, options).labels(numbered=True)
    names = ("family", "cluster", "keeper_doc", "verdict", "resemblance")
    return labels.select(names).rename_columns([name.removesuffix("_doc") for name in names])


def pandas_series(column: pa.Array | pa.ChunkedArray, index: Any) -> Any:
    """Return a column for pandas in its Arrow type, so that whole numbers stay whole."""
    pd: Any = sys.modules["pandas"]
    return pd.Series(pd.arrays.ArrowExtensionArray(column), index=index)


def pandas_column(series: Any) -> pa.ChunkedArray:
    """Return a series as an Arrow column; a lone surrogate becomes U+FFFD.

    Raises:
        ColumnTypeError: it holds values of several kinds, or two columns have that name.
    """
    pd: Any = sys.modules["pandas"]
    if not isinstance(series, pd.Series):
        raise ColumnTypeError("the frame has two columns with the same name; rename one of them.")
    try:
        made = pa.Array.from_pandas(series)
    except UnicodeEncodeError:
        spelled = [arrow.scalar_values(v) if isinstance(v, str) else v for v in series]
        return pandas_column(pd.Series(spelled, name=series.name, dtype=object))
    except (pa.ArrowException, TypeError) as error:
        raise ColumnTypeError(
            f"the column {series.name} holds values of several kinds ({error}); convert them to "
            "texts first: astype('string')."
        ) from error
    return made if isinstance(made, pa.ChunkedArray) else pa.chunked_array([made])


def _tool(table: Any) -> str:
    """Return the package that a table is of."""
    for kind in type(table).__mro__:
        package = kind.__module__.partition(".")[0]
        if (package, kind.__name__) in _KINDS:
            return package
    raise ColumnTypeError(
        "expected a data frame of Polars or pandas, a Dataset of Hugging Face or an Arrow table, "
        f"got {type(table).__name__}. From a DatasetDict, give one split; for other tables, use "
        "ilk.deduplicate."
    )


def _source(table: Any, text: str | Sequence[str], options: Mapping[str, Any]) -> Any:
    """Return the columns of a table to read, as a source for ilk."""
    tool = _tool(table)
    if tool == "pandas":
        names = _read_names([str(name) for name in table.columns], text, options)
        there = [name for name in names if name in table.columns]
        return pa.table({name: pandas_column(table[name]) for name in there})
    if hasattr(table, "collect_schema") and hasattr(table, "collect"):
        return _Lazy(table, _read_names(table.collect_schema().names(), text, options))
    names = table.columns if tool == "polars" else table.column_names
    chosen = _read_names(names, text, options)
    return table.select_columns(chosen) if tool == "datasets" else table.select(chosen)


def _read_names(
    names: Sequence[str], text: str | Sequence[str], options: Mapping[str, Any]
) -> list[str]:
    """Return which of all columns of a table to read.

    A name with a dot leads into a column. If a name does not exist, all columns are returned, so
    that the error can list them.
    """
    keep = options.get("keep") or ()
    policies = [str(policy) for policy in ([keep] if isinstance(keep, str) else keep)]
    named = [text] if isinstance(text, str) else list(text)
    named += [name for name in (options.get("id"), options.get("key")) if name is not None]
    over = [policy.partition(":") for policy in policies if not policy.startswith("prefer:")]
    named += [name for _, _, name in over if name]
    found = []
    for name in named:
        leading = [one for one in names if name == one or str(name).startswith(f"{one}.")]
        if not leading:
            return list(names)
        found.append(max(leading, key=len))
    return list(dict.fromkeys(found))


class _Lazy:
    """A lazy frame that runs for every pass."""

    def __init__(self, frame: Any, names: list[str]) -> None:
        self._frame = frame.select(names)
        self.schema = pa.table(self._frame.collect_schema().to_frame()).schema

    def to_batches(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        for piece in self._frame.select(columns).collect_batches(maintain_order=True):
            yield from pa.table(piece).to_batches()


def _like(table: Any, found: pa.Table) -> Any:
    """Return a table of results as the kind of another table."""
    tool = _tool(table)
    if tool == "polars":
        return sys.modules[tool].DataFrame(found)
    if tool == "datasets":
        return sys.modules[tool].Dataset(found)
    return found.to_pandas() if tool == "pandas" else found


def _kept(table: Any, result: Result) -> Any:
    tool = _tool(table)
    if tool == "pandas":
        return _rows(table, result.kept.to_numpy(zero_copy_only=False))
    if tool == "datasets":
        return table.select(pc.indices_nonzero(result.kept).cast(pa.int64()).to_numpy())
    if tool == "pyarrow":
        return table.filter(result.kept)
    pl: Any = sys.modules["polars"]
    if isinstance(table, pl.DataFrame):
        return table.filter(pl.Series(result.kept, dtype=pl.Boolean))
    dropped = pl.Series(arrow.flat(result.dropped["doc"]), dtype=pl.get_index_type())
    names, number = table.collect_schema().names(), "row"
    while number in names:
        number += "_"
    numbered = table.with_row_index(number)
    return numbered.filter(~pl.col(number).is_in(dropped.implode())).drop(number)


def _rows(frame: Any, mask: Any) -> Any:
    """Return some rows of a frame of pandas.

    Arrow columns are filtered by themselves: taking rows from a frame would copy all their texts
    once more.
    """
    is_own = sys.modules["pandas"].api.types.is_extension_array_dtype
    own = [is_own(kind) for kind in frame.dtypes]
    found = frame.iloc[:, [place for place, extends in enumerate(own) if not extends]][mask]
    for place, name in enumerate(frame.columns):
        if own[place]:
            found.insert(place, name, frame.iloc[:, place].array[mask], allow_duplicates=True)
    return found


def _refuse_files(options: Mapping[str, Any]) -> None:
    refused = sorted(_OF_FILES.intersection(options))
    if refused:
        raise OptionError(
            f"`{refused[0]}` is for files, and here no file is read or written; leave it out."
        )
