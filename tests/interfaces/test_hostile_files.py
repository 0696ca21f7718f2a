"""A thousand hostile files, each verb on each: every command ends, soon, with a line of reason."""

from __future__ import annotations

import json
import os
import random
import select
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import hostile_files, hostile_worker, samples

#: Files of all kinds among the long tests, and a few of each kind otherwise.
FILES, FEW = 1_000, 1

#: What a process that runs commands may hold, and how long a command may take on a busy machine.
MEMORY, SECONDS = 4 << 30, 150

#: No document may take long or much, so that the commands need not.
_READ = ("--limit", "memory=1GB,timeout=5,text=20MB")


class Worker:
    """A process that runs commands; one that has died is replaced."""

    def __init__(self) -> None:
        program = hostile_worker.__file__
        self.process = subprocess.Popen(
            [sys.executable, program, str(MEMORY)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __call__(self, *words: object) -> tuple[object, str, str]:
        question, answers = self.process.stdin, self.process.stdout
        assert question is not None
        assert answers is not None
        question.write(json.dumps([os.fspath(word) for word in words]) + "\n")  # type: ignore[call-overload]
        question.flush()
        ready, _, _ = select.select([answers], [], [], SECONDS)
        line = answers.readline() if ready else ""
        if not line:
            self.end()
            self.__init__()  # type: ignore[misc]
            return ("no end" if not ready else "died"), "", ""
        code, shown, said = json.loads(line)
        return code, shown, said

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    one = Worker()
    yield one
    one.end()


def commands(folder: Path, file: Path, beside: Path) -> Iterator[tuple[object, ...]]:
    """Yield every verb that reads a file, with that file in every role."""
    docs, store = file.parent, folder / "s.ilk"
    quiet = ("--quiet", "--jobs", "2")
    yield "scan", file, beside, *_READ, *quiet
    yield "scan", docs, "--walk", "rows", "--format", "pairs", "--extract", "all", *_READ, *quiet
    yield "scan", docs, "--containment", "--report", folder / "r.html", *_READ, *quiet
    yield "dedup", file, "-o", folder / f"out{file.name[1:]}", "--accept-alarm", *quiet
    yield "dedup", file, "--exact", "--extract", "all", *quiet
    yield "compare", file, beside, *_READ
    yield "compare", beside, f"{file}#0", *_READ
    yield "passages", file, beside, "--words", "5", *_READ, *quiet
    yield "passages", file, "--words", "5", "--cut", "-o", folder / f"cut{file.name[1:]}", *quiet
    yield "fingerprint", file, beside, *_READ, *quiet
    yield "calibrate", docs, "--copies", "4", "--pairs-sample", "4", *_READ, *quiet
    yield "weights", "build", file, "-o", folder / "w", *_READ, *quiet
    yield "mirrors", file, *quiet
    yield "changes", file, *quiet
    yield "urls", file, "--quiet"
    yield "store", "sync", store, docs, *_READ, *quiet
    yield "store", "add", store, file, beside, *_READ, *quiet
    yield "store", "check", store, file, *_READ, *quiet
    yield "store", "validate", store
    if file.suffix in (".ilk", ".json"):
        yield "store", "list", file
        yield "store", "stats", file
        yield "store", "validate", file
        yield "store", "clusters", file
        yield "store", "check", file, beside, *quiet
        yield "store", "add", file, beside, *quiet
        yield "store", "rebuild", file
        yield "store", "export", file, folder / "e.parquet"
        yield "store", "import", folder / "i.ilk", file
        yield "apply", file
        yield "undo", file
        yield "scan", beside, "--calibration", file, *quiet
        yield "scan", docs, "--labels", file, *_READ, *quiet
        yield "scan", "--files-from", file, *_READ, *quiet
        yield "fingerprint", beside, "--recipe", f"minhash64,weights={file}", *quiet
        yield "fingerprint", beside, "--recipe", f"minhash64,secret={file}", *quiet


def harmed(worker: Worker, kind: str, number: int) -> list[str]:
    """Return what a hostile file did that no file may do."""
    draw = random.Random(f"{kind} {number}")
    extension, content = hostile_files.KINDS[kind](draw)
    memory = Path("/dev/shm")
    harm = []
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as name:
        folder = Path(name)
        (folder / "docs").mkdir()
        file, beside = folder / "docs" / f"x{extension}", folder / "docs" / "z.txt"
        file.write_bytes(content)
        beside.write_text("\n".join(samples.SENTENCES))
        for words in commands(folder, file, beside):
            code, shown, said = worker(*words)
            # What validation finds is what it was asked for, on standard output.
            reasons = said.strip().splitlines() or shown.strip().splitlines()
            well = code in (0, 1) or (code in (2, 3) and len(reasons) > 0)
            if not well or "Traceback" in said or "panicked" in said:
                line = " ".join(str(word).replace(name, ".") for word in words)
                harm.append(f"{kind} {number}: ilk {line}: {code}\n{said[-1500:]}")
    return harm


@pytest.mark.parametrize("kind", hostile_files.KINDS)
def test_a_few_hostile_files_end_every_command_with_a_reason(worker: Worker, kind: str) -> None:
    found = [harm for number in range(FEW) for harm in harmed(worker, kind, number)]
    assert found == []


@pytest.mark.long
@pytest.mark.parametrize("kind", hostile_files.KINDS)
def test_hostile_files_end_every_command_with_a_reason(worker: Worker, kind: str) -> None:
    numbers = range(FEW, FILES // len(hostile_files.KINDS))
    found = [harm for number in numbers for harm in harmed(worker, kind, number)]
    assert found == []
