"""The page from end to end."""

from __future__ import annotations

from ilk_papers.frame import Picture, Report
from ilk_papers.simhash_page import tables

_FINGERPRINTS = 20_000


def run(seed: int) -> Report:
    """Report the page's example, its features and problems, and what its search misses."""
    searches = tables.searches(_FINGERPRINTS, seed)
    return Report(
        exhibits=[
            tables.shingles(),
            tables.weights(),
            tables.distances(),
            tables.three_problems(),
            searches,
        ],
        pictures=[Picture("searches", lambda axes: tables.draw_searches(axes, searches))],
    )
