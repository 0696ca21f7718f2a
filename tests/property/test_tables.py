"""The pairs of two tables, and the weights of rows, equal brute force."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import ilk
import ilk.tables
from tests.reference import overlap
from tests.support import strategies
from tests.support.fixtures import examples
from tests.support.table_texts import text_table

T = Fraction("0.7")


def is_read(texts: list[str | None]) -> bool:
    return any((text or "").strip() for text in texts)


@examples(40)
@given(st.one_of(strategies.relatives(), strategies.relatives(2, 3, 9)), st.integers(0, 6))
def test_pairs_of_two_tables_are_those_of_a_row_of_each(texts: list[str | None], held: int) -> None:
    assume(is_read(texts[:held]))
    others, own = text_table(texts[:held]), text_table(texts[held:])
    pairs = ilk.tables.near_pairs(own, against=others, resemblance=0.7)
    count = overlap.counts_of_texts(texts)
    near = {
        (b - held, a): (shared / (left + right - shared), shared / right, shared / left)
        for a, b, shared, left, right in overlap.resembling(count, len(texts), T)
        if a < held <= b
    }
    found = {(row["left"], row["right"]): row for row in pairs.to_pylist()}
    kinds = ("identical", "exact", "numbers_only")
    assert list(found) == sorted(found)
    for pair, row in found.items():
        assert pair in near or row["verdict"] in kinds
    shown = ("resemblance", "containment_left", "containment_right")
    for pair, shares in near.items():
        row = found[pair]
        assert row["verdict"] in ("near", *kinds)
        assert tuple(row[name] for name in shown) == pytest.approx(shares)


def test_rows_of_two_frames_are_named_by_the_index_of_each() -> None:
    text = "it was the best of times it was the worst of times and nobody knew it then"
    own = pd.DataFrame({"text": ["something else", text]}, index=["a", "b"])
    others = pd.DataFrame({"text": [text, "nothing"]}, index=[10, 20])
    pairs = ilk.tables.near_pairs(own, against=others)
    assert pairs[["left", "right"]].to_numpy().tolist() == [["b", 10]]
    mixed = ilk.tables.near_pairs(own, against=pa.table({"text": ["nothing", text]}))
    assert mixed[["left", "right"]].to_numpy().tolist() == [["b", 1]]


@pytest.mark.parametrize("search", [ilk.find, ilk.deduplicate])
@examples(40)
@given(st.one_of(strategies.relatives(), strategies.relatives(2, 3, 9)), st.integers(0, 4))
def test_the_weights_of_a_cluster_add_up_to_one(
    search: Any, texts: list[str | None], held: int
) -> None:
    held = held if is_read(texts[:held]) else 0
    against = text_table(texts[:held]) if held else None
    found = search(text_table(texts[held:]), against=against, resemblance=0.7)
    named = found.labels()["cluster"].to_pylist()
    sizes = Counter(named)
    expected = [1.0 if one is None else 1 / sizes[one] for one in named]
    assert found.weights().to_pylist() == expected
