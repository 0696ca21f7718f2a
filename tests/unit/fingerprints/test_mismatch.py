"""Fingerprints of two recipes never give a number."""

from __future__ import annotations

import pyarrow as pa
import pytest

import ilk
from ilk.base.errors import ColumnTypeError, RecipeMismatch
from ilk.fingerprints.recipe import SIMILARITY_INDEX
from ilk.fingerprints.texts import fingerprint_documents
from ilk.read import PLAINLY, ReadReport
from ilk.read.documents import read_texts_in_memory


def _table(recipe: ilk.Recipe) -> pa.Table:
    texts = read_texts_in_memory(
        ["some words of a text", "other words of a text"], PLAINLY, ReadReport()
    )
    return fingerprint_documents([texts], recipe, jobs=1)


def test_tables_of_one_recipe_are_compared_like_their_columns() -> None:
    table = _table(ilk.Recipe())
    column = table["fingerprint"]
    assert ilk.hamming.distance(table, table).to_pylist() == [0, 0]
    assert ilk.hamming.join(table, table, 64).equals(ilk.hamming.join(column, column, 64))
    assert ilk.hamming.pairs(table, 64).equals(ilk.hamming.pairs(column, 64))


def test_tables_of_two_recipes_are_refused() -> None:
    one, other = _table(ilk.Recipe()), _table(SIMILARITY_INDEX)
    for compare in (ilk.hamming.distance, lambda a, b: ilk.hamming.join(a, b, 3)):
        with pytest.raises(RecipeMismatch, match="minhash64.*simhash64"):
            compare(one, other)
    assert len(ilk.hamming.distance(one["fingerprint"], other)) == 2


def test_a_table_without_fingerprints_is_refused() -> None:
    with pytest.raises(ColumnTypeError, match="no column named fingerprint"):
        ilk.hamming.pairs(pa.table({"a": [1]}), 3)
