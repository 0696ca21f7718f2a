"""``ilk scan`` of files of rows, beside files and in folders."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.command_line import Run


def test_a_file_of_rows_is_read_row_by_row(tmp_path: Path, run: Run) -> None:
    """Its rows are documents among others, in the order given; what cannot be read is reported."""
    lines, table = tmp_path / "a.jsonl", tmp_path / "b.csv"
    lines.write_text('{"body": {"de": "eins zwei drei vier"}, "key": 7}\nmalformed\n{"key": 8}\n')
    table.write_text('key,"body.de"\n"9","eins zwei\ndrei vier"\n')
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "c.txt").write_text("Eins zwei drei vier")
    words = ["--text", "body.de", "--id", "key", "--format", "jsonl"]
    code, out, err = run("scan", lines, tmp_path / "folder", table, *words)
    cluster, summary = (json.loads(line) for line in out.splitlines())
    assert code == 0
    assert cluster["kind"] == "exact"
    assert cluster["keeper"] == f"{tmp_path}/folder/c.txt"  # A file on disk, and no row.
    members = [(member["source"], member.get("id")) for member in cluster["members"]]
    assert members == [(f"{lines}#0", "7"), (f"{tmp_path}/folder/c.txt", None), (f"{table}#0", "9")]
    assert summary["summary"]["documents"] == 4
    (failure,) = summary["summary"]["failures"]
    assert failure["source"] == f"{lines}:2"
    assert f"not read: {lines}:2: " in err


def test_files_of_rows_in_a_folder_are_documents(tmp_path: Path, run: Run) -> None:
    for name in ("a.jsonl", "b.csv"):
        (tmp_path / name).write_text('{"text": "one two three"}\n')
    code, out, _ = run("scan", tmp_path, "--format", "jsonl")
    assert code == 0
    assert [member["source"] for member in json.loads(out.splitlines()[0])["members"]] == [
        f"{tmp_path}/a.jsonl",
        f"{tmp_path}/b.csv",
    ]


def test_rows_without_the_column_of_texts_are_an_error(tmp_path: Path, run: Run) -> None:
    (tmp_path / "a.csv").write_text("title,body\n1,2\n")
    code, out, err = run("scan", tmp_path / "a.csv")
    assert (code, out) == (2, "")
    assert "has no column named text (it has title, body)" in err
    (tmp_path / "b.jsonl").write_text("nothing\n")
    code, _, err = run("scan", tmp_path / "b.jsonl")
    assert code == 2
    assert "b.jsonl:1" in err


def test_a_page_shows_files_and_rows_together(tmp_path: Path, run: Run) -> None:
    text = "a text of some nine words for rows and files"
    for name in ("1.txt", "2.txt"):
        (tmp_path / "in" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "in" / name).write_text(text)
    (tmp_path / "in" / "r.jsonl").write_text(json.dumps({"text": text}) + "\n")
    page = tmp_path / "page.html"
    assert run("scan", tmp_path / "in", "--walk", "rows", "--report", page)[0] == 0
    shown = page.read_text()
    assert "r.jsonl#0" in shown
    assert "2.txt" in shown
