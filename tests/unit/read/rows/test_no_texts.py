"""A column without a text in any row is refused, with the names that lead to texts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ilk
from ilk.base.errors import ColumnTypeError

TURN = {"role": "user", "content": "how are you today"}
CHAT: list[dict[str, Any]] = [
    {"id": "a", "messages": [TURN], "meta": {"lang": "en", "tags": ["x"], "deep": {"note": "n"}}},
    {"id": "b", "messages": [TURN], "meta": {"lang": "de", "tags": ["y"], "deep": {"note": "n"}}},
]
PATHS = (
    r"Texts are in id, messages\[\]\.role, messages\[\]\.content, meta\.lang, meta\.tags\[\], "
    r"meta\.deep\.note: name one with `text`\. A name leads into"
)


def lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    """Write rows as JSON lines, or as an array."""
    written = [json.dumps(row) for row in rows]
    path.write_text("\n".join(written) if path.suffix == ".jsonl" else f"[{','.join(written)}]")
    return path


@pytest.mark.parametrize("text", ["messages", "meta", "meta.tags"])
@pytest.mark.parametrize("form", ["chat.jsonl", "chat.json", "chat.parquet", "table"])
def test_lists_and_objects_are_refused_with_the_names_that_lead_to_texts(
    tmp_path: Path, form: str, text: str
) -> None:
    source: Any = tmp_path / form
    if form == "table":
        source = pa.Table.from_pylist(CHAT)
    elif form == "chat.parquet":
        pq.write_table(pa.Table.from_pylist(CHAT), source)
    else:
        lines(source, CHAT)
    for function in (ilk.deduplicate, ilk.find):
        with pytest.raises(ColumnTypeError, match=PATHS):
            function(source, text=text)
    assert ilk.deduplicate(source, text="meta.deep.note").report["dropped"] == {"identical": 1}


@pytest.mark.parametrize("form", ["chat.jsonl", "chat.parquet"])
def test_a_missing_column_is_refused_with_the_names_that_lead_to_texts(
    tmp_path: Path, form: str
) -> None:
    source = tmp_path / form
    if form == "chat.parquet":
        pq.write_table(pa.Table.from_pylist(CHAT), source)
    else:
        lines(source, CHAT)
    with pytest.raises(ColumnTypeError, match=PATHS):
        ilk.deduplicate(source)
    flat = lines(tmp_path / "flat.jsonl", [{"id": "a", "body": "how are you"}])
    with pytest.raises(ColumnTypeError, match="Name the column of texts with `text`"):
        ilk.deduplicate(flat)


def test_numbers_are_no_texts_either(tmp_path: Path) -> None:
    source = lines(tmp_path / "in.jsonl", [{"text": 5}, {"text": None}, {"text": 7}])
    with pytest.raises(ColumnTypeError, match="row 0 holds numbers there. No column holds texts"):
        ilk.deduplicate(source)
    assert ilk.deduplicate(source, key="text").report["without_key"] == 1


def test_an_odd_row_among_good_ones_stays_and_is_reported(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"text": "one two"},
        {"text": ["one"]},
        {"text": "one two"},
        {"text": {"a": "b"}},
    ]
    source, out = lines(tmp_path / "in.jsonl", rows), tmp_path / "out.jsonl"
    found = ilk.deduplicate(source, out)
    (said,) = found.report["advice"]
    assert said.startswith("2 rows have no text in text, but something else, the first of them ")
    assert "in.jsonl#1 objects or lists; such rows stay" in said
    assert found.report["read"]["other"] == 2
    assert [json.loads(line) for line in out.read_text().splitlines()] == [*rows[:2], rows[3]]


@pytest.mark.parametrize("form", ["in.jsonl", "in.json", "in.parquet", "table"])
def test_a_column_that_is_null_everywhere_is_said(tmp_path: Path, form: str) -> None:
    rows: list[dict[str, Any]] = [{"text": None, "body": "a"}, {"text": None, "body": "a"}]
    source: Any = pa.table({"text": pa.array([None, None], pa.string()), "body": ["a", "a"]})
    if form == "in.parquet":
        pq.write_table(source, tmp_path / form)
        source = tmp_path / form
    elif form != "table":
        source = lines(tmp_path / form, rows)
    (said,) = ilk.deduplicate(source).report["advice"]
    assert said == "the column text is null in all 2 rows, so nothing was compared"


def test_a_name_that_fits_no_row_is_an_error_with_the_columns(tmp_path: Path) -> None:
    source = lines(tmp_path / "in.jsonl", CHAT)
    with pytest.raises(ColumnTypeError, match=r"named messages\.content \(it has id, messages, m"):
        ilk.deduplicate(source, text="messages.content")
