"""Tables of every kind come back as the same kind, whatever stands in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ilk
from ilk import tables
from ilk.base.errors import ColumnTypeError, OptionError
from tests.support.demands import package
from tests.support.table_texts import KEPT, PAIRS, TEXTS, text_table

hf = package("datasets")

KINDS = {
    "arrow": lambda table: table,
    "polars": pl.DataFrame,
    "lazy": lambda table: pl.DataFrame(table).lazy(),
    "pandas": lambda table: table.to_pandas(),
    "datasets": hf.Dataset,
    "duckdb": lambda table: duckdb.connect().from_arrow(table),
}

HUGE = "a text of one line " * 200_000

#: Texts of odd tables.
ODD: dict[str, list[str | None]] = {
    "no rows": [],
    "nulls alone": [None, None, None],
    "blanks and nulls": ["", None, "  ", "", None],
    "one row": ["a text alone"],
    "one huge text": [HUGE, "a short one", None, HUGE],
    "equal texts": ["the same words"] * 50,
    "delicate": ["é\0\u2028😀", "é\0\u2028😀", "\x1b[31m", "'; DROP TABLE docs; --"],
}


def _rows(table: Any) -> pa.Table:
    """The rows of a table of any kind."""
    if isinstance(table, pl.LazyFrame):
        table = table.collect()
    if isinstance(table, hf.Dataset):
        return table.with_format("arrow")[:]
    if isinstance(table, pd.DataFrame):
        return pa.Table.from_pandas(table, preserve_index=False)
    return pa.table(table)


@pytest.fixture(params=KINDS)
def made(request: pytest.FixtureRequest) -> Any:
    """Makes a table of a kind."""
    return KINDS[request.param]


def _table(texts: list[str | None]) -> pa.Table:
    numbers = pa.array(range(len(texts)), pa.int64())
    return pa.table({"number": numbers, "body": pa.array(texts, pa.large_string())})


@pytest.mark.parametrize("name", ODD)
def test_odd_tables_lose_what_ilk_drops_and_keep_their_kind(made: Any, name: str) -> None:
    texts = ODD[name]
    table = made(_table(texts))
    kept = tables.deduplicate(table, text="body", accept_alarm=True)
    assert type(kept) is type(table)
    expected = ilk.deduplicate(texts).keep_mask.to_pylist()
    rows = [row for row, stays in enumerate(expected) if stays]
    assert _rows(kept)["number"].to_pylist() == rows
    labels = _rows(tables.clusters(table, text="body"))
    assert [verdict in ("unique", "keeper") for verdict in labels["verdict"].to_pylist()] == (
        expected
    )


def test_a_table_keeps_the_rows_that_ilk_keeps_and_names_the_pairs(made: Any) -> None:
    table = made(_table(TEXTS))
    rows = [row for row, stays in enumerate(KEPT) if stays]
    assert _rows(tables.deduplicate(table, text="body"))["number"].to_pylist() == rows
    pairs = _rows(tables.near_pairs(table, text="body"))
    assert list(zip(pairs["left"].to_pylist(), pairs["right"].to_pylist(), strict=True)) == PAIRS


def test_ids_that_recur_are_ids_all_the_same(made: Any) -> None:
    table = made(_table(TEXTS).append_column("id", pa.array(["one"] * len(TEXTS))))
    kept = _rows(tables.deduplicate(table, text="body", id="id"))
    assert kept["number"].to_pylist() == [row for row, stays in enumerate(KEPT) if stays]
    assert kept["id"].to_pylist() == ["one"] * sum(KEPT)


@pytest.mark.parametrize("kind", [pa.string(), pa.string_view(), pa.large_string()])
def test_a_table_beside_one_of_another_schema(made: Any, kind: pa.DataType) -> None:
    """Texts are texts, whatever stands around them and however they are held."""
    held = pa.table({"other": pa.array([1.5] * 100), "body": pa.array(TEXTS[:100], kind)})
    own = _table(TEXTS[100:])
    found = tables.deduplicate(made(own), text="body", against=held)
    expected = ilk.deduplicate(own, text="body", against=held).keep_mask.to_pylist()
    assert _rows(found)["number"].to_pylist() == [
        row for row, stays in enumerate(expected) if stays
    ]
    with pytest.raises(ColumnTypeError, match="no column named body"):
        tables.deduplicate(made(own), text="body", against=held.select(["other"]))


def test_a_table_beside_a_store(made: Any, tmp_path: Path) -> None:
    held = TEXTS[:100]
    own = _table(TEXTS[100:])
    with ilk.Store(tmp_path / "past.ilk", exact=True, texts=True) as store:
        store.add_many(text_table(held))
        expected = ilk.deduplicate(own, text="body", against=pa.table({"body": held})).keep_mask
        kept = [row for row, stays in enumerate(expected.to_pylist()) if stays]
        for against in (store, tmp_path / "past.ilk"):
            found = tables.deduplicate(made(own), text="body", against=against)
            assert _rows(found)["number"].to_pylist() == kept


def test_what_is_wrong_is_said_in_a_line(made: Any) -> None:
    table = made(_table(TEXTS))
    with pytest.raises(ColumnTypeError, match=r"no column named text \(it has number, body\)"):
        tables.deduplicate(table)
    with pytest.raises(OptionError, match="`output` is for files"):
        tables.near_pairs(table, text="body", output="x")  # type: ignore[call-arg]
    with pytest.raises(ColumnTypeError, match="int64|Int64"):
        tables.clusters(table, text="number")
    for other in ([1], None, 7, "a.csv", {"text": TEXTS}, (one for one in TEXTS), object()):
        with pytest.raises(ColumnTypeError, match="expected a data frame"):
            tables.deduplicate(other)


def test_rows_with_equal_values_in_all_of_several_columns_go(made: Any) -> None:
    columns = {"a": ["1", "1", "1", "", ""], "b": ["2", "3", "2", "2", "2"], "body": ["x"] * 5}
    kept = tables.deduplicate(made(pa.table(columns)), text="body", key=["a", "b"])
    assert _rows(kept)["a"].to_pylist() == ["1", "1", "", ""]


@pytest.mark.parametrize(
    ("text", "stay"),
    [
        ("messages[].content", [0, 2, 3]),
        ("messages[role=user].content", [0, 2]),
        ("messages[0].content", [0, 2]),
        (["messages[1].content", "messages[0].content"], [0, 2, 3]),
    ],
)
def test_texts_in_lists_are_those_of_any_kind_of_table(
    made: Any, text: str | list[str], stay: list[int]
) -> None:
    asked = {"role": "user", "content": "how long do I boil an egg"}
    spelled = {"role": "user", "content": "How long do I boil  an egg"}
    answered = {"role": "assistant", "content": "seven minutes in hot water"}
    chats = [[asked], [spelled], [], [asked, answered]]
    table = made(pa.table({"number": [0, 1, 2, 3], "messages": chats}))
    kept = tables.deduplicate(table, text=text, accept_alarm=True)
    assert type(kept) is type(table)
    assert _rows(kept)["number"].to_pylist() == stay
    with pytest.raises(
        ColumnTypeError, match=r"Texts are in messages\[\]\.role, messages\[\]\.con"
    ):
        tables.deduplicate(table, text="messages[].body")


def test_a_reference_whose_column_has_another_name_is_named() -> None:
    ours, theirs = pa.table({"name": ["a"]}), pa.table({"company": ["a"]})
    said = r"^in the reference \(`against`\): the table has no column named name .*rename its"
    for function in (ilk.tables.near_pairs, ilk.tables.deduplicate, ilk.find, ilk.deduplicate):
        with pytest.raises(ColumnTypeError, match=said):
            function(ours, against=theirs, text="name")
        with pytest.raises(ColumnTypeError, match="^the table has no column named company"):
            function(ours, against=theirs, text="company")
