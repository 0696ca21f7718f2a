"""Curves to be looked at, as the calibration's are. They need the extra ``plots`` (Matplotlib)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Figures = dict[str, Any]

#: The recipes that are drawn, the set, and the width of the fingerprints.
_RECIPES = (
    "minhash64 words=3",
    "minhash64 words=1",
    "simhash64 words=3 binary",
    "simhash64 words=1 log",
    "simhash64 words=1 tf",
)
_SET, _BITS = "licences", "64"


def curve(scores: Figures, axes: Axes) -> None:
    """Precision and recall by threshold, as ``curve.score`` tells them."""
    points = scores["curve"]
    axes.set_title(f"{scores['positives']:,} pairs of {scores['documents']:,} documents")
    axes.set_xlabel("resemblance asked for")
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1.02)
    axes.grid(alpha=0.3)
    for part in ("precision", "recall"):
        axes.plot(
            [p["threshold"] for p in points], [p[part] for p in points], marker=".", label=part
        )
    axes.legend()


def recipes(figures: Figures, axes: Axes) -> None:
    """Recall by candidates of some recipes, a point for each radius, as ``natural`` tells them."""
    axes.set_title(f"{figures['sets'][_SET]['texts']:,} {_SET}: a point for each radius")
    axes.set_xlabel("candidates per text")
    axes.set_xscale("log")
    axes.set_ylabel("found of a text's near-duplicates")
    axes.set_ylim(0.5, 1.0)
    axes.set_xlim(0.5, 50)
    axes.grid(alpha=0.3)
    for name in _RECIPES:
        scores = figures["recipes"][_BITS][name][_SET]
        axes.plot(scores["candidates"], scores["of_documents"], marker=".", label=name)
    axes.legend(loc="lower right")
