"""Pictures of results, as PNG files or as SVG. They need the extra ``plots`` (Matplotlib)."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ilk.companions import write
from ilk.plugins import MissingExtra
from ilk_papers.measure.calibration import Calibration, Sample

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Inches and dots per inch of a picture.
_WIDTH, HEIGHT, _DPI = 9.0, 4.5, 120

#: Colours: for what is found, sample by sample, and for what is nominated in vain.
_FOUND, _NOMINATED = ("#1f4e79", "#3a7d44", "#7a4fa3"), "#b3541e"


def refuse_without_matplotlib() -> None:
    """Refuse, before any work, if pictures cannot be drawn.

    Raises:
        MissingExtra: Matplotlib is not installed.
    """
    if find_spec("matplotlib") is None:
        raise MissingExtra("matplotlib", "plots")


def save_picture(draw: Callable[[Axes], None], path: Path, height: float = HEIGHT) -> None:
    """Write what ``draw`` draws as a PNG file; equal pictures are equal files.

    Raises:
        MissingExtra: Matplotlib is not installed.
        OutputError: the file cannot be written.
    """
    figure = _draw_figure(draw, height)
    with write.whole_file(path) as out:
        # The name of the program and its version would differ although the pictures do not.
        figure.savefig(out, format="png", metadata={"Software": None})


def draw_svg(draw: Callable[[Axes], None], fonts: str, height: float = HEIGHT) -> str:
    """Return what ``draw`` draws as SVG whose words are text; equal pictures are equal.

    Args:
        draw: draws on axes.
        fonts: the families of the text, as a style sheet names them.
        height: in inches.

    Raises:
        MissingExtra: Matplotlib is not installed.
    """
    refuse_without_matplotlib()
    import matplotlib as mpl

    out = io.StringIO()
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "ilk"}):
        _draw_figure(draw, height).savefig(out, format="svg", metadata={"Date": None})
    # Matplotlib measures with a font of its own, and writes the names of all that it would take.
    return _FAMILIES.sub(lambda part: part[1] + fonts, out.getvalue())


#: The families of a text in SVG, after the word or the size that they follow.
_FAMILIES = re.compile(r"(font-family: |font: [0-9.]+px )[^;\"]*")


def _draw_figure(draw: Callable[[Axes], None], height: float) -> Figure:
    refuse_without_matplotlib()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_WIDTH, height), dpi=_DPI, layout="constrained")
    draw(figure.add_subplot())
    return figure


def draw_calibration(calibration: Calibration, axes: Axes) -> None:
    """Draw recall and false positives by radius, with their 95 % intervals."""
    axes.set_title(f"{calibration.recipe}, {calibration.documents:,} documents")
    axes.set_xlabel("radius in bits")
    axes.set_ylabel(f"found of pairs at resemblance >= {calibration.resemblance}")
    axes.set_xlim(0, calibration.bits / 2)
    axes.set_ylim(0, 1.02)
    axes.grid(alpha=0.3)
    for (name, sample), colour in zip(calibration.samples.items(), _FOUND, strict=False):
        _draw_curve(axes, sample, name, colour)
    if calibration.radius is not None:
        axes.axvline(calibration.radius, color="black", linestyle=":")
        axes.text(calibration.radius + 0.3, 0.03, f"{calibration.radius} bits")
    nominated = axes.twinx()
    nominated.set_ylabel("unrelated pairs nominated")
    nominated.set_yscale("log")
    _draw_curve(nominated, calibration.background, "unrelated pairs (right)", _NOMINATED)
    handles = [line for side in (axes, nominated) for line in side.get_legend_handles_labels()[0]]
    nominated.legend(handles=handles, loc="center right")


def _draw_curve(axes: Axes, sample: Sample, label: str, colour: str) -> None:
    """Draw the share of the pairs within each radius."""
    if not sample.pairs:
        return
    radii = range(len(sample.distances))
    low, high = zip(*(sample.interval(radius) for radius in radii), strict=True)
    # A share of 0 has no place on a logarithmic scale.
    shares = [sample.share(radius) or float("nan") for radius in radii]
    axes.plot(radii, shares, color=colour, label=label, marker=".")
    axes.fill_between(radii, low, high, color=colour, alpha=0.15, linewidth=0)
