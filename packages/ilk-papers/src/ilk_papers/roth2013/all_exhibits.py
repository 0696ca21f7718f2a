"""The experiment from end to end: the paper's results beside ours, by every recipe."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import ilk
from ilk.companions import ignore_progress
from ilk.plugins import Step
from ilk_papers.frame import Picture, Progress, Report
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
from ilk_papers.roth2013.observations import RecipeMeasurements
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
    max_files: int | None = None,
    recipe: ilk.Recipe | None = None,
    seed: int,
    jobs: int,
    progress: Progress = ignore_progress,
) -> Report:
    """Report everything the paper does.

    Args:
        folder: files that ``make-corpus`` made, or any; None makes them in memory.
        documents: folders of the documents that they are made of; those of the machine if empty.
        max_files: how many are made at most; None for all there are.
        recipe: one more way to make fingerprints, of 64 bits; the tables of one recipe are of it.
        seed: of the copies that are made in memory, and of the edits.
        jobs: threads.
        progress: follows the work.
    """
    if folder is None:
        places = list(documents) or collection.find_folders_of_machine()
        corpus = collection.read_first_files_with_copies(places, max_files, seed)
        source_description = f"{', '.join(map(str, places))}, with modified copies"
    else:
        corpus, source_description = collection.read_folder(folder), str(folder)
    recipes = {name: ilk.Recipe.parse(of) for name, of in experiment.RECIPES.items()}
    if recipe is not None and recipe not in recipes.values():
        recipes["asked"] = recipe
    main = AUTHOR if recipe is None else next(n for n, of in recipes.items() if of == recipe)
    beginnings: list[str] = []
    noted = _append_beginnings_of_originals(corpus, beginnings, progress, max_files)
    prints = experiment.fingerprint_files(noted, recipes, jobs=jobs)
    measures = {}
    for at, (name, of) in enumerate(prints.items()):
        progress("roth2013: comparing every two files", at, len(prints))
        measures[name] = RecipeMeasurements.from_corpus(of)
    main_measures = measures[main]
    chosen = lacking.sample_beginnings_preferring_long(beginnings)
    runs = {}
    for at, (name, recipe) in enumerate(recipes.items()):
        progress("roth2013: edits", at, len(recipes))
        runs[name] = list(lacking.measure_edit_runs(chosen, recipe, seed))
    read = main_measures.corpus.files
    rows = [
        *observations.corpus_observations(read),
        *observations.speed_observations(measures[AUTHOR]),
    ]
    return Report(
        exhibits=[
            tables.corpus_table(rows, source_description),
            tables.arithmetic_table(),
            tables.named_files_table(),
            own_values.own_fingerprints_table(),
            *map(own_values.own_bits_table, own_values.SHIPPED),
            own_values.printed_similarities_table(),
            tables.gram_hashes_table(list(TABLE_2_OF_2014)),
            tables.table_1(),
            tables.example_table("Hello world"),
            tables.table_2_of_2014(),
            tables.table_4_of_2014(),
            tables.two_fingerprints_table(),
            tables.observations_table(
                observations.pair_and_copy_observations(measures, seed), recipes
            ),
            tables.file_with_most_matches_table(measures),
            tables.equal_files_table(read),
            tables.extreme_copies_table(main_measures),
            tables.changes_table(main_measures.copies),
            tables.thresholds_table(measures, seed),
            *(tables.edit_runs_table(name, of) for name, of in runs.items()),
            tables.sheets_table(recipes, seed),
            tables.query_table(),
            tables.query_costs_table(main_measures.corpus),
            tables.ham_dist_table(),
            tables.sources_of_collections_table(),
            tables.all_similar_pairs_table(main_measures.corpus, main_measures.pairs),
        ],
        pictures=[
            Picture("changes", lambda axes: tables.draw_changes(axes, main_measures.copies)),
            Picture("lacking", lambda axes: tables.draw_lacking(axes, runs[main])),
        ],
    )


def _append_beginnings_of_originals(
    files: Iterable[File], beginnings: list[str], progress: Progress, progress_total: int | None
) -> Iterator[File]:
    """Yield each file unchanged; add its beginning to ``beginnings`` unless it is a copy."""
    for at, (name, text) in enumerate(files):
        progress("roth2013: files", at, progress_total)
        if CopyName.parse_or_none(name) is None:
            beginnings.append(text[: lacking.CHARACTERS])
        yield name, text
