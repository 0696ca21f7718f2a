"""Geometry of plots, in shares of their width and height; templates draw them as SVG."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

#: Bars of the plot of resemblances.
_BARS = 24

#: The least family sizes of the bars, and a size that no family has.
_SIZES = (2, 3, 4, 5, 6, 11, 21, 51, 101, 1_001, 1 << 62)


class Box(NamedTuple):
    """A rectangle, in percent of the plot."""

    x: float
    y: float
    width: float
    height: float


def make_treemap(weights: Sequence[float], aspect_ratio: float = 2.0) -> list[Box]:
    """Return a box per weight, with areas in proportion, as square as they come.

    Source: Bruls, Huizing and van Wijk 2000, "Squarified treemaps".

    Args:
        weights: positive, descending.
        aspect_ratio: the width of the plot, divided by its height.

    >>> [tuple(map(round, box)) for box in make_treemap([2, 1, 1], aspect_ratio=1)]
    [(0, 0, 50, 100), (50, 0, 50, 50), (50, 50, 50, 50)]
    """
    whole = sum(weights) or 1.0
    boxes: list[Box] = []
    x, y, width, height = 0.0, 0.0, aspect_ratio, 1.0
    row: list[float] = []
    for area in [*(weight / whole * aspect_ratio for weight in weights), None]:
        side = min(width, height)
        if row and (
            area is None or _worst_aspect_ratio([*row, area], side) > _worst_aspect_ratio(row, side)
        ):
            thick, at = sum(row) / side if side else 0.0, 0.0
            for one in row:  # Along the shorter side of what is left.
                long = one / thick if thick else 0.0
                beside = width >= height
                if beside:
                    boxes.append(Box(x, y + at, thick, long))
                else:
                    boxes.append(Box(x + at, y, long, thick))
                at += long
            if width >= height:
                x, width = x + thick, max(0.0, width - thick)
            else:
                y, height = y + thick, max(0.0, height - thick)
            row = []
        row.append(area or 0.0)
    scale = 100 / aspect_ratio
    return [Box(b.x * scale, b.y * 100, b.width * scale, b.height * 100) for b in boxes]


def _worst_aspect_ratio(row: Sequence[float], side: float) -> float:
    """Return how far the least square box of a row is from a square."""
    total = sum(row)
    if not total or not side:
        return float("inf")
    return max(side**2 * max(row) / total**2, total**2 / (side**2 * (min(row) or 1e-12)))


class Bar(NamedTuple):
    """A bar of a plot: its name, and how many things it stands for."""

    label: str
    number: int


class Histogram(NamedTuple):
    """Resemblances as columns.

    Attributes:
        columns: the bars, from left to right.
        ticks: places in percent of the width, with their names.
        least: where the threshold is, in percent of the width.
    """

    columns: list[Bar]
    ticks: list[tuple[float, str]]
    least: float


def resemblance_histogram(resemblances: pa.Array, threshold: float) -> Histogram:
    """Return how resemblances (floats, none null) are distributed, from a little below the
    threshold to 1.

    Those below the axis count in its first bar.
    """
    begin = max(0.0, threshold - 0.15 * (1 - threshold)) if threshold < 1 else 0.9
    ends = [begin + (1 - begin) * at / _BARS for at in range(_BARS + 1)]
    counts = Counter[int]()
    # Of short texts hundreds of thousands have the same few hundred resemblances.
    distinct, members = pc.value_counts(resemblances).flatten()
    for value, count in zip(distinct.to_pylist(), members.to_pylist(), strict=True):
        counts[min(_BARS - 1, max(0, int((value - begin) / (1 - begin) * _BARS)))] += count
    names = [f"{100 * start:.1f} to {100 * end:.1f}%" for start, end in pairwise(ends)]
    first = threshold if threshold < 1 else begin
    marks = [first + (1 - first) * at / 4 for at in range(5)]
    ticks = [(100 * (mark - begin) / (1 - begin), f"{100 * mark:.3g}%") for mark in marks]
    bars = [Bar(name, counts[at]) for at, name in enumerate(names)]
    return Histogram(bars, ticks, 100 * (threshold - begin) / (1 - begin))


def count_size_classes(sizes: Sequence[int]) -> Iterator[Bar]:
    """Yield classes of sizes that families have, and how many are in each.

    >>> list(map(tuple, count_size_classes([2, 2, 4])))
    [('2', 2), ('4', 1)]
    """
    counts = Counter(sizes)
    for least, end in pairwise(_SIZES):
        name = f"{least:,}" if end == least + 1 else f"{least:,} to {end - 1:,}"
        those = sum(many for size, many in counts.items() if least <= size < end)
        if those:
            yield Bar(f"{least:,} and more" if end == _SIZES[-1] else name, those)
