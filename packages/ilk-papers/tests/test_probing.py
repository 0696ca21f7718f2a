"""``ilk_papers.probe``: edited copies are looked for, and what is found of them is returned."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import text as reference
from tests.support import strategies
from tests.support.fixtures import examples

import ilk
from ilk import arrow
from ilk.base.errors import OptionError
from ilk.base.run_options import Running
from ilk.fingerprints.digest import find_representatives
from ilk.read import PLAINLY, ReadReport
from ilk.read.documents import read_texts_in_memory
from ilk.search.counting import Counting
from ilk.search.ranking import order_documents_best_first
from ilk.search.read_documents import read_documents_with_evidence
from ilk_papers import probe
from ilk_papers.measure import edits, probing, synthetic

HERE = Running.of(1)
SEARCHES: list[dict[str, Any]] = [
    {"resemblance": 0.7},
    {"resemblance": 0.7, "linkage": "connected"},
    {"containment": 0.9},
    {"containment": 0.9, "pairing": "fingerprint"},
    {"radius": 6},
    {"radius": 12, "resemblance": 0.7, "linkage": "connected"},
    {"resemblance": 0.9, "common_blocks": 2},
]


def invented(documents: int) -> list[str]:
    """Texts of 20 to 400 words, numbers among them, that have little in common."""
    draw = random.Random(5)
    vocabulary = [*(f"{a}{b}er" for a in "bdfgklmn" for b in "aeiou"), *map(str, range(200))]
    return [" ".join(draw.choices(vocabulary, k=draw.randint(20, 400))) for _ in range(documents)]


def read(texts: list[str | None]) -> tuple[pa.Table, arrow.Texts, pa.Array]:
    """Documents with their fingerprints, their texts, and their representatives."""
    column = arrow.import_texts(pa.array(texts, pa.string()))
    batches = read_texts_in_memory(column, PLAINLY, ReadReport()).to_batches()
    documents = read_documents_with_evidence(
        batches, column, recipe=ilk.Recipe(), counting=Counting(3), running=HERE
    ).documents
    return (
        documents,
        column,
        find_representatives(documents, order_documents_best_first(documents, [])),
    )


@examples(20)
@given(strategies.relatives(), st.sampled_from(SEARCHES))
def test_a_probe_leaves_the_result_as_it_was(
    texts: list[str | None], search: dict[str, Any]
) -> None:
    column = pa.array(texts, pa.string())
    without, probed = ilk.find(column, **search), ilk.find(column, **search)
    assert probe(probed, 30)["copies"] <= 30
    for table in ("documents", "clusters", "contained_pairs", "pairs"):
        assert getattr(probed, table).equals(getattr(without, table), check_metadata=True)
    for one in (probed, without):
        one.report.pop("seconds")
    assert probed.report == without.report


@pytest.mark.parametrize(
    ("search", "least", "radius"),
    [
        ({"resemblance": 0.8}, Fraction(4, 5), None),
        ({"resemblance": 0.3}, Fraction(3, 10), None),
        ({"radius": 6, "resemblance": 0.8}, Fraction(4, 5), 6),
        ({"radius": 0}, Fraction(4, 5), 0),
        ({"radius": 64, "unverified": True}, Fraction(4, 5), 64),
    ],
)
def test_what_is_found_equals_brute_force(
    search: dict[str, Any], least: Fraction, radius: int | None
) -> None:
    texts = [*invented(12), "天地玄黃，宇宙洪荒。日月盈昃，辰宿列張。", "three words only"]
    documents, column, representatives = read([*texts, texts[0], texts[0].upper(), None, " "])
    (made,) = synthetic.make_edited_copies_leaving_out_unchanged(
        documents,
        column,
        originals=synthetic.find_copyable_rows(documents, representatives),
        edits_to_make=probing._plan_edits_by_kind_then_share_then_spread(200),
        recipe=ilk.Recipe(),
        seed=probing._SEED,
        shingle=3,
        running=HERE,
    )
    alike = found = 0
    prints = made.documents["fingerprint"].to_pylist()
    for number, original in enumerate(made.originals.to_pylist()):
        ours, theirs = prints[number], documents["fingerprint"][original].as_py()
        text = made.texts[number].as_py()
        shared, left, right = reference.resemblance(text, texts[original], 3)
        near = Fraction(shared, left + right - shared) >= least
        far = ours is None or theirs is None or (ours ^ theirs).bit_count() > (radius or 0)
        alike += near
        found += near and not (far and radius is not None)
    given = [*texts, texts[0], texts[0].upper(), None, " "]
    told = probe(ilk.find(given, **search), 200)
    expected = {
        "copies": len(made.edits),
        "alike": alike,
        "found": found,
        "below_threshold": len(made.edits) - alike,
        "not_nominated": alike - found,
        "recall": found / alike,
    }
    assert expected.items() <= told.items()
    assert told["recall_interval"][0] <= found / alike <= told["recall_interval"][1]
    for group in ("kinds", "shares"):
        for name, total in list(expected.items())[:3]:
            assert sum(row[name] for row in told[group].values()) == total
    assert told["kinds"].keys() == edits.KINDS.keys()
    assert told["kinds"]["move"]["copies"] == 25


@pytest.mark.parametrize("search", [{}, {"radius": 6}])
def test_it_depends_on_nothing_but_the_documents(search: dict[str, Any]) -> None:
    texts = invented(20)
    once = probe(ilk.find(texts, jobs=1, **search), 50)
    pieces = pa.chunked_array([texts[:7], texts[7:]], pa.large_string())
    assert probe(ilk.find(pieces, jobs=4, **search), 50) == once
    again = ilk.find(pieces, jobs=4, **search)
    assert probe(again, 50, together=5000) == once


def test_copies_are_made_of_texts_and_each_differs_from_its_original() -> None:
    texts = ["one two three", "One two  three", "", None, "x" * 101, "four five six"]
    documents, column, representatives = read(texts)
    rows = synthetic.find_copyable_rows(documents, representatives, max_bytes=100)
    assert rows.to_pylist() == [0, 5]
    wanted = [synthetic.Edit(kind, 0.3, "block") for kind in edits.KINDS]
    (made,) = synthetic.make_edited_copies_leaving_out_unchanged(
        documents,
        column,
        originals=rows,
        edits_to_make=wanted,
        recipe=ilk.Recipe(),
        seed=1,
        shingle=3,
        running=HERE,
    )
    # There is no number in them.
    assert [edit.kind for edit in made.edits] == [kind for kind in edits.KINDS if kind != "numbers"]
    for row, original in enumerate(made.originals.to_pylist()):
        assert original in (0, 5)
        assert made.texts[row].as_py() != texts[original]


def test_common_blocks_are_left_out_of_copies_too() -> None:
    """With the template, a copy would be far from the document without it."""
    template = " ".join(f"every{number}" for number in range(300))
    texts = [f"{template}\n\n{text}" for text in invented(6)]
    told = probe(ilk.find(texts, common_blocks=3, radius=16), 8)
    assert told["found"] == told["copies"] > 5


@pytest.mark.parametrize("texts", [[], [None, ""], [" ", "\n", "!"]])
@pytest.mark.parametrize("search", [{}, {"radius": 3}])
def test_without_text_there_is_nothing_to_copy(
    texts: list[str | None], search: dict[str, Any]
) -> None:
    told = probe(ilk.find(pa.array(texts, pa.string()), **search), 10)
    # A lone punctuation mark is a text, but it has no word to edit.
    assert (told["copies"], told["alike"], told["recall"]) == (0, 0, None)
    assert told["recall_interval"] == [0, 1]


@pytest.mark.parametrize("texts", [["one two three 4"], ["one two three 4"] * 50])
def test_a_single_text_is_edited_without_words_of_others(texts: list[str]) -> None:
    told = probe(ilk.find(texts), 80)
    assert {kind for kind, row in told["kinds"].items() if row["copies"]} == {
        kind for kind in edits.KINDS if kind not in edits.FOREIGN
    }


@pytest.mark.parametrize("wrong", [0, -1, 1.5, "3", True])
def test_what_is_no_number_of_copies_is_refused(wrong: Any) -> None:
    with pytest.raises(OptionError, match="a whole number of copies from 1 to"):
        probe(ilk.find(["a text"]), wrong)
