"""The lecture from end to end."""

from __future__ import annotations

from functools import partial

from ilk.plugins import Step
from ilk_papers.frame import Picture, Progress, Report, ignore_progress, make_exhibits
from ilk_papers.lecture import crawling, digests, front_page, slides, tables, walk

_PAGES, _FINGERPRINTS = 1_000, 20_000

#: All seeds of the lecture's hash.
SEEDS = range(1 << 32)

#: The steps of ``run``, with their seconds.
STEPS = (Step("lecture: tables", 4.0),)

#: The step of a search.
SEARCH = Step("seeds", 165.0)


def run(
    seed: int,
    *,
    search: range = range(0),
    jobs: int = 1,
    progress: Progress = ignore_progress,
) -> Report:
    """Report every number of the lecture beside the computed one, and what its methods cost.

    Args:
        seed: of what is generated.
        search: the seeds that are searched for the one that gives the published simhashes.
        jobs: threads of that search.
        progress: follows the work.
    """
    searched = [partial(tables.of_search, progress, jobs, search)] if search else []
    exhibits = make_exhibits(
        "lecture",
        [
            slides.slides_table,
            partial(front_page.front_pages, seed),
            tables.in_links_table,
            crawling.crawl_table,
            partial(tables.equal, _PAGES, seed),
            tables.measures,
            digests.sizes,
            digests.properties,
            tables.avalanche,
            tables.edit_distance_table,
            tables.shingles_table,
            tables.effects,
            partial(tables.sampling, seed),
            tables.of_phrases,
            tables.hamming_and_jaccard,
            tables.of_inversion,
            tables.of_hashes,
            *searched,
            tables.numbers,
            tables.sorted_numbers,
            partial(walk.sorted_bits, 0),
            partial(walk.sorted_bits, 2),
            walk.walk_table,
            partial(tables.rotations, _FINGERPRINTS, seed),
            partial(tables.costs, seed),
            partial(tables.applications_table, seed),
        ],
        progress,
    )
    (rotations,) = (each for each in exhibits if each.name == "rotations")
    return Report(
        exhibits, [Picture("rotations", lambda axes: tables.draw_rotations(axes, rotations))]
    )
