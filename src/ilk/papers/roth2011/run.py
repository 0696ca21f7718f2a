"""The experiment from end to end: the paper's tables and observations beside ours."""

from __future__ import annotations

from pathlib import Path

from ilk.papers.frame import Picture, Report, exhibit
from ilk.papers.roth2011 import collection, experiment, many, observations, tables
from ilk.papers.roth2011.index import BEST
from ilk.papers.roth2011.methods import Parameters


def run(documents: Path | None, files: Path | None, parameters: Parameters) -> Report:
    """Everything the paper reports, and how its best combination fares on many files.

    Args:
        documents: the folder of texts that ``collection.CUTS`` names; None: stand-ins.
        files: texts, a folder or a Parquet file with a column ``text``; None: stand-ins.
        parameters: what the paper leaves open.
    """
    seed = parameters.seed
    parts = collection.generated(seed) if documents is None else collection.cut(documents, seed)
    texts = collection.documents(parts)
    readings = experiment.readings(parameters)
    found = {name: experiment.outcomes(texts.values(), p) for name, p in readings.items()}
    asked = many.generated(many.FILES, seed) if files is None else many.texts(files)
    said = {name: many.answers(asked, BEST, p) for name, p in readings.items()}
    rows = [
        *observations.of_scores(found),
        *observations.of_variations(found),
        *observations.of_lengths(found, texts),
        *observations.of_expectations(),
        *observations.of_many(said, str(BEST)),
    ]
    columns = ("observation", "published", *found)
    return Report(
        exhibits=[
            tables.grams(),
            tables.documents(texts),
            tables.top(found),
            tables.zones(found),
            *(tables.best(reading, outcomes) for reading, outcomes in found.items()),
            tables.frequencies(found),
            tables.chances(list(texts.values()), parameters),
            exhibit("observations", "Observations", columns, rows),
            tables.scores(found),
            tables.numbers(found["hash codes"], list(texts)),
        ],
        pictures=[Picture("frequencies", lambda axes: tables.draw_frequencies(axes, found))],
    )
