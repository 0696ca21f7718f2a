"""``ilk scan``: what it prints, in every format, and how it ends."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

import ilk
from tests.support.command_line import Run

LONG = " ".join(f"word{number}" for number in range(60))
PART = " ".join(f"word{number}" for number in range(55))
QUOTED = f"{LONG} {' '.join(f'other{number}' for number in range(60))}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two near-duplicates, three copies (one of them changed), and a document like no other."""
    made = tmp_path / "docs"
    made.mkdir()
    for name, text in {
        "a.txt": LONG,
        "b.txt": PART,
        "copy1.txt": "one two three",
        "copy2.txt": "one two three",
        "copy3.txt": "One  two three\n",
        "single.txt": "nothing like it anywhere",
    }.items():
        (made / name).write_text(text)
    return made


def test_clusters_as_lines_of_json(folder: Path, run: Run) -> None:
    code, out, _ = run("scan", folder, "--format", "jsonl")
    assert code == 0
    near, exact, last = (json.loads(line) for line in out.splitlines())
    assert list(near) == ["family", "cluster", "kind", "keeper", "also_like", "members"]
    assert (near["cluster"], near["kind"], near["keeper"]) == (0, "near", f"{folder}/a.txt")
    assert near["members"][0] == {
        "source": f"{folder}/a.txt",
        "verdict": "identical",
        "distance": 0,
        "resemblance": 1.0,
        "size": (folder / "a.txt").stat().st_size,
        "contained_in_keeper": 1.0,
        "contains_keeper": 1.0,
    }
    member = near["members"][1]
    assert member.pop("distance") in range(65)
    assert member.pop("size") == (folder / "b.txt").stat().st_size
    assert member == {
        "source": f"{folder}/b.txt",
        "verdict": "near",
        "resemblance": 53 / 58,
        "contained_in_keeper": 1.0,
        "contains_keeper": 53 / 58,
    }
    assert (exact["cluster"], exact["kind"]) == (1, "exact")
    assert [m["source"] for m in exact["members"]] == [f"{folder}/copy{n}.txt" for n in (1, 2, 3)]
    summary = last["summary"]
    short = {"too few features": 4}
    counts = {"documents": 6, "fingerprinted": 2, "without_fingerprint": short, "clusters": 2}
    assert counts.items() <= summary.items()
    assert {"pairing": "exact", "radius": None}.items() <= summary.items()
    asked = {"resemblance": 0.8, "containment": None, "recipe": str(ilk.Recipe())}
    assert asked.items() <= summary["options"].items()
    assert (summary["failures"], summary["skipped"]) == ([], {})
    assert summary["largest"] == [
        {"cluster": 1, "documents": 3, "keeper": f"{folder}/copy1.txt", "near": False}
        | {"kind": "exact"},
        {"cluster": 0, "documents": 2, "keeper": f"{folder}/a.txt", "near": True, "kind": "near"},
    ]


def test_pairs_as_lines_of_json(folder: Path, run: Run) -> None:
    code, out, _ = run("scan", folder, "--format", "pairs,jsonl")
    assert code == 0
    *pairs, last = (json.loads(line) for line in out.splitlines())
    assert list(last) == ["summary"]
    near = pairs[0]
    assert near.pop("distance") in range(65)
    assert list(near.items()) == [
        ("left", f"{folder}/a.txt"),
        ("right", f"{folder}/b.txt"),
        ("resemblance", 53 / 58),
        ("containment_left", 53 / 58),
        ("containment_right", 1.0),
        ("verdict", "near"),
    ]
    assert [pair["verdict"] for pair in pairs[1:]] == ["identical", "exact", "exact"]


@pytest.mark.parametrize("pairs", [[], ["--format", "pairs"]])
def test_every_format_holds_the_same_rows(folder: Path, run: Run, pairs: list[str]) -> None:
    code, lines, _ = run("scan", folder, "--format", "jsonl", *pairs)
    assert code == 0
    records = [json.loads(line) for line in lines.splitlines()[:-1]]
    rows = records if pairs else [row for cluster in records for row in cluster["members"]]
    code, separated, notes = run("scan", folder, "--format", "csv", *pairs)
    assert code == 0
    assert "6 documents read, 5 of them in 2 families." in notes
    read = list(csv.DictReader(io.StringIO(separated)))
    out = folder.parent / "out.parquet"
    code, printed, _ = run("scan", folder, "--format", "parquet", "-o", out, *pairs)
    assert (code, printed) == (0, "")
    table = pyarrow.parquet.read_table(out)
    assert json.loads(table.schema.metadata[b"ilk.report"])["documents"] == 6
    assert len(read) == len(rows) == len(table)
    for row, text, typed in zip(rows, read, table.to_pylist(), strict=True):
        for name, value in row.items():
            assert typed[name] == value
            assert text[name] == str(value) or float(text[name]) == value


def test_the_table_names_keepers_members_and_counts(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    sizes = {path.name: path.stat().st_size for path in folder.iterdir()}
    code, out, _ = run("scan", ".")
    assert code == 0
    assert out.splitlines() == [
        f"exact: 3 documents, {sizes['copy2.txt']} B could go",
        "  keep                        ./copy1.txt  (it is older)",
        "  goes  100.0%  identical     ./copy2.txt",
        "  stays 100.0%  exact         ./copy3.txt",
        "",
        "near: 2 documents",
        "  keep                        ./a.txt  (it is older)",
        "  stays  91.4%  near          ./b.txt",
        "",
        "6 documents read, 5 of them in 2 families.",
        f"1 file, {sizes['copy2.txt']} B: the same bytes stay.",
        f"1 file, {sizes['copy3.txt']} B, says the same words (--drop exact).",
        f"1 file, {sizes['b.txt']} B, is nearly the same (--drop near).",
        "exact: every document at resemblance >= 0.8 to another is in its family",
    ]
    code, out, _ = run("scan", ".", "--format", "pairs")
    assert code == 0
    assert "  ./a.txt  ./b.txt" in out
    assert out.endswith("exact: every pair at resemblance >= 0.8 is here\n")


@pytest.mark.parametrize(("words", "share"), [(["--containment"], 0.95), (["--containment=1"], 1)])
def test_containment_with_and_without_a_number(
    tmp_path: Path, run: Run, words: list[str], share: float
) -> None:
    (tmp_path / "long.txt").write_text(QUOTED)
    (tmp_path / "part.txt").write_text(LONG)
    assert run("scan", tmp_path, "--quiet")[0] == 1
    code, out, _ = run("scan", tmp_path, *words, "--format", "jsonl")
    *lines, last = (json.loads(line) for line in out.splitlines())
    summary = last["summary"]
    assert summary["options"]["containment"] == share
    assert [line["contained"] for line in lines] == summary["contained"]
    assert summary["contained"] == [
        {
            "source": f"{tmp_path}/part.txt",
            "container": f"{tmp_path}/long.txt",
            "containment": 1.0,
        }
    ]
    code, out, _ = run("scan", tmp_path, *words, "--format", "pairs,jsonl")
    assert code == 0
    assert json.loads(out.splitlines()[0])["verdict"] == "contains"


def test_the_exit_code_says_what_was_found(folder: Path, tmp_path: Path, run: Run) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    single = folder / "single.txt"
    assert run("scan", folder, "--quiet")[0] == 0
    assert run("scan", single)[0] == 1
    assert run("scan", empty)[0] == 1
    code, out, err = run("scan", tmp_path / "missing")
    assert (code, out) == (2, "")
    assert "missing" in err


def test_what_cannot_be_read_is_named_and_strict_makes_it_an_error(folder: Path, run: Run) -> None:
    (folder / "dangling").symlink_to("nowhere")
    os.mkfifo(folder / "pipe")
    code, out, err = run("scan", folder, "--walk", "links", "--format", "jsonl")
    assert code == 0
    assert f"not read: {folder}/dangling" in err
    assert f"not read: {folder}/pipe" in err
    summary = json.loads(out.splitlines()[-1])["summary"]
    assert len(summary["failures"]) == 2
    assert {failure["source"] for failure in summary["failures"]} == {
        f"{folder}/dangling",
        f"{folder}/pipe",
    }
    assert all(failure["reason"] for failure in summary["failures"])
    code, out, err = run("scan", folder, "--strict", "--quiet")
    assert code == 2
    assert out
    assert err == ""
    assert run("scan", folder / "pipe")[0] == 2


def test_names_that_move_the_cursor_are_told_safely(tmp_path: Path, run: Run) -> None:
    odd = ["new\nline.txt", "\x1b[2Jclear.txt", "quote\",'.txt", "漢字 😀.txt"]
    for name in odd:
        (tmp_path / name).write_text("one two three four")
    raw = os.fsencode(tmp_path) + b"/\xff\xfe.txt"
    Path(os.fsdecode(raw)).write_text("one two three four")
    code, out, _ = run("scan", tmp_path)
    assert code == 0
    assert "\x1b" not in out
    assert "new\\nline.txt" in out
    assert "\\xff\\xfe.txt" in out
    _, out, _ = run("scan", tmp_path, "--format", "jsonl")
    (cluster, _) = (json.loads(line) for line in out.splitlines())
    sources = [member["source"] for member in cluster["members"]]
    assert sorted(sources) == sorted(
        [*(f"{tmp_path}/{n}" for n in odd), f"{tmp_path}/\\xff\\xfe.txt"]
    )


def test_a_file_is_written_whole_or_not_at_all(folder: Path, tmp_path: Path, run: Run) -> None:
    out = tmp_path / "out.txt"
    _, expected, _ = run("scan", folder)
    code, printed, _ = run("scan", folder, "-o", out)
    assert (code, printed, out.read_text()) == (0, "", expected)
    code, _, err = run("scan", folder, "-o", tmp_path / "missing" / "out")
    assert code == 2
    assert f"cannot write {tmp_path}/missing/out" in err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--resemblance", "1.5"], "above 0 and at most 1"),
        (["--resemblance", "much"], "resemblance is 'much'"),
        (["--containment", "0"], "above 0 and at most 1"),
        (["--fingerprint", "radius=65"], "from 0 to 64"),
        (["--fingerprint", "radius=3,similarity=90%"], "one of them"),
        (["--fingerprint", "radius=3,pairing=exact"], "choose --fingerprint pairing=fingerprint"),
        (["--fingerprint", "similarity=101%"], "a share from 0 to 1, such as 0.8 or 80%"),
        (["--fingerprint", "pairing=lsh"], "fingerprint"),
        (["--shingle", "0"], "from 1 to 64"),
        (["--keep", "best"], "prefer:PATTERN"),
        (["--linkage", "single"], "connected"),
        (["--format", "xml"], "parquet"),
        (["--jobs", "0"], "a whole number of threads from 1 to 65536"),
        (["--limit", "pairs=-1"], "whole number of pairs from 0"),
        (["--fingerprint", "pairing=fingerprint,recipe=simhash32"], "minhash64/words=3"),
        (
            [
                "--fingerprint",
                "radius=3,recipe=simhash64/words=1/weight=idf/fold/min=3/ilk64/v1",
            ],
            "tf, log",
        ),
        (["--convert", "pdf"], "pdftotext"),
        (["--resemblence", "0.8"], "--resemblence"),
    ],
)
def test_wrong_options_are_refused_before_any_work(
    tmp_path: Path, run: Run, options: list[str], said: str
) -> None:
    """The path is a pipe without a writer: whoever began to read it would wait for ever."""
    os.mkfifo(tmp_path / "pipe.txt")
    code, out, err = run("scan", tmp_path / "pipe.txt", *options)
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err


def test_quiet_says_nothing_beside_the_result(folder: Path, run: Run) -> None:
    (folder / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    assert "compared only by its bytes" in run("scan", folder)[2]
    code, out, err = run("scan", folder, "--quiet")
    assert (code, err) == (0, "")
    assert out


def test_more_pairs_than_allowed_are_refused_with_what_to_do(folder: Path, run: Run) -> None:
    code, out, err = run("scan", folder, "--format", "pairs", "--limit", "pairs=3")
    assert (code, out) == (2, "")
    assert "4 pairs" in err
    assert "--limit pairs" in err


def _chain(number: int) -> str:
    return " ".join(f"word{number + step}" for step in range(60))


def _rows(path: Path, texts: Iterable[str]) -> Path:
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    return path


def test_who_asks_for_few_families_gets_few_members(tmp_path: Path, run: Run) -> None:
    """In a pipe too, where a list without --top has all."""
    path = _rows(tmp_path / "rows.jsonl", [f"{LONG} {at % 3}" for at in range(40)])
    assert len(run("scan", path)[1].splitlines()) > 40
    few = run("scan", path, "--top", "1")[1]
    assert len(few.splitlines()) < 25
    assert "and 29 more (--limit members=39 lists all)" in few
    assert len(run("scan", path, "--top", "1", "--limit", "members=39")[1].splitlines()) > 40
    lines = run("scan", path, "--top", "1", "--format", "jsonl")[1].splitlines()
    assert len(json.loads(lines[0])["members"]) == 40


@pytest.mark.parametrize("linkage", ["anchored", "connected"])
def test_a_suspicious_cluster_is_an_alarm(tmp_path: Path, run: Run, linkage: str) -> None:
    """Texts that drift: connected, all make one cluster, though few are like its keeper."""
    steps = (at if linkage == "connected" else at % 3 for at in range(1001))
    texts = (f"{_chain(step)} end{at}" for at, step in enumerate(steps))
    path = _rows(tmp_path / "drift.jsonl", texts)
    code, out, err = run("scan", path, "--linkage", linkage, "--format", "jsonl")
    summary: dict[str, Any] = json.loads(out.splitlines()[-1])["summary"]
    assert code == 3
    (largest,) = summary["largest"]
    kind = largest.pop("kind")
    assert kind == ("connected" if linkage == "connected" else "numbers_only")
    assert largest == {"cluster": 0, "documents": 1001, "keeper": f"{path}#0", "near": True}
    (alarm,) = summary["alarms"]
    assert alarm.startswith("cluster 0 has 1,001 documents, more than 1,000 and 5% of the run")
    assert f"alarm: {alarm}\n" in err


def test_many_copies_are_no_alarm(tmp_path: Path, run: Run) -> None:
    path = _rows(tmp_path / "copies.jsonl", [LONG] * 1001)
    code, _, err = run("scan", path)
    assert (code, err) == (0, "")


def test_pages_are_compared_by_their_main_text(run: Run, tmp_path: Path) -> None:
    article = "".join(f"<p>Sentence {n} of an article that two sites have.</p>" for n in range(30))
    for site in ("a", "b"):
        menu = "".join(f"<a href='/{n}'>{site} menu {n}</a> " for n in range(90))
        page = f"<html><body><nav>{menu}</nav><article>{article}</article></body></html>"
        (tmp_path / f"{site}.html").write_text(page)
    assert run("scan", tmp_path, "--resemblance", "0.95", "--quiet")[0] == 1
    code, out, _ = run("scan", tmp_path, "--resemblance", "0.95", "--extract", "fast")
    assert code == 0
    assert out.startswith("exact: 2 documents")
    assert run("scan", tmp_path, "--extract", "best")[0] == 2


@pytest.mark.parametrize("among", [False, True])
def test_words_that_are_elsewhere_are_rows_of_a_document_and_a_source(
    tmp_path: Path, run: Run, among: bool
) -> None:
    words = [f"word{number}" for number in range(200)]
    texts = {
        "essays/a.txt": [*words[:40], "own", "words", *words[100:104], "and", *words[150:170]],
        "essays/b.txt": [*words[150:170], "besides"],
        "sources/one.txt": words[:60],
        "sources/two.txt": [*words[95:110], "something", "else"],
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(" ".join(text))
    out = tmp_path / "shares.csv"
    scan = ["scan", tmp_path / "essays", "--against", tmp_path / "sources", "--containment"]
    more = ["--among"] if among else []
    code, _, _ = run(*scan, *more, "-o", out)
    assert code == 0
    rows = [*csv.DictReader(io.StringIO(out.read_text()))]
    found = {(Path(row["source"]).name, Path(row["from"]).name): row for row in rows}
    first = found["a.txt", "one.txt"]
    assert (first["from_words"], first["words"], first["quoted"]) == ("40", "67", "0")
    # Four words are too few; an essay is a source only if that is asked for.
    assert (("a.txt", "two.txt") in found, ("b.txt", "a.txt") in found) == (False, among)
    assert first["elsewhere"] == ("60" if among else "40")
    assert float(first["share"]) == int(first["elsewhere"]) / 67
    _, shown, _ = run(*scan, *more, "--format", "jsonl")
    shares = [row["copied"] for line in shown.splitlines() if "copied" in (row := json.loads(line))]
    listed = {(row["source"], each["source"]) for row in shares for each in row["sources"]}
    assert listed == {(row["source"], row["from"]) for row in rows}
