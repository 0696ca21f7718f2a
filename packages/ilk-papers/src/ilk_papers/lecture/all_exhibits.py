"""The lecture from end to end."""

from __future__ import annotations

from functools import partial

from ilk.companions import ignore_progress
from ilk.plugins import Step
from ilk_papers.frame import Picture, Progress, Report, make_exhibits
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
    seeds_to_search: range = range(0),
    jobs: int = 1,
    progress: Progress = ignore_progress,
) -> Report:
    """Report every number of the lecture beside the computed one, and what its methods cost.

    Args:
        seed: of what is generated.
        seeds_to_search: the seeds that are searched for the one that gives the published simhashes.
        jobs: threads of that search.
        progress: follows the work.
    """
    seed_search_exhibits = (
        [partial(tables.seed_search_table, progress, jobs, seeds_to_search)]
        if seeds_to_search
        else []
    )
    exhibits = make_exhibits(
        "lecture",
        [  # As the slides have them.
            slides.claims_of_slides_table,
            partial(front_page.front_pages_by_extraction_table, seed),
            tables.in_links_table,
            crawling.crawl_table,
            digests.digest_properties_table,
            tables.avalanche_table,
            digests.digest_sizes_table,
            partial(tables.ways_to_find_exact_duplicates_table, _PAGES, seed),
            tables.edit_distance_table,
            tables.distance_measures_table,
            tables.shingles_table,
            tables.shingling_effects_table,
            partial(tables.sampling_table, seed),
            tables.distances_of_published_simhashes_table,
            tables.hash_inversion_table,
            *seed_search_exhibits,
            tables.printed_hashes_table,
            tables.hamming_and_jaccard_table,
            tables.numbers_rotated_by_two_table,
            tables.sorted_numbers_table,
            partial(walk.sorted_bits_table, 0),
            partial(walk.sorted_bits_table, 2),
            walk.walk_table,
            partial(tables.rotations_table, _FINGERPRINTS, seed),
            partial(tables.costs_table, seed),
            partial(tables.applications_table, seed),
        ],
        progress,
    )
    (rotations,) = (each for each in exhibits if each.name == "rotations")
    return Report(
        exhibits, [Picture("rotations", lambda axes: tables.draw_rotations(axes, rotations))]
    )
