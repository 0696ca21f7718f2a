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
from contextlib import closing
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import ilk
from ilk_papers.hashes import HASHES, lookup3
from ilk_papers.holub import all_exhibits as holub
from ilk_papers.lecture import distances, phrases, shingles, sorting
from ilk_papers.lecture import published as pl
from ilk_papers.lecture import tables as tablesl
from ilk_papers.roth2011 import collection, experiment, figures, index, scoring, tokens
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
    texts = collection.documents(collection.cut(collection.TEXTS, 2011)).values()
    chosen = [Combination.parse(each.combination) for each in p11.TOP]
    return {
        name: [experiment.outcome(texts, each, p) for each in chosen]
        for name, p in experiment.readings(Parameters()).items()
    }


def shown_zone(combination: str, zone: str, column: str = "published") -> str:
    """A zone of a matrix as the product shows it."""
    names = [[*collection.DOCUMENTS][place] for place in scoring.ZONES[zone]]
    rows = tables11.zones(five()).table.to_pylist()
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


def figure_3() -> list[dict[str, Any]]:
    """Figure 3 as the product shows it."""
    rows: list[dict[str, Any]] = tables11.frequencies(five()).table.to_pylist()
    return rows


def query() -> list[tuple[str, int]]:
    """The answer of the paper's query, by strings."""
    with closing(prototype.database((name, value) for name, value, _ in p13.QUERY)) as database:
        return prototype.similar_as_text(database, p13.QUERY[0][1], p13.RADIUS)


def ham_dist(left: str | None, right: str | None) -> int | None:
    """HamDist of two strings."""
    with closing(prototype.database(())) as database:
        return prototype.ham_dist(database, left, right)


@cache
def _printed() -> str:
    """The published figures that the experiment of 2013 prints, on no files."""
    from ilk_papers.roth2013.experiment import fingerprint_files

    (of,) = fingerprint_files([], {"author": ilk.Recipe.parse("roth2013")}, jobs=1).values()
    measured = observations.Measured.by(of)
    rows = [
        *observations.of_files(of.files),
        *observations.of_speed(measured),
        *observations.compare_observations({"author": measured}, 1),
    ]
    most = tables13.most_similar({"author": measured}).table.to_pylist()[0]
    return " ".join([*(row[1] for row in rows), str(most["file"]), str(most["similar files"])])


def beside(value: object) -> bool:
    """Whether the experiment of 2013 prints a value beside its own."""
    return re.search(rf"(?<![\d.]){re.escape(str(value))}(?![\d.])", _printed()) is not None


def fingerprint_of(name: str, ends: str) -> int:
    """The author's recipe on one of his texts that the package has."""
    text = own_values.line_ends(own_values.shipped_text(name))[ends]
    (made,) = ilk.fingerprint([text], recipe="roth2013").to_pylist()
    return int(made)


def similarity(name: str) -> float | None:
    """The share of bits in which a printed fingerprint agrees with the one it was found for."""
    return {each.file: each.computed for each in own_values.printed_fingerprints()}[name]


def effect(what: str) -> float:
    """The resemblance of two phrases as the product shows it."""
    rows = tablesl.effects().table.to_pylist()
    return next(float(row["resemblance"]) for row in rows if row["what"] == what)


def lookup3_halves(text: str, seeds: tuple[int, int]) -> tuple[int, int]:
    """The two results of lookup3: c and b."""
    value = lookup3(text.encode(), 64, seeds)
    return value % (1 << 32), value >> 32


NAMES = {
    **{
        each.__name__.rpartition(".")[2]: each
        for each in (collection, distances, example, features)
    },
    **{each.__name__.rpartition(".")[2]: each for each in (figures, index, phrases, scoring)},
    **{each.__name__.rpartition(".")[2]: each for each in (shingles, sorting, tokens)},
    "p11": p11,
    "p13": p13,
    "pl": pl,
    "tables11": tables11,
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
    "lookup3_halves": lookup3_halves,
    "query": query,
    "shown_zone": shown_zone,
    "similarity": similarity,
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
