"""Sets of unrelated texts; and texts that have nothing but a template in common.

What is related by nature is found by the exact join and left out.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import ilk
from benchmarks import corpus
from benchmarks.accuracy.recipes import kin, stop
from benchmarks.accuracy.recipes.prints import Rows

#: Texts of a set, and how many documents of the corpus are looked through for them.
_TEXTS, _SEEN = 3_000, 12_000

#: Words of an English text, at least and at most.
_SHORTEST, _LONGEST = 150, 600

#: The share of function words from which on a text is English prose.
_PROSE = 0.3

#: Words at the beginning and the end of a book's file that are not the book's.
_FRONT, _BACK = 1_000, 4_000

#: Characters of a piece of a translation.
_PIECE = 900

#: Two texts at that resemblance are related: measured by words, and lines by characters, which
#: any two texts of one language share.
_RELATED, _RELATED_LINES = 0.1, 0.2

#: Templates, the texts that each stands in, and the words of such a text.
_TEMPLATES, _FILLED, _WORDS = 10, 100, 400


@dataclass(frozen=True, slots=True)
class Filled:
    """Texts in which a template stands before some text of their own.

    Attributes:
        texts: n texts.
        left, right: the pairs of rows that have the same template, and nothing else in common.
    """

    texts: pa.Array
    left: Rows
    right: Rows


def sets() -> Iterator[tuple[str, pa.Array]]:
    """The sets, by name."""
    yield "english", english()
    yield "languages", _unrelated(_translations(), _RELATED)
    lines = kin.lines(_drawn())
    yield kin.SHORT, _unrelated(lines.take(kin.sample(len(lines), 2 * _TEXTS)), _RELATED_LINES)


def english() -> pa.Array:
    """Documents, licences and pieces of books."""
    licences = (text for folder in kin.FOLDERS["licences"] for text in kin.read(folder))
    texts = _column([*_drawn().to_pylist(), *licences])
    prose = pc.and_(
        pc.greater_equal(stop.share(texts), _PROSE),
        pc.greater_equal(kin.words(texts), _SHORTEST),
    )
    cut = [" ".join(text.split()[:_LONGEST]) for text in texts.filter(prose).to_pylist()]
    return _unrelated(_column([*_books(), *cut]), _RELATED)


def filled(texts: pa.Array, share: float) -> Filled:
    """Texts with a template as a share of their words.

    Args:
        texts: unrelated ones, whose words are taken.
        share: of the words, above 0 and below 1.
    """
    words = [text.split()[:_WORDS] for text in texts.to_pylist()]
    full = [some for some in words if len(some) == _WORDS]
    common = int(share * _WORDS)
    made = [
        " ".join(full[template][:common] + own[common:])
        for template in range(_TEMPLATES)
        for own in full[_TEMPLATES + template * _FILLED :][:_FILLED]
    ]
    left, right = np.array(list(itertools.combinations(range(_FILLED), 2))).T
    first = np.arange(0, _TEMPLATES * _FILLED, _FILLED)[:, None]
    return Filled(_column(made), (first + left).ravel(), (first + right).ravel())


def _column(texts: list[str]) -> pa.Array:
    return pa.array(texts, pa.large_string())


def _drawn() -> pa.Array:
    """Some of the documents of the corpus."""
    texts = corpus.distinct().texts
    return texts.take(kin.sample(len(texts), _SEEN))


def _books() -> list[str]:
    """Pieces of the books, each in one edition."""
    editions: dict[str, Path] = {}
    for path in sorted((corpus.DATA / "gutenberg-editions").rglob("*.txt")):
        editions.setdefault(path.relative_to(corpus.DATA).parts[1], path)
    pieces = []
    for path in editions.values():
        words = path.read_bytes().decode("utf-8", "replace").split()[_FRONT:-_BACK]
        starts = range(0, len(words) - _LONGEST, _LONGEST)
        pieces += [" ".join(words[start : start + _LONGEST]) for start in starts]
    return pieces


def _translations() -> pa.Array:
    """Pieces of one declaration in hundreds of languages."""
    return _column(
        [
            text[start : start + _PIECE]
            for text in corpus.multilingual().texts.to_pylist()
            for start in range(0, len(text) - _PIECE, _PIECE)
        ]
    )


def _unrelated(texts: pa.Array, related: float) -> pa.Array:
    """Some of the texts, at random: of related ones the first."""
    texts = texts.take(kin.sample(len(texts), len(texts)))
    pairs = ilk.sets.pairs(texts, related, shingle=kin.SHINGLE)
    kept = np.ones(len(texts), bool)
    # Sorted by the left row: by then it is known whether that one is kept.
    for left, right in zip(pairs["left"].to_numpy(), pairs["right"].to_numpy(), strict=True):
        kept[right] &= not kept[left]
    return texts.filter(pa.array(kept)).slice(0, _TEXTS)
