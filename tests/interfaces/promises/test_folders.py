"""Rows, archives and compressed texts inside folders: read, or named with how to read them."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ilk
from tests.support.archives import response
from tests.support.command_line import Run

LONG = " ".join(f"word{number}" for number in range(200))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of a text, and of rows with the same text in every form."""
    monkeypatch.chdir(tmp_path)
    made = Path("texts")
    made.mkdir()
    (made / "a.txt").write_text(LONG)
    (made / "b.jsonl").write_text(json.dumps({"text": LONG}) + '\n{"text": "other"}\n')
    (made / "c.csv").write_text(f"id,text\n1,{LONG}\n")
    pq.write_table(pa.table({"text": [LONG]}), made / "d.parquet")
    (made / "e.jsonl.gz").write_bytes(gzip.compress((json.dumps({"text": LONG}) + "\n").encode()))
    (made / "f.json").write_text(json.dumps([{"text": LONG}, {"text": "more"}]))
    (made / "g.warc").write_bytes(response("http://a/x", LONG.encode(), Content_Type="text/plain"))
    (made / "h.arc").write_bytes(b"filedesc://a 0.0.0.0 20200101000000 text/plain 76\n1 0 x\n")
    return made


def test_what_holds_rows_is_named_with_how_to_read_it(run: Run) -> None:
    _, out, err = run("scan", "texts")
    assert "4 documents read" in out  # a.txt, b.jsonl, c.csv, f.json.
    lines = err.splitlines()
    assert "ilk: 2 files of rows were read as one document each (.jsonl 1, .csv 1); " in lines[-1]
    assert len(lines) == 2
    unread = "4 files of rows were not read (.parquet 1, .jsonl.gz 1, .warc 1, .arc 1)"
    assert unread in err
    assert err.count("--walk rows reads their rows") == 2


def test_rows_in_folders_are_read_where_it_is_said(run: Run) -> None:
    code, out, err = run("scan", "texts", "--walk", "rows", "--format", "jsonl")
    assert code == 0
    assert "files of rows" not in err
    cluster, summary = (json.loads(line) for line in out.splitlines()[:2])
    sources = [member["source"].partition(" ")[0] for member in cluster["members"]]
    rows = ("b.jsonl#0", "c.csv#0", "d.parquet#0", "e.jsonl.gz#0", "f.json#0", "g.warc#0")
    assert sources == ["texts/a.txt", *(f"texts/{name}" for name in rows)]
    assert summary
    found = ilk.find("texts", rows=True)
    assert found.report["in_clusters"] == 7
    assert str(found.texts([1])[0]) == LONG
    assert run("fingerprint", "texts", "--walk", "rows")[1].count("\n") == found.report["documents"]
    assert run("store", "add", "s.ilk", "texts", "--walk", "rows")[1].count("d.parquet#0") >= 1


def test_a_file_of_rows_without_the_column_is_its_own_failure(run: Run) -> None:
    Path("texts/z.csv").write_text("title\nx\n")
    code, out, err = run("scan", "texts", "--walk", "rows")
    assert code == 0
    assert "not read: texts/z.csv: " in err
    assert "no column named text" in err
    assert "documents read" in out


def test_the_advice_works_where_it_is_given(run: Run) -> None:
    _, _, err = run("store", "sync", "s.ilk", "texts")
    assert "--walk rows" not in err
    assert "to add their rows, name them to ilk store add" in err
    assert run("store", "add", "s.ilk", "texts/d.parquet")[0] == 0
    code, _, err = run("dedup", "texts", "-o", "out/", "--exclude", "*arc")
    assert code in (0, 3)
    assert "1 file was left out because of the extension (.txt 1)" in err


def test_a_long_list_of_notes_ends(run: Run) -> None:
    for number in range(25):
        os.mkfifo(Path("texts") / f"pipe{number}.txt")
    _, out, err = run("scan", "texts", "--format", "jsonl")
    assert sum("is a FIFO" in line for line in err.splitlines()) == 10
    assert "not read: and 15 more" in err
    assert len(json.loads(out.splitlines()[-1])["summary"]["failures"]) == 25
    Path("many.txt").write_text("http://a/b\n" + "no URL\n" * 8133)
    _, out, err = run("urls", "many.txt")
    assert sum("no URL" in line or "and 8,123 more" in line for line in err.splitlines()) == 11
    assert "and 8,123 more" in err
