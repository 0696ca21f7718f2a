"""The documents of a calibration, the request, and measures of pairs."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk import Recipe
from ilk.companions import Evidence, Query, Thresholds, judge_every_candidate_by_sets, verdicts
from ilk.plugins import Running, arrow


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationDocuments:
    """The documents of a calibration, and the request.

    Attributes:
        documents: the documents, with their fingerprints.
        texts: their texts; those that are copied are read again.
        evidence: their evidence.
        originals: rows of documents with text, each text once.
        query: what near-duplicates are, and how to make fingerprints.
        seed: the seed of random choices.
        running: how it runs.
    """

    documents: pa.Table
    texts: arrow.Texts
    evidence: Evidence
    originals: pa.Array
    query: Query
    seed: int
    running: Running

    @property
    def recipe(self) -> Recipe:
        """How to make fingerprints."""
        return self.query.recipe

    @property
    def min_resemblance(self) -> Fraction:
        """The least resemblance of near-duplicates."""
        assert self.query.resemblance is not None, "a calibration is about a resemblance"
        return self.query.resemblance

    def judge_pairs(self, left: pa.Array, right: pa.Array) -> pa.Table:
        """Judge pairs of documents: ``PAIRS`` in their order."""
        self.running.tell("measure pairs", 0, len(left))
        pairs = arrow.fit_columns_to_schema(
            pa.table({"left": left, "right": right}), arrow.CANDIDATES
        )
        return judge_every_candidate_by_sets(
            pairs,
            self.documents,
            evidence=self.evidence,
            thresholds=Thresholds(self.min_resemblance),
        )


class PairMeasures(NamedTuple):
    """Of each pair whether the two are near-duplicates, their distance and resemblance."""

    alike: list[bool]
    distances: list[int | None]
    resemblances: list[float]


def measure_pairs(pairs: pa.Table) -> PairMeasures:
    """Return for each pair whether the two are near-duplicates, their distance and their
    resemblance.
    """
    alike = pc.is_in(pairs["verdict"], pa.array(verdicts.SAME))
    return PairMeasures(
        alike.to_pylist(), pairs["distance"].to_pylist(), pairs["resemblance"].to_pylist()
    )
