"""The documents of a calibration, what is asked of them, and pairs of them measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import pyarrow as pa
import pyarrow.compute as pc

from ilk import columns, steps
from ilk.columns import verdicts
from ilk.recipes.recipe import Recipe
from ilk.search.sought import Sought
from ilk.system.running import Running


@dataclass(frozen=True, slots=True)
class Drawn:
    """The documents of a calibration, and what is asked of them.

    Attributes:
        documents: with their fingerprints.
        texts: their texts.
        originals: rows of documents with text, each text once.
        sought: what near-duplicates are, and how fingerprints are made.
        seed: what decides what is drawn.
        running: how it runs.
        together: bytes of text that are measured at a time; nothing depends on it.
    """

    documents: pa.Table
    texts: pa.ChunkedArray
    originals: pa.Array
    sought: Sought
    seed: int
    running: Running
    together: int = 1 << 27

    @property
    def recipe(self) -> Recipe:
        """How fingerprints are made."""
        return self.sought.recipe

    @property
    def least(self) -> Fraction:
        """The least resemblance of near-duplicates."""
        assert self.sought.resemblance is not None, "a calibration is about a resemblance"
        return self.sought.resemblance

    def lengths(self, rows: pa.Array) -> pa.Array:
        """Return how many bytes some documents have."""
        return columns.flat(pc.fill_null(self.documents["length"].take(rows), 0))

    def parts(self, sizes: pa.Array) -> Iterator[tuple[int, int]]:
        """Return the rows that are measured at a time: the first, and the one after the last.

        Args:
            sizes: bytes of text of every row.
        """
        part = pc.divide(pc.cumulative_sum(sizes), self.together)
        before = part.slice(0, max(0, len(part) - 1))
        changes = pc.indices_nonzero(pc.not_equal(part.slice(1), before))
        return pairwise([0, *(row + 1 for row in changes.to_pylist()), len(sizes)])

    def pairs(self, left: pa.Array, right: pa.Array) -> Iterator[pa.Table]:
        """Measure pairs of documents: ``PAIRS`` in their order, some at a time."""
        for start, end in self.parts(pc.add(self.lengths(left), self.lengths(right))):
            self.running.tell("measure pairs", start, len(left))
            rows = pa.table({"left": left[start:end], "right": right[start:end]})
            yield steps.verify(
                columns.padded(rows, columns.CANDIDATES),
                self.documents,
                self.texts,
                resemblance=self.least,
                containment=None,
                shingle=self.sought.shingle,
                jobs=self.running.jobs,
            )


def measured(pairs: pa.Table) -> tuple[list[bool], list[int | None], list[float]]:
    """Return per pair whether the two are near-duplicates, their distance and their resemblance."""
    alike = pc.is_in(pairs["verdict"], pa.array(verdicts.SAME))
    return alike.to_pylist(), pairs["distance"].to_pylist(), pairs["resemblance"].to_pylist()
