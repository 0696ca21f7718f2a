"""One URL fetched several times: what has changed from one time to the next."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.support.archives import record, response
from tests.support.command_line import Run

import ilk
from ilk.base.errors import ColumnTypeError, NothingRead, OptionError
from ilk_web import changes

WORDS = [f"{a}{b}" for a in "bdfgklmnprst" for b in ("an", "er", "is", "ol", "ut")]


def text(seed: int, count: int = 80) -> str:
    return " ".join(random.Random(seed).choices(WORDS, k=count))


def edited(page: str, words: int) -> str:
    return " ".join([*page.split()[:-words], *text(99, words).split()])


def told(rows: list[tuple[Any, ...]], **options: Any) -> list[dict[str, Any]]:
    table = pa.table(dict(zip(("url", "date", "text"), zip(*rows, strict=True), strict=True)))
    found = changes.find(table, **options)
    return list(found.table.to_pylist())


def test_captures_are_laid_side_by_side_in_time() -> None:
    page = text(1)
    little, much = edited(page, 5), text(2)
    rows = [
        ("http://b.org/", "2020-01-05", page),
        ("http://a.org/", "2020-01-02", page.upper()),
        ("http://a.org/", "2020-01-04", much),
        ("http://a.org/", "2020-01-03", little),
        ("http://a.org/", "2020-01-01", page),
        (None, "2020-01-01", page),
        (None, "2020-01-02", page),
    ]
    found = told(rows)
    assert [(row["before"], row["after"]) for row in found] == [
        ("#4", "#1"),
        ("#1", "#3"),
        ("#3", "#2"),
    ]
    assert [row["verdict"] for row in found] == ["unchanged", "changed a little", "changed"]
    assert [row["from"] for row in found] == ["2020-01-01", "2020-01-02", "2020-01-03"]
    # The same numbers as for two documents side by side.
    for row in found:
        left, right = (rows[int(row[side][1:])][2] for side in ("before", "after"))
        assert row["resemblance"] == ilk.compare([left], [right]).resemblance


def test_without_times_the_order_is_that_of_the_rows() -> None:
    table = pa.table({"url": ["u", "v", "u"], "text": [text(1), text(1), text(2)]})
    (row,) = changes.find(table).table.to_pylist()
    assert (row["before"], row["after"], row["from"], row["to"]) == ("#0", "#2", None, None)
    with pytest.raises(ColumnTypeError, match="fetched"):
        changes.find(table, date="fetched")


def test_times_that_are_nulls_are_none(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"url": "u", "date": null, "text": "a"}\n' * 2)
    assert changes.find(path, date="date").table["verdict"].to_pylist() == ["unchanged"]


def test_what_has_no_text_is_unknown() -> None:
    rows = [("u", "1", None), ("u", "2", text(1)), ("u", "3", " ")]
    found = told(rows)
    assert [row["verdict"] for row in found] == ["unknown", "unknown"]
    assert [row["resemblance"] for row in found] == [None, None]


def test_little_is_what_is_said() -> None:
    page = text(1)
    rows = [("u", "1", page), ("u", "2", edited(page, 5))]
    (row,) = told(rows)
    exact = row["resemblance"]
    assert 0.8 < exact < 1
    assert told(rows, resemblance=exact - 0.01)[0]["verdict"] == "changed a little"
    assert told(rows, resemblance=exact + 0.01)[0]["verdict"] == "changed"
    with pytest.raises(OptionError, match="resemblance"):
        told(rows, resemblance=2)


def test_captures_without_urls_are_no_answer(tmp_path: Path, run: Run) -> None:
    nothing = pa.nulls(2, pa.string())
    for count in (0, 2):
        table = pa.table(
            {"url": nothing[:count], "text": pa.array(["a", "b"][:count], pa.string())}
        )
        with pytest.raises(NothingRead, match=f"no capture of {count} has a URL"):
            changes.find(table)
    place = tmp_path / "a.jsonl"
    for content, seen in (
        ("", "no capture of 0 has a URL (--url is 'url')"),
        ('{"url": null, "text": "a"}\n', "no capture of 1 has a URL (--url is 'url')"),
        ('{"link": "u", "text": "a"}\n', "no row has the column url"),
    ):
        place.write_text(content)
        code, out, err = run("changes", place)
        assert (code, out) == (2, "")
        assert seen in err


def test_archives_are_read_with_their_revisits(tmp_path: Path) -> None:
    url = "http://a.org/"
    dates = [f"2020-01-0{day}T00:00:00Z" for day in (1, 2, 3)]
    first, last = (f"<p>{text(seed)}</p>".encode() for seed in (1, 2))
    again = record(
        "revisit",
        b"",
        WARC_Target_URI=url,
        WARC_Date=dates[1],
        WARC_Refers_To_Target_URI=url,
        WARC_Refers_To_Date=dates[0],
    )
    (tmp_path / "1.warc").write_bytes(response(url, first, dates[0]))
    (tmp_path / "2.warc").write_bytes(again + response(url, last, dates[2]) + b"garbage")
    found = changes.find([tmp_path / "1.warc", tmp_path / "2.warc"])
    assert found.table["verdict"].to_pylist() == ["unchanged", "changed"]
    assert found.report["urls"] == 1
    (failure,) = found.report["failures"]
    assert failure["source"].startswith(str(tmp_path / "2.warc"))


def test_what_is_no_text_is_judged_by_its_payload_digest(tmp_path: Path) -> None:
    url, picture = "http://a.org/a.png", b"\x89PNG\r\n\x1a\n\0\0\1"
    dates = [f"2020-01-0{day}T00:00:00Z" for day in (1, 2, 3)]
    archive = [response(url, picture, dates[0]), response(url, picture, dates[1])]
    archive.append(response(url, picture + b"\2", dates[2]))
    (tmp_path / "1.warc").write_bytes(b"".join(archive))
    found = changes.find(tmp_path / "1.warc")
    assert found.table["verdict"].to_pylist() == ["unchanged", "unknown"]
    assert found.table["resemblance"].to_pylist() == [None, None]
