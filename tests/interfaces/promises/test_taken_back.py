"""What ilk prints it takes back, and it says what is there where a name is wrong."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

import ilk
from ilk.base.errors import MissingExtra
from tests.support.archives import response
from tests.support.command_line import Run
from tests.support.families import write_rows

LONG = " ".join(f"word{number}" for number in range(200))


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    # Other words in each row: texts that differ only in numbers are like one another.
    rows = [{"body": f"row{n}", "key": f"k{n}"} for n in range(70)]
    rows[24]["body"], rows[61]["body"] = LONG, LONG + " more"
    write_rows(Path("news.jsonl"), rows)
    return tmp_path


def test_rows_are_compared_by_the_names_that_are_printed(run: Run) -> None:
    _, out, _ = run("scan", "news.jsonl", "--text", "body", "--format", "jsonl")
    members = json.loads(out.splitlines()[0])["members"]
    printed = [member["source"] for member in members]
    assert printed == ["news.jsonl#24", "news.jsonl#61"]
    code, out, _ = run("compare", *printed, "--text", "body", "--format", "jsonl")
    found = json.loads(out)
    assert (code, found["verdict"]) == (0, "near")
    assert found["resemblance"] == members[1]["resemblance"]
    assert ilk.compare("news.jsonl#24", Path("news.jsonl#61"), text="body").verdict == "near"
    words = ("compare", "news.jsonl#k24", "news.jsonl#k61", "--text", "body", "--id", "key")
    assert "near-duplicates" in run(*words)[1]
    for wrong, why in (
        ("news.jsonl#70", "news.jsonl has no document '#70'; it has 70 documents"),
        ("no.jsonl#1", "there is no 'no.jsonl#1'"),
    ):
        code, out, err = run("compare", wrong, "news.jsonl#24", "--text", "body")
        assert (code, out) == (2, "")
        assert why in err


def test_so_are_captures_members_and_files_of_odd_names(run: Run) -> None:
    Path("a.warc").write_bytes(response("http://a/x", LONG.encode(), Content_Type="text/plain"))
    Path("odd#1.txt").write_text(LONG)
    with zipfile.ZipFile("a.zip", "w") as archive:
        archive.writestr("deep/one.txt", LONG)
        archive.writestr("two.txt", "other words")
    every = ("a.warc", "a.zip", "odd#1.txt")
    _, out, _ = run("scan", *every, "--format", "jsonl")
    printed = [member["source"] for member in json.loads(out.splitlines()[0])["members"]]
    assert len(printed) == 3
    for source in printed:
        code, out, err = run("compare", source, "odd#1.txt", "--format", "jsonl")
        assert code == 0, err
        assert json.loads(out)["verdict"] in ("identical", "exact"), source


def test_pages_and_converted_files_are_read_as_a_scan_reads_them(run: Run) -> None:
    Path("a.rev").write_text(LONG[::-1])
    Path("b.txt").write_text(LONG)
    words = ("compare", "a.rev", "b.txt")
    assert run(*words)[0] == 1
    assert "near" not in run(*words)[1]
    code, out, _ = run(*words, "--convert", "rev=rev {}")
    assert code == 0
    assert "same text" in out
    Path("p.html").write_text(f"<html><body><p>{LONG}</p></body></html>")
    code, out, _ = run("compare", "p.html", "b.txt", "--extract", "all", "--format", "jsonl")
    assert json.loads(out)["verdict"] == "exact"


def test_a_wrong_column_is_answered_with_those_that_are_there(run: Run) -> None:
    Path("news.csv").write_text("body,key\nwords,1\n")
    for words in (
        ("scan", "news.jsonl"),
        ("dedup", "news.jsonl"),
        ("dedup", "news.jsonl", "--text", "body", "--id", "no"),
        ("dedup", "news.jsonl", "--text", "body", "--keep", "max:no"),
        ("dedup", "news.jsonl", "--key", "no"),
        ("changes", "news.jsonl", "--text", "body", "--url", "no"),
        ("scan", "news.csv"),
    ):
        code, _, err = run(*words)
        assert code == 2, words
        assert "(it has body, key)" in err, words


def test_a_quote_that_is_never_closed_is_named_by_its_line(run: Run) -> None:
    Path("q.csv").write_text('text,id\n"two\nlines",1\n"open,2\nx,3\n')
    assert "q.csv:4: a quote is never closed" in run("scan", "q.csv")[2]


def test_ten_common_blocks_are_listed(run: Run) -> None:
    blocks = [f"a paragraph number {n} that recurs" for n in range(14)]
    for name in "abcd":
        Path(f"{name}.txt").write_text("\n\n".join([*blocks, f"{name} {LONG[: ord(name)]}"]))
    _, out, _ = run("scan", *(f"{name}.txt" for name in "abcd"), "--limit", "blocks=2")
    assert "Left out: 14 common blocks" in out
    assert out.count("in 4 documents: ") == 10
    assert "and 4 more; --format jsonl has them all" in out


def test_a_missing_extra_is_installed_from_a_clone_too() -> None:
    message = str(MissingExtra("resiliparse", "pages"))
    assert "pip install 'ilk[pages]'" in message
    assert "in a clone of ilk: pip install -e 'packages/ilk-web[pages]'" in message
    message = str(MissingExtra("polars", "polars"))
    assert message.endswith("in a clone of ilk: pip install polars")


def test_ids_that_were_asked_for_are_shown_by_every_verb(run: Run) -> None:
    rows = ("news.jsonl", "--text", "body", "--id", "key")
    _, out, _ = run("scan", *rows)
    assert "news.jsonl#24  (id k24)  (it comes earlier)\n" in out
    assert "  news.jsonl#61  (id k61)\n" in out
    assert "(id " not in run("scan", "news.jsonl", "--text", "body")[1]
    assert "news.jsonl#24  (id k24)\n" in run("dedup", *rows)[1]
    lines = run("fingerprint", *rows)[1].splitlines()
    assert lines[24].endswith("  news.jsonl#24  (id k24)")
    assert run("fingerprint", *rows, "--format", "csv")[1].startswith('"source","id",')
    assert run("store", "add", "s.ilk", *rows)[0] == 0
    stored = run("store", "list", "s.ilk", "--format", "jsonl")[1].splitlines()
    assert json.loads(stored[24])["metadata"] == {"key": "k24"}
