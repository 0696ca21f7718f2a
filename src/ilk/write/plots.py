"""Geometry of plots, in shares of their width and height; templates draw them as SVG."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple


class Box(NamedTuple):
    """A rectangle, in percent of the plot."""

    x: float
    y: float
    width: float
    height: float


def treemap(weights: Sequence[float], across: float = 2.0) -> list[Box]:
    """Return a box per weight, with areas in proportion, as square as they come.

    Source: Bruls, Huizing and van Wijk 2000, "Squarified treemaps".

    Args:
        weights: positive, descending.
        across: how many times wider than high the plot is.

    >>> [tuple(map(round, box)) for box in treemap([2, 1, 1], across=1)]
    [(0, 0, 50, 100), (50, 0, 50, 50), (50, 50, 50, 50)]
    """
    total = sum(weights) or 1.0
    areas = [weight / total * across for weight in weights]
    boxes: list[Box] = []
    x, y, width, height = 0.0, 0.0, across, 1.0
    row: list[float] = []
    for area in areas:
        side = min(width, height)
        if row and _worst([*row, area], side) > _worst(row, side):
            x, y, width, height = _placed(row, x, y, width, height, boxes)
            row = []
        row.append(area)
    _placed(row, x, y, width, height, boxes)
    scale = 100 / across
    return [Box(b.x * scale, b.y * 100, b.width * scale, b.height * 100) for b in boxes]


def _worst(row: Sequence[float], side: float) -> float:
    """Return how far the least square box of a row is from a square."""
    total = sum(row)
    if not total or not side:
        return float("inf")
    return max(side**2 * max(row) / total**2, total**2 / (side**2 * (min(row) or 1e-12)))


def _placed(
    row: Sequence[float], x: float, y: float, width: float, height: float, boxes: list[Box]
) -> tuple[float, float, float, float]:
    """Add the boxes of a row along the shorter side; return the rectangle that is left."""
    total = sum(row)
    if width >= height:
        thick = total / height if height else 0.0
        at = y
        for area in row:
            long = area / thick if thick else 0.0
            boxes.append(Box(x, at, thick, long))
            at += long
        return x + thick, y, max(0.0, width - thick), height
    thick = total / width
    at = x
    for area in row:
        long = area / thick if thick else 0.0
        boxes.append(Box(at, y, long, thick))
        at += long
    return x, y + thick, width, max(0.0, height - thick)


class Column(NamedTuple):
    """A column of a plot: where it is, in percent, its name, and how many it stands for."""

    x: float
    width: float
    height: float
    name: str
    many: int


def columns(counts: Sequence[tuple[str, int]], least: int = 1) -> list[Column]:
    """Return counts as columns from left to right.

    Args:
        counts: names and counts, in order.
        least: for how many columns there is room at least, so that a single one is not huge.
    """
    most = max((count for _, count in counts), default=0) or 1
    width = 100 / max(least, len(counts), 1)
    return [
        Column(at * width, width, max(100 * count / most, 1.5 * bool(count)), name, count)
        for at, (name, count) in enumerate(counts)
    ]


class Histogram(NamedTuple):
    """Resemblances as columns.

    Attributes:
        columns: the bars.
        ticks: places in percent of the width, with their names.
        least: where the threshold is, in percent of the width.
    """

    columns: list[Column]
    ticks: list[tuple[float, str]]
    least: float


#: Bars of the plot of resemblances.
_BARS = 24


def histogram(values: Sequence[float], least: float) -> Histogram:
    """Return how resemblances are distributed, from a little below the threshold to 1.

    Args:
        values: at most 1 each; those below the axis count in its first bar.
        least: the threshold.
    """
    begin = max(0.0, least - 0.15 * (1 - least)) if least < 1 else 0.9
    step = (1 - begin) / _BARS
    counts = [0] * _BARS
    for value in values:
        counts[min(_BARS - 1, max(0, int((value - begin) / step)))] += 1
    names = [
        f"{100 * (begin + at * step):.1f} to {100 * (begin + (at + 1) * step):.1f}%"
        for at in range(_BARS)
    ]
    marks = [begin + (1 - begin) * at / 4 for at in range(1, 4)] if least >= 1 else []
    marks = marks or [least + (1 - least) * at / 4 for at in range(5)]
    ticks = [(100 * (mark - begin) / (1 - begin), f"{100 * mark:.3g}%") for mark in marks]
    bars = columns(list(zip(names, counts, strict=True)))
    return Histogram(bars, ticks, 100 * (least - begin) / (1 - begin))


#: The least family sizes of the bars.
_SIZES = (2, 3, 4, 5, 6, 11, 21, 51, 101, 1_001)


def classes(sizes: Sequence[int]) -> Iterator[tuple[str, int]]:
    """Yield classes of sizes, and how many families are in each, up to the largest family.

    >>> list(classes([2, 2, 4]))
    [('2', 2), ('3', 0), ('4', 1)]
    """
    counts = Counter(sizes)
    for at, least in enumerate(_SIZES):
        end = _SIZES[at + 1] if at + 1 < len(_SIZES) else None
        if least > max(counts, default=0):
            return
        name = f"{least:,}" if end == least + 1 else f"{least:,} to {end - 1:,}" if end else ""
        those = (size for size in counts if least <= size and (end is None or size < end))
        yield name or f"{least:,} and more", sum(map(counts.__getitem__, those))
