"""Archives on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.archives import CODECS, DATE, framed, page, record, request, response
from tests.support.command_line import Run

import ilk
from ilk.plugins import OptionError
from ilk.read.rows.opening import open_rows

URLS = ["http://a.org/", "http://b.org/", "http://c.org/"]


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    """Two copies of a page, another page, a record that is cut off before the next one, and a page
    that is nothing but tags.
    """
    pages = [page("alpha"), page("alpha"), page("beta")]
    parts = [record("warcinfo", b"a note")]
    for url, payload in zip(URLS, pages, strict=True):
        parts += [response(url, payload), request(url, url)]
    parts.append(record("response", b"cut off", length=10**6))
    parts.append(response("http://d.org/", b"<html>" + b"<p></p>" * 5000))
    path = tmp_path / "crawl.warc.gz"
    path.write_bytes(framed(parts, ".gz"))
    return path


def test_captures_are_scanned_by_name(run: Run, crawl: Path) -> None:
    code, out, err = run("scan", crawl, "--extract", "fast", "--format", "jsonl")
    assert code == 0
    cluster, summary = map(json.loads, out.splitlines())
    assert cluster["keeper"] == f"{crawl}#0 {URLS[0]} {DATE}"
    assert [member["source"] for member in cluster["members"]] == [
        f"{crawl}#{row} {URLS[row]} {DATE}" for row in (0, 1)
    ]
    assert summary["summary"]["documents"] == 4
    reasons = [failure["reason"] for failure in summary["summary"]["failures"]]
    assert reasons[0].startswith("is cut off")
    assert reasons[1].startswith(f"http://d.org/ {DATE}: suspicious extraction")
    for failure in summary["summary"]["failures"]:
        assert f"not read: {failure['source']}: {failure['reason']}" in err
    assert run("scan", crawl, "--extract", "fast", "--strict")[0] == 2


def test_kept_records_are_an_archive(run: Run, crawl: Path, tmp_path: Path) -> None:
    out = tmp_path / "once.warc.gz"
    code, told, _ = run("dedup", crawl, "-o", out, "--extract", "fast")
    assert code == 0
    assert "4 rows read, 3 kept." in told
    assert open_rows(out).read_column("url").to_pylist() == [URLS[0], URLS[2], "http://d.org/"]
    lines = (tmp_path / "once.warc.gz.ilk" / "rejected.jsonl").read_text().splitlines()
    told_of = [json.loads(line) for line in lines]
    assert [row["offset"] > 0 for row in told_of] == [True, True]
    words = ("dedup", crawl, "-o", tmp_path / "once.jsonl", "--extract", "fast")
    assert [run(*words)[0], run(*words, "--force", "--strict")[0]] == [0, 2]
    rows = [json.loads(line) for line in (tmp_path / "once.jsonl").read_text().splitlines()]
    assert [row["url"] for row in rows] == [URLS[0], URLS[2], "http://d.org/"]
    assert rows[0]["text"].startswith("alpha0 alpha1")


def test_a_plan_is_applied(run: Run, crawl: Path, tmp_path: Path) -> None:
    plan, out = tmp_path / "plan", tmp_path / "once.jsonl"
    assert run("dedup", crawl, "--plan", plan, "--extract", "fast")[0] == 0
    assert run("apply", plan, "-o", out)[0] == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["text"] and row["text"].split()[0] for row in rows] == ["alpha0", "beta0", None]


def test_revisits_without_what_they_revisit_are_told(run: Run, crawl: Path, tmp_path: Path) -> None:
    again = record(
        "revisit",
        b"",
        WARC_Target_URI=URLS[2],
        WARC_Refers_To_Target_URI=URLS[2],
        WARC_Refers_To_Date=DATE,
    )
    later = tmp_path / "later.warc.gz"
    later.write_bytes(framed([again], ".gz"))
    code, _, err = run("dedup", crawl, later, "--keep", "last", "-o", tmp_path / "out.warc.gz")
    assert code == 0
    kept = f"1 revisit kept although the captures are dropped, first {later}#0 of {crawl}#2"
    assert kept in err


def test_archives_in_folders_are_told(run: Run, crawl: Path) -> None:
    _, _, err = run("scan", crawl.parent)
    assert "1 file of rows was not read (.warc.gz 1); --walk rows reads their rows" in err
    code, out, _ = run("dedup", crawl.parent)
    assert code == 0
    assert "4 rows read" in out


def test_mirrors_are_found_in_archives(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "crawl.warc.gz"
    pages = {name: page(name) for name in ("one", "two", "three", "four")}
    path.write_bytes(
        framed(
            [
                response(f"http://{host}/{name}", payload)
                for host in ("a.org", "b.org")
                for name, payload in pages.items()
            ],
            ".gz",
        )
    )
    code, out, _ = run("mirrors", path)
    assert code == 0
    assert "4 paths in both: 4 identical" in out


def test_changes_are_told(run: Run, crawl: Path, tmp_path: Path) -> None:
    later = tmp_path / "later.warc"
    date = "2021-01-01T00:00:00Z"
    later.write_bytes(
        response(URLS[0], page("alpha"), date) + response(URLS[2], page("gamma"), date)
    )
    code, out, err = run("changes", crawl, later, "--extract", "fast")
    assert code == 0
    lines = out.splitlines()
    assert lines[0].split() == ["changed", "0.0%", URLS[2]]
    assert [line.split() for line in lines[1:3]] == [[DATE, f"{crawl}#2"], [date, f"{later}#1"]]
    assert lines[3] == (
        "6 captures read; 2 URLs fetched more than once: unchanged 1, changed a little 0, "
        "changed 1, unknown 0."
    )
    assert "suspicious extraction" in err
    code, out, _ = run("changes", crawl, later, "--format", "jsonl", "--strict")
    assert code == 2
    first, _, summary = map(json.loads, out.splitlines())
    assert (first["from"], first["to"], first["verdict"]) == (DATE, date, "unchanged")
    assert summary["summary"]["documents"] == 6
    for form in ("csv", "parquet"):
        path = tmp_path / f"out.{form}"
        assert run("changes", crawl, later, "--format", form, "-o", path)[0] == 0
        assert path.stat().st_size


@pytest.mark.parametrize("codec", CODECS)
def test_a_last_record_that_is_cut_off_is_kept_with_what_is_there(
    run: Run, codec: str, tmp_path: Path
) -> None:
    """By every verb; what is missing is said, and archives with it are still archives."""
    body = f"<p>{' '.join(map(str, range(60_000)))}</p>".encode()
    first, last = (response(url, url.encode() + body) for url in URLS[:2])
    content = framed([first, last], codec)
    kept = len(content) * 9 // 10
    crawl, out = tmp_path / f"crawl.warc{codec}", tmp_path / f"once.warc{codec}"
    crawl.write_bytes(content[:kept])
    code, _, err = run("dedup", crawl, "-o", out, "--extract", "fast", "--exact")
    assert code == 0
    rows = open_rows(crawl)
    assert rows.read_column("url").to_pylist() == URLS[:2]
    told = rows.counts_and_failures_reading_if_unread()["failures"][0]["reason"]
    assert told.startswith("ends before its last record does, at byte ")
    assert f"(response {URLS[1]}): " in told
    assert f"not read: {crawl}: {told}" in err
    assert list(rows.read_rejected_rows()) == []
    assert run("scan", crawl, "--strict")[0] == 2
    again = open_rows(out)
    assert again.counts_and_failures_reading_if_unread()["failures"] == []
    assert again.read_column("url").to_pylist() == URLS[:2]
    assert list(again.read_rejected_rows()) == []
    assert again.read_column("text").to_pylist() == rows.read_column("text").to_pylist()


def test_an_archive_in_a_compression_that_it_never_has_is_refused_by_its_name(
    tmp_path: Path,
) -> None:
    path = tmp_path / "crawl.warc.bz2"
    path.write_bytes(b"")
    with pytest.raises(OptionError, match="its name does not say how its rows are written"):
        ilk.deduplicate(path)
