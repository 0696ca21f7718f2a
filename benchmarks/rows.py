"""What a benchmark tells: rows, and how they are printed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


class WrongAnswerError(Exception):
    """Two ways that must find the same found something else."""


@dataclass(frozen=True, slots=True)
class Row:
    """One figure.

    ``ratio`` is the figure divided by the yardstick's own, in the same unit; ``target`` is what the
    project means to reach.
    """

    name: str
    figure: float
    unit: str
    ratio: float | None = None
    yardstick: str = ""
    target: str = ""


_HEAD = ("benchmark", "figure", "unit", "ratio", "of", "to reach")


def lines(rows: Iterable[Row]) -> list[str]:
    """The rows as one aligned table."""
    return aligned([_HEAD, *(_cells(row) for row in rows)], right=(1, 3))


def _cells(row: Row) -> tuple[str, ...]:
    ratio = "" if row.ratio is None else number(row.ratio)
    return (row.name, number(row.figure), row.unit, ratio, row.yardstick, row.target)


def number(value: float) -> str:
    """Three significant digits; counts in full."""
    if value == int(value) or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:#.3g}".rstrip(".")


def aligned(table: Sequence[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    """Cells as lines, every column as wide as its widest cell, those of ``right`` flushed right."""
    widths = [max(len(cells[at]) for cells in table) for at in range(len(table[0]))]
    return [
        "  ".join(
            cell.rjust(width) if at in right else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ).rstrip()
        for cells in table
    ]
