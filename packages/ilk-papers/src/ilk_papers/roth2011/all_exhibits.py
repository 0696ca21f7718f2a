"""The experiment from end to end: the paper's tables and observations beside ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ilk.companions import ignore_progress
from ilk.plugins import Step
from ilk_papers.frame import Picture, Progress, Report, make_exhibit
from ilk_papers.roth2011 import (
    chance,
    collection,
    experiment,
    figures,
    many,
    observations,
    published,
    scoring,
    tables,
)
from ilk_papers.roth2011.experiment import CombinationOutcome, score_combination
from ilk_papers.roth2011.index import BEST
from ilk_papers.roth2011.methods import Combination, Parameters
from ilk_papers.roth2011.steps import steps_of

#: The steps of ``run``, with their seconds.
STEPS = (
    Step("roth2011: 15 documents", 20.0),
    Step("roth2011: many files", 20.0),
    Step("roth2011: multipliers", 10.0),
)


@dataclass(frozen=True, slots=True)
class Extent:
    """How large the experiment is, where it generates what it measures.

    Attributes:
        files: how many files are generated.
        multipliers: those of the hash.
        share: the part of the documents that is taken, from their front; 1 is the whole.
    """

    files: int = many.FILES
    multipliers: Sequence[int] = chance.MULTIPLIERS
    share: float = 1.0


#: That of the paper.
PUBLISHED = Extent()

#: The combination of Figure 1: the sum of the characters' 0 mod 25 sketch, k = 4.
_FIGURE_1 = Combination.parse("3A 4 5")


def run(
    texts_folder: Path | None,
    many_texts: Path | None,
    parameters: Parameters,
    extent: Extent = PUBLISHED,
    *,
    parts: Mapping[str, Path] | None = None,
    progress: Progress = ignore_progress,
) -> Report:
    """Report everything the paper does, and how its best combination fares on many files.

    Args:
        texts_folder: has the texts that ``collection.CUTS`` names; None: those of the package.
        many_texts: a folder or a Parquet file with a column ``text``; None: stand-ins.
        parameters: what the paper leaves open.
        extent: how large it is.
        parts: files for the parts that are generated otherwise.
        progress: follows the work.
    """
    seed = parameters.seed
    cut = collection.read_or_generate_parts(texts_folder or collection.TEXTS, seed, parts)
    texts = {
        name: text[: round(extent.share * len(text))]
        for name, text in collection.join_parts(cut).items()
    }
    names = list(texts)
    readings = experiment.parameters_by_reading(parameters)
    scores = {}
    for at, (name, p) in enumerate(readings.items()):
        progress("roth2011: 15 documents", at, len(readings))
        scores[name] = experiment.score_combinations_best_first(texts.values(), p)
    progress("roth2011: many files", 0, len(readings))
    many_files = (
        many.generate_documents_with_near_copies(extent.files, seed)
        if many_texts is None
        else many.read_first_texts(many_texts)
    )
    text_of = {}
    for at, (name, p) in enumerate(readings.items()):
        progress("roth2011: many files", at, len(readings))
        text_of[name] = many.measure_precision_and_recall(many_files, BEST, p)
    long = replace(parameters, exact=True, long=True)
    five = {each.combination: Combination.parse(each.combination) for each in published.TOP}
    longs = {name: score_combination(texts.values(), of, long) for name, of in five.items()}
    rows = [
        *observations.score_observations(scores),
        *observations.method_3_variation_observations(scores),
        *observations.length_observations(scores, texts),
        *observations.expectation_observations(),
        *observations.many_texts_observations(text_of, str(BEST)),
    ]
    best_reading = {
        f"{name}, {reading}": each
        for name in five
        for reading, outcomes in scores.items()
        for each in outcomes
        if str(each.combination) == name
    }
    progress("roth2011: multipliers", 0, None)
    chances = tables.multipliers_table(list(texts.values()), parameters, extent.multipliers)
    steps = steps_of(published.SENTENCE, _FIGURE_1)
    source_description = _describe_given_packaged_and_generated_texts(texts_folder, parts or {})
    columns = ("observation", "published", *scores)
    best, one = best_reading[f"{BEST}, hash codes"], names.index("Constitution")
    return Report(
        exhibits=[
            tables.documents_table(texts, source_description),
            tables.grams_table(),
            tables.figure_1_table(steps),
            tables.top_five_table(scores, longs),
            tables.published_five_zones_table(scores),
            tables.confusions_table(best_reading, names, scoring.EXPECTED),
            *(tables.ten_best_table(reading, outcomes) for reading, outcomes in scores.items()),
            tables.method_frequencies_table(scores),
            chances,
            make_exhibit("observations", "Observations", columns, rows),
            tables.scores_table(scores),
            tables.numbers_table(scores, names),
            tables.all_matrices_table(scores, names),
        ],
        pictures=[
            Picture("figure-1", lambda axes: figures.draw_steps(axes, steps)),
            Picture("figure-2", lambda axes: figures.draw_bounds(axes, names, best.numbers, one)),
            Picture("frequencies", lambda axes: figures.draw_frequencies(axes, scores)),
            *_matrix_pictures(best_reading, names, scoring.EXPECTED),
        ],
    )


def run_zoned(
    list_file: Path, parameters: Parameters, *, progress: Progress = ignore_progress
) -> Report:
    """Report every combination's score on documents and zones of one's own."""
    zoned_documents = collection.read_zoned_documents(list_file)
    names = list(zoned_documents.texts)
    expected_cells = scoring.expected_matrix(zoned_documents.zones, len(names))
    scores = {}
    for name, p in experiment.parameters_by_reading(parameters).items():
        progress(f"roth2011: {name}", 0, None)
        scores[name] = experiment.score_combinations_best_first(
            zoned_documents.texts.values(), p, expected_cells
        )
    best = {f"{of[0].combination}, {reading}": of[0] for reading, of in scores.items()}
    zones = ", ".join(f"{zone} {len(rows)}" for zone, rows in zoned_documents.zones.items())
    rows = [(name, len(text), len(text.split())) for name, text in zoned_documents.texts.items()]
    title = f"{len(names)} documents of {list_file}; zones: {zones or 'none'}"
    return Report(
        exhibits=[
            make_exhibit("documents", title, ("document", "characters", "words"), rows),
            *(tables.ten_best_table(reading, outcomes) for reading, outcomes in scores.items()),
            tables.confusions_table(best, names, expected_cells),
            tables.scores_table(scores),
            tables.numbers_table(scores, names),
            tables.all_matrices_table(scores, names),
        ],
        pictures=_matrix_pictures(best, names, expected_cells),
    )


def _describe_given_packaged_and_generated_texts(
    texts_folder: Path | None, parts: Mapping[str, Path]
) -> str:
    made = [name for name in collection.GENERATED if name not in parts]
    where = f"texts of {texts_folder}" if texts_folder else "the public-domain texts of the package"
    given = "".join(f"; {name} from {path}" for name, path in parts.items())
    return f"{where}{given}; generated: {', '.join(made) or 'nothing'}"


def _matrix_pictures(
    outcome_by_title: Mapping[str, CombinationOutcome],
    names: Sequence[str],
    expected_cells: NDArray[np.bool_],
) -> list[Picture]:
    return [
        Picture(
            f"matrix-{title.replace(', ', '-').replace(' ', '-')}",
            partial(
                figures.draw_matrix,
                names=names,
                similarities=of.similarities,
                expected_cells=expected_cells,
                title=f"{title}: score {of.score.score:.2f}",
            ),
            height=7.0,
        )
        for title, of in outcome_by_title.items()
    ]
