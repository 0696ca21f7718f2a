"""Files whose bytes alone were compared: what is decided at once is what parts would say."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import pytest

import ilk
from ilk.tasks.apply.file_plan import PlanFiles


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def make_files(draw: random.Random, top: str) -> None:
    """Make files of few contents in nested folders; some are other names of one, or empty."""
    paths = list[Path]()
    for number in range(draw.randint(4, 30)):
        folder = Path(top, *draw.choices(["a", "b copy", "c"], k=draw.randint(0, 3)))
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{number}{draw.choice(['', '.gz', '.zip', ' (1).txt', '-ä'])}"
        if paths and draw.random() < 0.2:
            os.link(draw.choice(paths), path)
        else:
            path.write_bytes(draw.choice([b"", b"one", b"two", b"three", draw.randbytes(3)]))
        os.utime(path, (draw.randint(1, 9), draw.randint(1, 9)))
        paths.append(path)


def everything(files: PlanFiles) -> list[Any]:
    """Return all that a plan, a page and a terminal show of files."""
    fates = dict(sorted(files.file_fates().items()))
    return [
        fates,
        files.preferred,
        files.size_by_dropped_file(),
        files.twin_folders,
        [*files.lines()],
    ]


@pytest.mark.parametrize("seed", range(30))
def test_what_is_decided_at_once_is_what_the_parts_of_files_say(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = random.Random(seed)
    make_files(draw, "in")
    make_files(draw, "other")
    against = Path("other") if seed % 3 == 0 else None
    result = ilk.find(Path("in"), against=against, identical=True, jobs=1)
    at_once = everything(result.files())
    asked = list[PlanFiles]()
    monkeypatch.setattr(
        PlanFiles, "decide_if_only_bytes_were_compared", lambda files: asked.append(files)
    )
    assert everything(result.files()) == at_once
    assert len(asked) == 1


def test_a_file_that_has_changed_since_stays() -> None:
    Path("in").mkdir()
    for name in "abc":
        Path("in", name).write_text("one")
    result = ilk.find(Path("in"), identical=True, jobs=1)
    Path("in/c").write_text("changed")
    assert result.files().size_by_dropped_file() == {"in/b": 3}
    Path("in/a").unlink()
    assert "in/a" not in result.files().size_by_dropped_file()
    assert sum(1 for fate in result.files().fates.values() if not fate.why) == 0


def test_a_link_that_was_named_is_decided_about_by_its_parts() -> None:
    Path("in").mkdir()
    Path("in/a").write_text("one")
    Path("in/b").write_text("one")
    Path("link").symlink_to("in")
    result = ilk.find(Path("link"), identical=True, jobs=1)
    assert result.files().size_by_dropped_file() == {"link/b": 3}
