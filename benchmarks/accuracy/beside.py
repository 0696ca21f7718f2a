"""Other packages on the same questions, each with the settings of its documentation."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from benchmarks import peers
from benchmarks.accuracy import answers, evaluate, known, markdown
from benchmarks.accuracy.recipes import others
from benchmarks.accuracy.truth import Question
from benchmarks.corpus import DATA

Figures = dict[str, Any]

#: What is asked of everyone, as the sets ask it of the product.
_RESEMBLANCE, _MIN_WORDS, _BAND = 0.8, 50, 0.7

#: The product's ways, by what they are called here: options of a scan.
_SCANS = {
    "ilk": (),
    "ilk, 64-bit fingerprints": ("--fingerprint",),
    "ilk, 128-bit fingerprints": ("--fingerprint", "pairing=fingerprint,recipe=precise"),
}


def run() -> Figures:
    """The scores of everyone on labelled pairs, by set, and on edited copies.

    Raises:
        SystemExit: the packages' environment is not there.
    """
    if reason := peers.missing():
        raise SystemExit(f"no other packages to score: {reason}")
    return {"labelled": _labelled(), "copies": others.run()}


def _labelled() -> Figures:
    """By set and way what ``pairs`` scores; deviations are counted and not told."""
    ways = {
        **{name: answers.scanned(options) for name, options in _SCANS.items()},
        **{name: answers.asked(name) for name in peers.DOCUMENTED},
    }
    scores: Figures = {}
    for folder, file, width in known.PAIRS:
        question = Question(_RESEMBLANCE, width, _MIN_WORDS, _BAND)
        scores[folder] = {}
        for name, answer in ways.items():
            print(f"{folder}: {name}", file=sys.stderr, flush=True)
            scored = evaluate.score_pairs(DATA / folder, known.LABELS / file, question, answer)
            scores[folder][name] = {
                key: value for key, value in scored.items() if not key.startswith("first")
            }
    return scores


def lines(figures: Figures) -> Iterator[str]:
    """Pairs by set, and edited copies."""
    labelled = figures["labelled"]
    yield (
        f"pairs at {_RESEMBLANCE}: recall / precision / F1; ilk reads the whole folder and "
        "verifies, the packages see the documents that count and are taken at their word, "
        "text-dedup for all pairs of its clusters\n"
    )
    ways = list(next(iter(labelled.values())))
    yield from markdown.table(
        ["", *labelled],
        ([way, *(_cell(scores[way]) for scores in labelled.values())] for way in ways),
    )
    yield from others.lines(figures["copies"])


def _cell(scores: Figures) -> str:
    return " / ".join(f"{scores[part]:.3f}" for part in ("recall", "precision", "f1"))
