"""Without what only some systems have, the same is found: Windows is not at hand, its lacks are."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ilk.base import portable
from tests.support import samples
from tests.support.fixtures import ROOT

#: What Windows lacks, taken away from this process and from those that it starts.
_LACKS = """
import mmap, os, sys
for name in ("fcntl", "resource"):
    sys.modules[name] = None
for name in ("O_CLOEXEC", "O_NOCTTY", "O_NONBLOCK", "O_NOFOLLOW", "O_TMPFILE", "chown", "killpg",
             "pread", "sched_getaffinity", "sysconf"):
    delattr(os, name)
del mmap.MADV_DONTNEED
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "lacks").mkdir()
    (tmp_path / "lacks" / "sitecustomize.py").write_text(_LACKS)
    path = os.pathsep.join([str(tmp_path / "lacks"), str(ROOT / "src")])
    return {**os.environ, "PYTHONPATH": path}


def _ilk(
    environment: dict[str, str], folder: Path, *words: str
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ilk", *words]
    return subprocess.run(
        command, env=environment, cwd=folder, capture_output=True, text=True, timeout=120
    )


def test_documents_are_scanned_deduplicated_and_stored(
    environment: dict[str, str], tmp_path: Path
) -> None:
    text = "a report of forty words or so about the fox that jumps over the dog " * 4
    reports = tmp_path / "reports"
    reports.mkdir()
    (reports / "a.txt").write_text(text)
    (reports / "b.docx").write_bytes(samples.docx([text]))
    (reports / "c.txt").write_text("a note on something else, and of other words than those above")
    scanned = _ilk(
        environment, tmp_path, "scan", "reports", "--plan", "plan.jsonl", "--drop", "exact,formats"
    )
    assert scanned.returncode == 0, scanned.stderr
    assert "b.docx" in scanned.stdout
    assert "c.txt" not in scanned.stdout
    applied = _ilk(environment, tmp_path, "apply", "plan.jsonl", "--move-to", "aside", "--yes")
    assert applied.returncode == 0, applied.stderr
    assert len(list(reports.iterdir())) == 2
    (tmp_path / "rows.jsonl").write_text(2 * f'{{"text": "{text}"}}\n')
    kept = _ilk(environment, tmp_path, "dedup", "rows.jsonl", "-o", "once.jsonl", "--memory", "1GB")
    assert kept.returncode == 0, kept.stderr
    assert len((tmp_path / "once.jsonl").read_text().splitlines()) == 1
    stored = _ilk(environment, tmp_path, "store", "sync", "s.ilk", "reports")
    assert stored.returncode == 0, stored.stderr
    checked = _ilk(environment, tmp_path, "store", "check", "s.ilk", "reports/c.txt")
    assert checked.returncode == 0, checked.stderr


def test_a_converter_that_hangs_is_killed(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.xyz").write_text("anything")
    sleeps = f"xyz={sys.executable} -c 'import time; time.sleep(60)' {{}}"
    words = ("scan", "in", "--convert", sleeps, "--limit", "timeout=0.5")
    seen = _ilk(environment, tmp_path, *words)
    assert "did not end within 0.5 s" in seen.stderr


def test_a_locked_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with path.open("wb") as one, path.open("wb") as other:
        portable.lock_file(one.fileno())
        with pytest.raises(BlockingIOError):
            portable.lock_file(other.fileno())
