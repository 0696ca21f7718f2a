"""Tables as data frames of other libraries, which are imported where they are asked for."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

import pyarrow as pa

from ilk.errors import MissingExtra


def to_pandas(table: pa.Table) -> Any:
    """Return a pandas data frame.

    Raises:
        MissingExtra: pandas is not installed.
    """
    if importlib.util.find_spec("pandas") is None:
        raise MissingExtra("pandas", "pandas")
    return table.to_pandas()


def to_polars(table: pa.Table) -> Any:
    """Return a Polars data frame.

    Raises:
        MissingExtra: Polars is not installed.
    """
    if importlib.util.find_spec("polars") is None:
        raise MissingExtra("polars", "polars")
    return importlib.import_module("polars").from_arrow(table)
