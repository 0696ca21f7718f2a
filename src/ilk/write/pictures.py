"""Plots of results on axes of matplotlib (extra ``plots``): what pages draw as SVG.

``plot`` of a result, family, comparison or passages takes axes, or makes new ones, and returns
them. It raises MissingExtra if matplotlib is not installed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa

from ilk.base.packages import import_optional
from ilk.write import plots

#: Colours: of bars, of the threshold, of a text, and of stretches of the first and second kind.
_BARS, _LEAST, _TEXT, _STRIPS = "#3546a8", "#ad5006", "#e8e6e0", ("#2b6cb0", "#b7500c")


#: Axes of matplotlib, which may not be installed.
Axes: TypeAlias = Any


def use_or_make_labelled_axes(ax: Axes | None, x_label: str | None = None) -> Axes:
    """Return the axes, or new ones, with a label; MissingExtra if matplotlib is missing."""
    import_optional("matplotlib", "plots")
    if ax is None:
        from matplotlib.figure import Figure

        # A figure of its own, without a window: a notebook shows what a cell returns.
        ax = Figure(figsize=(7, 3), layout="constrained").add_subplot()
    if x_label is not None:
        ax.set_xlabel(x_label)
    return ax


def draw_resemblance_histogram(resemblances: pa.Array, threshold: float, ax: Axes | None) -> Axes:
    """Draw how resemblances are distributed, with a line at the threshold; return the axes."""
    ax, bars = (
        use_or_make_labelled_axes(ax, "resemblance to the original"),
        plots.resemblance_histogram(resemblances, threshold).columns,
    )
    begin = float(bars[0][0].split()[0]) / 100
    width = (1 - begin) / len(bars)
    places = [begin + width * (at + 0.5) for at in range(len(bars))]
    ax.bar(places, [many for _, many in bars], 0.88 * width, color=_BARS)
    ax.axvline(threshold, color=_LEAST, linestyle="--", label=f"threshold {threshold:.0%}")
    _put_legend_above(ax)
    ax.set_ylabel("documents")
    from matplotlib.ticker import MaxNLocator

    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    return ax


def _put_legend_above(ax: Axes) -> None:
    """Explain colours above the plot, where they hide nothing of it."""
    ax.legend(frameon=False, loc="lower right", bbox_to_anchor=(1, 1), ncols=2, borderaxespad=0)


def draw_member_resemblances_none_as_1(
    names: Sequence[str], resemblances: Sequence[float | None], ax: Axes | None
) -> Axes:
    """Draw how alike members are to their originals, None as 1; return the axes."""
    ax = use_or_make_labelled_axes(ax, "resemblance to the original")
    ax.barh(names, [1.0 if share is None else share for share in resemblances], color=_BARS)
    ax.set_xlim(0, 1)
    ax.invert_yaxis()
    return ax


class Mark(NamedTuple):
    """A stretch of a text that is coloured: in units, the end excluded."""

    begin: int
    end: int
    is_second_kind: bool


class Strip(NamedTuple):
    """A text as a strip: its name, its length in units, and what is marked in it."""

    name: str
    length: int
    marks: Sequence[Mark]


def draw_strips(
    strips: Sequence[Strip], ax: Axes | None, *, unit: str, kinds: tuple[str, str]
) -> Axes:
    """Draw texts as strips, one below the other, with their marks; return the axes.

    The legend names both ``kinds`` of marks, and ``unit`` is that of the horizontal axis.
    """
    ax = use_or_make_labelled_axes(ax, unit)
    for place, (_, length, marks) in enumerate(strips):
        ax.broken_barh([(0, length)], (place - 0.35, 0.7), color=_TEXT)
        for kind, colour in enumerate(_STRIPS):
            bars = [(one.begin, one.end - one.begin) for one in marks if one.is_second_kind == kind]
            ax.broken_barh(bars, (place - 0.35, 0.7), color=colour)
    for name, colour in zip(kinds, _STRIPS, strict=True):
        ax.plot([], [], color=colour, linewidth=6, label=name)
    _put_legend_above(ax)
    ax.set_yticks(range(len(strips)), [strip.name for strip in strips])
    ax.invert_yaxis()
    return ax
