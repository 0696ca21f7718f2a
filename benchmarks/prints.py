"""Fingerprints of texts, against those of other packages."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

import ilk
from benchmarks import corpus, timing
from benchmarks.peers import prints as peers
from benchmarks.rows import Row, WrongAnswerError
from ilk.fingerprints.recipe import Recipe

#: Texts; the slowest package takes a minute for them.
_COUNT = 4000

#: Part of the words of a copy that are others: of its shingles of three, half.
_REWORDED = 0.2

#: By how much the numbers that a text and its copy have in common must exceed those of two texts.
_MORE = 0.15

Prints = Callable[[pa.Array], np.ndarray[Any, Any]]


def _fingerprints(recipe: Recipe, texts: pa.Array) -> np.ndarray[Any, Any]:
    """Fingerprints of 64 bits, as bits."""
    values = ilk.fingerprint(texts, recipe).fill_null(0).to_numpy()
    return np.unpackbits(values.view(np.uint8).reshape(-1, 8), axis=1)


def _signatures(texts: pa.Array) -> np.ndarray[Any, Any]:
    found = ilk.minhash.signatures(texts, Recipe(minimum=1), size=128)
    return np.asarray(found.values).reshape(len(texts), -1)


_OURS: dict[str, Prints] = {
    "1-bit MinHash, 64 bits": partial(_fingerprints, Recipe(minimum=1)),
    "MinHash signatures of 128": _signatures,
    "SimHash, 64 bits": partial(_fingerprints, Recipe("simhash", weight="tf", minimum=1)),
}

_YARDSTICK = "SimHash, 64 bits"


def run() -> list[Row]:
    """MB of text per CPU second, from a column or list of texts to fingerprints of three words."""
    texts = corpus.distinct()
    some = corpus.Corpus(f"{_COUNT} {texts.name}", texts.texts.slice(0, _COUNT))
    copies = corpus.reworded(some.texts, _REWORDED, 1)
    for name, ours in _OURS.items():
        _check(f"ilk {name}", ours(some.texts), ours(copies))
    seconds = timing.medians(
        {name: partial(timing.cpu, partial(ours, some.texts)) for name, ours in _OURS.items()}
    )
    found = {f"ilk {name}": some.megabytes / cost for name, cost in seconds.items()}
    if reason := peers.missing():
        print(reason, file=sys.stderr)
    else:
        found |= {name: _peer(name, some, copies) for name in peers.NAMES}
    yardstick = found[f"ilk {_YARDSTICK}"]
    return [
        Row(
            f"prints: {name}, {some.name}",
            speed,
            "MB/CPU-s",
            speed / yardstick,
            f"ilk {_YARDSTICK}",
        )
        for name, speed in found.items()
    ]


def _peer(name: str, texts: corpus.Corpus, copies: pa.Array) -> float:
    answer = peers.prints(name, texts.texts)
    _check(name, answer.numbers, peers.prints(name, copies).numbers)
    return texts.megabytes / answer.cpu


def _check(name: str, prints: np.ndarray[Any, Any], copies: np.ndarray[Any, Any]) -> None:
    """Refuse fingerprints by which copies are no nearer to their texts than others are.

    Raises:
        WrongAnswerError: they are not.
    """
    near = (prints == copies).mean()
    far = (prints == np.roll(copies, 1, axis=0)).mean()
    if near < far + _MORE:
        raise WrongAnswerError(
            f"{name}: a text and its copy have {near:.0%} in common, two texts {far:.0%}"
        )
