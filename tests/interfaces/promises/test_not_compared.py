"""What was not compared is a line of the summary each; nothing to compare is a warning."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.support.command_line import Run
from tests.support.families import write_rows

LONG = " ".join(f"word{number}" for number in range(200))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    made = Path("texts")
    made.mkdir()
    (made / "a.txt").write_text(LONG)
    (made / "b.txt").write_text("quite other words")
    return made


def said(run: Run, *words: object) -> list[str]:
    """The lines of the summary; they stand in that of JSON lines too."""
    _, out, _ = run("scan", *words)
    summary = json.loads(run("scan", *words, "--format", "jsonl")[1].splitlines()[-1])["summary"]
    assert set(summary["not_compared"]) <= set(out.splitlines())
    return list(summary["not_compared"])


def test_nothing_is_said_where_all_was_compared(run: Run) -> None:
    assert said(run, "texts") == []
    assert run("scan", "texts")[2] == ""


def test_numbers_given_as_text(run: Run) -> None:
    write_rows(Path("n.jsonl"), [{"text": LONG, "n": n} for n in range(5)])
    code, out, err = run("scan", "n.jsonl", "--text", "n")
    assert (code, out) == (2, "")
    assert "no row of n.jsonl has a text in n: row 0 holds numbers there" in err
    assert "Texts are in text: name one with --text" in err
    write_rows(Path("some.jsonl"), [{"text": LONG}, {"text": None}, {"n": 1}])
    assert said(run, "some.jsonl") == [
        "2 rows have no text in the column of texts: it is missing, null, or not a text"
    ]
    Path("n.csv").write_text("text,price\n" + "".join(f"x,{n}.50 €\n" for n in range(7)))
    assert said(run, "n.csv", "--text", "price") == [
        "7 of 7 texts in rows are only numbers; is --text the column of texts?"
    ]


def test_blank_and_empty_files(folder: Path, run: Run) -> None:
    for name, content in (("c", ""), ("d", ""), ("e", " \n"), ("f", "\t")):
        (folder / f"{name}.txt").write_text(content)
    assert said(run, "texts") == ["4 documents are blank: only the same bytes make a copy of them"]
    _, out, _ = run("scan", "texts", "--format", "jsonl")
    cluster = json.loads(out.splitlines()[0])
    assert cluster["kind"] == "empty"
    assert [member["source"] for member in cluster["members"]] == ["texts/c.txt", "texts/d.txt"]
    write_rows(Path("blank.jsonl"), [{"text": ""}, {"text": ""}, {"text": None}])
    assert len(said(run, "blank.jsonl")) == 2
    assert run("scan", "blank.jsonl")[0] == 1  # Blank rows are like no other.


def test_symbolic_links_passed_over(folder: Path, run: Run) -> None:
    (folder / "link.txt").symlink_to("a.txt")
    (folder / "again").symlink_to(".")
    (folder / "gone").symlink_to("nowhere")
    links = "texts/again, texts/gone, texts/link.txt"
    assert said(run, "texts") == [
        f"symbolic links not entered: 3 ({links}); --walk links follows them"
    ]


def test_an_empty_folder_and_a_pattern_without_a_hit(run: Run) -> None:
    Path("empty").mkdir()
    Path("empty/deep").mkdir()
    assert said(run, "texts", "empty") == ["there is no file in empty"]
    code, _, err = run("scan", "empty")
    assert code == 1
    assert "warning: nothing to compare: 0 documents read" in err
    patterns = ("--include", "*.txt", "--include", "*.md")
    assert said(run, "texts", *patterns) == ["no file matches --include '*.md'"]
    assert said(run, "texts", "--include", "*.md") == ["no file matches --include '*.md'"]
    assert "nothing to compare" in run("scan", "texts", "--include", "*.md")[2]
    assert "nothing to compare: 1 document read" in run("scan", "texts/a.txt")[2]
    assert "there is no file" not in run("scan", "texts", "texts/a.txt")[1]


def test_a_note_names_no_place_where_the_rest_is_not(run: Run, tmp_path: Path) -> None:
    for number in range(12):
        os.mkfifo(tmp_path / f"{number}.txt")
    (tmp_path / "a.txt").write_text("some words of a text")
    assert "not read: and 2 more; --format jsonl has them all" in run("scan", tmp_path)[2]
    _, out, _ = run("scan", tmp_path, "--format", "jsonl")
    assert out.count("is a FIFO, not a file") == 12
    assert "not read: and 2 more\n" in run("fingerprint", tmp_path)[2]
