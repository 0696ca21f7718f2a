"""Ctrl-C at a terminal, and kills: the end is clean, and outputs are whole or absent."""

from __future__ import annotations

import functools
import os
import pty
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import ilk
from tests.support.command_line import seen

#: The key as a terminal sends it, and the exit code that it asks for.
CTRL_C = b"\x03"
INTERRUPTED = 130

#: The exit code that SIGTERM asks for.
TERMINATED = 143

#: Files of the folder.
FILES = 600

#: What differs between two runs.
_OF_A_RUN = re.compile(rb'"seconds": (\{[^}]*\}|[0-9.e-]+)')


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files whose scan lasts for about a second, and rows."""
    folder, draw = tmp_path_factory.mktemp("keys") / "texts", random.Random(1)
    folder.mkdir()
    rows = []
    for family in range(150):
        words = [f"word{draw.randrange(5_000)}" for _ in range(400)]
        for number in range(4):
            words[draw.randrange(400)] = "changed"
            (folder / f"{family}-{number}.txt").write_text(" ".join(words))
            rows.append(" ".join(words))
    lines = "".join(f'{{"text": "{row}"}}\n' for row in rows)
    (folder.parent / "rows.jsonl").write_text(lines * 10)
    return folder


def commands(folder: Path) -> dict[str, list[str]]:
    """Commands that write OUT."""
    rows, two = str(folder.parent / "rows.jsonl"), ["0-0.txt", "0-1.txt"]
    return {
        "scan": ["scan", str(folder), "-o", "OUT.jsonl", "--report", "OUT.html"],
        "dedup": ["dedup", rows, "-o", "OUT.jsonl", "--accept-alarm"],
        "compare": ["compare", *(str(folder / name) for name in two), "--html", "OUT.html"],
        "passages": ["passages", str(folder), "-o", "OUT.jsonl"],
        "fingerprint": ["fingerprint", str(folder), "-o", "OUT.jsonl"],
        "store": ["store", "sync", "OUT.ilk", str(folder)],
    }


def run(words: Sequence[str], out: Path, wait: float | None, kill: bool = False) -> tuple[int, str]:
    """Run a command at a terminal of its own; in a while, type Ctrl-C or kill it."""
    here, there = pty.openpty()
    made = [word.replace("OUT", str(out / "OUT")) for word in words]
    with subprocess.Popen(
        [sys.executable, "-m", "ilk", *made, "--color", "never"],
        preexec_fn=lambda: os.login_tty(there),
        cwd=out,
    ) as child:
        os.close(there)
        press = threading.Timer(
            wait or 0, child.kill if kill else os.write, [] if kill else [here, CTRL_C]
        )
        if wait is not None:
            press.start()
        shown = seen(here)
        press.cancel()
        code = child.wait()
    os.close(here)
    return code, shown.decode(errors="replace").replace("\r\n", "\n")


def outputs(out: Path) -> dict[str, bytes]:
    """What files a user sees in a folder, and what is in them; a store counts by its documents."""
    found = {}
    for path in sorted(out.rglob("*")):
        name = str(path.relative_to(out))
        if name == "OUT.ilk":
            with ilk.Store(path, create=False) as store:
                assert store.validate().problems == []
                found[name] = b"all or nothing" if len(store) in (0, FILES) else b"a part"
        elif path.is_file() and not name.startswith((".", "OUT.ilk", "OUT.jsonl.ilk/work")):
            said = _OF_A_RUN.sub(b"", path.read_bytes().replace(bytes(out), b""))
            found[name] = said[-9:] if path.stem == "report" or path.suffix == ".html" else said
    return found


@pytest.fixture(scope="module")
def whole(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], dict[str, bytes]]:
    @functools.cache
    def made(verb: str) -> dict[str, bytes]:
        out = tmp_path_factory.mktemp(f"whole-{verb}")
        code, shown = run(commands(folder)[verb], out, None)
        assert code == 0, shown
        return outputs(out)

    return made


def end(
    folder: Path,
    tmp_path: Path,
    verb: str,
    whole: dict[str, bytes],
    waits: Sequence[float],
    kill: bool,
) -> int:
    """End a command after some times; return how often it had not ended itself."""
    ended = 0
    for number, wait in enumerate(waits):
        (out := tmp_path / f"{kill}-{number}").mkdir()
        code, shown = run(commands(folder)[verb], out, wait, kill)
        found = outputs(out)
        assert found.items() <= whole.items(), (verb, wait, code)
        if code == 0:
            assert found == whole, (verb, wait, code)
            continue
        if code == -signal.SIGINT:  # Python was starting or ending: 130 to a shell too.
            assert found in ({}, whole), (verb, wait, shown)
            continue
        ended += 1
        if kill:
            assert code == -signal.SIGKILL, (verb, wait, code, shown)
        else:
            assert code == INTERRUPTED, (verb, wait, code, shown)
            # A long line is wrapped.
            said = " ".join(shown.rpartition("ilk: interrupted")[2].split())
            # Verbs with a folder to work in say what the same command will find.
            assert (not said) or (verb in ("dedup", "passages") and "same command" in said), shown
            assert shown.endswith("\n"), (verb, wait, shown)
            assert "ilk: interrupted" in shown, (verb, wait, shown)
            assert "Traceback" not in shown, (verb, wait, shown)
            assert [path.name for path in out.iterdir() if path.name.startswith(".")] == []
        # The same command then does all of it, unless the output is there.
        code, shown = run(commands(folder)[verb], out, None)
        assert (code == 0 and outputs(out) == whole) or "exists" in shown, (verb, wait, shown)
    return ended


VERBS = ("scan", "dedup", "compare", "passages", "fingerprint", "store")
Whole = Callable[[str], dict[str, bytes]]


@pytest.mark.parametrize("verb", ["scan", "dedup"])
def test_ctrl_c_ends_a_command_with_130(
    folder: Path, tmp_path: Path, whole: Whole, verb: str
) -> None:
    end(folder, tmp_path, verb, whole(verb), [0.6, 1.0], kill=False)


def test_sigterm_ends_a_command_with_143_as_ctrl_c_does(tmp_path: Path) -> None:
    """While it reads a text: it has begun when the pipe has room again."""
    command = [sys.executable, "-m", "ilk", "fingerprint", "-", "-o", str(tmp_path / "out.jsonl")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(b"one line of many\n" * 40_000)
        process.stdin.flush()
        process.send_signal(signal.SIGTERM)
        process.stdin.close()
        said = process.stderr.read().decode()
        assert process.wait() == TERMINATED, said
    assert said.splitlines()[-1] == "ilk: interrupted"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
@pytest.mark.parametrize("kill", [False, True], ids=["Ctrl-C", "kill"])
@pytest.mark.parametrize("verb", VERBS)
def test_whatever_ends_a_command_leaves_whole_outputs(
    folder: Path, tmp_path: Path, whole: Whole, verb: str, kill: bool
) -> None:
    outputs_of_it = whole(verb)
    (again := tmp_path / "again").mkdir()
    begun = time.monotonic()
    run(commands(folder)[verb], again, None)
    lasted = time.monotonic() - begun
    waits = [random.Random(seed).uniform(0.2, 1) * lasted for seed in range(20)]
    assert end(folder, tmp_path, verb, outputs_of_it, waits, kill) > 0
