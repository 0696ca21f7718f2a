"""Pages of one template, few of them near-duplicates: what separates these from the others.

Henzinger (2006) found both classic methods to fail on pairs of pages of one site: over all sites
precision was 0.38 with shingles and 0.50 with SimHash, and 0.79 where both had to agree.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa

import ilk
from benchmarks.accuracy import markdown
from benchmarks.accuracy.pairs import precision_recall
from benchmarks.accuracy.recipes import unrelated
from benchmarks.accuracy.recipes.edited import USUAL
from benchmarks.accuracy.recipes.kin import NEAR
from benchmarks.accuracy.recipes.prints import Prints, Rows, Truths
from ilk_papers.measure.edits import FOREIGN, edit_text

Figures = dict[str, Any]

#: Shares of the words of a page that are the template's.
_SHARES = (0.5, 0.8, 0.9)

#: Templates, unrelated pages of each, and words of a page.
_TEMPLATES, _PAGES, _WORDS = 10, 50, 400

#: The share of a page's own words that is edited in its near-duplicate.
_EDITED = 0.02

#: The share of the true pairs that nomination alone shall find.
_RECALL = 0.95

#: Blocks in more pages are the template's.
_COMMON = 10

_SIMHASH = ilk.Recipe(kind="simhash", bits=128, width=1, weight="log")
_MINHASH = ilk.Recipe(kind="minhash", bits=128)


@dataclass(frozen=True, slots=True)
class Pages:
    """Pages of some templates, each beside its near-duplicate.

    Attributes:
        texts: n pages.
        left, right: the pairs of rows of one template.
        true: whether a pair has its own text in common, too.
    """

    texts: pa.Array
    left: Rows
    right: Rows
    true: Truths

    @classmethod
    def of(cls, texts: list[str], share: float) -> Pages:
        """Pages with a template as a share of their words, and unrelated texts as the rest."""
        full = [words for text in texts if len(words := text.split()[:_WORDS]) == _WORDS]
        common = int(share * _WORDS)
        pages = []
        for template in range(_TEMPLATES):
            head = " ".join(full[template][:common])
            first = _TEMPLATES + template * _PAGES
            for page, words in enumerate(full[first : first + _PAGES]):
                own = " ".join(words[common:])
                pages += [f"{head}\n\n{own}", f"{head}\n\n{_edited(own, page, full[-1 - page])}"]
        left, right = np.array(list(combinations(range(2 * _PAGES), 2))).T
        start = np.arange(0, len(pages), 2 * _PAGES)[:, None]
        true = np.tile((left % 2 == 0) & (right == left + 1), _TEMPLATES)
        return cls(
            pa.array(pages, pa.large_string()),
            (start + left).ravel(),
            (start + right).ravel(),
            true,
        )


def _edited(own: str, page: int, other: list[str]) -> str:
    kind, spread = USUAL[page % len(USUAL)]
    foreign = " ".join(other) if kind in FOREIGN else ""
    return edit_text(own, kind, _EDITED, spread=spread, seed=str(page), foreign=foreign)


def run() -> Figures:
    """By share of the template and way, precision, recall and F1 over the pairs of one template."""
    texts = unrelated.english().to_pylist()
    scores: Figures = {}
    for share in _SHARES:
        print(f"templates of {share:.0%}", file=sys.stderr, flush=True)
        pages = Pages.of(texts, share)
        simhash, minhash = (_nominated(pages, recipe) for recipe in (_SIMHASH, _MINHASH))
        answers = {
            "SimHash of words": simhash,
            "MinHash of 3-word shingles": minhash,
            "both": simhash & minhash,
            f"verified at {NEAR}": _verified(pages),
            f"verified at {NEAR}, common blocks left out": _verified(pages, common_blocks=_COMMON),
        }
        scores[str(share)] = {name: _score(pages, near) for name, near in answers.items()}
    return scores


def _nominated(pages: Pages, recipe: ilk.Recipe) -> Truths:
    """The pairs within the least radius on 64 bits that nominates enough of the true ones."""
    prints = Prints.of(ilk.fingerprint(pages.texts, recipe))
    distances = prints.between(pages.left, pages.right, 64)
    radius = np.quantile(distances[pages.true], _RECALL, method="inverted_cdf")
    return np.asarray(distances <= radius)


def _verified(pages: Pages, common_blocks: int | None = None) -> Truths:
    """The pairs that a scan nominates by fingerprint and verifies."""
    found = ilk.find(
        pages.texts, resemblance=NEAR, pairing="fingerprint", common_blocks=common_blocks
    )
    size = len(pages.texts)
    pairs = found.pairs["left"].to_numpy() * size + found.pairs["right"].to_numpy()
    return np.isin(pages.left * size + pages.right, pairs)


def _score(pages: Pages, near: Truths) -> dict[str, float]:
    right, given, wanted = ((near & pages.true).sum(), near.sum(), pages.true.sum())
    return precision_recall(int(right), int(given), int(wanted))


def lines(figures: Figures) -> Iterator[str]:
    """A line per way."""
    yield "precision / recall over the pairs of one template, by its share of the words\n"
    ways = list(next(iter(figures.values())))
    yield from markdown.table(
        ["", *(f"{float(share):.0%}" for share in figures)],
        ([way, *(_cell(scores[way]) for scores in figures.values())] for way in ways),
    )


def _cell(scores: dict[str, float]) -> str:
    return f"{scores['precision']:.3f} / {scores['recall']:.3f}"
