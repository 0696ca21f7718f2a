"""A night that a kill ends, at any point, and that is run again: as if nothing had ended it."""

from __future__ import annotations

import contextlib
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet
import pytest

import ilk
from tests.support.families import write_rows

#: Runs a night, and ends it at a step: a statement of SQL, or an event of Python that opens,
#: renames, links or removes a file. Tells how many steps there were.
_NIGHT = """
import os, signal, sqlite3, sys
at, steps = int(sys.argv[1]), 0
def step(*_):
    global steps
    steps += 1
    if steps == at:
        os.kill(os.getpid(), signal.SIGKILL)
def hook(event, args):
    if event in ("os.rename", "os.link", "os.remove", "os.mkdir", "os.rmdir", "sqlite3.connect"):
        step()
    elif event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR):
        step()
import ilk, ilk.store
connect = sqlite3.connect
def connect_and_trace(*args, **options):
    connection = connect(*args, **options)
    connection.set_trace_callback(step)
    return connection
sqlite3.connect = connect_and_trace
sys.addaudithook(hook)
from tests.interfaces.test_nights import OPTIONS
ilk.deduplicate(sys.argv[2], "out.jsonl", **OPTIONS)
print(steps)
"""

#: The options of a night.
OPTIONS: dict[str, Any] = {
    "against": "past.ilk",
    "add": True,
    "within": "lang",
    "count": "copies",
    "accept_alarm": True,
}

#: Where this package is found.
_ROOT = str(Path(__file__).parents[2])


class Night(NamedTuple):
    """A night to run.

    Attributes:
        folder: what is there before.
        rows: the name of its rows.
        steps: how many steps it takes.
        seconds: how long it lasts.
        after: what is there after it.
    """

    folder: Path
    rows: str
    steps: int
    seconds: float
    after: dict[str, Any]


def _command(rows: str, at: int = 0) -> list[str]:
    return [
        sys.executable,
        "-c",
        f"import sys; sys.path.append({_ROOT!r})\n{_NIGHT}",
        str(at),
        rows,
    ]


def _state(folder: Path) -> dict[str, Any]:
    """What a night leaves: its rows, what says why others go, and the store."""
    dropped = pyarrow.parquet.read_table(folder / "out.jsonl.ilk" / "dropped.parquet")
    with ilk.Store(folder / "past.ilk", create=False) as store:
        assert store.validate().problems == []
        documents = [
            (
                one.id,
                one.source,
                one.metadata,
                one.digest,
                one.copy_of,
                one.keeper,
                store.text(one.id),
            )
            for one in store
        ]
        clusters = store.clusters()
    return {
        "rows": (folder / "out.jsonl").read_bytes(),
        "dropped": dropped.to_pylist(),
        "documents": documents,
        "clusters": clusters,
    }


def _copy(folder: Path, to: Path) -> Path:
    return Path(shutil.copytree(folder, to))


@pytest.fixture(scope="module", params=["first.jsonl", "second.jsonl"])
def night(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Night:
    """The first night, which makes the store, and another one."""
    folder, draw = tmp_path_factory.mktemp("nights"), random.Random(1)
    texts = [" ".join(f"w{draw.randrange(300)}" for _ in range(25)) for _ in range(40)]
    for name in ("first.jsonl", "second.jsonl"):
        rows = []
        for number in range(120):
            words = draw.choice(texts).split()
            words[draw.randrange(25)] = draw.choice(["", "changed"])
            row = {"id": f"{name[0]}{number}", "text": " ".join(words)}
            rows.append(row | {"lang": draw.choice(["de", "en"]), "copies": draw.randrange(1, 4)})
        write_rows(folder / name, rows)
    before = _copy(folder, folder / "before")
    if request.param == "second.jsonl":
        subprocess.run(_command("first.jsonl"), cwd=before, check=True, capture_output=True)
        (before / "out.jsonl").unlink()
        shutil.rmtree(before / "out.jsonl.ilk")
    whole = _copy(before, folder / "whole")
    begun = time.monotonic()
    done = subprocess.run(_command(request.param), cwd=whole, check=True, capture_output=True)
    seconds = time.monotonic() - begun
    return Night(before, request.param, int(done.stdout), seconds, _state(whole))


def _check_again(night: Night, folder: Path) -> None:
    """Run a night again, and once more: it is as if the first one had ended."""
    for _ in range(2):
        out = folder / "out.jsonl"
        if (folder / "out.jsonl.ilk" / "report.json").exists():
            out.unlink(missing_ok=True)  # It had ended.
        with contextlib.chdir(folder):
            ilk.deduplicate(night.rows, "out.jsonl", **OPTIONS)
        assert _state(folder) == night.after


def _points(night: Night, count: int) -> Iterator[int]:
    return (1 + place * night.steps // count for place in range(count))


def test_a_night_that_is_killed_is_run_again(night: Night, tmp_path: Path) -> None:
    for at in _points(night, 3):
        _check_kill_at_step(night, _copy(night.folder, tmp_path / str(at)), at)


@pytest.mark.long
def test_a_night_is_killed_at_steps_over_the_whole_of_it(night: Night, tmp_path: Path) -> None:
    for at in _points(night, 100):
        _check_kill_at_step(night, _copy(night.folder, tmp_path / str(at)), at)


def _check_kill_at_step(night: Night, folder: Path, at: int) -> None:
    done = subprocess.run(_command(night.rows, at), cwd=folder, check=False, capture_output=True)
    assert done.returncode == -signal.SIGKILL, (at, done.stderr)
    _check_again(night, folder)


@pytest.mark.long
def test_a_night_is_killed_at_any_time(night: Night, tmp_path: Path) -> None:
    draw, killed = random.Random(2), 0
    for number in range(60):
        folder = _copy(night.folder, tmp_path / str(number))
        with subprocess.Popen(
            _command(night.rows), cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            time.sleep(draw.uniform(0.2, 1) * night.seconds)
            process.kill()
        killed += process.returncode == -signal.SIGKILL
        _check_again(night, folder)
    assert killed > 30
