"""Plots as SVG that names no colour and no style of its own, so that any policy lets it be."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

#: Columns that a plot has room for at least, so that a single one is no wall.
_LEAST = 24


def columns(counts: Sequence[tuple[str, int]], what: str) -> str:
    """Return counts over time as columns, each with its own name and count.

    Args:
        counts: names in their order, with counts.
        what: the plot in a sentence, for those who do not see it.
    """
    most = max((count for _, count in counts), default=0) or 1
    rects = "".join(
        f"<rect x='{at}.05' width='.9' y='{100 - 100 * count / most:.2f}' "
        f"height='{100 * count / most:.2f}'><title>{escape(name)}: {count:,}</title></rect>"
        for at, (name, count) in enumerate(counts)
        if count
    )
    return (
        f"<svg class='columns' role='img' aria-label='{escape(what, quote=True)}' "
        f"viewBox='0 0 {max(_LEAST, len(counts))} 100' preserveAspectRatio='none'>{rects}</svg>"
    )
