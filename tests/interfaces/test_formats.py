"""The verb that lists formats, and the verbs that take documents of any format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ilk.read.formats.table import FORMATS
from tests.support import samples
from tests.support.command_line import Run


def test_every_format_is_listed_with_what_it_needs(run: Run) -> None:
    code, printed, _ = run("formats", "--format", "jsonl")
    rows = [json.loads(line) for line in printed.splitlines()]
    assert code == 0
    assert {row["format"] for row in rows} == FORMATS.keys() - {"encrypted"}
    assert all(row["read"] or row["advice"] for row in rows)
    code, printed, _ = run("formats")
    lines = printed.splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert [line for line in lines if line.split()[:2] == ["read", "PDF"]]
    assert "--convert 'doc=antiword {}'" in printed


def test_what_is_missing_is_said_with_how_to_get_it(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ilk.read.formats.table.find_spec", lambda _: None)
    (tmp_path / "a.pdf").write_bytes(samples.pdf())
    (tmp_path / "b.txt").write_text("plain")
    _, printed, _ = run("formats")
    assert all(len(line) <= 80 for line in printed.splitlines())
    assert "pypdfium2" in printed
    _, _, noted = run("scan", tmp_path)
    assert "1 file was compared only by its bytes (.pdf 1); try pip install 'ilk[docu" in noted
    assert ", or in a clone of ilk: pip install -e 'packages/ilk-sources[documents]'\n" in noted


def test_without_the_package_documents_are_counted_and_the_way_to_read_them_is_said(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ilk.read.formats.table.entry_points_in_ilk_group", lambda _: {})
    for extension, made in samples.SAMPLES.items():
        (tmp_path / f"a{extension}").write_bytes(made())
    (tmp_path / "a.zip").write_bytes(samples.zipped({"in/b.docx": samples.docx()}))
    (tmp_path / "b.txt").write_text("plain")
    code, printed, noted = run("scan", tmp_path, "--format", "jsonl")
    *_, summary = (json.loads(line) for line in printed.splitlines())
    compressed = {".gz", ".bz2", ".xz", ".zst"} & samples.SAMPLES.keys()
    assert (code, summary["summary"]["failures"]) == (0, [])
    assert summary["summary"]["documents"] == 1 + len(compressed)
    assert "15 files were compared only by their bytes (.docx 2, .eml 2, .odt 2, .xlsx 2, " in noted
    assert noted.count("pip install 'ilk[documents]'") == 1
    assert run("scan", tmp_path, "--strict")[0] == 2
    _, printed, _ = run("formats")
    assert all(len(line) <= 80 for line in printed.splitlines())
    assert printed.count("Missing: ilk-sources. To install it:\n") == 1
    assert printed.count("pip install 'ilk[documents]'\n") == 1
    _, printed, _ = run("formats", "--format", "jsonl")
    rows = {row["format"]: row for row in map(json.loads, printed.splitlines())}
    assert rows["docx"]["package"] == "ilk-sources"
    assert {name for name, row in rows.items() if row["read"]} == {"zip", "tar", "compressed"}


def test_all_formats_of_one_text_are_one_family(run: Run, tmp_path: Path) -> None:
    for extension, made in samples.SAMPLES.items():
        (tmp_path / f"a{extension}").write_bytes(made())
    (tmp_path / "plain.txt").write_bytes(samples.TEXT)
    code, printed, _ = run("scan", tmp_path, "--format", "jsonl")
    *_, summary = (json.loads(line) for line in printed.splitlines())
    assert code == 0
    assert summary["summary"]["documents"] == len(samples.SAMPLES) + 1
    assert summary["summary"]["clusters"] == 1
    assert summary["summary"]["in_clusters"] == len(samples.SAMPLES) + 1
    assert summary["summary"]["failures"] == []


def test_two_documents_of_different_formats_are_compared(run: Run, tmp_path: Path) -> None:
    letter = samples.message(title="A title", other_txt=b"something else altogether")
    (tmp_path / "a.eml").write_bytes(bytes(letter))
    (tmp_path / "b.docx").write_bytes(samples.docx())
    code, printed, _ = run("compare", tmp_path / "a.eml", tmp_path / "b.docx")
    assert code == 0
    assert "near-duplicates" in printed


def test_a_document_in_another_one_is_compared_by_its_name(run: Run, tmp_path: Path) -> None:
    letter = samples.message(["something else"], title="x", a_pdf=samples.pdf())
    (tmp_path / "a.zip").write_bytes(samples.zipped({"in/letter.eml": bytes(letter)}))
    (tmp_path / "b.txt").write_bytes(samples.TEXT)
    for name, exit_code in (("", 1), ("/a.pdf", 0)):
        asked = f"{tmp_path}/a.zip!/in/letter.eml{name}"
        assert run("compare", asked, tmp_path / "b.txt")[0] == exit_code


def test_replies_are_dropped_where_that_is_asked(run: Run, tmp_path: Path) -> None:
    quoted = ["Yes, we do.", "", "On Friday, A. Reader wrote:", "> " + samples.SENTENCES[0]]
    (tmp_path / "a.eml").write_bytes(bytes(samples.message(quoted, title="Re: a title")))
    (tmp_path / "b.txt").write_text("Re: a title\n\nYes, we do.")
    pairs = ("scan", tmp_path, "--format", "pairs,jsonl")
    assert run(*pairs)[0] == 1
    code, printed, _ = run(*pairs, "--extract", "replies=drop")
    assert (code, json.loads(printed.splitlines()[0])["verdict"]) == (0, "exact")


def test_limits_are_options(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(samples.docx())
    (tmp_path / "b.txt").write_text("another")
    code, _, noted = run("scan", tmp_path, "--limit", "text=100")
    assert code == 1
    assert "more than --limit text allows (100)" in noted


def test_a_comparison_reads_as_it_is_asked(run: Run, tmp_path: Path) -> None:
    quoted = ["Yes, we do.", "", "On Friday, A. Reader wrote:", "> " + samples.SENTENCES[0]]
    (tmp_path / "a.eml").write_bytes(bytes(samples.message(quoted, title="Re: a title")))
    (tmp_path / "b.txt").write_text("Re: a title\n\nYes, we do.")
    (tmp_path / "s.pdf").write_bytes(samples.pdf([[]], image=True))
    (tmp_path / "s.txt").write_text("P5")
    letters = ("compare", tmp_path / "a.eml", tmp_path / "b.txt", "--format", "jsonl")
    verdicts = [
        json.loads(run(*letters, "--extract", f"replies={of}")[1])["verdict"]
        for of in ("keep", "drop")
    ]
    assert verdicts == ["contains", "exact"]
    scans = ("compare", tmp_path / "s.pdf", tmp_path / "s.txt")
    assert [run(*scans)[0], run(*scans, "--extract", "ocr=head -c 2 {}")[0]] == [2, 0]


def test_a_store_asked_a_second_time_makes_no_text_again(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(samples.pdf())
    store, made = tmp_path / "s.ilk", ("--limit", "memory=1")
    assert run("store", "add", store, tmp_path / "a.pdf")[0] == 0
    assert run("store", "check", store, tmp_path / "a.pdf", *made)[0] == 0
    code, _, noted = run(
        "store", "check", store, tmp_path / "a.pdf", *made, "--extract", "cache=none"
    )
    assert (code, "crashed" in noted) == (2, True)
