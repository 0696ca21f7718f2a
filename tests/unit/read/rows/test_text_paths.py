"""Texts in lists: the same in JSON lines, arrays, Parquet and tables, as by definition."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from ilk.base.errors import ColumnTypeError
from ilk.base.run_options import ALONE
from ilk.read.reading import Reading
from ilk.read.rows.opening import open_data_set

TURN = pa.struct({"role": pa.string(), "text": pa.string(), "n": pa.int64()})
SCHEMA = pa.schema(
    {
        "title": pa.string(),
        "turns": pa.list_(TURN),
        "tags": pa.large_list(pa.string()),
        "meta": pa.struct({"parts": pa.list_(pa.list_(pa.string()))}),
        "pair": pa.list_(pa.string(), 2),
    }
)
PATHS = [
    "turns[].text",
    "turns[role=user].text",
    "turns[n=1].text",
    "turns[0].text",
    "turns[2].text",
    "tags[]",
    "tags[1]",
    "meta.parts[][]",
    "meta.parts[1][0]",
    "pair[]",
    "pair[1]",
]
SOME = st.none() | st.sampled_from(["a", "user", "", "漢字", 'quote " and\nline'])
TURNS = st.fixed_dictionaries({"role": SOME, "text": SOME, "n": st.none() | st.integers(0, 2)})
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "title": SOME,
            "turns": st.none() | st.lists(st.none() | TURNS, max_size=4),
            "tags": st.none() | st.lists(SOME, max_size=3),
            "meta": st.none()
            | st.fixed_dictionaries(
                {"parts": st.none() | st.lists(st.none() | st.lists(SOME, max_size=2), max_size=3)}
            ),
            "pair": st.none() | st.lists(SOME, min_size=2, max_size=2),
        }
    ),
    min_size=1,
    max_size=6,
)


def strings(value: Any, steps: list[str]) -> Iterator[str]:
    """Yield the texts to which steps lead from a value: by definition."""
    if not steps:
        yield from [value] if isinstance(value, str) else []
    elif value is not None and steps[0][0] != "[":
        yield from strings(value[steps[0]], steps[1:])
    else:
        field, equals, wanted = steps[0][1:-1].partition("=")
        for at, element in enumerate(value or []):
            if equals:
                of = None if element is None else element[field]
                chosen = of is not None and str(of) == wanted
            else:
                chosen = not field or int(field) == at
            yield from strings(element, steps[1:]) if chosen else []


def expected_texts(rows: list[dict[str, Any]], paths: list[str]) -> list[str | None]:
    found = []
    for row in rows:
        # A path that is named twice leads to the same texts, which count once.
        steps = [re.findall(r"\[[^\]]*\]|[^.\[]+", path) for path in dict.fromkeys(paths)]
        texts = [
            "\n\n".join(strings(row, path))
            for path in steps
            if any(True for _ in strings(row, path))
        ]
        found.append("\n\n".join(texts) if texts else None)
    return found


def texts_of(source: Any, paths: list[str]) -> list[str | None]:
    rows = open_data_set(source, Reading.of(text=paths), ALONE)
    return [text for batch in rows.batches() for text in batch.column("text").to_pylist()]


@given(rows=ROWS, paths=st.lists(st.sampled_from(PATHS), min_size=1, max_size=2))
def test_the_texts_are_those_at_the_ends_of_the_paths(
    rows: list[dict[str, Any]], paths: list[str]
) -> None:
    expected = expected_texts(rows, paths)
    table = pa.Table.from_pylist(rows, SCHEMA)
    with tempfile.TemporaryDirectory() as folder:
        lines, array, columns = (Path(folder, f"in.{end}") for end in ("jsonl", "json", "parquet"))
        lines.write_text("".join(json.dumps(row) + "\n" for row in rows))
        array.write_text(json.dumps(rows))
        pq.write_table(table, columns)
        for source in (lines, array, columns, table, table.slice(len(rows) // 2)):
            own = (
                expected[len(rows) - source.num_rows :]
                if isinstance(source, pa.Table)
                else expected
            )
            try:
                assert texts_of(source, paths) == own
            except ColumnTypeError:  # No row has anything there.
                assert set(own) == {None}


@pytest.mark.parametrize("path", ["title", "turns[].text"])
def test_a_path_that_is_named_twice_counts_once(path: str) -> None:
    turns = [{"role": None, "text": "a", "n": None}]
    table = pa.Table.from_pylist([{"title": "a", "turns": turns}], SCHEMA)
    assert texts_of(table, [path, path]) == texts_of(table, [path]) == ["a"]


CHAT: list[dict[str, Any]] = [
    {"id": "a", "messages": [{"role": "user", "content": "how do I boil an egg"}]},
    {"id": "b", "messages": [{"role": "user", "content": "How do I boil an  egg"}]},
    {"id": "c", "messages": []},
    {
        "id": "d",
        "messages": [
            {"role": "user", "content": "how do I boil an egg"},
            {"role": "assistant", "content": "in water, for seven minutes"},
        ],
    },
]


def write_source(folder: Path, form: str, rows: list[dict[str, Any]]) -> Any:
    """Return rows as a source of a form."""
    if form == "table":
        return pa.Table.from_pylist(rows)
    path = folder / form
    if form.endswith("parquet"):
        pq.write_table(pa.Table.from_pylist(rows), path)
    else:
        lines = [json.dumps(row) for row in rows]
        path.write_text("\n".join(lines) if form.endswith("jsonl") else f"[{','.join(lines)}]")
    return path


FORMS = pytest.mark.parametrize("form", ["in.jsonl", "in.json", "in.parquet", "table"])


@FORMS
def test_conversations_are_deduplicated_by_some_of_their_messages(
    tmp_path: Path, form: str
) -> None:
    source = write_source(tmp_path, form, CHAT)
    everything = ilk.deduplicate(source, text="messages[].content")
    assert everything.keep_mask.to_pylist() == [True, False, True, True]
    assert everything.report["read"]["with_text"] == 3
    questions = ilk.deduplicate(source, text="messages[role=user].content")
    assert questions.keep_mask.to_pylist() == [True, False, True, False]
    last = ilk.deduplicate(source, text="messages[1].content").report["read"]
    assert (last["with_text"], last["null"], last["missing"]) == (1, 1, 2)


@FORMS
@pytest.mark.parametrize(
    "text",
    ["messages[].body", "messages[role=robot].content", "messages[7].content", "messages.content"],
)
def test_a_path_that_fits_no_row_is_refused_with_the_paths_there_are(
    tmp_path: Path, form: str, text: str
) -> None:
    there = r"Texts are in id, messages\[\]\.role, messages\[\]\.content: name one with `text`"
    with pytest.raises(ColumnTypeError, match=there):
        ilk.deduplicate(write_source(tmp_path, form, CHAT), text=text)


def test_a_column_whose_name_has_brackets_counts_as_it_stands(tmp_path: Path) -> None:
    rows = [
        {"turns[].text": "a b c", "Length [cm]": "five"},
        {"turns[].text": "a b c", "Length [cm]": "six"},
    ]
    for form in ("in.jsonl", "in.json", "in.parquet", "table"):
        source = write_source(tmp_path, form, rows)
        assert ilk.deduplicate(source, text="turns[].text").report["kept"] == 1
        assert texts_of(source, ["Length [cm]"]) == ["five", "six"]


def test_an_id_and_a_key_do_not_lead_into_lists(tmp_path: Path) -> None:
    source = write_source(tmp_path, "in.jsonl", CHAT)
    choices: list[dict[str, Any]] = [{"id": "messages[0].role"}, {"key": "messages[0].role"}]
    for options in choices:
        with pytest.raises(ColumnTypeError, match=r"messages\[0\]\.role"):
            ilk.deduplicate(source, text="messages[].content", **options)
