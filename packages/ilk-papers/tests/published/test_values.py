"""Every printed value of the sources, beside what the product makes of it.

``values.tsv`` has the source, the page or slide, what is printed, its value, its kind, and the
expression that makes it. A ``computed`` value is what a method of the product makes. A ``printed``
one, for which the paper's files are needed, is the constant that the product prints beside its own:
it is checked only that it is printed.
"""

from __future__ import annotations

import ast
import csv
import re
import sys
from contextlib import closing
from functools import cache
from itertools import combinations
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import ilk
from ilk_papers import rabin, simhash
from ilk_papers.hashes import HASHES, lookup3
from ilk_papers.holub import all_exhibits as holub
from ilk_papers.lecture import digests, distances, phrases, shingles, sorting, walk
from ilk_papers.lecture import published as pl
from ilk_papers.lecture import tables as tablesl
from ilk_papers.roth2011 import (
    collection,
    experiment,
    figures,
    hashing,
    index,
    methods,
    scoring,
    sketches,
    tokens,
)
from ilk_papers.roth2011 import published as p11
from ilk_papers.roth2011 import tables as tables11
from ilk_papers.roth2011.experiment import CombinationOutcome
from ilk_papers.roth2011.methods import Combination, Parameters
from ilk_papers.roth2013 import example, observations, own_values, prototype
from ilk_papers.roth2013 import published as p13
from ilk_papers.roth2013 import tables as tables13
from ilk_papers.simhash_page import features
from ilk_papers.simhash_page import tables as page
from ilk_papers.simhash_page.fingerprint import fingerprint

TABLE = Path(__file__).parent / "values.tsv"

with TABLE.open(newline="") as lines:
    ROWS = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


@cache
def five() -> dict[str, list[CombinationOutcome]]:
    """The published five on the texts of the package, in both readings."""
    texts = collection.join_parts(
        collection.read_or_generate_parts(collection.TEXTS, 2011)
    ).values()
    chosen = [Combination.parse(each.combination) for each in p11.TOP]
    return {
        name: [experiment.score_combination(texts, each, p) for each in chosen]
        for name, p in experiment.parameters_by_reading(Parameters()).items()
    }


def shown_zone(combination: str, zone: str, column: str = "published") -> str:
    """A zone of a matrix as the product shows it."""
    names = [[*collection.DOCUMENTS][place] for place in scoring.ZONES[zone]]
    rows = tables11.published_five_zones_table(five()).table.to_pylist()
    return " ".join(
        row[column].replace(" ", "")
        for row in rows
        if row["combination"] == combination and row["row"] in names
    )


def correct(zones: str) -> int:
    """The ones of the zones, and the four cells of the diagonal outside them."""
    return zones.count("1") + 4


def best_score() -> float:
    """The score of the paper's best combination with exact values."""
    return five()["exact values"][0].score.score


def count_sketches(combination: str) -> tuple[int, int]:
    """How many fingerprints the Constitution has, and how many a method counts."""
    text = collection.join_parts(collection.read_or_generate_parts(collection.TEXTS, 2011))[
        "Constitution"
    ]
    every, sketch = methods.sketch_document(text, Combination.parse(combination), Parameters())
    return len(every), len(sketch)


def has_negative_numbers() -> bool:
    """Whether a number of the five is below zero, as the author reports of his."""
    return any(value < 0 for each in five()["hash codes"] for value in each.numbers)


def figure_3() -> list[dict[str, Any]]:
    """Figure 3 as the product shows it."""
    rows: list[dict[str, Any]] = tables11.method_frequencies_table(five()).table.to_pylist()
    return rows


def query() -> list[tuple[str, int]]:
    """The answer of the paper's query, by strings."""
    with closing(
        prototype.make_database_in_memory((name, value) for name, value, _ in p13.QUERY)
    ) as database:
        return prototype.find_similar_as_text(database, p13.QUERY[0][1], p13.RADIUS)


def ham_dist(left: str | None, right: str | None) -> int | None:
    """HamDist of two strings."""
    with closing(prototype.make_database_in_memory(())) as database:
        return prototype.ham_dist(database, left, right)


@cache
def _printed() -> str:
    """The published figures that the experiment of 2013 prints, on no files."""
    from ilk_papers.roth2013.experiment import fingerprint_files

    (of,) = fingerprint_files([], {"author": ilk.Recipe.parse("roth2013")}, jobs=1).values()
    measured = observations.RecipeMeasurements.from_corpus(of)
    rows = [
        *observations.corpus_observations(of.files),
        *observations.speed_observations(measured),
        *observations.pair_and_copy_observations({"author": measured}, 1),
    ]
    most = tables13.file_with_most_matches_table({"author": measured}).table.to_pylist()[0]
    return " ".join([*(row[1] for row in rows), str(most["file"]), str(most["similar files"])])


def beside(value: object) -> bool:
    """Whether the experiment of 2013 prints a value beside its own."""
    return re.search(rf"(?<![\d.]){re.escape(str(value))}(?![\d.])", _printed()) is not None


def fingerprint_of(name: str, ends: str) -> int:
    """The author's recipe on one of his texts that the package has."""
    text = own_values.texts_by_line_end(own_values.shipped_text(name))[ends]
    (made,) = ilk.fingerprint([text], recipe="roth2013").to_pylist()
    return int(made)


def step_by_step(name: str, ends: str) -> int:
    """The same by Rabin's fingerprints and V, as the package explains them."""
    text = own_values.texts_by_line_end(own_values.shipped_text(name))[ends]
    return simhash.simhash(
        rabin.fingerprints(rabin.distinct_runs_of_four_units_in_text_order(text)).tolist(),
        bits=64,
        ties=0,
    )


def similarity(name: str) -> float | None:
    """The share of bits in which a printed fingerprint agrees with the one it was found for."""
    return {each.file: each.computed for each in own_values.table_20_lines()}[name]


def effect(what: str) -> float:
    """The resemblance of two phrases as the product shows it."""
    rows = tablesl.shingling_effects_table().table.to_pylist()
    return next(float(row["resemblance"]) for row in rows if row["what"] == what)


def lookup3_halves(text: str, seeds: tuple[int, int]) -> tuple[int, int]:
    """The two results of lookup3: c and b."""
    value = lookup3(text.encode(), 64, seeds)
    return value % (1 << 32), value >> 32


def v_after(row: int, without: int | None = None) -> list[int]:
    """V after a gram of Table 2 of 2014, highest bit first, perhaps without one column."""
    votes = [*example.voting_steps([*p13.TABLE_2_OF_2014])][row].votes.astype(int).tolist()
    return [vote for column, vote in enumerate(votes) if column != without]


def walk_bits(turn: int) -> dict[int, str]:
    """The bits of the lecture's eight numbers after a rotation, as the page shows them."""
    rows = walk.sorted_bits_table(turn).table.to_pylist()
    return {row["value"]: row["bits"] for row in rows}


NAMES = {
    **{
        each.__name__.rpartition(".")[2]: each
        for each in (collection, digests, distances, example, features)
    },
    **{each.__name__.rpartition(".")[2]: each for each in (figures, index, phrases, scoring)},
    **{each.__name__.rpartition(".")[2]: each for each in (shingles, sorting, tokens, walk)},
    "p11": p11,
    "p13": p13,
    "pl": pl,
    "tables11": tables11,
    "tables13": tables13,
    "simhash": simhash,
    "v_after": v_after,
    "walk_bits": walk_bits,
    "tablesl": tablesl,
    "page": page,
    "HASHES": HASHES,
    "holub": holub,
    "ilk": ilk,
    "combinations": combinations,
    "Combination": Combination,
    "fingerprint": fingerprint,
    "beside": beside,
    "best_score": best_score,
    "correct": correct,
    "effect": effect,
    "figure_3": figure_3,
    "fingerprint_of": fingerprint_of,
    "ham_dist": ham_dist,
    "has_negative_numbers": has_negative_numbers,
    "hashing": hashing,
    "lookup3_halves": lookup3_halves,
    "methods": methods,
    "np": np,
    "query": query,
    "shown_zone": shown_zone,
    "similarity": similarity,
    "step_by_step": step_by_step,
    "sketched": count_sketches,
    "sketches": sketches,
}


@pytest.mark.parametrize(
    "row", ROWS, ids=[f"{r['source']}, {r['place']}: {r['what']}" for r in ROWS]
)
def test_a_printed_value_is_what_the_product_makes(row: dict[str, str]) -> None:
    made = eval(row["maker"], dict(NAMES))
    assert made == ast.literal_eval(row["value"])
    assert type(made) is type(ast.literal_eval(row["value"])) or isinstance(made, bool | float)


@pytest.mark.parametrize(("module", "short"), [(p11, "p11"), (p13, "p13"), (pl, "pl")])
def test_no_published_value_is_without_a_row(module: Any, short: str) -> None:
    makers = " ".join(row["maker"] for row in ROWS)
    names = {name for name in vars(module) if name.isupper() and not name.startswith("_")}
    assert {name for name in names if not re.search(rf"\b{short}\.{name}\b", makers)} == set()


#: What an expression may call and still compute nothing.
NOT_A_METHOD = (
    "beside",
    "tuple",
    "str",
    "sum",
    "shown_zone",
    "tablesl.shingles_table",
    "row.to_pylist",
)


def test_a_computed_value_calls_a_method_of_the_product() -> None:
    for row in ROWS:
        calls = [
            ast.unparse(node.func)
            for node in ast.walk(ast.parse(row["maker"], mode="eval"))
            if isinstance(node, ast.Call)
        ]
        methods = [name for name in calls if name not in NOT_A_METHOD]
        if row["kind"] == "printed":
            assert not [name for name in methods if name.split(".")[0] in METHOD_ROOMS], row
        else:
            assert row["kind"] == "computed"
            assert methods or not calls, row


#: The modules that compute, by their names in expressions.
METHOD_ROOMS = ("scoring", "shingles", "sorting", "distances", "phrases", "features", "example")


def test_every_source_has_rows() -> None:
    sources = {row["source"] for row in ROWS}
    assert sources == {"roth2011", "roth2013", "roth2014", "lecture", "simhash-page", "holub"}


def failing_rows() -> set[str]:
    """What the computed rows are called whose value the product does not make now."""
    five.cache_clear()
    failing = set()
    for row in ROWS:
        if row["kind"] == "computed":
            try:
                made = eval(row["maker"], dict(NAMES))
            except Exception:
                made = ...  # A method that is broken may raise as well.
            if made != ast.literal_eval(row["value"]):
                failing.add(f"{row['source']}: {row['what']}")
    return failing


def break_everywhere(patch: pytest.MonkeyPatch, room: ModuleType, name: str, broken: Any) -> None:
    """Replace a function in its module, and wherever another one has imported it."""
    whole = getattr(room, name)
    for module in [*sys.modules.values()]:
        if module.__name__.startswith(("ilk_papers", "ilk.")) and vars(module).get(name) is whole:
            patch.setattr(module, name, broken)


def all_seven(_units: Any, starts: Any, *_: Any) -> Any:
    return np.full(len(starts), 7, np.int32)


def empty_fingerprints(fingerprints: Any, *_: Any) -> Any:
    return fingerprints[:0]


#: The function as it is, which a broken one calls.
SIGNS = simhash.signs_of_votes

#: How a method is broken, and a row that must notice it.
MUTATIONS: dict[str, tuple[list[tuple[ModuleType, str, Any]], str]] = {
    "hash codes are all 7": (
        [(hashing, "hash_codes", all_seven)],
        "roth2011: String.hashCode of 'four' (Java's, not printed)",
    ),
    "the sketch 0 mod 25 is empty": (
        [(sketches, "zero_mod", empty_fingerprints)],
        "roth2011: the best is the author's expectation",
    ),
    "the winnowed sketch is empty": (
        [(sketches, "winnow", empty_fingerprints)],
        "roth2011: winnowing of an ascending row takes the first of each window (not printed)",
    ),
    "no fingerprint is among the lowest": (
        [(sketches, "lowest", empty_fingerprints)],
        "roth2011: methods 7 and 8: fingerprints",
    ),
    "no fingerprint is among the highest": (
        [(sketches, "highest", empty_fingerprints)],
        "roth2011: methods 9 and 10: fingerprints",
    ),
    "the random third is empty": (
        [(sketches, "random_third", empty_fingerprints)],
        "roth2011: methods 11 and 12: one of how many",
    ),
    "no word is among the most frequent": (
        [(sketches, "most_frequent", empty_fingerprints)],
        "roth2011: method 13: words",
    ),
    "super shingles are 7": (
        [(sketches, "super_shingle", lambda *_: 7)],
        "roth2011: method 14: two grams are hashed as two characters (not printed)",
    ),
    "Rabin's hash of 2011 is 0": (
        [(hashing, "rabin", lambda _: 0)],
        "roth2011: Rabin hash of x^64 (its polynomial's, not printed)",
    ),
    "Rabin's fingerprints of 2013 are 0": (
        [(rabin, "fingerprints", lambda of: of * np.uint64(0))],
        "roth2014: fingerprint of us-const.txt, step by step",
    ),
    "ties are the other bit": (
        [(simhash, "signs_of_votes", lambda of, *, ties: SIGNS(of, ties=1 - ties))],
        "roth2013: fingerprint of the eight",
    ),
    "distances are off by one": (
        [
            (simhash, "distance", lambda left, right: (left ^ right).bit_count() + 1),
            (ilk.hamming, "distance", lambda left, right: (left ^ right).bit_count() + 1),
        ],
        "lecture: distances",
    ),
}


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_rows_fail_where_a_method_is_broken(mutation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    broken, noticing = MUTATIONS[mutation]
    for room, name, function in broken:
        break_everywhere(monkeypatch, room, name, function)
    try:
        assert noticing in failing_rows()
    finally:
        five.cache_clear()


def test_no_row_fails_where_nothing_is_broken() -> None:
    assert failing_rows() == set()
