"""Invoices and price lists differ in nothing but their numbers: these are seen, and can be kept."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

import ilk
from tests.support.command_line import Run

LINES = " ".join(f"{chr(97 + at % 26)}{chr(97 + at // 26)} item" for at in range(120))
INVOICES = [f"Invoice {number}. {LINES} Total {number * 7} euros." for number in (1001, 1002)]
REVISED = INVOICES[0].replace("da item", "another thing")


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Two invoices, a copy of the second, and the first with two words replaced."""
    path = tmp_path / "rows.jsonl"
    texts = [*INVOICES, INVOICES[1].upper(), REVISED]
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    return path


def test_members_are_marked_and_counted_apart(rows: Path, run: Run) -> None:
    _, out, _ = run("scan", rows)
    assert f"%  numbers_only  {rows}#1" in out
    assert f"%  near          {rows}#3" in out
    assert "Differ from their keeper only in numbers: 2" in out
    _, out, _ = run("scan", rows, "--format", "csv")
    verdicts = [row["verdict"] for row in csv.DictReader(io.StringIO(out))]
    assert verdicts == ["identical", "numbers_only", "numbers_only", "near"]
    _, out, _ = run("scan", rows, "--format", "jsonl")
    cluster, last = (json.loads(line) for line in out.splitlines())
    assert [member["verdict"] for member in cluster["members"]] == verdicts
    assert last["summary"]["numbers_only"] == 2


@pytest.mark.parametrize("pairing", [[], ["--fingerprint", "pairing=fingerprint"]])
def test_they_are_kept_on_request_and_copies_of_them_are_not(
    rows: Path, tmp_path: Path, run: Run, pairing: list[str]
) -> None:
    out = tmp_path / "out.jsonl"
    assert run("dedup", rows, "-o", out, "--accept-alarm", *pairing)[0] == 0
    assert len(out.read_text().splitlines()) == 1
    code, printed, _ = run(
        "dedup", rows, "-o", out, "--force", "--keep-numbers-only", "--accept-alarm", *pairing
    )
    assert code == 0
    kept = [json.loads(line)["text"] for line in out.read_text().splitlines()]
    assert kept == INVOICES
    assert "dropped as numbers_only" not in printed
    assert "rows that differ only in numbers stay" in printed


def test_what_differs_from_the_baseline_in_numbers_alone_is_kept_too(rows: Path) -> None:
    test = rows.parent / "test.jsonl"
    test.write_text(json.dumps({"text": INVOICES[0].replace("1001", "1003")}) + "\n")
    found = ilk.deduplicate(rows, against=test, keep_numbers_only=True)
    assert found.report["kept"] == 2
    assert ilk.deduplicate(rows, against=test).report["kept"] == 0
