"""From a folder of documents and a file of labels to scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.accuracy import clusters, labels, pairs, scan
from benchmarks.accuracy.documents import Documents


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of the product and of the labels; ``pairs.score`` says what the fields mean."""

    resemblance: float
    shingle: int
    min_words: int
    band: float


def score_pairs(
    folder: Path, path: Path, question: Question, options: Sequence[str]
) -> dict[str, Any]:
    """The scores of `ilk scan --pairs` on a folder.

    Args:
        folder: the documents.
        path: known resemblances, as ``labels.read_pairs`` reads them.
        question: what is asked.
        options: more options of the scan.
    """
    documents = Documents(folder)
    known = labels.read_pairs(path, documents)
    asked = ["--resemblance", str(question.resemblance), "--shingle", str(question.shingle)]
    return pairs.score(
        scan.pairs(documents.folder, [*asked, *options]),
        known,
        documents,
        threshold=question.resemblance,
        band=question.band,
        width=question.shingle,
        min_words=question.min_words,
    )


def score_clusters(folder: Path, path: Path, options: Sequence[str]) -> dict[str, Any]:
    """The scores of `ilk scan` on a folder.

    Args:
        folder: the documents.
        path: known families, as ``labels.read_families`` reads them.
        options: options of the scan.
    """
    documents = Documents(folder)
    families = labels.read_families(path, documents)
    return clusters.score(scan.clusters(documents.folder, options), families)
