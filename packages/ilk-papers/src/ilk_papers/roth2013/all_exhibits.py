"""The experiment from end to end: the paper's results beside ours, by every recipe."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import ilk
from ilk.plugins import Step
from ilk_papers.frame import Picture, Progress, Report, ignore_progress
from ilk_papers.roth2013 import (
    collection,
    experiment,
    lacking,
    observations,
    own_values,
    tables,
)
from ilk_papers.roth2013.collection import File
from ilk_papers.roth2013.copies import CopyName
from ilk_papers.roth2013.observations import Measured
from ilk_papers.roth2013.published import TABLE_2_OF_2014

#: The recipe of the author's own tool.
AUTHOR = next(iter(experiment.RECIPES))

#: The steps of ``run``, with their seconds.
STEPS = (
    Step("roth2013: files", 18.0),
    Step("roth2013: comparing every two files", 1.5),
    Step("roth2013: edits", 11.0),
)


def run(
    folder: Path | None,
    documents: Sequence[Path] = (),
    *,
    files: int | None = None,
    recipe: ilk.Recipe | None = None,
    seed: int,
    jobs: int,
    progress: Progress = ignore_progress,
) -> Report:
    """Report everything the paper does.

    Args:
        folder: files that ``make-corpus`` made, or any; None makes them in memory.
        documents: folders of the documents that they are made of; those of the machine if empty.
        files: how many are made at most; None for all there are.
        recipe: one more way to make fingerprints, of 64 bits; the tables of one recipe are of it.
        seed: of the copies that are made in memory, and of the edits.
        jobs: threads.
        progress: follows the work.
    """
    if folder is None:
        places = list(documents) or collection.machine()
        corpus = collection.at_hand(places, files, seed)
        runs_on = f"{', '.join(map(str, places))}, with modified copies"
    else:
        corpus, runs_on = collection.read(folder), str(folder)
    recipes = {name: ilk.Recipe.parse(of) for name, of in experiment.RECIPES.items()}
    if recipe is not None and recipe not in recipes.values():
        recipes["asked"] = recipe
    main = AUTHOR if recipe is None else next(n for n, of in recipes.items() if of == recipe)
    beginnings: list[str] = []
    noted = _note_beginnings(corpus, beginnings, files, progress)
    prints = experiment.fingerprint_files(noted, recipes, jobs=jobs)
    measures = {}
    for at, (name, of) in enumerate(prints.items()):
        progress("roth2013: comparing every two files", at, len(prints))
        measures[name] = Measured.by(of)
    main_measures = measures[main]
    chosen = lacking.choose_beginnings(beginnings)
    runs = {}
    for at, (name, recipe) in enumerate(recipes.items()):
        progress("roth2013: edits", at, len(recipes))
        runs[name] = list(lacking.runs(chosen, recipe, seed))
    read = main_measures.of.files
    rows = [*observations.of_files(read), *observations.of_speed(measures[AUTHOR])]
    return Report(
        exhibits=[
            tables.of_files(rows, runs_on),
            tables.arithmetic(),
            tables.named_files(),
            own_values.own_fingerprints(),
            *map(own_values.own_bits, own_values.SHIPPED),
            own_values.similarities(),
            tables.gram_hashes(list(TABLE_2_OF_2014)),
            tables.table_1(),
            tables.example_table("Hello world"),
            tables.table_2_of_2014(),
            tables.table_4_of_2014(),
            tables.two_hashes(),
            tables.observations_table(observations.compare_observations(measures, seed), recipes),
            tables.most_similar(measures),
            tables.equal_files(read),
            tables.copies_table(main_measures),
            tables.changes(main_measures.copies),
            tables.thresholds(measures, seed),
            *(tables.lacking(name, of) for name, of in runs.items()),
            tables.of_sheets(recipes, seed),
            tables.query_table(),
            tables.query_costs(main_measures.of),
            tables.ham_dist(),
            tables.collections(),
            tables.result_file(main_measures.of, main_measures.pairs),
        ],
        pictures=[
            Picture("changes", lambda axes: tables.draw_changes(axes, main_measures.copies)),
            Picture("lacking", lambda axes: tables.draw_lacking(axes, runs[main])),
        ],
    )


def _note_beginnings(
    files: Iterable[File], beginnings: list[str], most: int | None, progress: Progress
) -> Iterator[File]:
    """Yield the files as they pass; note the beginnings of those that are not copies."""
    for at, (name, text) in enumerate(files):
        progress("roth2013: files", at, most)
        if CopyName.parse(name) is None:
            beginnings.append(text[: lacking.CHARACTERS])
        yield name, text
