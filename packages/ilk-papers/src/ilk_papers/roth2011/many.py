"""The paper's best combination on 10,000 files, where its author later found it to fail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import ilk
from ilk.companions import ALONE
from ilk.companions import read as readers
from ilk.plugins import NothingRead
from ilk_papers.roth2011.methods import Combination, Parameters, compute_number
from ilk_papers.roth2011.scoring import exclusive_reach_of_similar
from ilk_papers.seeded import draw_below, seeded_draw
from ilk_papers.standins import make_stand_in

FILES = 10_000

#: What counts as near-duplicate: the resemblance of the sets of word 3-shingles.
RESEMBLANCE = 0.8

#: One generated file in ten is an earlier one with a sentence put in front.
_COPIED = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class CombinationAnswers:
    """What a combination says about all ordered pairs of different files, and what is true."""

    files: int
    files_with_number_0: int
    pairs_said_similar: int
    true_pairs: int
    true_pairs_said_similar: int

    @property
    def share_said_similar(self) -> float:
        """Of all ordered pairs, those within 30 %."""
        return self.pairs_said_similar / max(1, self.files * (self.files - 1))

    @property
    def precision(self) -> float:
        """Of the pairs within 30 %, those that are near-duplicates."""
        return self.true_pairs_said_similar / max(1, self.pairs_said_similar)

    @property
    def recall(self) -> float:
        """Of the near-duplicates, those within 30 %."""
        return self.true_pairs_said_similar / max(1, self.true_pairs)


def measure_precision_and_recall(
    texts: Sequence[str], combination: Combination, parameters: Parameters
) -> CombinationAnswers:
    """Ask of every two texts whether they are similar, in both directions."""
    # Python's integers: an exact value has hundreds of digits.
    numbers = np.array([compute_number(text, combination, parameters) for text in texts], object)
    within = exclusive_reach_of_similar(numbers)
    ordered = np.sort(numbers)
    first = np.searchsorted(ordered, numbers - within, "right")
    last = np.searchsorted(ordered, numbers + within, "left")
    # A number is within its own reach unless that is 0.
    similar = np.maximum(last - first, 0).sum() - np.count_nonzero(within)
    pairs = ilk.find(pa.array(texts, pa.large_string()), resemblance=RESEMBLANCE).pairs
    left, right = (pairs[side].to_numpy() for side in ("left", "right"))
    apart = np.abs(numbers[left] - numbers[right])
    both = np.count_nonzero(apart < within[left]) + np.count_nonzero(apart < within[right])
    zero = int(np.count_nonzero(numbers == 0))
    return CombinationAnswers(
        files=len(texts),
        files_with_number_0=zero,
        pairs_said_similar=int(similar),
        true_pairs=2 * len(pairs),
        true_pairs_said_similar=int(both),
    )


def read_first_texts(source: Path, max_texts: int = FILES) -> list[str]:
    """Return the first texts of a folder, or of a Parquet file's column ``text``.

    Raises:
        NothingRead: there are no texts.
    """
    if source.suffix == ".parquet":
        batches = pq.ParquetFile(source).iter_batches(columns=["text"])
    else:
        batches = readers.read_documents(source, readers.PLAINLY, ALONE, readers.ReadReport())
    texts = chain.from_iterable(batch.column("text").to_pylist() for batch in batches)
    read = list(islice((text for text in texts if text is not None), max_texts))
    if not read:
        raise NothingRead(f"{source} contains no texts; name a folder of texts, or a Parquet file.")
    return read


def generate_documents_with_near_copies(count: int, seed: int) -> list[str]:
    """Return stand-ins of 60 to 600 words, every tenth an earlier one with words in front."""
    draw = seeded_draw(seed)
    texts: list[str] = []
    for at in range(count):
        words = 60 + draw_below(draw, 540)
        if at % _COPIED == _COPIED - 1:
            texts.append(make_stand_in("prose", 6 * 8, 8, at) + texts[draw_below(draw, at)])
        else:
            texts.append(make_stand_in("prose", 6 * words, words, at))
    return texts
