"""Whose answer is scored on labelled pairs: the product's, or another package's."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyarrow as pa

from benchmarks import peers
from benchmarks.accuracy import scan
from benchmarks.accuracy.documents import Documents
from benchmarks.accuracy.labels import Pair, pair
from benchmarks.accuracy.truth import Question, Truth

#: From documents, what is known of them and what is asked to the pairs that are near-duplicates,
#: each with its resemblance.
Answer = Callable[[Documents, Truth, Question], dict[Pair, float]]


def scanned(options: Sequence[str]) -> Answer:
    """That of `ilk scan --format pairs` with more options."""

    def answer(documents: Documents, _: Truth, question: Question) -> dict[Pair, float]:
        asked = ["--resemblance", str(question.resemblance), "--shingle", str(question.shingle)]
        return scan.pairs(documents, [*asked, *options])

    return answer


def asked(peer: str) -> Answer:
    """That of another package, one of ``peers.DOCUMENTED``; it sees the documents that count.

    Whether the package estimates a resemblance or none, its pairs are taken at their word.
    """

    def answer(documents: Documents, truth: Truth, question: Question) -> dict[Pair, float]:
        names = sorted(truth.scope)
        texts = [documents.files[n].read_bytes().decode("utf-8", "replace") for n in names]
        column = pa.array(texts, pa.large_string())
        near = peers.documented_pairs(peer, column, question.resemblance, question.shingle)
        rows = zip(near["left"].to_pylist(), near["right"].to_pylist(), strict=True)
        return {pair(names[left], names[right]): 1.0 for left, right in rows}

    return answer
