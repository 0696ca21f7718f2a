"""A user without rights to a folder, locales, and no home: errors of a line, the same results."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TEXT = "some words of a text that is the same in all of these files"

#: What a shell may set, or fail to set.
PLACES: dict[str, dict[str, str | None]] = {
    "C": {"LC_ALL": "C"},
    "POSIX": {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "Turkish": {"LC_ALL": "tr_TR.UTF-8"},
    "unknown": {"LC_ALL": "nonsense", "LANG": "x"},
    "ASCII": {"PYTHONIOENCODING": "ascii"},
    "no home": {"HOME": None},
    "lost home": {"HOME": "/nonexistent"},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("docs", "docs/locked", "out"):
        (tmp_path / name).mkdir()
    for number in range(3):
        for name in ("docs", "docs/locked"):
            (tmp_path / name / f"\u0131\u0130\u015f{number}.txt").write_text(TEXT)
    return tmp_path


def ilk(
    folder: Path, *words: str, place: dict[str, str | None] | None = None, bare: bool = False
) -> tuple[int, bytes, str]:
    """Run a command; ``bare``: without the capabilities that let root do anything."""
    given = {**os.environ, **(place or {})}
    rights = ["setpriv", "--inh-caps=-all", "--bounding-set=-all"] if bare else []
    done = subprocess.run(
        [*rights, sys.executable, "-m", "ilk", *words],
        cwd=folder,
        env={name: value for name, value in given.items() if value is not None},
        capture_output=True,
    )
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


@pytest.mark.parametrize("place", PLACES)
def test_no_locale_and_no_home_changes_a_result(folder: Path, place: str) -> None:
    words = ("scan", "docs", "--format", "csv")
    assert ilk(folder, *words, place=PLACES[place]) == ilk(folder, *words)


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0 or shutil.which("setpriv") is None,
    reason="only root can take its rights away",
)
def test_a_folder_that_is_not_ours_stays_as_it_is(folder: Path) -> None:
    locked = folder / "docs/locked"
    os.chown(locked, 65534, 65534)
    locked.chmod(0o555)
    before = sorted(locked.iterdir())
    for words, said in {
        "scan docs -o docs/locked/out.jsonl": "cannot write",
        "store add docs/locked/s.ilk docs": "cannot open or write",
        "fingerprint docs -o docs/locked/out.jsonl": "cannot write",
    }.items():
        code, shown, errors = ilk(folder, *words.split(), bare=True)
        assert (code, shown, errors.count("\n")) == (2, b"", 1)
        assert said in errors
    assert ilk(folder, "scan", "docs", "--plan", "out/plan.jsonl", bare=True)[0] == 0
    code, shown, errors = ilk(folder, "apply", "out/plan.jsonl", "--trash", "--yes", bare=True)
    assert code == 2
    assert b"left alone" in shown
    assert "Permission denied" in errors
    assert "Traceback" not in errors
    assert sorted(locked.iterdir()) == before
