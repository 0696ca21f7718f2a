"""From documents and a file of labels to scores."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.accuracy import clusters, curve, fitting, graded, labels, pairs, scan
from benchmarks.accuracy.answers import Answer
from benchmarks.accuracy.documents import Documents, opened
from benchmarks.accuracy.truth import Question, Truth, truth

Scores = dict[str, Any]


def score_pairs(source: Path, path: Path, question: Question, answer: Answer) -> Scores:
    """The scores of an answer about pairs.

    Args:
        source: the documents, as ``documents.opened`` takes them.
        path: known resemblances, as ``labels.read_pairs`` reads them.
        question: what is asked.
        answer: whose answer is scored.
    """
    with opened(source, path) as documents:
        known = _known(path, documents, question)
        printed = answer(documents, known, question)
        return pairs.score(printed, known, documents, question.shingle)


def score_curve(source: Path, path: Path, question: Question, options: Sequence[str]) -> Scores:
    """The scores of `ilk scan --format pairs` with more options at every resemblance."""
    with opened(source, path) as documents:
        known = _known(path, documents, question)
        printed = scan.likeness(documents, ["--shingle", str(question.shingle), *options])
        return curve.score(printed, known)


def _known(path: Path, documents: Documents, question: Question) -> Truth:
    """What the labels say; a note on stderr if they seem to answer another question."""
    known = labels.read_pairs(path, documents)
    if told := fitting.note(known.resemblance, documents, question.shingle):
        print(told, file=sys.stderr)
    return truth(known, documents, question)


def score_clusters(source: Path, path: Path, options: Sequence[str]) -> Scores:
    """The scores of `ilk scan`.

    Args:
        source: the documents, as ``documents.opened`` takes them.
        path: known families, as ``labels.read_families`` reads them.
        options: options of the scan.
    """
    with opened(source, path) as documents:
        families = labels.read_families(path, documents)
        return clusters.score(scan.clusters(documents, options), families)


def score_grades(source: Path, path: Path, options: Sequence[str]) -> Scores:
    """The rank correlation of resemblances with grades, as ``labels.read_grades`` reads them."""
    with opened(source, path) as documents:
        grades = {path.stem: labels.read_grades(path, documents)}
        return graded.score(scan.likeness(documents, options), grades)


def score_versions(source: Path, path: Path | None, options: Sequence[str]) -> Scores:
    """The rank correlation of resemblances with the nearness of versions.

    Args:
        source: the documents, as ``documents.opened`` takes them.
        path: versions, as ``labels.read_versions`` reads them; None where the names tell them.
        options: options of the scan.
    """
    with opened(source, *([path] if path else [])) as documents:
        told = (
            labels.read_versions(path, documents) if path else graded.versions_in(documents.files)
        )
        return graded.score(scan.likeness(documents, options), graded.by_version(told))
