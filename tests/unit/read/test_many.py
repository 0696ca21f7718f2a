"""Many files, many messages and texts without an end: nothing leaks, and memory is bounded."""

from __future__ import annotations

import gc
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ilk.base.run_options import Running
from ilk.read import Reading, ReadReport
from ilk.read.folders import read_documents_except_unnamed_binary_rows
from tests.support import samples

#: A message among the others that cannot be read: its parts are nested too deeply.
_DAMAGED = b"".join(
    b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (depth, depth)
    for depth in range(60)
)

#: Reads a folder, and prints the documents, the failures, and the peak of memory in megabytes.
_READ = """
import pathlib, re, sys
from ilk.base.run_options import Running
from ilk.read import ReadReport, Reading
from ilk.read.folders import read_documents_except_unnamed_binary_rows

tally, count = ReadReport(), 0
running = Running(2, int(sys.argv[2]))
for batch in read_documents_except_unnamed_binary_rows(
    [sys.argv[1]], Reading(), running, tally=tally
):
    count += len(batch)
    del batch
status = pathlib.Path("/proc/self/status").read_text()
peak = int(re.search(r"VmHWM:\\s+(\\d+)", status)[1]) // 1024
print(count, peak, *(reason for _, reason in tally.failures), sep="\\n")
"""

linux = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux reports it")


def peak(folder: Path, memory: int = 0) -> tuple[int, int, list[str]]:
    """Return the documents of a folder, the peak of memory in megabytes, and the reasons."""
    words = [sys.executable, "-c", _READ, str(folder), str(memory)]
    shown = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    count, megabytes, *reasons = shown.splitlines()
    return int(count), int(megabytes), reasons


@linux
def test_five_thousand_files_leak_no_descriptor_and_no_temporary_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs, temporary = tmp_path / "docs", tmp_path / "temporary"
    docs.mkdir()
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    archive = samples.zipped({"a.odd": b"what a program prints", "b.txt": b"plain"})
    for number in range(5_000):
        name, content = f"{number}.txt", f"text {number}".encode()
        if number % 50 == 0:
            name, content = f"{number}.eml", bytes(samples.message(title=f"{number}"))
        elif number % 250 == 1:
            name, content = f"{number}.zip", archive + b"%d" % number
        elif number % 250 == 2:
            name, content = f"{number}.pdf", b"%PDF-1.7 damaged"
        (docs / name).write_bytes(content)
    reading = Reading.of(convert={"odd": ["cat", "{}"]})
    gc.collect()  # What other tests have left closes its files now, and not in between.
    before, tally = len(os.listdir("/proc/self/fd")), ReadReport()
    batches = read_documents_except_unnamed_binary_rows([docs], reading, Running(2, 0), tally=tally)
    count = sum(len(batch) for batch in batches)
    assert count + len(tally.failures) >= 5_000
    assert len(tally.failures) == 20
    assert len(os.listdir("/proc/self/fd")) <= before
    assert os.listdir(temporary) == []


def written(path: Path, count: int, damaged: int) -> None:
    """Write a mailbox with one message that cannot be read."""

    def messages() -> Iterator[bytes]:
        for number in range(count):
            yield b"From a@example.org Fri Jan  2 03:04:05 2026\nFrom: a@example.org\n"
            body = _DAMAGED if number == damaged else b"\ntext %d\n" % number
            yield b"Date: Fri, 02 Jan 2026 03:04:05 +0000\nSubject: %d\n%b\n\n" % (number, body)

    with path.open("wb") as file:
        file.writelines(messages())


@pytest.mark.parametrize("count", [10_000, pytest.param(100_000, marks=pytest.mark.long)])
def test_a_damaged_message_costs_only_itself(tmp_path: Path, count: int) -> None:
    written(tmp_path / "a.mbox", count, count // 2)
    tally = ReadReport()
    batches = read_documents_except_unnamed_binary_rows(
        [tmp_path], Reading(), Running(2, 0), tally=tally
    )
    sources = {source for batch in batches for source in batch["source"].to_pylist()}
    (failure,) = tally.failures
    assert failure.source == f"{tmp_path}/a.mbox#{count // 2}"
    assert "nested more than" in failure.reason
    assert len(sources) == count - 1
    assert failure.source not in sources


@linux
@pytest.mark.parametrize(
    ("megabytes", "most"), [(64, 60), pytest.param(300, 60, marks=pytest.mark.long)]
)
def test_a_log_and_its_copy_stay_within_the_memory(
    tmp_path: Path, megabytes: int, most: int
) -> None:
    """They are named, and compared by their bytes."""
    docs, small = tmp_path / "docs", tmp_path / "small"
    docs.mkdir()
    small.mkdir()
    for folder in (docs, small):
        (folder / "z.txt").write_text("the next one")
    content = b"2026-11-25 10:00:00 a line of a log\n" * (megabytes * 1_000_000 // 36)
    for name in ("a.log", "b.log"):
        (docs / name).write_bytes(content)
    _, before, _ = peak(small)
    count, after, reasons = peak(docs, 16_000_000)
    assert count == 1
    assert len(reasons) == 2
    assert all(re.search("--memory allows .* for one text", reason) for reason in reasons)
    assert after - before < most


@linux
@pytest.mark.parametrize("size", [30_000_000, pytest.param(500_000_000, marks=pytest.mark.long)])
@pytest.mark.parametrize("piece", [b"word ", b"[", b'{"a":'])
def test_one_line_without_an_end_takes_memory_for_one_text(
    tmp_path: Path, piece: bytes, size: int
) -> None:
    """Brackets and objects nested ten million deep, too."""
    (tmp_path / "a.json").write_bytes(piece * (size // len(piece)))
    count, megabytes, reasons = peak(tmp_path)
    read = size <= 200_000_000
    assert (count, len(reasons)) == ((1, 0) if read else (0, 1))
    assert megabytes < 200 + (5 * size // 1_000_000 if read else 0)
