"""The labelled sets that stand beside the checkout of some developers, and their scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks.accuracy import answers, evaluate
from benchmarks.accuracy.truth import Question
from benchmarks.corpus import DATA
from benchmarks.rows import aligned

LABELS = DATA / "labels"

#: Folders, the labels of their pairs, and the words per shingle that these were measured with.
PAIRS = (
    ("quic-drafts", "jaccard-oracle-quic.tsv", 5),
    ("spdx", "jaccard-oracle-spdx.tsv", 5),
    ("scancode-licenses", "jaccard-oracle-sclic.tsv", 5),
    ("gutenberg-editions", "jaccard-oracle-gut.tsv", 5),
    ("udhr-nltk/udhr2", "jaccard-oracle-udhr.tsv", 3),
    ("debian-docs", "jaccard-oracle-ddoc.tsv", 5),
    ("roth-v1", "jaccard-oracle-rothv1.tsv", 5),
)

#: Folders and the labels of their families.
_FAMILIES = (
    ("gutenberg-editions", "gutenberg-families.tsv"),
    ("quic-drafts", "quic-draft-families.tsv"),
)

#: Folders and the labels of their versions; None where the names tell them.
_VERSIONS = (
    ("quic-drafts", "quic-draft-families.tsv"),
    ("spdx", None),
    ("debian-docs", None),
)


def lines(resemblance: float, min_words: int, band: float, options: Sequence[str]) -> Iterator[str]:
    """Four tables, and under the first every deviation that was given.

    Clusters are those of a scan with ``options`` only, as a user without an opinion gets them.
    """
    questions = {
        folder: (LABELS / file, Question(resemblance, width, min_words, band))
        for folder, file, width in PAIRS
    }
    scored = {
        folder: evaluate.score_pairs(DATA / folder, *asked, answers.scanned(options))
        for folder, asked in questions.items()
    }
    yield from _table(f"pairs at {resemblance}", scored)
    for folder, scores in scored.items():
        for kind in ("missed", "wrong"):
            for row in scores[f"first_{kind}"]:
                yield f"{kind} in {folder}: {row}"
    yield ""
    curves = {
        folder: _on_one_line(evaluate.score_curve(DATA / folder, *asked, options))
        for folder, asked in questions.items()
    }
    yield from _table("at every resemblance", curves)
    yield ""
    clustered = {
        folder: evaluate.score_clusters(DATA / folder, LABELS / file, options)
        for folder, file in _FAMILIES
    }
    yield from _table("clusters", clustered)
    yield ""
    versions = {
        folder: evaluate.score_versions(DATA / folder, LABELS / file if file else None, options)
        for folder, file in _VERSIONS
    }
    yield from _table("versions", versions)


def _on_one_line(curve: dict[str, Any]) -> dict[str, Any]:
    """What a table has room for: the best threshold, and recall at the false-positive rates."""
    rates = curve["recall_at_false_rate"].items()
    best = {f"best_{name}": value for name, value in curve["best"].items()}
    return {**curve, **best, **{f"recall_at_{rate}": found["recall"] for rate, found in rates}}


def _table(title: str, scored: dict[str, dict[str, Any]]) -> list[str]:
    """A line per set, a column per score that is a number."""
    first = next(iter(scored.values()))
    columns = [name for name, value in first.items() if isinstance(value, int | float)]
    body = [[folder, *(_cell(s[column]) for column in columns)] for folder, s in scored.items()]
    return aligned([[title, *columns], *body], right=range(1, len(columns) + 1))


def _cell(value: float | None) -> str:
    if value is None:
        return "none"
    return f"{value:.4f}" if isinstance(value, float) else f"{value:,}"
