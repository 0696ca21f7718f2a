"""Working files: an interrupted run is gone on from, and gives the same bytes."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pytest

from ilk.base import portable
from ilk.base.checkpoints import resumable_work_folder
from ilk.base.errors import OutputError
from tests.support.families import family_rows, write_rows

ACCOUNTS = ("clusters.parquet", "pairs.parquet", "dropped.parquet")


def test_a_step_is_taken_over_by_the_same_run_and_by_no_other(tmp_path: Path) -> None:
    made: list[str] = []

    def table(name: str) -> pa.Table:
        made.append(name)
        return pa.table({"x": [name]})

    for run, fails in (({"a": 1}, True), ({"a": 1}, True), ({"a": 2}, True), ({"a": 2}, False)):
        try:
            with resumable_work_folder(tmp_path / "work", sources=[], options=run) as work:
                assert work.load_or_make("one", lambda: table("one"))["x"].to_pylist() == ["one"]
                if fails:
                    raise KeyboardInterrupt
        except KeyboardInterrupt:
            pass
        made.append("|")
    assert made == ["one", "|", "|", "one", "|", "|"]
    assert not (tmp_path / "work").exists()


@pytest.mark.parametrize("left", [0, 5, 100, 300])
def test_the_cut_file_of_a_step_is_made_again(tmp_path: Path, left: int) -> None:
    made = pa.table({"at": range(100)})
    with (
        suppress(KeyboardInterrupt),
        resumable_work_folder(tmp_path / "work", sources=[], options={}) as work,
    ):
        work.load_or_make("rows", lambda: made)
        raise KeyboardInterrupt
    (file,) = (tmp_path / "work").glob("rows*")
    file.write_bytes(file.read_bytes()[:left])
    with resumable_work_folder(tmp_path / "work", sources=[], options={}) as work:
        assert work.load_or_make("rows", lambda: made).equals(made)


def test_a_folder_in_which_another_run_is_at_work_is_refused(tmp_path: Path) -> None:
    with (
        resumable_work_folder(tmp_path, sources=[], options={}),
        pytest.raises(OutputError, match="another run is using"),
        resumable_work_folder(tmp_path, sources=[], options={}),
    ):
        pytest.fail("two runs at work in one folder")


def test_a_file_that_is_not_ours_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with resumable_work_folder(tmp_path, sources=[], options={}) as work:
        work.load_or_make("one", lambda: pa.table({"x": [1]}))
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


@pytest.mark.parametrize("kills", [6, pytest.param(50, marks=pytest.mark.long)])
def test_a_run_killed_at_any_moment_goes_on_to_the_same_bytes(tmp_path: Path, kills: int) -> None:
    source = write_rows(tmp_path / "in.jsonl", family_rows(60))
    draw = random.Random(4)

    def run(name: str) -> subprocess.Popen[bytes]:
        words = ["dedup", str(source), "-o", str(tmp_path / name), "--quiet", "--format", "jsonl"]
        return subprocess.Popen(
            [sys.executable, "-m", "ilk", *words],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def content(name: str) -> list[bytes]:
        beside = tmp_path / f"{name}.ilk"
        return [(tmp_path / name).read_bytes(), *((beside / one).read_bytes() for one in ACCOUNTS)]

    began = time.monotonic()
    whole = run("whole.jsonl")
    assert whole.wait() == 0
    lasts = time.monotonic() - began
    for number in range(kills):
        name = f"out{number}.jsonl"
        killed = run(name)
        time.sleep(draw.random() * lasts)
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        if not (tmp_path / name).exists():
            again = run(name)
            assert again.wait() == 0
        assert content(name) == content("whole.jsonl")
        assert not list(tmp_path.glob(f".{name}*")) or killed.returncode == -9


def test_a_lock_that_the_run_before_removed_is_not_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run before ends after this one has opened the lock, and before it holds it."""
    lock, calls = portable.lock_file, 0

    def late(handle: int) -> None:
        nonlocal calls
        calls += 1
        if calls == 1:
            (tmp_path / "work" / "lock").unlink()
        lock(handle)

    monkeypatch.setattr(portable, "lock_file", late)
    with (
        resumable_work_folder(tmp_path / "work", sources=[], options={}),
        pytest.raises(OutputError, match="another run is using"),
        resumable_work_folder(tmp_path / "work", sources=[], options={}),
    ):
        pass
    assert calls == 3
