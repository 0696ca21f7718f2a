"""What only the set that every clone makes can tell: its documents are known word by word."""

from __future__ import annotations

import hashlib
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from benchmarks.accuracy import clusters
from benchmarks.accuracy.documents import opened
from benchmarks.accuracy.labels import pair, read_families, read_pairs
from benchmarks.accuracy.pairs import precision_recall

import ilk
from tests.labelled import families
from tests.labelled.traced import Traced
from tests.quality.test_labelled import FLOORS, LEAST

FLOOR: dict[str, Any] = FLOORS["made"]

Pair = tuple[str, str]


def _names(found: ilk.Result, made: Path) -> list[str]:
    sources = found.documents["source"].to_pylist()
    return [source.removeprefix(f"{made}/made/") for source in sources]


def _verdicts(found: ilk.Result, made: Path) -> dict[Pair, str]:
    names = _names(found, made)
    return {
        pair(names[row["left"]], names[row["right"]]): row["verdict"]
        for row in found.pairs.to_pylist()
    }


def _differ_in_numbers(made: Path) -> set[Pair]:
    """The pairs that the labels know to differ only in numbers."""
    with opened(made / "made") as documents:
        return set(read_pairs(made / "labels" / "made-numbers.tsv", documents).resemblance)


def _scores(made: Path, **options: Any) -> dict[str, float]:
    """Recall and precision of pairs, and of every document's cluster."""
    found = ilk.find(made / "made", **options)
    names, labels = _names(found, made), made / "labels"
    with opened(made / "made") as documents:
        kin = read_families(labels / "made-families.tsv", documents)
        known = read_pairs(labels / "jaccard-oracle-made.tsv", documents).resemblance
    wanted = {names for names, value in known.items() if value >= LEAST}
    wanted |= _differ_in_numbers(made)
    printed = _verdicts(found, made).keys()
    groups: dict[int, list[str]] = {}
    for row in found.clusters.to_pylist():
        groups.setdefault(row["cluster"], []).append(names[row["doc"]])
    return precision_recall(len(wanted & printed), len(printed), len(wanted)) | {
        measure: score
        for measure, score in clusters.score(groups.values(), kin).items()
        if measure in ("b3_precision", "b3_recall")
    }


def test_the_set_is_the_same_everywhere(made: Path) -> None:
    digest = hashlib.sha256()
    for path in sorted((made / "made").rglob("*.txt")):
        digest.update(path.relative_to(made).as_posix().encode() + b"\0")
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    assert digest.hexdigest() == FLOOR["sha256"]


def test_no_label_is_in_doubt(made: Path) -> None:
    """Chance moves a resemblance by less than what lies between any label and the threshold."""
    with opened(made / "made") as documents:
        known = read_pairs(made / "labels" / "jaccard-oracle-made.tsv", documents).resemblance
    within = FLOORS["pairs"]["made"]["within"]
    assert [names for names, value in known.items() if abs(value - LEAST) <= within] == []


def test_the_defaults_reach_the_floors(made: Path) -> None:
    scores = _scores(made)
    assert {name: score for name, score in scores.items() if score < FLOOR["least"][name]} == {}


@pytest.mark.parametrize(
    ("options", "falls"),
    [
        ({"resemblance": 0.6}, {"precision", "b3_precision"}),
        ({"resemblance": 0.75}, {"precision"}),
        ({"resemblance": 0.85}, {"recall", "b3_recall"}),
        ({"resemblance": 0.95}, {"recall", "b3_recall"}),
        ({"shingle": 2}, {"precision"}),
        ({"shingle": 4}, {"recall"}),
        ({"pairing": "fingerprint", "recall": 0.8}, {"recall"}),
        ({"pairing": "fingerprint", "radius": 3}, {"recall", "b3_recall"}),
    ],
)
def test_a_worse_search_falls_below_the_floors(
    options: dict[str, Any], falls: set[str], made: Path
) -> None:
    scores = _scores(made, **options)
    assert {name for name, score in scores.items() if score < FLOOR["least"][name]} >= falls


@pytest.mark.parametrize("recipe", FLOOR["nominated"])
def test_every_kind_of_fingerprint_nominates(recipe: str, made: Path) -> None:
    found = ilk.find(made / "made", pairing="fingerprint", recipe=ilk.Recipe.parse(recipe))
    assert len(_verdicts(found, made)) >= FLOOR["nominated"][recipe]


def test_spellings_of_one_text_are_one_text(made: Path) -> None:
    """Files that differ in white space, case or Unicode form, but in no word or sign."""
    groups: dict[Traced, list[str]] = {}
    for document in families.documents():
        groups.setdefault(document.units, []).append(document.name)
    alike = {pair(*two) for group in groups.values() for two in combinations(group, 2)}
    assert len(alike) == FLOOR["spellings"]
    verdicts = _verdicts(ilk.find(made / "made"), made)
    assert {names: verdicts.get(names) for names in alike} == dict.fromkeys(alike, "exact")
    assert sum(verdict == "exact" for verdict in verdicts.values()) == len(alike)


def test_pairs_that_differ_in_numbers_alone_have_that_verdict(made: Path) -> None:
    """Statements of account, lists of prices, and notices of one matter with other references."""
    verdicts = _verdicts(ilk.find(made / "made"), made)
    numbers = {names for names, verdict in verdicts.items() if verdict == "numbers_only"}
    statements = [f"figures/statement-{number}.txt" for number in range(1, 7)]
    prices = [(f"figures/prices-{a}.txt", f"figures/prices-{b}.txt") for a, b in FLOOR["prices"]]
    notices = [(f"letters/works-{n}.txt", f"letters/works-{n + 1}.txt") for n in (11, 13, 15, 17)]
    assert numbers == {*combinations(statements, 2), *prices, *notices}
    assert numbers == _differ_in_numbers(made)


def test_a_quotation_is_found_in_what_quotes_it(made: Path) -> None:
    lines = (made / "labels" / "made-quotations.tsv").read_text(encoding="utf-8").splitlines()
    known = {pair(*line.replace("made/", "").split("\t")) for line in lines}
    assert len(known) == FLOOR["quotations"]
    verdicts = _verdicts(ilk.find(made / "made", containment=0.99), made)
    inside = {names for names, verdict in verdicts.items() if verdict in ("contained", "contains")}
    # Half a text is in the whole, and a licence with one clause nearly in that with two.
    others = [("rearranged/", "rearranged/"), ("licences/", "licences/")]
    assert known <= inside
    for left, right in inside - known:
        assert any(left.startswith(a) and right.startswith(b) for a, b in others), (left, right)
    nowhere = _verdicts(ilk.find(made / "made"), made)
    assert not known & nowhere.keys()
