"""Plots of results on axes of matplotlib (extra ``plots``): what pages draw as SVG.

``plot`` of a result, family, comparison or passages takes axes, or makes new ones, and returns
them. It raises MissingExtra if matplotlib is not installed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ilk.base.packages import import_optional
from ilk.write import plots

#: Colours: of bars, of the threshold, of a text, and of stretches of the first and second kind.
_BARS, _LEAST, _TEXT, _STRIPS = "#3546a8", "#ad5006", "#e8e6e0", ("#2b6cb0", "#b7500c")


def use_or_make_axes(ax: Any, across: str | None = None) -> Any:
    """Return the axes to draw on, with a name for what is across."""
    import_optional("matplotlib", "plots")
    if ax is None:
        from matplotlib.figure import Figure

        # A figure of its own, without a window: a notebook shows what a cell returns.
        ax = Figure(figsize=(7, 3), layout="constrained").add_subplot()
    if across is not None:
        ax.set_xlabel(across)
    return ax


def draw_resemblances(values: Sequence[float], least: float, ax: Any) -> Any:
    """Draw how resemblances are distributed, with a line at the threshold."""
    ax, bars = (
        use_or_make_axes(ax, "resemblance to the original"),
        plots.resemblance_histogram(values, least).columns,
    )
    begin = float(bars[0][0].split()[0]) / 100
    width = (1 - begin) / len(bars)
    places = [begin + width * (at + 0.5) for at in range(len(bars))]
    ax.bar(places, [many for _, many in bars], 0.88 * width, color=_BARS)
    ax.axvline(least, color=_LEAST, linestyle="--", label=f"threshold {least:.0%}")
    _put_legend_above(ax)
    ax.set_ylabel("documents")
    from matplotlib.ticker import MaxNLocator

    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    return ax


def _put_legend_above(ax: Any) -> None:
    """Explain colours above the plot, where they hide nothing of it."""
    ax.legend(frameon=False, loc="lower right", bbox_to_anchor=(1, 1), ncols=2, borderaxespad=0)


def draw_members(names: Sequence[str], shares: Sequence[float | None], ax: Any) -> Any:
    """Draw how alike the members of a family are to their originals."""
    ax = use_or_make_axes(ax, "resemblance to the original")
    ax.barh(names, [1.0 if share is None else share for share in shares], color=_BARS)
    ax.set_xlim(0, 1)
    ax.invert_yaxis()
    return ax


def draw_strips(
    rows: Sequence[tuple[str, int, Sequence[tuple[int, int, bool]]]],
    ax: Any,
    *,
    unit: str,
    kinds: tuple[str, str],
) -> Any:
    """Draw texts as strips with stretches in their places.

    A text is its name, its length in units, and stretches: begin, end, and whether of the second
    kind. The legend names both ``kinds``.
    """
    ax = use_or_make_axes(ax, unit)
    for place, (_, length, stretches) in enumerate(rows):
        ax.broken_barh([(0, length)], (place - 0.35, 0.7), color=_TEXT)
        for kind, colour in enumerate(_STRIPS):
            found = [(begin, end - begin) for begin, end, other in stretches if other == bool(kind)]
            ax.broken_barh(found, (place - 0.35, 0.7), color=colour)
    for name, colour in zip(kinds, _STRIPS, strict=True):
        ax.plot([], [], color=colour, linewidth=6, label=name)
    _put_legend_above(ax)
    ax.set_yticks(range(len(rows)), [name for name, _, _ in rows])
    ax.invert_yaxis()
    return ax
