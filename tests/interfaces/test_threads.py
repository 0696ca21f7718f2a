"""What can happen to a process while several threads work for it."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import ilk

_JOBS = "3"

_WORDS = [f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in "xyz"]


def _texts(count: int) -> list[str]:
    """Return texts of 60 words; every second one is another with two words changed."""
    numbers = random.Random(count)
    texts: list[list[str]] = []
    for at in range(count):
        words = list(texts[numbers.randrange(at)]) if at % 2 else numbers.choices(_WORDS, k=60)
        for _ in range(2):
            words[numbers.randrange(60)] = numbers.choice(_WORDS)
        texts.append(words)
    return [" ".join(words) for words in texts]


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """JSON lines in five blocks, which threads share."""
    path = tmp_path_factory.mktemp("threads") / "rows.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in _texts(70_000)))
    assert path.stat().st_size > 16_000_000
    return path


def _command(rows: Path, output: Path) -> list[str]:
    asked = ["dedup", str(rows), "-o", str(output), "--jobs", _JOBS, "--quiet", "--accept-alarm"]
    return [sys.executable, "-m", "ilk", *asked]


@pytest.mark.parametrize(
    ("number", "ended"), [(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)]
)
def test_a_signal_at_any_time_ends_all_threads_and_the_same_command_goes_on(
    number: signal.Signals, ended: int, rows: Path, tmp_path: Path
) -> None:
    whole = tmp_path / "whole" / "out.jsonl"
    whole.parent.mkdir()
    begun = time.monotonic()
    subprocess.run(_command(rows, whole), check=True, capture_output=True)
    lasted = time.monotonic() - begun
    # A busy machine may be quicker the next time: then an earlier signal comes while it works.
    parts = [0.25, 0.5, 0.75, *(0.25 * 0.8**turn for turn in range(1, 9))]
    endings = list[int]()
    for turn, part in enumerate(parts):
        if turn < 3 or ended not in endings:
            output = tmp_path / str(turn) / "out.jsonl"
            output.parent.mkdir()
            command = _command(rows, output)
            endings.append(_end_by_signal(command, number, lasted * part))
            if not output.exists():  # It may have come into its place, whole, just before.
                assert endings[-1]
                subprocess.run(command, check=True, capture_output=True)
                assert _names_below(output.parent) == _names_below(whole.parent)
            assert output.read_bytes() == whole.read_bytes()
    assert ended in endings


def _names_below(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def _end_by_signal(command: list[str], number: signal.Signals, seconds: float) -> int:
    """Send a command a signal after a time; return how it has ended."""
    with subprocess.Popen(command, stderr=subprocess.PIPE) as child:
        time.sleep(seconds)
        child.send_signal(number)
        _, said = child.communicate(timeout=120)
    # Python prints and loses an interrupt that comes while it runs the code of a weak reference.
    lost = child.returncode == 0 and said.startswith(b"Exception ignored in: ")
    assert b"Traceback" not in said or lost
    # An interrupt ends Python by itself while it starts.
    assert child.returncode in (0, 130, -number)
    return child.returncode


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_after_the_work_is_done_ends_the_process_without_a_word(
    number: signal.Signals,
) -> None:
    program = (
        "import atexit, os, sys\n"
        "from ilk.cli.main import main\n"
        f"atexit.register(os.kill, os.getpid(), {int(number)})\n"
        "sys.exit(main())\n"
    )
    words = [sys.executable, "-c", program, "--version"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (-number, "")
    assert done.stdout.startswith("ilk ")


def test_a_full_disk_ends_all_threads_and_leaves_nothing(rows: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    program = (
        "import resource, signal, sys\n"
        "from ilk.cli.main import main\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (3_000_000, 3_000_000))\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    words = _command(rows, output)[3:]
    done = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True)
    assert done.returncode == 2
    assert "File too large" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_fork_while_threads_of_a_kernel_work() -> None:
    """The child has none of them, and waits for none."""
    texts = _texts(20_000)
    expected = len(ilk.find(texts[:500]))
    running = threading.Thread(target=lambda: ilk.find(texts, jobs=int(_JOBS)))
    running.start()
    try:
        for _ in range(5):
            time.sleep(0.05)
            child = os.fork()
            if not child:
                right = False
                try:
                    right = len(ilk.find(texts[:500], jobs=int(_JOBS))) == expected
                finally:
                    os._exit(0 if right else 1)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    finally:
        running.join()


def test_a_loop_of_events_goes_on_while_threads_work() -> None:
    """As in a notebook, whose cells run in a loop."""
    texts = _texts(20_000)

    async def work() -> tuple[int, int]:
        ticks = 0
        found = asyncio.create_task(asyncio.to_thread(ilk.find, texts, jobs=int(_JOBS)))
        while not found.done():
            await asyncio.sleep(0.01)
            ticks += 1
        return ticks, len(await found)

    ticks, families = asyncio.run(work())
    assert ticks > 3
    assert families == len(ilk.find(texts, jobs=1))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_signal_is_heard_while_a_pipe_that_nobody_reads_is_full(
    rows: Path, tmp_path: Path
) -> None:
    """The thread that hears the signal writes: it waits for no other one."""
    pipe = tmp_path / "out.jsonl"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        process = subprocess.Popen(_command(rows, pipe), stderr=subprocess.PIPE)
        # The first rows are in the pipe, so the next ones wait.
        while True:
            try:
                if os.read(reader, 1):
                    break
            except BlockingIOError:
                pass
            time.sleep(0.05)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
    finally:
        os.close(reader)
        process.kill()
        process.communicate()
