"""Results in other libraries, which are imported when needed: data frames, and plots."""

from __future__ import annotations

import importlib
import importlib.util
from abc import ABC, abstractmethod
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import pyarrow as pa

from ilk.base.errors import MissingExtra
from ilk.write import plots

#: Colours of bars; of strips, what stands here first and what stands elsewhere too; the threshold.
_BARS, _STRIPS, _LEAST = "#3546a8", ("#2b6cb0", "#b7500c"), "#ad5006"


def package(name: str, extra: str) -> ModuleType:
    """Import a package.

    Raises:
        MissingExtra: it is not installed.
    """
    if importlib.util.find_spec(name) is None:
        raise MissingExtra(name, extra)
    return importlib.import_module(name)


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


def axes(ax: Any = None) -> Any:
    """Return the axes to draw on: those given, or new ones.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    package("matplotlib", "plots")
    if ax is not None:
        return ax
    from matplotlib.figure import Figure

    # A figure of its own, without a window: a notebook shows what a cell returns.
    return Figure(figsize=(7, 3), layout="constrained").add_subplot()


def resemblances(values: Sequence[float], least: float, ax: Any) -> Any:
    """Draw how resemblances are distributed, with a line at the threshold; return the axes."""
    ax, bars = axes(ax), plots.histogram(values, least).columns
    begin = float(bars[0].name.split()[0]) / 100
    width = (1 - begin) / len(bars)
    places = [begin + width * (at + 0.5) for at in range(len(bars))]
    ax.bar(places, [bar.many for bar in bars], 0.88 * width, color=_BARS)
    ax.axvline(least, color=_LEAST, linestyle="--", label=f"threshold {least:.0%}")
    ax.legend(frameon=False)
    ax.set_xlabel("resemblance to the original")
    ax.set_ylabel("documents")
    return ax


def members(names: Sequence[str], shares: Sequence[float | None], ax: Any) -> Any:
    """Draw how alike the members of a family are to their originals; return the axes."""
    ax = axes(ax)
    ax.barh(names, [1.0 if share is None else share for share in shares], color=_BARS)
    ax.set_xlim(0, 1)
    ax.invert_yaxis()
    ax.set_xlabel("resemblance to the original")
    return ax


def strips(rows: Sequence[tuple[str, int, Sequence[tuple[int, int, bool]]]], ax: Any) -> Any:
    """Draw texts as strips, with stretches in their places; return the axes.

    A text is its name, its length, and stretches: begin, end, and whether of the second kind.
    """
    ax = axes(ax)
    for place, (_, length, stretches) in enumerate(rows):
        ax.broken_barh([(0, length)], (place - 0.35, 0.7), color="#e8e6e0")
        for kind, colour in enumerate(_STRIPS):
            found = [(begin, end - begin) for begin, end, other in stretches if other == bool(kind)]
            ax.broken_barh(found, (place - 0.35, 0.7), color=colour)
    ax.set_yticks(range(len(rows)), [name for name, _, _ in rows])
    ax.invert_yaxis()
    return ax
