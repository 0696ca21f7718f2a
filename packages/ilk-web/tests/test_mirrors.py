"""``ilk mirrors``, as it is called."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pyarrow.parquet
import pytest
from tests.support.command_line import Run
from tests.support.crawls import planted, rows


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    file = tmp_path / "crawl.jsonl"
    pages = rows(planted(0)[0])
    file.write_text("".join(json.dumps(page) + "\n" for page in pages) + '{"text": "no URL"}\n')
    return file


def test_mirrors_are_told(run: Run, crawl: Path) -> None:
    code, out, err = run("mirrors", crawl)
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "ftp0.archive.example and 6 mirrors:"
    assert lines[6] == "  mirror2.example/pub/2"
    assert lines[8:12] == [
        "level 1: same paths, identical content",
        "  ftp0.archive.example  (40 pages)",
        "  ftp1.archive.example  (40 pages)",
        "  40 paths in both: 40 identical, 0 near-identical, 0 similar",
    ]
    levels = list(planted(0)[1].values())
    others = levels.count(5)
    assert 0 < others < len(levels)
    # Hosts with the same paths and other content are shown, and not counted as mirrors.
    assert lines[-2].endswith(
        f"37 hosts; {len(levels) - others} mirrors, 4 groups of the same pages."
    )
    assert lines[-1].startswith(f"Not counted: {others} pair")
    assert out.count("level 5: same paths, other content\n") == others
    assert "1 row without a web URL" in err
    assert "ignored" not in err
    _, _, err = run("mirrors", crawl, "--limit", "hosts=3")
    assert "contents and paths that are on more than 3 hosts: " in err
    assert "were ignored (--limit hosts)" in err


def test_every_format_says_the_same(run: Run, crawl: Path, tmp_path: Path) -> None:
    _, out, _ = run("mirrors", crawl, "--format", "jsonl", "--quiet")
    *found, summary = map(json.loads, out.splitlines())
    assert summary["summary"]["hosts"] == 37
    counts = [summary["summary"][name] for name in ("mirrors", "same_paths")]
    assert counts == [sum(m["level"] < 5 for m in found), sum(m["level"] == 5 for m in found)]
    _, out, _ = run("mirrors", crawl, "--format", "csv")
    assert [row["left"] for row in csv.DictReader(out.splitlines())] == [m["left"] for m in found]
    run("mirrors", crawl, "--format", "parquet", "-o", tmp_path / "found.parquet")
    assert pyarrow.parquet.read_table(tmp_path / "found.parquet").to_pylist() == found


def test_alternatives_are_told(run: Run, crawl: Path) -> None:
    code, out, _ = run("mirrors", crawl, "--alternatives", "https://fan.example/docs/manual/x.html")
    assert (code, out) == (0, "https://maker.example/docs/manual/x.html\n")


def test_options_are_refused(run: Run, crawl: Path) -> None:
    assert run("mirrors", crawl, "--least", "0")[0] == 2
    assert run("mirrors", crawl, "--text", "body")[0] == 2
    assert run("mirrors", crawl, "--alternatives", "nonsense")[0] == 2
