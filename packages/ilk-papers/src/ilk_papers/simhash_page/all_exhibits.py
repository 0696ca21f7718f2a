"""The page from end to end."""

from __future__ import annotations

from functools import partial

from ilk.companions import ignore_progress
from ilk.plugins import Step
from ilk_papers.frame import Picture, Progress, Report, make_exhibits
from ilk_papers.simhash_page import tables

#: Fingerprints that are searched, unless another number is given.
FINGERPRINTS = 20_000

#: The steps of ``run``, with their seconds.
STEPS = (Step("simhash-page: tables", 0.5),)


def run(seed: int, *, count: int = FINGERPRINTS, progress: Progress = ignore_progress) -> Report:
    """Report the page's example, its features and problems, and what its search misses."""
    exhibits = make_exhibits(
        "simhash-page",
        [
            tables.example_5_shingles_table,
            tables.weights_table,
            tables.distances_of_example_texts_table,
            tables.cosines_table,
            tables.three_problems_table,
            partial(tables.table_designs_beside_exact_join, count, seed),
        ],
        progress,
    )
    searches = exhibits[-1]
    return Report(
        exhibits,
        [Picture("searches", lambda axes: tables.draw_missed_pairs_by_design(axes, searches))],
    )
