"""The experiment from end to end: the paper's tables and observations beside ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ilk_papers.frame import Picture, Report, exhibit
from ilk_papers.roth2011 import chance, collection, experiment, many, observations, tables
from ilk_papers.roth2011.index import BEST
from ilk_papers.roth2011.methods import Parameters


@dataclass(frozen=True, slots=True)
class Extent:
    """How large the experiment is, where it generates what it measures.

    Attributes:
        sizes: the characters and words of every part of a document.
        files: how many files are generated.
        multipliers: those of the hash.
    """

    sizes: Mapping[str, tuple[int, int]] = field(default_factory=lambda: collection.SIZES)
    files: int = many.FILES
    multipliers: Sequence[int] = chance.MULTIPLIERS


#: That of the paper.
PUBLISHED = Extent()


def run(
    documents: Path | None,
    files: Path | None,
    parameters: Parameters,
    extent: Extent = PUBLISHED,
) -> Report:
    """Report everything the paper does, and how its best combination fares on many files.

    Args:
        documents: the folder of texts that ``collection.CUTS`` names; None: stand-ins.
        files: texts, a folder or a Parquet file with a column ``text``; None: stand-ins.
        parameters: what the paper leaves open.
        extent: how large it is.
    """
    seed = parameters.seed
    if documents is None:
        parts = collection.generated(seed, extent.sizes)
    else:
        parts = collection.cut(documents, seed)
    texts = collection.documents(parts)
    readings = experiment.readings(parameters)
    scored = {name: experiment.outcomes(texts.values(), p) for name, p in readings.items()}
    asked = many.generated(extent.files, seed) if files is None else many.texts(files)
    said = {name: many.answers(asked, BEST, p) for name, p in readings.items()}
    rows = [
        *observations.of_scores(scored),
        *observations.of_variations(scored),
        *observations.of_lengths(scored, texts),
        *observations.of_expectations(),
        *observations.of_many(said, str(BEST)),
    ]
    columns = ("observation", "published", *scored)
    return Report(
        exhibits=[
            tables.grams(),
            tables.documents(texts),
            tables.top(scored),
            tables.zones(scored),
            *(tables.best(reading, outcomes) for reading, outcomes in scored.items()),
            tables.frequencies(scored),
            tables.chances(list(texts.values()), parameters, extent.multipliers),
            exhibit("observations", "Observations", columns, rows),
            tables.scores(scored),
            tables.numbers(scored["hash codes"], list(texts)),
        ],
        pictures=[Picture("frequencies", lambda axes: tables.draw_frequencies(axes, scored))],
    )
