"""Which pairs are to be found, which are not, and which count neither way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from benchmarks.accuracy.documents import Documents
from benchmarks.accuracy.labels import Pair, PairLabels


@dataclass(frozen=True, slots=True)
class Question:
    r"""What is asked of the product and of the labels.

    Attributes:
        resemblance: pairs labelled so or higher are to be found.
        shingle: tokens per shingle, as the labels were measured.
        min_words: the fewest ``\w+`` tokens of a document that counts.
        band: labelled pairs from here up to the resemblance count neither way.
    """

    resemblance: float
    shingle: int
    min_words: int
    band: float


@dataclass(frozen=True, slots=True)
class Truth:
    """What is known of the pairs of ``scope``; a pair that is not ``known`` is far apart."""

    scope: frozenset[str]
    known: Mapping[Pair, float]
    wanted: frozenset[Pair]
    ignored: frozenset[Pair]

    @property
    def unrelated(self) -> int:
        """The number of pairs that are neither to be found nor ignored."""
        pairs = len(self.scope) * (len(self.scope) - 1) // 2
        return pairs - len(self.wanted) - len(self.ignored)

    def inside(self, answer: Mapping[Pair, float]) -> dict[Pair, float]:
        """The pairs of an answer whose two documents count."""
        return {names: value for names, value in answer.items() if self.scope.issuperset(names)}


def truth(labels: PairLabels, documents: Documents, question: Question) -> Truth:
    """What the labels say of the documents that are long enough."""
    scope = frozenset(
        name for name in labels.scope if len(documents.tokens(name)) >= question.min_words
    )
    known = {names: value for names, value in labels.resemblance.items() if scope.issuperset(names)}
    wanted = {names for names, value in known.items() if value >= question.resemblance}
    ignored = {names for names, value in known.items() if value >= question.band} - wanted
    return Truth(scope, known, frozenset(wanted), frozenset(ignored))
