"""The steps between reading and writing: verdicts, representatives, and copies spread out."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from ilk import arrow
from ilk.base.run_options import Running
from ilk.fingerprints.digest import find_representatives
from ilk.read import PLAINLY, ReadReport
from ilk.read.documents import read_texts_in_memory
from ilk.search import pairing
from ilk.search.clustering import expand_to_all_document_pairs
from ilk.search.counting import Counting
from ilk.search.evidence import Evidence, Thresholds
from ilk.search.judging import judge_every_candidate_by_sets
from ilk.search.pairing import merge_equal_fingerprints_and_pair_within_radius
from ilk.search.query import Query
from ilk.search.read_documents import read_documents_with_evidence
from ilk.search.search_plan import make_search_plan

HERE = Running.of(1)
LONG = " ".join(f"word{number}" for number in range(100))
PART = " ".join(f"word{number}" for number in range(60))
NUMBERED = " ".join(f"word{number + 7}" for number in range(100))
TEXTS = [LONG, LONG, LONG.upper(), LONG + " more", PART, "other words", "", None, NUMBERED]


def fingerprinted(texts: list[str | None]) -> pa.Table:
    batches = read_texts_in_memory(pa.array(texts, pa.string()), PLAINLY, ReadReport()).to_batches()
    texts_ = arrow.import_texts(pa.array(texts, pa.string()))
    return read_documents_with_evidence(
        batches, texts_, recipe=ilk.Recipe(), counting=Counting(3), running=HERE
    ).documents


def verified(
    pairs: list[tuple[int, int]],
    *,
    numbers_only_is_alike: bool = False,
    **thresholds: Fraction | None,
) -> list[dict[str, Any]]:
    table = pa.table({"left": [a for a, _ in pairs], "right": [b for _, b in pairs]})
    found = judge_every_candidate_by_sets(
        arrow.fit_columns_to_schema(table, arrow.CANDIDATES),
        fingerprinted(TEXTS),
        evidence=Evidence.from_texts(arrow.import_texts(TEXTS), Counting(3), 1),
        thresholds=Thresholds(**thresholds, numbers_only_is_alike=numbers_only_is_alike),
    )
    assert found.schema.equals(arrow.PAIRS)
    assert [(row["left"], row["right"]) for row in found.to_pylist()] == pairs
    rows: list[dict[str, Any]] = found.to_pylist()
    return rows


@pytest.mark.parametrize(
    ("pair", "verdict"),
    [
        ((0, 1), "identical"),
        ((0, 2), "exact"),
        ((0, 3), "near"),
        ((0, 4), "contains"),
        ((4, 0), "contained"),
        ((0, 5), "different"),
        ((0, 8), "numbers_only"),
        ((6, 0), "different"),
        ((7, 7), "different"),
    ],
)
def test_the_verdict_is_the_first_rule_that_holds(pair: tuple[int, int], verdict: str) -> None:
    (row,) = verified([pair], resemblance=Fraction(4, 5), containment=Fraction(19, 20))
    assert row["verdict"] == verdict


@pytest.mark.parametrize("numbers_only_is_alike", [False, True])
def test_texts_whose_words_all_have_numbers_are_found_at_their_threshold_only(
    numbers_only_is_alike: bool,
) -> None:
    (row,) = verified(
        [(0, 8)], resemblance=Fraction(9, 10), numbers_only_is_alike=numbers_only_is_alike
    )
    assert row["verdict"] == "different"
    (row,) = verified(
        [(0, 8)], resemblance=Fraction(8, 10), numbers_only_is_alike=numbers_only_is_alike
    )
    assert (row["verdict"], row["resemblance"]) == ("numbers_only", 91 / 105)


def test_without_a_containment_none_is_contained() -> None:
    rows = verified([(0, 4), (4, 0), (0, 3)], resemblance=Fraction(4, 5))
    assert [row["verdict"] for row in rows] == ["different", "different", "near"]
    assert [row["containment_right"] for row in rows][:2] == [1.0, 58 / 98]


def test_without_a_resemblance_every_candidate_is_near() -> None:
    assert [row["verdict"] for row in verified([(0, 5), (0, 1)])] == ["near", "identical"]


def test_a_fingerprint_is_null_with_its_reason() -> None:
    table = fingerprinted([LONG, "a b", " \n", None])
    assert table["reason"].to_pylist() == [None, "too few features", "blank", "null"]
    assert table["fingerprint"].is_valid().to_pylist() == [True, False, False, False]
    assert table["digest"].is_valid().to_pylist() == [True, True, False, False]
    assert arrow.recipe_of_field_or_none(table.schema.field("fingerprint")) == str(ilk.Recipe())


@given(st.permutations(range(8)))
def test_the_best_of_an_equal_digest_represents_it(ranking: list[int]) -> None:
    table = fingerprinted(["a", "b", "A", "", "b ", "", None, "a\n"])
    found = find_representatives(table, pa.array(ranking)).to_pylist()
    best = {
        row: next(r for r in ranking if r in group)
        for group in ({0, 2, 7}, {1, 4})
        for row in group
    }
    assert found == [best.get(row, row) for row in range(8)]


@given(st.lists(st.integers(1, 4), min_size=1, max_size=5), st.data())
def test_pairs_of_representatives_become_pairs_of_all_copies(
    sizes: list[int], data: st.DataObject
) -> None:
    """Every document of the one group with every one of the other, and of one group with itself."""
    groups = [group for group, size in enumerate(sizes) for _ in range(size)]
    groups = data.draw(st.permutations(groups))
    documents = fingerprinted([f"text {group}" for group in groups])
    representatives = [groups.index(group) for group in groups]
    firsts = sorted(set(representatives))
    possible = [(a, b) for a in firsts for b in firsts if a < b]
    pairs = data.draw(st.lists(st.sampled_from(possible), unique=True)) if possible else []
    table = arrow.fit_columns_to_schema(
        pa.table(
            {
                "left": pa.array([a for a, _ in pairs], pa.int64()),
                "right": pa.array([b for _, b in pairs], pa.int64()),
                "containment_left": pa.array([1.0] * len(pairs), pa.float64()),
                "containment_right": pa.array([0.5] * len(pairs), pa.float64()),
                "verdict": pa.array(["contained"] * len(pairs), pa.string()),
            }
        ),
        arrow.PAIRS,
    )
    expected = {}
    for a, one in enumerate(representatives):
        for b, other in enumerate(representatives[a + 1 :], a + 1):
            if one == other:
                expected[a, b] = "identical"
            elif (one, other) in pairs:
                expected[a, b] = "contained"
            elif (other, one) in pairs:
                expected[a, b] = "contains"
    rows = pa.array(representatives)
    found = expand_to_all_document_pairs(
        table, documents, rows, max_pairs=len(expected)
    ).to_pylist()
    assert [(r["left"], r["right"], r["verdict"]) for r in found] == sorted(
        (a, b, verdict) for (a, b), verdict in expected.items()
    )
    for row in found:
        side = "containment_right" if row["verdict"] == "contains" else "containment_left"
        assert row[side] == 1.0
    if expected:
        with pytest.raises(ilk.TooManyPairs) as refused:
            expand_to_all_document_pairs(table, documents, rows, max_pairs=len(expected) - 1)
        assert (refused.value.count, refused.value.limit) == (len(expected), len(expected) - 1)


def widened(documents: pa.Table) -> pa.Table:
    """The documents, their fingerprints followed by 64 bits that are the same in all."""
    values = documents["fingerprint"].to_pylist()
    wide = [None if value is None else (value << 64 | 5).to_bytes(16) for value in values]
    at = documents.schema.get_field_index("fingerprint")
    return documents.set_column(at, "fingerprint", pa.array(wide, pa.binary(16)))


@pytest.mark.parametrize("radius", [0, 10, 64])
def test_fingerprints_of_128_bits_are_paired_and_measured_as_those_of_64(radius: int) -> None:
    narrow = fingerprinted(TEXTS)
    wide = widened(narrow)
    ranking = pa.array(reversed(range(len(narrow))), pa.int64())
    once = find_representatives(narrow, ranking)
    plan = make_search_plan(
        Query.from_options(ilk.Recipe(), radius=radius, unverified=True, max_pairs=100)
    )
    found = pairing.pair_representatives_within_radius(narrow, once, plan, 1)
    assert pairing.pair_representatives_within_radius(wide, once, plan, 1).equals(found)
    (best, groups), (best_wide, groups_wide) = (
        merge_equal_fingerprints_and_pair_within_radius(documents, once, plan, 1, ranking)
        for documents in (narrow, wide)
    )
    assert best_wide.equals(best)
    assert groups_wide.equals(groups)
    every = pa.table({"left": pa.repeat(0, len(narrow)), "right": pa.arange(0, len(narrow))})
    candidates = arrow.fit_columns_to_schema(every, arrow.CANDIDATES)
    evidence = Evidence.from_texts(arrow.import_texts(TEXTS), Counting(3), 1)
    verified = judge_every_candidate_by_sets(
        candidates, narrow, evidence=evidence, thresholds=Thresholds()
    )
    assert verified["distance"].null_count < len(verified)
    assert judge_every_candidate_by_sets(
        candidates, wide, evidence=evidence, thresholds=Thresholds()
    ).equals(verified)
