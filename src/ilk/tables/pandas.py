"""pandas: the methods of ``frame.ilk`` and ``series.ilk``; they keep the index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from ilk import arrow
from ilk.base import resources
from ilk.base.errors import ColumnTypeError, MissingExtra
from ilk.base.options import default
from ilk.fingerprints import digest
from ilk.fingerprints.recipe import Recipe
from ilk.fingerprints.texts import fingerprint_texts
from ilk.tables import tables

try:
    import pandas as pd
except ImportError as error:
    raise MissingExtra("pandas", "pandas") from error

__all__ = ["Frame", "Texts"]


@pd.api.extensions.register_dataframe_accessor("ilk")
class Frame:
    """The methods of ``frame.ilk``."""

    def __init__(self, frame: pd.DataFrame) -> None:
        """Take the frame."""
        self._frame = frame

    def deduplicate(
        self,
        *,
        text: str | Sequence[str] = default("text"),
        against: pd.DataFrame | None = None,
        accept_alarm: bool = False,
        **options: Any,
    ) -> pd.DataFrame:
        """Return the rows that ``ilk.deduplicate`` keeps, with their index, in their order.

        Args:
            text: the column of texts; or several, joined with a blank line between them.
            against: another frame; rows that are like one of its rows are dropped.
            accept_alarm: drop despite an alarm.
            options: those of ``ilk.deduplicate``, except for those of files.

        Raises:
            AlarmRaised: so much would be dropped that a person should look first; its ``result``
                has the clusters.
            ColumnTypeError, OptionError: as for ``ilk.deduplicate``.
        """
        if against is not None:
            options["against"] = _table(against, text, options)
        source = _table(self._frame, text, options)
        mask = tables.kept(source, text, accept_alarm, options)
        return _filtered(self._frame, mask.to_numpy(zero_copy_only=False))

    def clusters(
        self, *, text: str | Sequence[str] = default("text"), **options: Any
    ) -> pd.DataFrame:
        """Return what each row is like, with the same index.

        Args:
            text, options: as for ``deduplicate``.

        Returns:
            ``family`` and ``cluster``, missing for a row in no family; ``keeper``, the index of the
            row that stays; ``verdict``, which is ``unique``, ``keeper``, or what the row is to its
            keeper; and its ``resemblance`` to the keeper.

        Raises:
            ColumnTypeError, OptionError: as for ``deduplicate``.
        """
        found = tables.clusters(_table(self._frame, text, options), text, options)
        index = self._frame.index
        labels = index.to_flat_index()
        named = {name: _series(found[name], index) for name in found.column_names}
        keepers = named["keeper"].astype("Int64").to_numpy(na_value=-1)
        kept = pd.Series(labels.take(keepers), index=index)
        return pd.DataFrame(named | {"keeper": kept.where(keepers >= 0)})

    def near_pairs(
        self, *, text: str | Sequence[str] = default("text"), **options: Any
    ) -> pd.DataFrame:
        """Return all pairs of near-duplicates, including copies of the same text.

        Args:
            text: as for ``deduplicate``.
            options: those of ``ilk.find``, such as ``resemblance``, ``radius`` and ``max_pairs``.

        Returns:
            ``left`` and ``right`` (of the index), ``resemblance``, ``containment_left``,
            ``containment_right`` and ``verdict``, in the order of the rows.

        Raises:
            ColumnTypeError, OptionError, TooManyPairs: as for ``ilk.find``.
        """
        found = tables.pairs(_table(self._frame, text, options), text, options).to_pandas()
        for side in ("left", "right"):
            found[side] = self._frame.index.to_flat_index().take(found[side])
        return found


@pd.api.extensions.register_series_accessor("ilk")
class Texts:
    """The methods of ``series.ilk``."""

    def __init__(self, series: pd.Series[Any]) -> None:
        """Take the column."""
        self._series = series

    def fingerprint(self, recipe: Recipe | None = None) -> pd.Series[Any]:
        """Return one fingerprint per text, as ``ilk.fingerprint`` does.

        Args:
            recipe: the way from text to fingerprint; ``Recipe()`` by default.

        Returns:
            Arrow's ``uint64``, or 16 bytes for 128 bits; missing if a text is too short.

        Raises:
            ColumnTypeError: the column does not hold texts.
        """
        return _series(fingerprint_texts(_arrow(self._series), recipe), self._series.index)

    def digest(self) -> pd.Series[Any]:
        """Return 128 bits per text (16 bytes), equal for equal texts (except for case and space).

        Missing for a missing or blank text, which is like no other.

        Raises:
            ColumnTypeError: the column does not hold texts.
        """
        texts = arrow.texts(_arrow(self._series))
        return _series(digest.digests(texts, jobs=resources.threads(None)), self._series.index)


def _series(column: pa.Array | pa.ChunkedArray, index: pd.Index[Any]) -> pd.Series[Any]:
    """Return a column in its Arrow type, so that whole numbers stay whole."""
    return pd.Series(pd.arrays.ArrowExtensionArray(column), index=index)


def _filtered(frame: pd.DataFrame, mask: Any) -> pd.DataFrame:
    """Return some rows of a frame.

    Arrow columns are filtered by themselves: taking rows from a frame would copy all their texts
    once more.
    """
    own = [pd.api.types.is_extension_array_dtype(kind) for kind in frame.dtypes]
    found = frame.iloc[:, [place for place, extends in enumerate(own) if not extends]][mask]
    for place, name in enumerate(frame.columns):
        if own[place]:
            found.insert(place, name, frame.iloc[:, place].array[mask], allow_duplicates=True)
    return found


def _table(frame: pd.DataFrame, text: str | Sequence[str], options: dict[str, Any]) -> pa.Table:
    """Return the columns of a frame to read."""
    if not isinstance(frame, pd.DataFrame):
        raise ColumnTypeError(f"expected a pandas DataFrame, got {type(frame).__name__}.")
    names = tables.read_names([str(name) for name in frame.columns], text, options)
    there = [name for name in names if name in frame.columns]
    return pa.table({name: _arrow(frame[name]) for name in there})


def _arrow(series: pd.Series[Any]) -> pa.ChunkedArray:
    """Return a column as an Arrow one; a lone surrogate becomes U+FFFD.

    Raises:
        ColumnTypeError: it holds values of several kinds, or two columns have that name.
    """
    if not isinstance(series, pd.Series):
        raise ColumnTypeError("the frame has two columns with the same name; rename one of them.")
    try:
        made = pa.Array.from_pandas(series)
    except UnicodeEncodeError:
        spelled = [arrow.scalar_values(v) if isinstance(v, str) else v for v in series]
        return _arrow(pd.Series(spelled, name=series.name, dtype=object))
    except (pa.ArrowException, TypeError) as error:
        raise ColumnTypeError(
            f"the column {series.name} holds values of several kinds ({error}); convert them to "
            "texts first: astype('string')."
        ) from error
    return made if isinstance(made, pa.ChunkedArray) else pa.chunked_array([made])
