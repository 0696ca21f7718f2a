"""Recall and precision on documents whose resemblances are known: real ones, and ours.

The labels of real documents count shingles of lower-cased ``\\w+``, for texts of any length. ilk's
words differ: an underscore ends a word, texts are normalised and folded, marks belong to words.
``floors.json`` pins what follows of that, pair by pair with its reason. Those of the set that every
clone makes (`tests.labelled`) follow from how its documents were made, by ilk's rules for words.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from benchmarks.accuracy import clusters, evaluate
from benchmarks.accuracy.documents import opened
from benchmarks.accuracy.labels import read_families

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


def _printed(found: ilk.Result, data: Path) -> tuple[Known, Known]:
    """The resemblance of every pair that was found: at the threshold, and of numbers below it."""
    names = _names(found, data)
    printed: Known = {}
    numbers: Known = {}
    for row in found.pairs.to_pylist():
        below = row["verdict"] == "numbers_only" and row["resemblance"] < LEAST
        pairs = numbers if below else printed
        pairs[frozenset((names[row["left"]], names[row["right"]]))] = row["resemblance"]
    return printed, numbers


def _wanted(name: str, labels: Known, texts: dict[str, str]) -> set[frozenset[str]]:
    """The pairs at the threshold of texts that the labels measure as ilk does."""
    measured = _measured(name, texts)
    return {pair for pair, known in labels.items() if known >= LEAST and pair <= measured}


def _measured(name: str, texts: dict[str, str]) -> set[str]:
    """The texts of any length where the labels know short ones, or else those of 50 words."""
    least = FLOORS["pairs"][name].get("least_words", 50)
    return {n for n, text in texts.items() if len(re.findall(r"\w+", text.lower())) >= least}


@functools.lru_cache(maxsize=1)
def _scanned(name: str, data: Path) -> tuple[dict[str, str], Known, Known, Known]:
    """The texts of a set; the pairs that are printed: at the threshold, and of numbers below it;
    and the pairs that the labels know."""
    floor = FLOORS["pairs"][name]
    path = data / "labels" / f"jaccard-oracle-{floor['labels']}.tsv"
    labels = {
        frozenset((left, right)): float(resemblance)
        for left, right, resemblance in _labels(path, floor["sha256"])
    }
    found = ilk.find(data / floor["folder"], resemblance=LEAST, shingle=floor["shingle"])
    texts = found.texts(range(len(found.documents))).to_pylist()
    return dict(zip(_names(found, data), texts, strict=True)), *_printed(found, data), labels


@pytest.mark.parametrize("name", FLOORS["pairs"])
def test_pairs_below_the_threshold_differ_only_in_numbers(name: str, root: Path) -> None:
    """None more and none less: of the real sets, no two texts do."""
    texts, _, numbers, labels = _scanned(name, root)
    known = FLOORS["pairs"][name].get("numbers_only")
    lines = (root / "labels" / f"{known}.tsv").read_text().splitlines() if known else []
    wanted = {frozenset(line.split("\t")) for line in lines}
    assert numbers.keys() == {pair for pair in wanted if labels.get(pair, 0.0) < LEAST}
    assert bool(numbers) == bool(known)
    for left, right in map(sorted, numbers):
        plain = [reference.collapsed(reference.normalised(texts[each])) for each in (left, right)]
        assert len({reference.without_numbers(text) for text in plain}) == 1


def _sorted(pairs: set[frozenset[str]]) -> list[list[str]]:
    return sorted(sorted(pair) for pair in pairs)


@pytest.mark.parametrize("name", FLOORS["pairs"])
def test_pairs_are_those_of_the_labels(name: str, root: Path) -> None:
    floor = FLOORS["pairs"][name]
    texts, printed, _, labels = _scanned(name, root)
    assert len(texts) == floor["documents"]
    assert min(printed.values()) >= LEAST
    wanted, measured = _wanted(name, labels, texts), _measured(name, texts)
    more = {pair for pair in printed if pair <= measured and labels.get(pair, 0.0) < LEAST}
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
def test_fingerprints_nominate_the_pairs_of_the_labels(name: str, root: Path) -> None:
    floor = FLOORS["pairs"][name]
    texts, printed, _, labels = _scanned(name, root)
    found = ilk.find(
        root / floor["folder"], resemblance=LEAST, shingle=floor["shingle"], pairing="fingerprint"
    )
    nominated, numbers = _printed(found, root)
    assert not numbers
    # Verified as the exact join's pairs are: not one more and not one less.
    assert nominated.items() <= printed.items()
    assert len(_wanted(name, labels, texts) & nominated.keys()) >= floor["nominated"]


@pytest.mark.parametrize("name", FLOORS["versions"])
def test_closer_versions_come_out_closer(name: str, root: Path) -> None:
    """Spearman's rank correlation of resemblance and nearness, on average over the families."""
    floor = FLOORS["versions"][name]
    path = floor["labels"] and root / "labels" / f"{floor['labels']}.tsv"
    if path:
        _labels(path, floor["sha256"])
    scores = evaluate.score_versions(root / name, path, [])
    assert scores["pairs"] == floor["pairs"]
    assert scores["spearman"] >= floor["spearman"]


@pytest.mark.parametrize("name", [n for n, floor in FLOORS["pairs"].items() if floor["compared"]])
def test_resemblances_are_those_of_the_labels(name: str, root: Path) -> None:
    """Of texts whose words are beyond doubt; labels have four digits."""
    floor = FLOORS["pairs"][name]
    texts, printed, _, labels = _scanned(name, root)
    # Chance has words in common that were not handed on; where words are counted alike it has not.
    within = floor.get("within", 0.00005001)
    beyond = set(texts) if "within" in floor else _plain(texts)
    compared = {pair for pair, known in labels.items() if known >= LEAST and pair <= beyond}
    for pair in compared:
        assert printed[pair] == pytest.approx(labels[pair], abs=within)
    assert len(compared) == floor["compared"]


def _plain(texts: dict[str, str]) -> set[str]:
    """The texts in ASCII without underscores that are long enough to be measured by words."""
    return {
        n
        for n, text in texts.items()
        if text.isascii() and "_" not in text and len(re.findall(r"\w+", text)) >= 50
    }


@pytest.mark.parametrize("name", FLOORS["families"])
def test_clusters_are_the_families_of_the_labels(name: str, root: Path) -> None:
    """With the defaults of every option, as who has no opinion gets them."""
    floor = FLOORS["families"][name]
    path = root / "labels" / f"{floor['labels']}.tsv"
    rows = _labels(path, floor["sha256"])
    with opened(root / name) as documents:
        families = read_families(path, documents)
    found = ilk.find(root / name)
    names = [source.removeprefix(f"{name}/") for source in _names(found, root)]
    assert sorted(names) == sorted(families)
    # A read-me file may be no edition of a book.
    assert len(names) - len(rows) == floor["unlabelled"]
    groups: dict[int, list[str]] = {}
    for row in found.clusters.to_pylist():
        groups.setdefault(row["cluster"], []).append(names[row["doc"]])
    scores = clusters.score(groups.values(), families)
    sizes = Counter(families.values()).values()
    assert scores["documents"] == floor["documents"]
    assert sum(n * (n - 1) // 2 for n in sizes) == floor["pairs"]
    for measure, least in floor["least"].items():
        assert scores[measure] >= least, measure
    assert not found.alarms
