"""The edits that the paper did not try, and why its deletions look worse than its insertions.

Its insertions copy a run of the file's own text: features that the fingerprint has already. Text
that is not from the file costs about as many bits as text that is taken away.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import ilk
from ilk_papers.measure.edits import edit_text

#: An edit of ``ilk_papers.measure.edits``, and whether it is one block or scattered.
RUNS = {
    "own text inserted (the paper)": ("insert-own", "block"),
    "text removed (the paper)": ("delete", "block"),
    "foreign text inserted": ("insert-foreign", "block"),
    "own words scattered in": ("insert-own", "scattered"),
    "foreign words scattered in": ("insert-foreign", "scattered"),
    "words removed here and there": ("delete", "scattered"),
    "words replaced here and there": ("replace", "scattered"),
    "a block moved": ("move", "block"),
}

#: How much of the words is touched, in per cent.
PERCENTS = (5, 10, 20, 40, 60, 80)

#: Characters that are taken of a text, and how many texts are edited.
CHARACTERS, _TEXTS = 6_000, 40


@dataclass(frozen=True, slots=True)
class EditRun:
    """What one edit does: the distance of each edited text to its original, in bits.

    Texts that are too short for a fingerprint, before or after, are not among them.
    """

    name: str
    percent: int
    distances: NDArray[np.int64]

    @property
    def mean_distance_or_none(self) -> float | None:
        """The mean distance, unless there is no text."""
        return float(self.distances.mean()) if len(self.distances) else None


def sample_beginnings_preferring_long(beginnings: Sequence[str]) -> list[str]:
    """Return some of the beginnings of texts, evenly taken from the long ones, if there are any."""
    long = [text for text in beginnings if len(text) >= CHARACTERS] or beginnings
    return list(long[:: max(1, len(long) // _TEXTS)][:_TEXTS])


def measure_edit_runs(texts: Sequence[str], recipe: ilk.Recipe, seed: int) -> Iterator[EditRun]:
    """Yield every edit of ``RUNS`` by each of ``PERCENTS``; foreign text is the next one."""
    following = [*texts[1:], *texts[:1]]
    originals = _fingerprints(texts, recipe)
    for name, (kind, spread) in RUNS.items():
        for percent in PERCENTS:
            changes = [
                edit_text(
                    text,
                    kind,
                    percent / 100,
                    spread=spread,
                    seed=f"{seed} {name} {percent} {at}",
                    foreign=foreign,
                )
                for at, (text, foreign) in enumerate(zip(texts, following, strict=True))
            ]
            apart: pa.Array = ilk.hamming.distance(originals, _fingerprints(changes, recipe))
            yield EditRun(name, percent, apart.drop_null().to_numpy().astype(np.int64))


def _fingerprints(texts: Sequence[str], recipe: ilk.Recipe) -> pa.Array:
    return ilk.fingerprint(pa.array(texts, pa.large_string()), recipe)
