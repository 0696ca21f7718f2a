"""A file of rows that cannot be read is an error, and rows of JSON are read however they lie."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

import ilk
from ilk.base.errors import NothingRead
from tests.support.command_line import Run
from tests.support.families import family_rows, write_rows

LONG = " ".join(f"word{number}" for number in range(200))
BINARY = b"\x89PNG\r\n\x1a\n" + bytes(2000)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def forms(rows: list[dict[str, Any]]) -> dict[str, bytes]:
    """Rows in every form that JSON lines and arrays come in."""
    return {
        "lines.json": "".join(json.dumps(row) + "\n" for row in rows).encode(),
        "array.json": json.dumps(rows).encode(),
        "pretty.json": json.dumps(rows, indent=2, ensure_ascii=False).encode(),
        "marked.json": b"\xef\xbb\xbf \r\n" + json.dumps(rows, indent="\t").encode() + b"\n\n",
        "array.json.gz": gzip.compress(json.dumps(rows, indent=1).encode()),
        "array.jsonl": json.dumps(rows).encode(),
    }


def test_every_verb_reads_the_rows_of_arrays(run: Run) -> None:
    rows = family_rows()
    write_rows(Path("in.jsonl"), rows)
    kept = [json.loads(line) for line in _kept(run, "in.jsonl")]
    for name, content in forms(rows).items():
        Path(name).write_bytes(content)
        assert [json.loads(line) for line in _kept(run, name)] == kept, name
    scanned = json.loads(run("scan", "in.jsonl", "--format", "jsonl")[1].splitlines()[-1])
    for name in forms(rows):
        found = json.loads(run("scan", name, "--format", "jsonl")[1].splitlines()[-1])
        for what in ("documents", "clusters", "in_clusters"):
            assert found["summary"][what] == scanned["summary"][what], name
    Path("pages.json").write_text(
        json.dumps([{"url": u, "text": LONG} for u in ("http://a/x", "http://a/x", "http://b/y")])
    )
    assert "1 URL fetched more than once" in run("changes", "pages.json")[1]
    assert "http://b/y" in run("urls", "pages.json")[1]
    assert "3 pages of 2 hosts" in run("mirrors", "pages.json")[1]
    assert run("store", "add", "s.ilk", "pages.json")[1].count("#") >= 3
    assert run("fingerprint", "pages.json")[1].count("\n") == 3


def _kept(run: Run, name: str) -> list[str]:
    code, out, err = run("dedup", name, "-o", "-")
    assert code == 0, err
    return out.splitlines()


def test_what_is_kept_of_an_array_is_an_array_where_the_name_says_so(run: Run) -> None:
    rows = family_rows()
    Path("in.json").write_text(json.dumps(rows, indent=2))
    assert run("dedup", "in.json", "-o", "out.json")[0] == 0
    assert run("dedup", "in.json", "-o", "out.jsonl")[0] == 0
    lines = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    assert json.loads(Path("out.json").read_text()) == lines
    assert 0 < len(lines) < len(rows)
    Path("alone.json").write_text('[{"text": "a"}]')
    Path("known.json").write_text(Path("alone.json").read_text())
    code, out, err = run("dedup", "alone.json", "--against", "known.json", "-o", "no.json")
    assert (code, json.loads(Path("no.json").read_text())) == (0, []), (out, err)


def test_a_document_in_json_stays_a_document(run: Run) -> None:
    for name in ("a.json", "b.json"):
        Path(name).write_text(json.dumps({"text": LONG, "more": [1, 2]}, indent=2))
    Path("c.json").write_text(json.dumps([{"name": "x"}, {"name": "y"}]))
    code, out, _ = run("scan", "a.json", "b.json", "c.json")
    assert code == 0
    assert "3 documents read, 2 of them in 1 family" in out


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("array.json", b'["text", 5, null]'),
        ("object.json", b'{\n "rows": [\n {\n "text": "a"}\n]\n}'),
        ("binary.jsonl", BINARY),
        ("text.jsonl", b"no JSON\nat all\n"),
        ("binary.json.gz", BINARY),
        ("binary.parquet", BINARY),
        ("fields.csv", b"text\na,b\nc,d\n"),
    ],
)
def test_nothing_that_can_be_read_is_an_error_and_writes_nothing(
    name: str, content: bytes, run: Run
) -> None:
    Path(name).write_bytes(content)
    out = f"out{''.join(Path(name).suffixes)}"
    verbs = (["dedup", name, "-o", out], ["changes", name, "-o", "out.csv", "--url", "text"])
    for words in verbs:
        code, printed, err = run(*words)
        assert (code, printed) == (2, ""), words
        assert name in err
        assert len(err.splitlines()) == 1
        assert os.listdir() == [name]
    with pytest.raises(NothingRead):
        ilk.deduplicate(name)


def test_rows_that_can_be_read_are_read_beside_others(run: Run) -> None:
    Path("in.json").write_text('[{"text": "a"}, "no object",\n {"text": "raw\nline end"}, {}]')
    code, out, _ = run("dedup", "in.json", "-o", "-")
    assert code == 0
    assert [json.loads(line) for line in out.splitlines()] == [{"text": "a"}, {}]
    Path("empty.jsonl").write_bytes(b"")
    code, _, err = run("dedup", "empty.jsonl", "-o", "none.jsonl")
    assert code == 0
    assert "warning: nothing to compare: 0 rows read" in err


@pytest.mark.parametrize("verb", ["scan", "passages", "dedup"])
def test_what_cannot_be_read_counts_alike_for_strict(verb: str, run: Run) -> None:
    """A malformed row and a damaged file, of what is compared and of a reference."""
    content = write_rows(Path("in.jsonl"), [{"text": LONG}, {"text": "other words"}]).read_bytes()
    Path("bad.jsonl").write_bytes(content + b"no row\n")
    Path("cut.jsonl.gz").write_bytes(gzip.compress(content)[:-10])
    for words in (
        ["bad.jsonl"],
        ["bad.jsonl", "--against", "in.jsonl"],
        ["in.jsonl", "--against", "bad.jsonl"],
        ["in.jsonl", "cut.jsonl.gz"],
    ):
        assert run(verb, *words)[0] in (0, 1), words
        code, out, _ = run(verb, *words, "--strict")
        assert (code, out != "") == (2, True), words
    assert run(verb, "in.jsonl", "--strict")[0] in (0, 1)


def test_a_store_says_that_nothing_could_be_read(run: Run) -> None:
    Path("a.txt").write_text(LONG)
    Path("binary.png").write_bytes(BINARY)
    assert run("store", "add", "s.ilk", "binary.png")[0] == 2
    assert not list(Path().glob("s.ilk*")), "no store is made of nothing"
    assert run("store", "add", "s.ilk", "a.txt")[0] == 0
    for verb in ("check", "add"):
        code, out, err = run("store", verb, "s.ilk", "binary.png")
        assert (code, out) == (2, ""), verb
        assert "none of the files could be read" in err
        assert run("store", verb, "s.ilk", "binary.png", "a.txt")[0] == 0
