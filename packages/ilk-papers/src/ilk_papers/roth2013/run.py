"""The experiment from end to end: the paper's results beside ours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from ilk.fingerprints.recipe import SIMILARITY_INDEX, Recipe
from ilk_papers.frame import Picture, Report
from ilk_papers.roth2013 import collection, experiment, lacking, observations, published, tables
from ilk_papers.roth2013.collection import File
from ilk_papers.roth2013.copies import Copy


def run(
    folder: Path | None,
    shared: Path | None,
    *,
    files: int = published.FILES,
    recipe: Recipe = SIMILARITY_INDEX,
    seed: int,
    jobs: int,
) -> Report:
    """Report everything the paper does.

    Args:
        folder: files that ``make-corpus`` made, or any; None takes those at hand.
        shared: where those at hand are looked for (``collection.at_hand``).
        files: how many of those at hand.
        recipe: how fingerprints are made: SimHash of 64 bits.
        seed: of the copies of those at hand, and of the edits.
        jobs: threads.
    """
    collected = (
        collection.at_hand(shared, files, seed) if folder is None else collection.read(folder)
    )
    beginnings: list[str] = []
    of = experiment.fingerprinted(_noted(collected, beginnings), recipe, jobs=jobs)
    pairs, copies = experiment.pairs(of), experiment.copies(of)
    runs = list(lacking.runs(lacking.chosen(beginnings), recipe, seed))
    rows = [
        *observations.of_files(of),
        *observations.of_speed(of, pairs),
        *observations.of_pairs(of, pairs),
        *observations.of_copies(copies),
    ]
    return Report(
        exhibits=[
            tables.table_1(),
            tables.worked("Hello world"),
            tables.results(rows),
            tables.changes(copies),
            tables.lacking(runs),
            tables.of_sheets(recipe, seed),
            tables.queried(),
            tables.query_costs(of),
            tables.result_file(of, pairs),
        ],
        pictures=[
            Picture("changes", lambda axes: tables.draw_changes(axes, copies)),
            Picture("lacking", lambda axes: tables.draw_lacking(axes, runs)),
        ],
    )


def _noted(files: Iterable[File], beginnings: list[str]) -> Iterator[File]:
    """Yield the files as they pass; note the beginnings of those that are not copies."""
    for name, text in files:
        if Copy.parse(name) is None:
            beginnings.append(text[: lacking.CHARACTERS])
        yield name, text
