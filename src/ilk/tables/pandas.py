"""pandas: the methods of ``frame.ilk`` and ``series.ilk``; they keep the index."""

from __future__ import annotations

from typing import Any

from ilk import arrow
from ilk.base import resources
from ilk.base.errors import MissingExtra
from ilk.fingerprints import digest
from ilk.fingerprints.recipe import Recipe
from ilk.fingerprints.texts import fingerprint_texts
from ilk.tables import frames

try:
    import pandas as pd
except ImportError as error:
    raise MissingExtra("pandas", "pandas") from error

__all__ = ["Frame", "Texts"]


@pd.api.extensions.register_dataframe_accessor("ilk")
class Frame:
    """The methods of ``frame.ilk``."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

    def deduplicate(self, **options: Any) -> pd.DataFrame:
        """Return the rows that ``ilk.deduplicate`` keeps; see ``ilk.tables.deduplicate``."""
        return frames.deduplicate(self._frame, **options)

    def clusters(self, **options: Any) -> pd.DataFrame:
        """Return what each row is like; see ``ilk.tables.clusters``."""
        return frames.clusters(self._frame, **options)

    def near_pairs(self, **options: Any) -> pd.DataFrame:
        """Return all pairs of near-duplicates; see ``ilk.tables.near_pairs``."""
        return frames.near_pairs(self._frame, **options)


@pd.api.extensions.register_series_accessor("ilk")
class Texts:
    """The methods of ``series.ilk``."""

    def __init__(self, series: pd.Series[Any]) -> None:
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
        made = fingerprint_texts(frames.pandas_column(self._series), recipe)
        return frames.pandas_series(made, self._series.index)

    def digest(self) -> pd.Series[Any]:
        """Return 128 bits per text (16 bytes), equal for equal texts (except for case and space).

        Missing for a missing or blank text, which is like no other.

        Raises:
            ColumnTypeError: the column does not hold texts.
        """
        texts = arrow.texts(frames.pandas_column(self._series))
        made = digest.digests(texts, jobs=resources.threads(None))
        return frames.pandas_series(made, self._series.index)
