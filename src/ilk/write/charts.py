"""Plots as SVG without colours and styles, which every content policy allows."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

#: The least number of columns that a plot has room for, so that a single one is not huge.
_LEAST = 24


def columns(counts: Sequence[tuple[str, int]], what: str) -> str:
    """Return counts over time as columns, each with its name and count.

    Args:
        counts: names in order, with counts.
        what: a sentence that describes the plot, for screen readers.
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
