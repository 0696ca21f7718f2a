"""Cuts are undone: rows come back byte for byte, whatever they look like, or not at all."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ilk
from ilk.base.errors import OptionError, OutputError, PlanError
from ilk.read.rows.edited import Fields, json_with
from ilk.tasks.passages.undoing import undo

QUOTED = " ".join(f"q{n}" for n in range(60))

#: Rows whose spelling would not survive being read and written.
LINES = [
    f'{{"n": 1.50, "text": "A: {QUOTED}"}}',
    f'  {{"text" : "B: \\u00e9 {QUOTED}", "text2": [1e5, {{"text": 1}}], "n":1E400 }} ',
    f'{{"text": "first", "text": "C: ö {QUOTED}", "x": "\\ud800"}}',
    '{"text": null}',
    f'{{"n": "}}", "text": "D \\"quoted\\" {QUOTED}"}}',
]

CSV = (
    'n,text,"more"\r\n'
    f'1,"A, ""so"": {QUOTED}",x\r\n'
    f'2,{QUOTED} it\'s 5" wide,"a\nb"\n'
    "\n"
    f'3,"{QUOTED}\r\n\r\nend",\n'
    f"4,B {QUOTED},"
)


def cut(source: Path, output: Path, **options: Any) -> int:
    found = ilk.passages(source, **options)
    return found.write(output, cut=True, mark="[...]")["cuts"]


@pytest.mark.parametrize(
    ("name", "content", "cuts"),
    [
        ("rows.jsonl", "\n".join(LINES), 3),
        ("rows.json", f"[{', '.join(LINES)}]", 3),
        ("rows.csv", CSV, 3),
        ("rows.csv", "\ufeff" + CSV, 3),
        ("rows.tsv", f"n\ttext\n1\t{QUOTED},\n2\t{QUOTED};\n", 1),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_rows_come_back_byte_for_byte(
    name: str, content: str, cuts: int, packed: bool, tmp_path: Path
) -> None:
    end = ".gz" if packed else ""
    source, out, back = (tmp_path / f"{place}{name}{end}" for place in ("", "out-", "back-"))
    raw = content.encode()
    source.write_bytes(gzip.compress(raw) if packed else raw)
    assert cut(source, out) == cuts
    assert undo(tmp_path / f"{out.name}.ilk", back) == cuts

    def read(path: Path) -> bytes:
        return gzip.decompress(path.read_bytes()) if packed else path.read_bytes()

    untouched = tmp_path / f"same-{name}{end}"
    ilk.passages(source, words=1000).write(untouched, cut=True)
    if name != "rows.json":
        assert read(untouched).replace(b"\n\n", b"\n") == raw.replace(b"\n\n", b"\n")
    assert read(back) == read(untouched)
    assert read(out) != read(back)


def test_nothing_but_the_text_of_a_row_changes(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text("\n".join(LINES))
    cut(tmp_path / "rows.jsonl", tmp_path / "out.jsonl")
    lines = (tmp_path / "out.jsonl").read_text().splitlines()
    assert lines[0] == LINES[0]
    assert lines[1] == LINES[1].replace(QUOTED, "[...]")
    assert lines[2] == LINES[2].replace(QUOTED, "[...]")
    (tmp_path / "rows.csv").write_bytes(CSV.encode())
    cut(tmp_path / "rows.csv", tmp_path / "out.csv")
    rows = (tmp_path / "out.csv").read_bytes().decode()
    first, rest = CSV[: CSV.index("2,")], CSV[CSV.index("2,") :]
    assert rows.replace("\n\n", "\n") == first + rest.replace(QUOTED, "[...]").replace("\n\n", "\n")


def test_files_and_tables_come_back(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name, text in (("a", QUOTED), ("b", f"{QUOTED} x"), ("c", "é")):
        (tmp_path / "in" / f"{name}.txt").write_text(text)
    assert cut(tmp_path / "in", tmp_path / "out.jsonl.gz") == 1
    undo(tmp_path / "out.jsonl.gz.ilk", tmp_path / "back.jsonl")
    lines = (tmp_path / "back.jsonl").read_text().splitlines()
    assert [json.loads(line)["text"] for line in lines] == [QUOTED, f"{QUOTED} x", "é"]
    table = pa.table({"n": [1, 2, 3], "body": pa.array([QUOTED, f"é {QUOTED} x", None])})
    pq.write_table(table, tmp_path / "in.parquet")
    assert cut(tmp_path / "in.parquet", tmp_path / "out.parquet", text="body") == 1
    undo(tmp_path / "out.parquet.ilk", tmp_path / "back.parquet")
    assert pq.read_table(tmp_path / "back.parquet").equals(table)


def test_what_has_changed_is_not_put_back(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text("\n".join(LINES))
    out, account, back = (tmp_path / name for name in ("o.jsonl", "o.jsonl.ilk", "back.jsonl"))
    with pytest.raises(PlanError, match="is not an account of cuts"):
        undo(account, back)
    cut(tmp_path / "rows.jsonl", out)
    with pytest.raises(OutputError, match="already exists"):
        undo(account, tmp_path / "rows.jsonl")
    with pytest.raises(OutputError):
        undo(account, out, force=True)
    written = out.read_text()
    out.write_text(written.replace("B:", "b:"))
    with pytest.raises(PlanError, match=r"row 1 of .* nothing was undone"):
        undo(account, back)
    assert not back.exists()
    out.write_text(written + written)
    with pytest.raises(PlanError, match="has 8 rows, but 5 were written"):
        undo(account, back)
    out.unlink()
    with pytest.raises(PlanError, match="the cut rows are gone"):
        undo(account, back)


@given(st.lists(st.lists(st.text('a",\n\r\x00é', max_size=6), min_size=3, max_size=3), min_size=1))
@settings(max_examples=200)
def test_fields_are_those_that_were_written(rows: list[list[str]]) -> None:
    out = io.StringIO(newline="")
    csv.writer(out, quoting=csv.QUOTE_MINIMAL).writerows([["x", *row] for row in rows])
    fields = Fields(b",")
    found = fields.split(out.getvalue().encode())
    assert b"".join(found) == out.getvalue().encode()
    assert len(found) == len(rows)
    for row, line in zip(rows, found, strict=True):
        for at in range(3):
            edited = fields.replaced(line, at + 1, 'new "one",\r\n')
            expected = ["x", *row[:at], 'new "one",\r\n', *row[at + 1 :]]
            assert next(csv.reader(io.StringIO(edited.decode(), newline=""))) == expected


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.floats(allow_nan=False), st.text('a"\\{}[],:é\n')),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text("ab."), inner)),
    max_leaves=6,
)


@given(st.dictionaries(st.text("ab."), json_values), st.text(), st.booleans())
def test_a_field_of_an_object_is_replaced_alone(
    row: dict[str, Any], text: str, plain: bool
) -> None:
    row["text"] = "old"
    line = json.dumps(row, ensure_ascii=plain, separators=(" , ", " : ")).encode()
    edited = json_with(line, "text", text)
    assert json.loads(edited) == row | {"text": text}
    begin = line.index(b'"text" : "old"') if line.count(b'"text" : "old"') == 1 else None
    if begin is not None:
        assert edited.startswith(line[: begin + 9])
        assert edited.endswith(line[begin + 14 :])


def test_a_dot_leads_into_an_object_where_no_field_has_the_whole_name() -> None:
    line = b'{"a": {"b.c": "x", "b": {"c": "y"}}, "a.b": 1}'
    assert json_with(line, "a.b.c", "z") == line.replace(b'"x"', b'"z"')
    assert json_with(line, "a.b", "z") == line.replace(b"1", b'"z"')
    for row in (b'{"a": ', b"[1]", b'{"b": 1}', b'{"a":' + b"[" * 100_000):
        with pytest.raises(OptionError, match="no text in text"):
            json_with(row, "text", "z")
