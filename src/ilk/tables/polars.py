"""Polars: expressions over columns of texts, and frames without their duplicates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

import pyarrow as pa

from ilk import arrow as columns
from ilk.base import resources
from ilk.base.errors import ColumnTypeError, MissingExtra
from ilk.base.options import default
from ilk.fingerprints import digest
from ilk.fingerprints.recipe import Recipe, checked_recipe
from ilk.fingerprints.texts import fingerprint_texts
from ilk.tables import tables

try:
    import polars as pl
except ImportError as error:
    raise MissingExtra("polars", "polars") from error

__all__ = ["Texts", "clusters", "deduplicate", "near_pairs"]

_Frame = TypeVar("_Frame", pl.DataFrame, pl.LazyFrame)


@pl.api.register_expr_namespace("ilk")
class Texts:
    """The expressions ``pl.col("text").ilk``."""

    def __init__(self, expression: pl.Expr) -> None:
        """Take the column."""
        self._expression = expression

    def fingerprint(self, recipe: Recipe | str | None = None) -> pl.Expr:
        """Return one fingerprint per text, as ``ilk.fingerprint`` does.

        Args:
            recipe: the way from text to fingerprint; ``Recipe()`` by default.

        Returns:
            ``UInt64``, or ``Binary`` for 128 bits; null if a text is too short.
        """
        way = checked_recipe(recipe)
        kind = pl.UInt64() if way.bits <= 64 else pl.Binary()

        def made(texts: pl.Series) -> pl.Series:
            return _series(texts, fingerprint_texts(texts, way), kind)

        return self._expression.map_batches(made, return_dtype=kind, is_elementwise=True)

    def digest(self) -> pl.Expr:
        """Return 128 bits per text (``Binary``), equal if texts are, except for case and white
        space.

        Null for a null or blank text, which is like no other.
        """
        kind = pl.Binary()

        def made(texts: pl.Series) -> pl.Series:
            threads = resources.threads(None)
            return _series(texts, digest.digests(columns.texts(texts), jobs=threads), kind)

        return self._expression.map_batches(made, return_dtype=kind, is_elementwise=True)

    def hamming_distance(self, other: Any) -> pl.Expr:
        """Return the bits in which two columns of fingerprints differ; null if one is null.

        Args:
            other: the other column, an expression or its name.
        """
        right = pl.col(other) if isinstance(other, str) else other
        return (self._expression ^ right).bitwise_count_ones()


def _series(texts: pl.Series, made: pa.Array, kind: Any) -> pl.Series:
    plain = made if pa.types.is_uint64(made.type) else made.cast(pa.large_binary())
    return pl.Series(texts.name, plain, dtype=kind)


def deduplicate(
    frame: _Frame,
    *,
    text: str | Sequence[str] = default("text"),
    against: pl.DataFrame | pl.LazyFrame | None = None,
    accept_alarm: bool = False,
    **options: Any,
) -> _Frame:
    """Return the rows of a frame that ``ilk.deduplicate`` keeps, in their order.

    Args:
        frame: n rows. A ``LazyFrame`` runs several times, some thousand rows at a time, so a scan
            may be larger than memory; it must return the same rows in the same order.
        text: the column of texts; or several, joined with a blank line between them.
        against: another frame; rows that are like one of its rows are dropped.
        accept_alarm: drop despite an alarm.
        options: those of ``ilk.deduplicate``, except for those of files.

    Returns:
        A frame of the same kind with the same columns; a lazy one returns its rows when it runs.

    Raises:
        AlarmRaised: so much would be dropped that a person should look first; its ``result`` has
            the clusters.
        ColumnTypeError, OptionError: as for ``ilk.deduplicate``; or it is not a Polars frame.
        SourceChanged: a lazy frame returned other rows the second time.
    """
    if against is not None:
        options["against"] = _source(against, text, options)
    source = _source(frame, text, options)
    if isinstance(frame, pl.DataFrame):
        mask = tables.kept(source, text, accept_alarm, options)
        return frame.filter(pl.Series(mask, dtype=pl.Boolean))
    result = tables.decided(source, text, options)
    result.refuse_alarm(accept_alarm)
    dropped = pl.Series(columns.flat(result.dropped["doc"]), dtype=pl.get_index_type())
    names, number = frame.collect_schema().names(), "row"
    while number in names:
        number += "_"
    numbered = frame.with_row_index(number)
    return numbered.filter(~pl.col(number).is_in(dropped.implode())).drop(number)


def clusters(
    frame: pl.DataFrame | pl.LazyFrame,
    *,
    text: str | Sequence[str] = default("text"),
    **options: Any,
) -> pl.DataFrame:
    """Return what each row of a frame is like, as a frame to put beside it.

    Args:
        frame, text, options: as for ``deduplicate``.

    Returns:
        n rows in their order: ``family`` and ``cluster``, null for a row in no family; ``keeper``,
        the number of the row that stays; ``verdict``, which is ``unique``, ``keeper``, or what the
        row is to its keeper; and its ``resemblance`` to the keeper.

    Raises:
        ColumnTypeError, OptionError, SourceChanged: as for ``deduplicate``.
    """
    return pl.DataFrame(tables.clusters(_source(frame, text, options), text, options))


def near_pairs(
    frame: pl.DataFrame | pl.LazyFrame,
    *,
    text: str | Sequence[str] = default("text"),
    **options: Any,
) -> pl.DataFrame:
    """Return all pairs of near-duplicates, including copies of the same text.

    Args:
        frame: n rows.
        text: as for ``deduplicate``.
        options: those of ``ilk.find``, such as ``resemblance``, ``radius`` and ``max_pairs``.

    Returns:
        ``left`` and ``right`` (row numbers, left the lower one), ``resemblance``,
        ``containment_left``, ``containment_right`` and ``verdict``, sorted by row.

    Raises:
        ColumnTypeError, OptionError, TooManyPairs: as for ``ilk.find``.
    """
    return pl.DataFrame(tables.pairs(_source(frame, text, options), text, options))


class _Scan:
    """A lazy frame that runs for every pass."""

    def __init__(self, frame: pl.LazyFrame, names: list[str]) -> None:
        self._frame = frame.select(names)
        empty = self._frame.collect_schema().to_frame()
        self.schema = pa.table(empty).schema

    def to_batches(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        for piece in self._frame.select(columns).collect_batches(maintain_order=True):
            yield from pa.table(piece).to_batches()


def _source(
    frame: pl.DataFrame | pl.LazyFrame, text: str | Sequence[str], options: dict[str, Any]
) -> Any:
    """Return the columns of a frame to read, as a source for ilk."""
    if isinstance(frame, pl.LazyFrame):
        names = frame.collect_schema().names()
        return _Scan(frame, tables.read_names(names, text, options))
    if not isinstance(frame, pl.DataFrame):
        raise ColumnTypeError(
            f"expected a Polars DataFrame or LazyFrame, got {type(frame).__name__}. "
            "For other tables, use ilk.deduplicate."
        )
    return frame.select(tables.read_names(frame.columns, text, options))
