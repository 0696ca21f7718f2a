"""Tables without their duplicates, as the kind that was given.

The tools move the data, and ilk makes every decision. No tool is imported here: the class of a
table shows which one it is of, and ``_TOOLS`` what is different about it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any, NamedTuple, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.base.arguments import refuse_idle_or_unknown_arguments
from ilk.base.errors import ColumnTypeError, OptionError
from ilk.base.progress import Progress, accept_true_as_progress
from ilk.fingerprints.recipe import Recipe
from ilk.read.formats.parts import Limits
from ilk.read.rows.text_path import is_column_or_path_into
from ilk.search.clustering import swap_sides
from ilk.search.ranking import columns_of_policies
from ilk.tasks.pipeline import deduplicate as decide
from ilk.tasks.pipeline import find
from ilk.tasks.result import DeduplicationResult, Result
from ilk.tasks.stored_reference import store_of_reference_or_none

_Table = TypeVar("_Table")

#: Arguments of ``ilk.deduplicate`` that are for files; a tool writes by itself.
_OF_FILES = {
    name: f"`{name}` is for files, and here no file is read or written; leave it out."
    for name in ("annotate", "exclude", "force", "include", "output", "work")
}

#: Refuses arguments that are for files, and helps with others that are misspelt.
refuse_file_arguments = refuse_idle_or_unknown_arguments(refusal_by_argument=_OF_FILES)


@refuse_file_arguments
@accept_true_as_progress
def deduplicate(
    table: _Table,
    *,
    text: str | Sequence[str] = "text",
    against: Any = None,
    accept_alarm: bool = False,
    count: str | None = None,
    # Parameters table_rows, by scripts/make-signatures.
    exact: bool = False,
    key: str | Sequence[str] | None = None,
    within: str | Sequence[str] | None = None,
    window: str | timedelta | None = None,
    date: str | None = None,
    only_against: bool = False,
    labels: str | os.PathLike[str] | None = None,
    ignore_text: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
    resemblance: str | float | None = 0.8,
    noise: str | float | None = None,
    keep: str | Sequence[str] = "first",
    shingle: int | None = 3,
    by: str | None = None,
    as_: str | None = None,
    ignore: str | Sequence[str] | None = None,
    same_site: str | float | None = None,
    pairing: str | None = None,
    recall: str | float | None = None,
    linkage: str | None = "anchored",
    max_pairs: int | None = 100_000_000,
    common_blocks: int | None = None,
    keep_numbers_only: bool = False,
    keep_up_to: int | None = 1,
    alarm_documents: int | None = 1000,
    alarm_share: str | float | None = 0.05,
    alarm_loss: str | float | None = 0.5,
    id: str | None = None,
    encoding: str | None = None,
    cache: str | os.PathLike[str] | None = None,
    extract: str | None = "none",
    convert: Mapping[str, Sequence[str]] | None = None,
    convert_timeout: float | None = 60.0,
    ocr: str | Sequence[str] | None = None,
    replies: str | None = "keep",
    limits: Limits | None = None,
    files_in: str | None = None,
    memory: str | int | None = None,
    jobs: int | None = None,
    progress: Progress | bool | None = None,
    # End of what is written.
) -> _Table:
    """Return the rows of a table that ``ilk.deduplicate`` keeps, in their order.

    Args:
        table: n rows: a data frame of Polars or pandas, a relation of DuckDB, a ``Dataset`` of
            Hugging Face, or an Arrow table. A ``LazyFrame`` runs several times, some thousand rows
            at a time, so a scan may be larger than memory; it and a relation must return the same
            rows in the same order.
        text: the column of texts, or where they are in it (``messages[].content``); or several,
            joined with a blank line between them.
        against: another table, or a store (its path, or ``ilk.Store``); rows that are like one of
            its rows or documents are dropped.
        accept_alarm: drop despite an alarm.
        count: the column that then says how many rows each kept row stands for; if the table has
            it, its numbers are added up.
        id, files_in, keep, exact, key, and the others: as for ``ilk.deduplicate``.

    Returns:
        A table of the same kind with the same columns: of pandas with their index, of Hugging Face
        by ``select``, not copied. A lazy frame and a relation return their rows when they run.

    Raises:
        AlarmRaised: so much would be dropped that a person should look first; its ``result`` has
            the clusters.
        ColumnTypeError, OptionError: as for ``ilk.deduplicate``; or it is another kind of table.
        SourceChanged: a lazy frame returned other rows the second time.
    """
    columns = _columns_named_by_options(text, keep, id, key, within, date)
    result = decide(
        _select_read_columns(table, columns, count),
        count=count,
        text=text,
        against=_select_reference_columns_unless_store(against, columns),
        # Arguments table_rows, by scripts/make-signatures.
        exact=exact,
        key=key,
        within=within,
        window=window,
        date=date,
        only_against=only_against,
        labels=labels,
        ignore_text=ignore_text,
        resemblance=resemblance,
        noise=noise,
        keep=keep,
        shingle=shingle,
        by=by,
        as_=as_,
        ignore=ignore,
        same_site=same_site,
        pairing=pairing,
        recall=recall,
        linkage=linkage,
        max_pairs=max_pairs,
        common_blocks=common_blocks,
        keep_numbers_only=keep_numbers_only,
        keep_up_to=keep_up_to,
        alarm_documents=alarm_documents,
        alarm_share=alarm_share,
        alarm_loss=alarm_loss,
        id=id,
        encoding=encoding,
        cache=cache,
        extract=extract,
        convert=convert,
        convert_timeout=convert_timeout,
        ocr=ocr,
        replies=replies,
        limits=limits,
        files_in=files_in,
        memory=memory,
        jobs=jobs,
        progress=progress,
        # End of what is written.
    )
    result.refuse_alarm(accept_alarm)
    tool = _tool_of_table(table)
    kept: _Table = tool.keep(table, result)
    if result.copies is not None:
        kept = tool.add(kept, str(count), result.copies.drop_null())
    return kept


@refuse_file_arguments
@accept_true_as_progress
def clusters(
    table: Any,
    *,
    text: str | Sequence[str] = "text",
    against: Any = None,
    # Parameters table_rows, by scripts/make-signatures.
    exact: bool = False,
    key: str | Sequence[str] | None = None,
    within: str | Sequence[str] | None = None,
    window: str | timedelta | None = None,
    date: str | None = None,
    only_against: bool = False,
    labels: str | os.PathLike[str] | None = None,
    ignore_text: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
    resemblance: str | float | None = 0.8,
    noise: str | float | None = None,
    keep: str | Sequence[str] = "first",
    shingle: int | None = 3,
    by: str | None = None,
    as_: str | None = None,
    ignore: str | Sequence[str] | None = None,
    same_site: str | float | None = None,
    pairing: str | None = None,
    recall: str | float | None = None,
    linkage: str | None = "anchored",
    max_pairs: int | None = 100_000_000,
    common_blocks: int | None = None,
    keep_numbers_only: bool = False,
    keep_up_to: int | None = 1,
    alarm_documents: int | None = 1000,
    alarm_share: str | float | None = 0.05,
    alarm_loss: str | float | None = 0.5,
    id: str | None = None,
    encoding: str | None = None,
    cache: str | os.PathLike[str] | None = None,
    extract: str | None = "none",
    convert: Mapping[str, Sequence[str]] | None = None,
    convert_timeout: float | None = 60.0,
    ocr: str | Sequence[str] | None = None,
    replies: str | None = "keep",
    limits: Limits | None = None,
    files_in: str | None = None,
    memory: str | int | None = None,
    jobs: int | None = None,
    progress: Progress | bool | None = None,
    # End of what is written.
) -> Any:
    """Return what each row of a table is like, as a table to put beside it.

    Args:
        table, text, against, and the others: as for ``deduplicate``.

    Returns:
        n rows in their order: ``family`` and ``cluster``, null for a row in no family; ``keeper``,
        the row that stays (its number, or in pandas its index); ``verdict``, which is ``unique``,
        ``keeper``, or what the row is to its keeper; and its ``resemblance`` to the keeper. Of the
        same kind, but not lazy.

    Raises:
        ColumnTypeError, OptionError, SourceChanged: as for ``deduplicate``.
    """
    result = decide(
        _select_read_columns(table, _columns_named_by_options(text, keep, id, key, within, date)),
        text=text,
        against=against,
        # Arguments table_rows, by scripts/make-signatures.
        exact=exact,
        key=key,
        within=within,
        window=window,
        date=date,
        only_against=only_against,
        labels=labels,
        ignore_text=ignore_text,
        resemblance=resemblance,
        noise=noise,
        keep=keep,
        shingle=shingle,
        by=by,
        as_=as_,
        ignore=ignore,
        same_site=same_site,
        pairing=pairing,
        recall=recall,
        linkage=linkage,
        max_pairs=max_pairs,
        common_blocks=common_blocks,
        keep_numbers_only=keep_numbers_only,
        keep_up_to=keep_up_to,
        alarm_documents=alarm_documents,
        alarm_share=alarm_share,
        alarm_loss=alarm_loss,
        id=id,
        encoding=encoding,
        cache=cache,
        extract=extract,
        convert=convert,
        convert_timeout=convert_timeout,
        ocr=ocr,
        replies=replies,
        limits=limits,
        files_in=files_in,
        memory=memory,
        jobs=jobs,
        progress=progress,
        # End of what is written.
    )
    rows = result.labels()
    names = ("family", "cluster", "keeper_doc", "verdict", "resemblance")
    found = rows.select(names).rename_columns([name.removesuffix("_doc") for name in names])
    return _tool_of_table(table).make_table(table, found, {"keeper": table})


@refuse_file_arguments
@accept_true_as_progress
def near_pairs(
    table: Any,
    *,
    text: str | Sequence[str] = "text",
    against: Any = None,
    # Parameters table_pairs, by scripts/make-signatures.
    recipe: Recipe | str | None = None,
    labels: str | os.PathLike[str] | None = None,
    within: str | Sequence[str] | None = None,
    window: str | timedelta | None = None,
    date: str | None = None,
    only_against: bool = False,
    ignore_text: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
    resemblance: str | float | None = 0.8,
    noise: str | float | None = None,
    keep: str | Sequence[str] = "original",
    shingle: int | None = 3,
    by: str | None = None,
    as_: str | None = None,
    ignore: str | Sequence[str] | None = None,
    same_site: str | float | None = None,
    pairing: str | None = None,
    recall: str | float | None = None,
    linkage: str | None = "anchored",
    max_pairs: int | None = 100_000_000,
    common_blocks: int | None = None,
    containment: str | float | None = None,
    radius: int | None = None,
    similarity: str | float | None = None,
    unverified: bool = False,
    id: str | None = None,
    encoding: str | None = None,
    cache: str | os.PathLike[str] | None = None,
    extract: str | None = "none",
    convert: Mapping[str, Sequence[str]] | None = None,
    convert_timeout: float | None = 60.0,
    ocr: str | Sequence[str] | None = None,
    replies: str | None = "keep",
    limits: Limits | None = None,
    memory: str | int | None = None,
    jobs: int | None = None,
    progress: Progress | bool | None = None,
    # End of what is written.
) -> Any:
    """Return all pairs of near-duplicates, including copies of the same text.

    Args:
        table, text: as for ``deduplicate``.
        against: another table, of the same kind or another: return the pairs of a row of ``table``
            and a row of this table, instead of those of two rows of ``table``.
        resemblance, radius, max_pairs, and the others: as for ``ilk.find``.

    Returns:
        ``left`` and ``right`` (row numbers, left the lower one; in pandas of the index; with
        ``against``, left is of ``table`` and right of the other), ``resemblance``,
        ``containment_left``, ``containment_right`` and ``verdict``, sorted by row.
        Of the same kind, but not lazy.

    Raises:
        ColumnTypeError, OptionError, TooManyPairs: as for ``ilk.find``.
    """
    columns = _columns_named_by_options(text, keep, id, within, date)
    result = find(
        _select_read_columns(table, columns),
        text=text,
        against=None if against is None else _select_read_columns(against, columns),
        # Arguments table_pairs, by scripts/make-signatures.
        recipe=recipe,
        labels=labels,
        within=within,
        window=window,
        date=date,
        only_against=only_against,
        ignore_text=ignore_text,
        resemblance=resemblance,
        noise=noise,
        keep=keep,
        shingle=shingle,
        by=by,
        as_=as_,
        ignore=ignore,
        same_site=same_site,
        pairing=pairing,
        recall=recall,
        linkage=linkage,
        max_pairs=max_pairs,
        common_blocks=common_blocks,
        containment=containment,
        radius=radius,
        similarity=similarity,
        unverified=unverified,
        id=id,
        encoding=encoding,
        cache=cache,
        extract=extract,
        convert=convert,
        convert_timeout=convert_timeout,
        ocr=ocr,
        replies=replies,
        limits=limits,
        memory=memory,
        jobs=jobs,
        progress=progress,
        # End of what is written.
    )
    sides = ("left", "right")
    shown = (*sides, "resemblance", "containment_left", "containment_right", "verdict")
    if against is None:
        return _tool_of_table(table).make_table(
            table, result.pairs.select(shown), dict.fromkeys(sides, table)
        )
    pairs = _pairs_of_table_rows_and_reference_rows(result).select(shown)
    return _tool_of_table(table).make_table(
        table, pairs, dict(zip(sides, (table, against), strict=True))
    )


def _pairs_of_table_rows_and_reference_rows(result: Result) -> arrow.PairTable:
    """Return the pairs of a row (left) and a row of ``against`` (right), each by its number."""
    baseline_size, pairs = result.baseline_size, result.pairs
    across = swap_sides(pairs.filter(pc.less(pairs["left"], baseline_size)))
    numbered = arrow.replace_columns(across, left=pc.subtract(across["left"], baseline_size))
    return numbered.sort_by([("left", "ascending"), ("right", "ascending")])


def deduplicate_refusing_file_options(
    source: Any, text: str | Sequence[str], options: Mapping[str, Any]
) -> DeduplicationResult:
    """Return the decision of ``ilk.deduplicate`` on a table.

    Raises:
        OptionError: an option is for files.
    """
    for name in sorted(_OF_FILES.keys() & options.keys()):
        raise OptionError(_OF_FILES[name])
    return decide(source, text=text, **options)


def make_pandas_series(column: pa.Array | pa.ChunkedArray, index: Any) -> Any:
    """Return a column for pandas in its Arrow type, so that whole numbers stay whole."""
    pd: Any = sys.modules["pandas"]
    return pd.Series(pd.arrays.ArrowExtensionArray(column), index=index)


def series_to_arrow_replacing_lone_surrogates(series: Any) -> pa.ChunkedArray:
    """Return a series as an Arrow column; a lone surrogate becomes U+FFFD.

    Raises:
        ColumnTypeError: it holds values of several kinds, or two columns have that name.
    """
    pd: Any = sys.modules["pandas"]
    if not isinstance(series, pd.Series):
        raise ColumnTypeError("the frame has two columns with the same name; rename one of them.")
    try:
        column = pa.Array.from_pandas(series)
    except UnicodeEncodeError:
        spelled = [arrow.replace_lone_surrogates(v) if isinstance(v, str) else v for v in series]
        return series_to_arrow_replacing_lone_surrogates(
            pd.Series(spelled, name=series.name, dtype=object)
        )
    except (pa.ArrowException, TypeError) as error:
        raise ColumnTypeError(
            f"the column {series.name} holds values of several kinds ({error}); convert them to "
            "texts first: astype('string')."
        ) from error
    return column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])


def _columns_named_by_options(
    text: str | Sequence[str],
    keep: str | Sequence[str],
    id: str | None,
    *others: str | Sequence[str] | None,
) -> list[str]:
    """Return the columns that arguments name: those of texts, of ids, of policies, and others."""
    names = [text] if isinstance(text, str) else list(text)
    for columns in others:
        names += [columns] if isinstance(columns, str) else list(columns or ())
    if id is not None:
        names.append(id)
    policies = map(str, [keep] if isinstance(keep, str) else keep or ())
    return names + columns_of_policies(policies)


def _select_reference_columns_unless_store(against: Any, columns: Sequence[str]) -> Any:
    """Return a store, or None, as it is, and of a table the columns that are read."""
    if against is None or store_of_reference_or_none(against) is not None:
        return against
    return _select_read_columns(against, columns)


def _select_read_columns(
    table: Any, columns: Sequence[str], optional_column: str | None = None
) -> Any:
    """Return the columns of a table that are read, as a source for ilk."""
    tool = _tool_of_table(table)
    if hasattr(table, "collect_schema"):
        names = table.collect_schema().names()
    else:
        names = table.column_names if hasattr(table, "column_names") else map(str, table.columns)
    names = list(names)
    more = [optional_column] if optional_column is not None and optional_column in names else []
    return tool.select(table, _columns_of_paths_or_all(names, [*columns, *more]))


def _columns_of_paths_or_all(names: Sequence[str], paths: Sequence[str]) -> list[str]:
    """Return the columns of a table into which paths lead: ``messages[].content``, or a name.

    If a path leads nowhere, all columns are returned, so that the error can list them.
    """
    columns = []
    for path in paths:
        candidates = [name for name in names if is_column_or_path_into(str(path), name)]
        if not candidates:
            return list(names)
        columns.append(max(candidates, key=len))
    return list(dict.fromkeys(columns))


class _LazyRows:
    """A lazy frame that runs for every pass."""

    def __init__(self, frame: Any, names: list[str]) -> None:
        self._frame = frame.select(names)
        self.schema = pa.table(self._frame.collect_schema().to_frame()).schema

    def to_batches(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        for piece in self._frame.select(columns).collect_batches(maintain_order=True):
            yield from pa.table(piece).to_batches()


def _keep_lazy_rows(frame: Any, result: DeduplicationResult) -> Any:
    """Return the kept rows of a lazy frame, as a lazy frame that has not run yet."""
    pl: Any = sys.modules["polars"]
    dropped = pl.Series(arrow.flat(result.dropped_rows["doc"]), dtype=pl.get_index_type())
    number = _unused_column_name(frame.collect_schema().names())
    numbered = frame.with_row_index(number)
    return numbered.filter(~pl.col(number).is_in(dropped.implode())).drop(number)


def _unused_column_name(names: Sequence[str]) -> str:
    """Return a name that no column has, in any case of letters: ``row``, ``row_``, ..."""
    unused, lower_names = "row", {name.lower() for name in names}
    while unused in lower_names:
        unused += "_"
    return unused


def _make_polars_frame(_frame: Any, table: pa.Table, _row_number_columns: Mapping[str, Any]) -> Any:
    return sys.modules["polars"].DataFrame(table)


def _keep_pandas_rows(frame: Any, result: DeduplicationResult) -> Any:
    """Return the kept rows of a frame.

    Arrow columns are filtered by themselves: taking rows from a frame would copy all their texts
    once more.
    """
    mask = result.keep_mask.to_numpy(zero_copy_only=False)
    is_own = sys.modules["pandas"].api.types.is_extension_array_dtype
    own = [is_own(kind) for kind in frame.dtypes]
    found = frame.iloc[:, [place for place, extends in enumerate(own) if not extends]][mask]
    for place, name in enumerate(frame.columns):
        if own[place]:
            found.insert(place, name, frame.iloc[:, place].array[mask], allow_duplicates=True)
    return found


def _make_pandas_frame_with_index_labels(
    frame: Any, table: pa.Table, numbered_table_by_column: Mapping[str, Any]
) -> Any:
    """Return a table of results as a frame; row numbers become labels of the frame they number.

    A table with a column ``family`` has one row for each of ``frame``, and its index.
    """
    pd: Any = sys.modules["pandas"]
    index = frame.index if "family" in table.column_names else pd.RangeIndex(len(table))
    pandas_frame = pd.DataFrame(
        {name: make_pandas_series(table[name], index) for name in table.column_names}
    )
    for name, numbered in numbered_table_by_column.items():
        if not isinstance(numbered, pd.DataFrame):
            continue  # Rows of another tool have numbers alone.
        at = pandas_frame[name].astype("Int64").to_numpy(na_value=-1)
        labels = pd.Series(numbered.index.to_flat_index().take(at), index=index)
        pandas_frame[name] = labels.where(at >= 0)
    return pandas_frame


def _keep_duckdb_rows_lazily(relation: Any, result: DeduplicationResult) -> Any:
    """Return the kept rows of a relation, as a relation that has not run yet."""
    number = _unused_column_name(relation.columns)
    # DuckDB finds it by its name.
    ilk_dropped = pa.table({number: result.dropped_rows["doc"]})  # noqa: F841
    return relation.project(f"*, row_number() OVER () - 1 AS {number}").query(
        "ilk_rows",
        f"SELECT * EXCLUDE {number} FROM ilk_rows ANTI JOIN ilk_dropped USING ({number}) "
        f"ORDER BY {number}",
    )


def _make_duckdb_relation(
    relation: Any, table: pa.Table, _row_number_columns: Mapping[str, Any]
) -> Any:
    ilk_found = table  # noqa: F841
    return relation.query("ilk_rows", "FROM ilk_found")


def _with_or_replacing_arrow_column(table: pa.Table, name: str, numbers: pa.Array) -> pa.Table:
    place = table.schema.get_field_index(name)
    if place < 0:
        return table.append_column(name, numbers)
    return table.set_column(place, name, numbers)


def _with_or_replacing_polars_column(frame: Any, name: str, numbers: pa.Array) -> Any:
    return frame.with_columns(sys.modules["polars"].Series(name, numbers))


def _with_or_replacing_lazy_column(frame: Any, name: str, numbers: pa.Array) -> Any:
    pl: Any = sys.modules["polars"]
    own = _unused_column_name(frame.collect_schema().names())
    beside = pl.LazyFrame({own: pl.Series(numbers)})
    whole = pl.concat([frame, beside], how="horizontal")
    return whole.with_columns(pl.col(own).alias(name)).drop(own)


def _with_or_replacing_pandas_column(frame: Any, name: str, numbers: pa.Array) -> Any:
    return frame.assign(**{name: numbers.to_numpy(zero_copy_only=False)})


def _with_or_replacing_duckdb_column_lazily(relation: Any, name: str, numbers: pa.Array) -> Any:
    row, count = (
        _unused_column_name(relation.columns),
        _unused_column_name([*relation.columns, "row"]),
    )
    # DuckDB finds it by its name.
    ilk_counts = pa.table({row: pa.arange(0, len(numbers)), count: numbers})  # noqa: F841
    quoted = '"' + name.replace('"', '""') + '"'
    if name in relation.columns:
        columns = f"* EXCLUDE ({row}, {count}) REPLACE ({count} AS {quoted})"
    else:
        columns = f"* EXCLUDE ({row}, {count}), {count} AS {quoted}"
    return relation.project(f"*, row_number() OVER () - 1 AS {row}").query(
        "ilk_rows", f"SELECT {columns} FROM ilk_rows JOIN ilk_counts USING ({row}) ORDER BY {row}"
    )


def _with_or_replacing_dataset_column(rows: Any, name: str, numbers: pa.Array) -> Any:
    rest = rows.remove_columns(name) if name in rows.column_names else rows
    return rest.add_column(name, numbers.to_numpy(zero_copy_only=False))


class _Tool(NamedTuple):
    """What is different about a tool.

    select: some columns of a table, as a source for ilk.
    keep: the rows of a table that a result keeps.
    make_table: a table of results, of the same kind as another; and by column, the table whose
        rows it numbers.
    add: kept rows with a column of whole numbers, which replaces one of its name.
    """

    select: Callable[[Any, list[str]], Any]
    keep: Callable[[Any, DeduplicationResult], Any]
    make_table: Callable[[Any, pa.Table, Mapping[str, Any]], Any]
    add: Callable[[Any, str, pa.Array], Any]


#: The tools, by package and class.
_TOOLS = {
    ("pyarrow", "Table"): _Tool(
        pa.Table.select,
        lambda table, result: table.filter(result.keep_mask),
        lambda _, found, __: found,
        _with_or_replacing_arrow_column,
    ),
    ("polars", "DataFrame"): _Tool(
        lambda frame, names: frame.select(names),
        lambda frame, result: frame.filter(sys.modules["polars"].Series(result.keep_mask)),
        _make_polars_frame,
        _with_or_replacing_polars_column,
    ),
    ("polars", "LazyFrame"): _Tool(
        _LazyRows, _keep_lazy_rows, _make_polars_frame, _with_or_replacing_lazy_column
    ),
    ("pandas", "DataFrame"): _Tool(
        lambda frame, names: pa.table(
            {
                name: series_to_arrow_replacing_lone_surrogates(frame[name])
                for name in names
                if name in frame.columns
            }
        ),
        _keep_pandas_rows,
        _make_pandas_frame_with_index_labels,
        _with_or_replacing_pandas_column,
    ),
    ("duckdb", "DuckDBPyRelation"): _Tool(
        lambda relation, names: relation.select(
            *map(sys.modules["duckdb"].ColumnExpression, names)
        ),
        _keep_duckdb_rows_lazily,
        _make_duckdb_relation,
        _with_or_replacing_duckdb_column_lazily,
    ),
    ("datasets", "Dataset"): _Tool(
        lambda rows, names: rows.select_columns(names),
        lambda rows, result: rows.select(
            pc.indices_nonzero(result.keep_mask).cast("int64").to_numpy()
        ),
        lambda rows, found, _: type(rows)(found),
        _with_or_replacing_dataset_column,
    ),
}


def _tool_of_table(table: Any) -> _Tool:
    """Return the tool that a table is of; ColumnTypeError if ilk does not know it."""
    for kind in type(table).__mro__:
        tool = _TOOLS.get((kind.__module__.partition(".")[0].lstrip("_"), kind.__name__))
        if tool is not None:
            return tool
    raise ColumnTypeError(
        "expected a data frame of Polars or pandas, a relation of DuckDB, a Dataset of Hugging "
        f"Face or an Arrow table, got {type(table).__name__}. From a DatasetDict, give one split; "
        "for other tables, use ilk.deduplicate."
    )
