"""Recall and precision on real documents whose exact resemblances are known.

The labels count shingles of lower-cased ``\\w+``, for texts of any length. ilk's words differ:
an underscore ends a word, texts are normalised and folded, marks belong to words. ``floors.json``
pins what follows of that, pair by pair with its reason.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from benchmarks.accuracy import evaluate

import ilk
from tests.reference import text as reference

FLOORS: dict[str, Any] = json.loads((Path(__file__).parent / "floors.json").read_text())
LEAST = 0.8

#: Resemblances by pair of paths, as the labels write them.
Known = dict[frozenset[str], float]


def _labels(path: Path, digest: str) -> list[list[str]]:
    """The rows of a labels file, which must be the one that the floors were taken from."""
    content = path.read_bytes()
    assert hashlib.sha256(content).hexdigest() == digest, f"{path.name} is not the pinned one"
    return [line.split("\t") for line in content.decode().splitlines()]


def _names(found: ilk.Result, data: Path) -> list[str]:
    """Per document its path as the labels write it."""
    return [source.removeprefix(f"{data}/") for source in found.documents["source"].to_pylist()]


def _printed(found: ilk.Result, data: Path) -> Known:
    """The resemblance of every pair that was found."""
    names = _names(found, data)
    return {
        frozenset((names[row["left"]], names[row["right"]])): row["resemblance"]
        for row in found.pairs.to_pylist()
    }


def _wanted(labels: Known, texts: dict[str, str]) -> set[frozenset[str]]:
    """The pairs at the threshold of texts that are long enough to be measured by words."""
    long = _long(texts)
    return {pair for pair, known in labels.items() if known >= LEAST and pair <= long}


def _long(texts: dict[str, str]) -> set[str]:
    return {n for n, text in texts.items() if len(re.findall(r"\w+", text.lower())) >= 50}


@functools.lru_cache(maxsize=1)
def _scanned(name: str, data: Path) -> tuple[dict[str, str], Known, Known]:
    """The texts of a set, the pairs that are printed, and those that the labels know."""
    floor = FLOORS["pairs"][name]
    path = data / "labels" / f"jaccard-oracle-{floor['labels']}.tsv"
    labels = {
        frozenset((left, right)): float(resemblance)
        for left, right, resemblance in _labels(path, floor["sha256"])
    }
    found = ilk.find(data / floor["folder"], resemblance=LEAST, shingle=floor["shingle"])
    texts = zip(_names(found, data), found.documents["text"].to_pylist(), strict=True)
    return dict(texts), _printed(found, data), labels


def _sorted(pairs: set[frozenset[str]]) -> list[list[str]]:
    return sorted(sorted(pair) for pair in pairs)


@pytest.mark.parametrize("name", FLOORS["pairs"])
def test_pairs_are_those_of_the_labels(name: str, data: Path) -> None:
    floor = FLOORS["pairs"][name]
    texts, printed, labels = _scanned(name, data)
    assert len(texts) == floor["documents"]
    assert min(printed.values()) >= LEAST
    wanted, long = _wanted(labels, texts), _long(texts)
    more = {pair for pair in printed if pair <= long and labels.get(pair, 0.0) < LEAST}
    assert len(wanted) == floor["pairs"]
    assert _sorted(wanted - printed.keys()) == []
    assert _sorted(more) == sorted(deviation["pair"] for deviation in floor["more"])
    for deviation in floor["more"]:
        left, right = deviation["pair"]
        pair = frozenset(deviation["pair"])
        assert deviation["why"]
        assert labels.get(pair) == deviation["label"]
        # It holds by the definition of ilk's words all the same.
        shared, *sizes = reference.resemblance(texts[left], texts[right], floor["shingle"])
        exact = Fraction(shared, sum(sizes) - shared)
        assert exact >= Fraction(str(LEAST))
        assert printed[pair] == float(exact)


@pytest.mark.parametrize("name", FLOORS["pairs"])
def test_fingerprints_nominate_the_pairs_of_the_labels(name: str, data: Path) -> None:
    floor = FLOORS["pairs"][name]
    texts, printed, labels = _scanned(name, data)
    found = ilk.find(
        data / floor["folder"], resemblance=LEAST, shingle=floor["shingle"], pairing="fingerprint"
    )
    nominated = _printed(found, data)
    # Verified as the exact join's pairs are: not one is told that it does not tell, or otherwise.
    assert nominated.items() <= printed.items()
    assert len(_wanted(labels, texts) & nominated.keys()) >= floor["nominated"]


@pytest.mark.parametrize("name", FLOORS["versions"])
def test_closer_versions_come_out_closer(name: str, data: Path) -> None:
    """Spearman's rank correlation of resemblance and nearness, on average over the families."""
    floor = FLOORS["versions"][name]
    path = floor["labels"] and data / "labels" / f"{floor['labels']}.tsv"
    if path:
        _labels(path, floor["sha256"])
    scores = evaluate.score_versions(data / name, path, [])
    assert scores["pairs"] == floor["pairs"]
    assert scores["spearman"] >= floor["spearman"]


@pytest.mark.parametrize("name", [n for n, floor in FLOORS["pairs"].items() if floor["compared"]])
def test_resemblances_are_those_of_the_labels(name: str, data: Path) -> None:
    """Of texts whose words are beyond doubt: ASCII without underscores; labels have four digits."""
    texts, printed, labels = _scanned(name, data)
    plain = {
        n
        for n, text in texts.items()
        if text.isascii() and "_" not in text and len(re.findall(r"\w+", text)) >= 50
    }
    compared = {pair for pair, known in labels.items() if known >= LEAST and pair <= plain}
    for pair in compared:
        assert printed[pair] == pytest.approx(labels[pair], abs=0.00005001)
    assert len(compared) == FLOORS["pairs"][name]["compared"]


def test_editions_of_a_book_share_a_cluster_and_no_two_books_do(data: Path) -> None:
    floor = FLOORS["editions"]
    rows = _labels(data / "labels" / "gutenberg-families.tsv", floor["sha256"])
    books = {source: book for source, book, *_ in rows}
    found = ilk.find(data / "gutenberg-editions")
    names = _names(found, data)
    # One more than the labels have: a read-me file that is no edition of a book.
    assert len(names) == floor["documents"] == len(books) + 1
    clusters = {names[row["doc"]]: row["cluster"] for row in found.clusters.to_pylist()}
    for one, other in combinations(clusters, 2):
        if clusters[one] == clusters[other]:
            assert books[one] == books[other]
    pairs = [pair for pair in combinations(books, 2) if books[pair[0]] == books[pair[1]]]
    together = sum(one in clusters and clusters[one] == clusters.get(other) for one, other in pairs)
    assert len(pairs) == floor["pairs"]
    assert together == floor["together"]
    assert not found.alarm
