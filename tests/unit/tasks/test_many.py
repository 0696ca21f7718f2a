"""Thousands of real files moved aside and put back, through kills."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import ilk
from ilk import write
from ilk.tasks.apply import carry, file_plan
from tests.support.file_trees import tree
from tests.support.fixtures import DATA

_KINDS = ("scancode-licenses", "spdx", "udhr-nltk", "quic-drafts")


def _all(folder: Path, count: int) -> None:
    """Copy files of several kinds, some of them twice, so that much is identical."""
    real = sorted(path for kind in _KINDS for path in (DATA / kind).rglob("*") if path.is_file())
    for copy in range(-(-count // len(real))):
        for path in real[: count - copy * len(real)]:
            to = folder / str(copy) / path.relative_to(DATA)
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, to)


@pytest.mark.long
@pytest.mark.skipif(not DATA.is_dir(), reason="the folder of real documents is not here")
@pytest.mark.parametrize(
    "way", [["--move-to", "aside"], ["--hardlink"], ["--trash"]], ids=["move", "link", "trash"]
)
def test_every_byte_is_where_it_was_after_fifty_kills(
    way: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if way == ["--trash"]:
        (tmp_path / "home").mkdir()
        monkeypatch.setenv("HOME", str(tmp_path / "home"))
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    _all(tmp_path / "in", 5_000)
    before = tree(tmp_path / "in")
    result = ilk.find("in")
    with Path("plan.jsonl").open("wb") as out:
        write.write_jsonl(result.files().lines(), out)
    kinds = {"--move-to": "move", "--hardlink": "hardlink", "--trash": "trash"}
    kind = carry.DropMethod(kinds[way[0]], way[1] if len(way) > 1 else None)
    count = len(carry.dropped_files_equal_if_linking(file_plan.read_plan("plan.jsonl"), kind))
    assert count > 500
    apply = [sys.executable, "-m", "ilk", "apply", "plan.jsonl", *way, "--yes"]
    undo = [sys.executable, "-m", "ilk", "undo", "plan.jsonl.log.jsonl", "--yes"]
    draw = random.Random(5)
    for command in (apply, undo):
        for _ in range(25):
            with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
                time.sleep(draw.uniform(0.2, 0.7))
                process.kill()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        if command is apply:
            assert tree(tmp_path / "in") != before
    assert tree(tmp_path / "in") == before
