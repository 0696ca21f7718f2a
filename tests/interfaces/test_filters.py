"""Options that choose among files: what is read, what is left out, and that it is said."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

import ilk
from ilk.base.errors import OptionError
from ilk.base.kinds import SizeBounds, SizeRange, TimeOrAge
from tests.support.command_line import Run

SMALL, LARGE = "one line of text", "one line of text, and then some more of it " * 40
DAY = 24 * 3600


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "docs/small.txt": SMALL,
        "docs/large.txt": LARGE,
        "docs/in/small.txt": SMALL,
        "docs/in/large.txt": LARGE,
        "docs/.hidden/large.txt": LARGE,
    }.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)
    old = time.time() - 30 * DAY
    for name in ("docs/large.txt", "docs/small.txt"):
        os.utime(name, (old, old))
    return Path("docs")


def test_sizes_are_a_range_with_both_bounds() -> None:
    kind = SizeBounds()
    for written, meant in {
        "1kB..2MB": SizeRange(1_000, 2_000_000),
        " 7 .. 7 ": SizeRange(7, 7),
        "1.5MB..": SizeRange(1_500_000, None),
        "..10": SizeRange(None, 10),
    }.items():
        assert kind.check("size", written) == meant
        assert kind.check("size", kind.format_value(meant)) == meant
        assert kind.check("size", meant) == meant
    for wrong in ("", "..", "1MB", "2MB..1MB", "x..", "1..2..3", 5, None, "-1..2"):
        with pytest.raises(OptionError, match=r"a range of sizes such as 1MB\.\.2GB"):
            kind.check("size", wrong)


def test_a_time_is_a_date_a_time_or_an_age() -> None:
    kind, now = TimeOrAge(), datetime.now().astimezone()
    assert kind.check("newer", "2024-01-31") == datetime(2024, 1, 31).astimezone()
    assert kind.check("newer", "2024-01-31T12:00Z") == datetime(2024, 1, 31, 12, tzinfo=UTC)
    for written, hours in {"12h": 12, "30d": 720, "8w": 1_344, "2 y": 17_520}.items():
        past = (now - kind.check("newer", written)).total_seconds()
        assert abs(past / 3600 - hours) < 1, written
    for wrong in ("", "yesterday", "30", "30m", "-3d", "99999999y", 5, None, "2024-13-01"):
        with pytest.raises(OptionError, match="a date such as 2024-01-31"):
            kind.check("newer", wrong)


@pytest.mark.parametrize(
    ("words", "documents", "said"),
    [
        ("--size 1kB..", 3, "files of another size (--size) left out: 2"),
        ("--size ..1kB", 2, "files of another size (--size) left out: 3"),
        ("--newer 7d", 3, "files last modified before that time (--newer) left out: 2"),
        ("--older 7d", 2, "files modified since that time (--older) left out: 3"),
        ("--depth 1", 2, "folders that are too deep (--depth) left out: 2"),
        ("--walk no-hidden", 4, "hidden files and folders (--walk no-hidden) left out: 1"),
        ("--size 1kB.. --newer 7d --depth 2", 2, "(--size) left out: 2"),
    ],
)
def test_what_is_left_out_is_counted_and_said(
    folder: Path, run: Run, words: str, documents: int, said: str
) -> None:
    _, out, err = run("scan", folder, *words.split(), "--format", "summary")
    assert f"{documents} documents read" in out
    assert said in err
    _, out, err = run("passages", folder, *words.split(), "--words", "3")
    assert said in err
    _, out, err = run("store", "sync", "s.ilk", folder, *words.split())
    assert f"{documents} new" in out
    assert said in err


@pytest.mark.usefixtures("folder")
def test_a_store_keeps_what_is_left_out_this_time(run: Run) -> None:
    assert "5 new" in run("store", "sync", "s.ilk", "docs")[1]
    _, out, _ = run("store", "sync", "s.ilk", "docs", "--size", "1kB..", "--depth", "1")
    assert "0 vanished" in out


@pytest.mark.usefixtures("folder")
def test_a_reference_is_read_whole(run: Run) -> None:
    Path("new").mkdir()
    Path("new/copy.txt").write_text(LARGE)
    code, out, _ = run("scan", "new", "--against", "docs", "--newer", "7d", "--top", "1")
    assert code == 0
    assert "docs/large.txt" in out
    assert "1 document read, 1 of them in 1 family." in out


@pytest.mark.usefixtures("folder")
def test_rows_are_chosen_by_the_files_that_hold_them() -> None:
    Path("rows.jsonl").write_text('{"text": "a row of text"}\n')
    assert ilk.find("rows.jsonl", size="1kB..").report["documents"] == 0
    assert ilk.find("rows.jsonl", size="..1kB").report["documents"] == 1


def test_texts_are_no_files() -> None:
    for option in ({"size": "1kB.."}, {"newer": "7d"}, {"depth": 2}, {"no_hidden": True}):
        with pytest.raises(OptionError, match="chooses among files and folders"):
            ilk.find(["a text", "another"], **option)


@pytest.mark.parametrize(
    ("flag", "here"),
    [
        ("--minsize", "--size 1MB.."),
        ("--max-size", "--size ..1GB"),
        ("--max-depth", "--depth"),
        ("--nohidden", "--walk no-hidden"),
        ("--no-hidden", "--walk no-hidden"),
        ("--one-file-system", "--walk one-file-system"),
        ("--xdev", "--walk one-file-system"),
        ("--newer-than", "--newer"),
        ("--older-than", "--older"),
    ],
)
def test_names_of_other_programs_lead_to_ours(run: Run, flag: str, here: str) -> None:
    code, _, err = run("scan", ".", f"{flag}=1")
    assert code == 2
    # No full stop joins the dots of a range.
    assert f"; give {here} instead. See: " in err or f"; did you mean {here}? See: " in err


def test_a_wrong_unit_of_a_size_is_answered_with_the_units(run: Run) -> None:
    for words in (("--size", "1KiB.."), ("--memory", "1KiB")):
        code, _, err = run("scan", ".", *words)
        assert code == 2
        assert "; units are kB, MB, GB and TB." in err
