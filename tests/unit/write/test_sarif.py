"""SARIF: what version 2.1.0 demands of a log, and places that are those of the files."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote, unquote_to_bytes

import pyarrow as pa
import pytest

import ilk
from tests.support.command_line import Run

SHARED = "the quick brown fox jumps over the lazy dog"


def check_log(log: dict[str, Any]) -> None:
    """Check what the schema of SARIF 2.1.0 requires of the objects that ilk writes.

    Source: OASIS SARIF 2.1.0, sections 3.13 (log), 3.14 (run), 3.19 (driver), 3.27 (result), 3.28
    (location), 3.29 (physical location), 3.30 (region), 3.11 (message), 3.49 (rule).
    """
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-schema-2.1.0.json")
    assert len(log["runs"]) == 1
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "ilk"
    assert driver["version"]
    assert run["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints")
    rules = driver["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    for rule in rules:
        assert rule["shortDescription"]["text"].endswith(".")
        assert rule["fullDescription"]["text"]
        assert rule["defaultConfiguration"]["level"] in ("none", "note", "warning", "error")
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("none", "note", "warning", "error")
        assert len(result["locations"]) == 1
        ids = [location["id"] for location in result["relatedLocations"]]
        assert len(set(ids)) == len(ids)
        # A message may link to related locations by their numbers.
        links = re.findall(r"\]\((\d+)\)", result["message"]["text"])
        assert set(map(int, links)) <= set(ids)
        for location in [*result["locations"], *result["relatedLocations"]]:
            physical = location["physicalLocation"]
            assert re.fullmatch(r"[A-Za-z0-9_.~:/%-]+", physical["artifactLocation"]["uri"])
            if "region" in physical:
                region = physical["region"]
                assert all(type(number) is int and number >= 1 for number in region.values())
                begin = region["startLine"], region["startColumn"]
                assert begin <= (region.get("endLine", begin[0]), region.get("endColumn", begin[1]))
            if "message" in location:
                assert location["message"]["text"]


def take_region(region: dict[str, int], text: str) -> str:
    """Return what a region covers."""
    last = region.get("endLine", region["startLine"])
    lines = text.split("\n")[region["startLine"] - 1 : last]
    lines[-1] = lines[-1][: region.get("endColumn", len(lines[-1]) + 1) - 1]
    lines[0] = lines[0][region["startColumn"] - 1 :]
    return "\n".join(lines)


def test_places_are_lines_and_columns_of_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.chdir(tmp_path)
    first = f"Ä title\r\n\r\nAt last {SHARED}, and so on.\n"
    second = f"Bé!\n\n😀 Now\n{SHARED.upper().replace(' FOX ', ' FOX' + chr(10))}\nEnd. {SHARED}"
    Path("Ü [1].md").write_bytes(first.encode())
    Path("b.txt").write_bytes(second.encode())
    code, out, err = run("passages", ".", "--words", "9", "-o", "found.sarif")
    assert (code, out, err) == (0, "", "")
    log = json.loads(Path("found.sarif").read_text())
    check_log(log)
    results = log["runs"][0]["results"]
    texts = {"b.txt": second, "Ü [1].md": first}
    found = []
    for result in results:
        for place in [*result["locations"], *result["relatedLocations"]]:
            physical = place["physicalLocation"]
            name = unquote(physical["artifactLocation"]["uri"])
            found.append((name, take_region(physical["region"], texts[name]).split()[0].lower()))
        (here,) = result["locations"]
        name = unquote(here["physicalLocation"]["artifactLocation"]["uri"])
        whole = take_region(here["physicalLocation"]["region"], texts[name])
        assert whole.lower().split() == SHARED.split()
    assert {name for name, _ in found} == {*texts}
    assert len(results) == 2
    assert all(word in ("the", "t") for _, word in found)


def test_rows_and_texts_are_named_without_lines(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps({"text": SHARED}) + "\n" + json.dumps({"text": f"A {SHARED}"}))
    (log,) = [ilk.passages(rows, words=5, against=pa.array([SHARED])).sarif()]
    check_log(log)
    names = [result["locations"][0]["message"]["text"] for result in log["runs"][0]["results"]]
    assert names == [f"{rows}#0", f"{rows}#1"]
    # A code review opens the file; no file has the name of a row.
    assert {
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        for result in log["runs"][0]["results"]
    } == {rows.as_uri()}
    nothing = ilk.passages(rows, words=50).sarif()
    check_log(nothing)
    assert nothing["runs"][0]["results"] == []


def test_files_whose_names_are_not_utf8_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text, rows = (Path(os.fsdecode(b"e\xff%s" % extension)) for extension in (b".txt", b".jsonl"))
    text.write_text(SHARED)
    rows.write_text(json.dumps({"text": SHARED}))
    for sources in ([text, rows], [text.absolute(), rows.absolute()]):
        log = ilk.passages(sources, words=5).sarif()
        check_log(log)
        (result,) = log["runs"][0]["results"]
        places = [
            each["physicalLocation"] for each in (*result["locations"], *result["relatedLocations"])
        ]
        uris = [place["artifactLocation"]["uri"] for place in places]
        paths = [os.fsencode(source) for source in reversed(sources)]
        assert [unquote_to_bytes(uri.removeprefix("file://")) for uri in uris] == paths
        # The lines of a row are not those of its file.
        assert ["region" in place for place in places] == [False, True]
