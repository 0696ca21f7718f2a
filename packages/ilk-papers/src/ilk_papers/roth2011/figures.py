"""The paper's figures as pictures: the steps, the bounds, the frequencies, and the matrices."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ilk_papers.roth2011 import published
from ilk_papers.roth2011.experiment import Readings
from ilk_papers.roth2011.index import exclusive_int64_bounds_of_similar
from ilk_papers.roth2011.observations import count_outcomes_above_one_by_tracking_number
from ilk_papers.roth2011.steps import NameAndValue

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Characters in a box of Figure 1.
_BOX = 80

#: Colours of a cell: similar and expected, similar by mistake, missed, and neither.
_CELLS = {
    "correct": "#3a7d44",
    "false positive": "#b3541e",
    "false negative": "#f2c14e",
    "": "#fff",
}


def draw_matrix(
    axes: Axes,
    names: Sequence[str],
    similarities: NDArray[np.bool_],
    expected_cells: NDArray[np.bool_],
    title: str,
) -> None:
    """Draw the similar pairs, with names at rows and columns, and colours for mistakes."""
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    cells = np.select([similarities & expected_cells, similarities, expected_cells], [0, 1, 2], 3)
    axes.imshow(cells, ListedColormap(list(_CELLS.values())), vmin=0, vmax=3)
    axes.set_xticks(range(len(names)), names, rotation=90, fontsize=7)
    axes.set_yticks(range(len(names)), names, fontsize=7)
    axes.set_xticks(np.arange(len(names)) - 0.5, minor=True)
    axes.set_yticks(np.arange(len(names)) - 0.5, minor=True)
    axes.grid(which="minor", color="#ccc", linewidth=0.5)
    axes.tick_params(which="minor", length=0)
    axes.set_title(title, fontsize=9)
    known = [Patch(color=colour, label=name) for name, colour in _CELLS.items() if name]
    axes.legend(handles=known, loc="center left", bbox_to_anchor=(1.02, 0.5), fontsize=7)


def draw_steps(axes: Axes, steps: Sequence[NameAndValue]) -> None:
    """Draw Figure 1: every step of a number as a box, from the text down to the number."""
    axes.set_axis_off()
    axes.set_ylim(-len(steps), 1)
    axes.set_xlim(0, 1)
    box = {"boxstyle": "round", "facecolor": "#eef3f8", "edgecolor": "#1f4e79"}
    for at, (name, value) in enumerate(steps):
        axes.text(0, -at, name, va="center", fontsize=7, color="#1f4e79")
        shown = textwrap.shorten(value, _BOX, placeholder=" ...")
        axes.text(0.27, -at, shown, va="center", fontsize=7, bbox=box, family="monospace")
        if at:
            axes.annotate("", (0.3, -at + 0.3), (0.3, -at + 0.7), arrowprops={"arrowstyle": "->"})
    axes.set_title("Roth 2011, Figure 1: from k-grams to the Similarity Index")


def draw_bounds(
    axes: Axes, names: Sequence[str], numbers: Sequence[int], asking_document: int
) -> None:
    """Draw Figure 2: the numbers on a line, and the bounds within which one finds others."""
    low, high = exclusive_int64_bounds_of_similar(numbers[asking_document])
    axes.axvspan(low, high, color="#3a7d44", alpha=0.15)
    for end, name in (
        (low, "SI - |0.3 SI|"),
        (numbers[asking_document], "SI"),
        (high, "SI + |0.3 SI|"),
    ):
        axes.axvline(end, color="#3a7d44", linewidth=1)
        axes.text(end, -0.8, name, rotation=90, va="top", ha="center", fontsize=7)
    for at, (name, number) in enumerate(zip(names, numbers, strict=True)):
        inside = low < number < high
        axes.plot(number, at, "o", color="#1f4e79" if inside else "#b3541e")
        axes.annotate(name, (number, at), (5, 0), textcoords="offset points", fontsize=7)
    axes.set_yticks([])
    axes.set_ylim(-4, len(names))
    axes.margins(x=0.15)
    axes.set_xlabel(
        f"the number of every document; those within the bounds of {names[asking_document]!r} blue"
    )
    axes.set_title("Roth 2011, Figure 2: similar within 30 %")


class HeightBounds(NamedTuple):
    """The least and the largest height that a bar can have, in combinations."""

    lowest: int
    highest: int


def bounds_of_bar_heights() -> dict[int, HeightBounds]:
    """Return the least and the largest height that every published bar can have.

    The text gives three sums and the total, and the axis ends at 14; the bars are taken to descend,
    and none is 0.
    """
    heights: dict[int, list[int]] = {bar: [] for bar in published.FIGURE_3}
    for heights_of_bars in _possible_heights_of_summed_bars():
        last, above = heights_of_bars[23], heights_of_bars[43]
        rest = published.ABOVE_ONE - sum(published.FAMILIES.values())
        between = [bar for bar in published.FIGURE_3[6:11] if bar not in heights_of_bars]
        after = [bar for bar in published.FIGURE_3[12:] if bar not in heights_of_bars]
        fewest = last * len(between) + len(after)
        most = above * len(between) + last * len(after)
        if not fewest <= rest <= most:
            continue
        for bar, height in heights_of_bars.items():
            heights[bar].append(height)
        for group, low, high in ((between, last, above), (after, 1, last)):
            other = (after, 1, last) if group is between else (between, last, above)
            least_other, most_other = (len(other[0]) * each for each in other[1:])
            for at, bar in enumerate(group):
                # As high as all bars before it allow, and as low as all bars after it allow.
                before, behind = at + 1, len(group) - at
                top = (rest - least_other - low * (behind - 1)) // before
                bottom = -(-(rest - most_other - high * at) // behind)
                heights[bar] += [min(high, top), max(low, bottom)]
    return {bar: HeightBounds(min(of), max(of)) for bar, of in heights.items()}


def _possible_heights_of_summed_bars() -> Iterator[dict[int, int]]:
    """Yield heights of the bars of the three sums: 49 + 29, 27 + 47, and 3 + 43 + 23."""
    nines, threes, sevens = (
        published.FAMILIES[key] for key in ((9, 29, 49), (3, 23, 43), (7, 27, 47))
    )
    for h29 in range(1, nines):
        h49 = nines - h29
        for h47 in range(1, sevens):
            h27 = sevens - h47
            if not published.FIGURE_3_AXIS >= h49 >= h27 >= h29 >= h47:
                continue
            for h23 in range(1, threes):
                for h43 in range(h23, threes - h23):
                    h3 = threes - h23 - h43
                    if h47 >= h3 >= h43:
                        yield {49: h49, 27: h27, 29: h29, 47: h47, 3: h3, 43: h43, 23: h23}


def draw_frequencies(axes: Axes, readings: Readings) -> None:
    """Draw Figure 3: ranges of the published bars in their order, and those measured."""
    above = {
        name: count_outcomes_above_one_by_tracking_number(outcomes)
        for name, outcomes in readings.items()
    }
    others = sorted({m for counts in above.values() for m in counts} - {*published.FIGURE_3})
    names = [*published.FIGURE_3, *others]
    for at, (low, high) in enumerate(bounds_of_bar_heights().values()):
        label = "published, by the sums in the text" if at == 0 else None
        axes.bar(at - 0.3, high - low + 0.3, 0.25, low - 0.15, color="#999", label=label)
    for shift, (name, counts) in zip((-0.05, 0.2), above.items(), strict=True):
        places = [at + shift for at in range(len(names))]
        axes.bar(places, [counts[method] for method in names], width=0.25, label=name)
    axes.set_xticks(range(len(names)), [str(name) for name in names], fontsize=8)
    axes.axvline(len(published.FIGURE_3) - 0.5, color="black", linewidth=0.8)
    axes.set_xlabel("method, in the order of the published figure; right of the line: not in it")
    axes.set_ylabel("combinations that score above 1.0")
    axes.set_title("Roth 2011, Figure 3")
    axes.margins(y=0.35)  # Room above the bars for the legend.
    axes.legend(loc="upper right")
