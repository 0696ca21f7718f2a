"""Results as data frames of other libraries, which are imported when needed."""

from __future__ import annotations

import importlib
import importlib.util
from abc import ABC, abstractmethod
from types import ModuleType
from typing import Any

import pyarrow as pa

from ilk.base.errors import MissingExtra


class Framed(ABC):
    """Something that can be converted to a table, and so to a data frame."""

    @abstractmethod
    def to_arrow(self) -> pa.Table:
        """Return the table."""

    def to_pandas(self) -> Any:
        """Return the table of ``to_arrow`` as a pandas data frame.

        Raises:
            MissingExtra: pandas is not installed.
        """
        package("pandas", "pandas")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """Return the table of ``to_arrow`` as a Polars data frame.

        Raises:
            MissingExtra: Polars is not installed.
        """
        return package("polars", "polars").from_arrow(self.to_arrow())


def package(name: str, extra: str) -> ModuleType:
    """Import a package.

    Raises:
        MissingExtra: it is not installed.
    """
    if importlib.util.find_spec(name) is None:
        raise MissingExtra(name, extra)
    return importlib.import_module(name)
