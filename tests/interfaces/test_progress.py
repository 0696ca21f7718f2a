"""The line of progress: drawn on a terminal alone, and wiped on every way out."""

from __future__ import annotations

import argparse
import contextlib
import io
import itertools
import json
import os
import pty
import random
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import ilk
from ilk.base import progress
from ilk.base.progress import Step
from ilk.cli import output
from ilk.cli.main import main
from tests.support.command_line import Screen, seen

#: What wipes the line.
WIPE = "\r\x1b[K"


class Terminal(io.StringIO):
    """A screen that remembers what was written."""

    def isatty(self) -> bool:
        return True

    @property
    def line(self) -> str:
        """The line that stands there, and cannot be scrolled away."""
        return self.getvalue().rpartition("\n")[2].rpartition(WIPE)[2]


@contextlib.contextmanager
def terminal() -> Iterator[Terminal]:
    """Stderr is a terminal."""
    with contextlib.redirect_stderr(Terminal()) as made:
        yield made


LOUD, QUIET = argparse.Namespace(quiet=False), argparse.Namespace(quiet=True)


def test_a_step_is_drawn_and_the_next_one_in_its_place() -> None:
    with terminal() as screen:
        with output.show_progress(LOUD, seconds_between=0) as meter:
            meter("read", 1_000, 4_000, 2_000_000)
            assert screen.line.startswith("read 1,000 of 4,000, ")
            assert screen.line.endswith("B/s")
            meter("pair", 7)
            assert screen.line == "pair 7"
        assert screen.line == ""
    assert "\n" not in screen.getvalue()


@pytest.mark.parametrize("error", [ValueError, OSError, KeyboardInterrupt, SystemExit, MemoryError])
def test_the_line_is_wiped_on_every_way_out(error: type[BaseException]) -> None:
    with terminal() as screen:
        with pytest.raises(error), output.show_progress(LOUD, seconds_between=0) as meter:  # noqa: PT012
            meter("read", 3, 9)
            assert screen.line == "read 3 of 9"
            raise error
        assert screen.line == ""


def test_a_block_that_is_left_by_return_wipes_it_too() -> None:
    def leave() -> None:
        with output.show_progress(LOUD, seconds_between=0) as meter:
            meter("read", 3)
            assert screen.line == "read 3"
            return

    with terminal() as screen:
        leave()
        assert screen.line == ""


def test_who_is_quiet_or_no_terminal_gets_no_line() -> None:
    for args, made in ((QUIET, Terminal()), (LOUD, io.StringIO())):
        with (
            contextlib.redirect_stderr(made),
            output.show_progress(args, seconds_between=0) as meter,
        ):
            meter("read", 3)
        assert made.getvalue() == ""


def test_an_output_that_cannot_be_written_is_refused_before_any_line(tmp_path: Path) -> None:
    args = argparse.Namespace(quiet=False, force=False, output=str(tmp_path / "missing" / "out"))
    refused = pytest.raises(OSError, match="there is no folder")
    with terminal() as screen, refused, output.refuse_unwritable_output_and_show_progress(args):
        raise AssertionError
    assert screen.getvalue() == ""


def _seen(words: list[str], interrupt: bool = False) -> tuple[int, str]:
    """The exit code of a command, and what its terminal shows of stderr."""
    here, there = pty.openpty()
    command = [sys.executable, "-m", "ilk", *words, "--color", "never"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=there
    ) as child:
        os.close(there)
        assert child.stdin is not None
        if interrupt:
            child.stdin.write(bytes(1 << 20))  # More than a pipe holds: the child reads.
            child.stdin.flush()
            child.send_signal(signal.SIGINT)
        child.stdin.close()
        code = child.wait()
    shown = seen(here)
    os.close(here)
    return code, shown.decode().replace("\r\n", "\n")


def test_an_error_is_said_on_a_line_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("title\n1\n")
    code, shown = _seen(["scan", str(tmp_path / "a.csv")])
    assert code == 2
    wiped, _, said = shown.rpartition(WIPE)
    assert wiped.count("\n") == 0
    assert said.split()[:2] == ["ilk", "scan:"]
    assert "no column named text" in said


def test_so_is_an_interrupt() -> None:
    code, shown = _seen(["scan", "-"], interrupt=True)
    assert code == 130
    assert shown.endswith(f"{WIPE}ilk: interrupted\n")


def test_notes_follow_the_wiped_line(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one two three")
    (tmp_path / "b.bin").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    code, shown = _seen(["scan", str(tmp_path)])
    assert code == 1
    assert shown.rpartition(WIPE)[2].startswith("ilk: 1 binary file")


class Clock:
    """A clock that a test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def _meter(*steps: Step) -> tuple[progress.Meter, Clock]:
    clock = Clock()
    meter = progress.Meter(draws=True, every=0, clock=clock)
    meter.expect_steps_unless_known(steps)
    return meter, clock


def _percent(line: str) -> int:
    found = re.search(r"(\d+) %", line)
    assert found is not None, line
    return int(found[1])


def _seconds_left(line: str) -> int | None:
    found = re.search(r"(?:(\d+) min|(\d+) s) left$", line)
    return None if found is None else int(found[2] or 60 * int(found[1]))


def test_a_step_is_timed_from_the_end_of_the_one_before() -> None:
    """Its first line is drawn when something is done, and that took time."""
    meter, clock = _meter()
    with terminal() as screen:
        clock.now = 2.0
        meter("read", 50, 100, 4_000_000)
        assert screen.line == "read, 2.0 MB/s"
        clock.now = 6.0
        meter("write", 10_000_000, 20_000_000, 10_000_000)
        assert screen.line == "write 10.0 MB of 20.0 MB, 2.5 MB/s"


def test_the_whole_run_has_one_bar_one_percentage_and_one_remaining_time() -> None:
    meter, clock = _meter(Step("read", 45.0), Step("join sets", 35.0), Step("write", 20.0))
    with terminal() as screen:
        clock.now = 9.0
        meter("read", 500_000_000, 1_000_000_000, 500_000_000)
        assert screen.line == (
            "████░░░░░░░░░░░░░░░░   22 %  read 500 MB of 1.0 GB, 55.6 MB/s  31 s left"
        )
        clock.now = 18.0
        meter("read", 1_000_000_000, 1_000_000_000, 1_000_000_000)
        assert _percent(screen.line) == 45
        clock.now = 25.0
        meter("join sets", 50, 100)
        assert screen.line == "████████████░░░░░░░░   62 %  join sets  15 s left"


@pytest.mark.parametrize("seed", range(40))
def test_the_percentage_never_goes_back_whatever_the_steps_report(seed: int) -> None:
    """Steps in any order, begun again, unknown, with or without a total, past their end."""
    draw = random.Random(seed)
    names = ["read", "join sets", "write", "align", "unknown"]
    steps = [Step(draw.choice(names), draw.random() + 0.01, draw.random() < 0.5) for _ in range(4)]
    meter, clock = _meter(*steps)
    seen: list[int] = []
    with terminal() as screen:
        for _ in range(300):
            clock.now += draw.choice([0, 0.1, 1, 30])
            total = draw.choice([None, 0, 1, 100, 7_000])
            meter(draw.choice(names), draw.randrange(200), total, draw.choice([0, 5_000_000]))
            assert len(screen.line) < 80
            if "%" in screen.line:
                seen.append(_percent(screen.line))
    assert seen == sorted(seen)
    assert seen
    assert seen[-1] <= 100


def test_a_step_that_begins_again_goes_on_from_where_it_was() -> None:
    meter, _ = _meter(Step("join sets", 1.0, repeats=True), Step("write", 1.0))
    shown = []
    with terminal() as screen:
        for done in (0, 50, 100, 0, 50, 100, 3, 93):
            meter("join sets", done, 100)
            shown.append(_percent(screen.line))
        meter("write", 0, 10)
        shown.append(_percent(screen.line))
    assert shown == [0, 22, 45, 45, 47, 49, 49, 49, 50]


def test_two_steps_of_one_name_have_each_their_share() -> None:
    """The other collection is read first, then one's own."""
    meter, _ = _meter(Step("read", 3.0), Step("read", 1.0))
    with terminal() as screen:
        meter("read", 10, 10)
        assert _percent(screen.line) == 75
        meter("read", 1, 2)
        assert _percent(screen.line) == 87


def test_what_an_interrupted_run_has_done_does_not_count() -> None:
    """Nothing is read again: without reading, this is half of the joins, and no hurry."""
    meter, clock = _meter(Step("read", 45.0), Step("join sets", 35.0), Step("write", 20.0))
    with terminal() as screen:
        clock.now = 10.0
        meter("join sets", 50, 100)
        assert _percent(screen.line) == 31
        assert _seconds_left(screen.line) == 22


def test_a_step_that_nobody_expected_leaves_the_bar_alone() -> None:
    meter, _ = _meter(Step("align", 1.0, repeats=True))
    with terminal() as screen:
        meter("align", 50, 100)
        before = _percent(screen.line)
        meter("read again", 3, 3)
        assert "read again 3 of 3" in screen.line
        assert _percent(screen.line) == before
        meter("align", 90, 100)
        assert before < _percent(screen.line) < 100


def test_nothing_is_said_of_the_remaining_time_in_the_first_seconds() -> None:
    meter, clock = _meter(Step("read", 1.0))
    with terminal() as screen:
        for clock.now in (0.0, 0.5, 1.9):
            meter("read", 1, 10)
            assert _seconds_left(screen.line) is None
        clock.now = 2.0
        meter("read", 1, 10)
        assert _seconds_left(screen.line) == 18


def test_the_remaining_time_is_steady_when_the_pace_is_not() -> None:
    """A file that takes six times as long as the others moves it by little."""
    meter, clock = _meter(Step("read", 1.0))
    left: list[int] = []
    with terminal() as screen:
        for done in range(1, 100):
            clock.now += 6.0 if done % 10 == 0 else 1.0
            meter("read", done, 100)
            left += [known] if (known := _seconds_left(screen.line)) is not None else []
    assert len(left) > 90
    assert max(after - before for before, after in itertools.pairwise(left)) <= 60  # One minute.


@pytest.mark.parametrize("columns", [1, 10, 25, 40, 60, 80, 200])
def test_the_line_fits_into_the_terminal(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    meter, clock = _meter(Step("read", 1.0))
    with terminal() as screen:
        clock.now = 5_000.0
        meter("read", 100_000_000_000, 900_000_000_000, 100_000_000_000)
        assert len(screen.line) <= columns - 1
        if columns >= 40:
            assert _percent(screen.line) == 11
        if columns >= 80:
            assert screen.line.endswith("read 100 GB of 900 GB, 20.0 MB/s  11 h 7 min left")


def test_a_terminal_without_such_characters_gets_plain_ones() -> None:
    meter, _ = _meter(Step("read", 1.0))
    raw = io.BytesIO()
    screen = io.TextIOWrapper(raw, "ascii", write_through=True)
    with contextlib.redirect_stderr(screen):
        meter("read", 1, 2)
    assert raw.getvalue().endswith(b"##########----------   50 %  read 1 of 2")


def test_who_runs_first_says_what_is_expected() -> None:
    """A run that is a part of another one does not say what the whole is."""
    meter, _ = _meter(Step("read", 1.0), Step("measure", 1.0))
    progress.expect_steps_if_meter(meter, Step("read", 1.0))
    with terminal() as screen:
        meter("read", 1, 1)
        assert _percent(screen.line) == 50


def test_what_follows_a_run_is_a_part_of_its_bar() -> None:
    """Who writes a page reads again what a search has read, and the search does not know it."""
    clock = Clock()
    meter = progress.Meter(draws=True, every=0, clock=clock)
    meter.expect_steps_after_run([Step("read", 4.0)])
    progress.expect_steps_if_meter(meter, Step("read", 4.0), Step("join sets", 2.0))
    with terminal() as screen:
        meter("read", 10, 10)
        assert _percent(screen.line) == 40
        clock.now = 6.0
        meter("join sets", 100, 100)
        assert (_percent(screen.line), _seconds_left(screen.line)) == (60, 4)
        clock.now = 8.0
        meter("read", 5, 10)
        assert (_percent(screen.line), _seconds_left(screen.line)) == (80, 2)
        clock.now = 10.0
        meter("read", 10, 10)
        assert (_percent(screen.line), _seconds_left(screen.line)) == (100, None)


def test_a_step_that_only_began_has_no_count() -> None:
    meter, _ = _meter(Step("read", 1.0))
    with terminal() as screen:
        meter("cluster", 0)
        assert screen.line == "cluster"
        meter("read", 0, 7)
        assert screen.line.endswith("read 0 of 7")


@pytest.mark.parametrize(
    "words",
    [
        "scan in --report page.html",
        "scan in --among --report page.html",
        "scan in --against others --containment --format pairs",
        "scan in --format jsonl",
        "dedup rows.jsonl -o out.jsonl --report page.html",
        "dedup rows.jsonl -o out.jsonl --sort size",
        "dedup same.jsonl -o out.jsonl --alarm documents=2 --report page.html",
        "dedup rows.jsonl -o - --report page.html",
        "dedup rows.jsonl --plan plan --report page.html",
        "passages in --words 20",
        "passages in --words 20 --report page.html",
        "passages in --words 20 --format csv",
        "passages in --words 20 --format sarif",
        "passages rows.jsonl --words 20 --against others",
        "passages rows.jsonl --words 20 --against test.jsonl --items items.jsonl",
        "passages rows.jsonl --words 20 --cut -o cut.jsonl --report page.html",
        "store sync new.ilk in",
        "store add new.ilk in",
        "fingerprint in",
    ],
)
def test_results_never_stand_behind_a_line_of_progress(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    texts = [" ".join(f"word{n % 7}x{at}" for at in range(100)) + f" {n}" for n in range(15)]
    for folder, some in (("in", texts), ("others", texts[:3])):
        Path(folder).mkdir()
        for number, text in enumerate(some):
            Path(folder, f"{number}.txt").write_text(text)
    for name, some in (("rows", texts), ("same", texts[::7]), ("test", texts[:2])):
        Path(f"{name}.jsonl").write_text("".join(json.dumps({"text": t}) + "\n" for t in some))
    meters = list[progress.Meter]()

    def make(*_: object) -> progress.Meter:
        meters.append(progress.Meter(draws=True, every=0))
        return meters[-1]

    monkeypatch.setattr(output, "Meter", make)
    screen = Screen()
    with contextlib.redirect_stderr(screen), contextlib.redirect_stdout(screen):
        code = main(words.split())
    assert code in (0, 1, 3), screen.raw_bytes.getvalue().decode()
    for piece in screen.raw_bytes.getvalue().decode().split(WIPE):
        drawn = re.match(r"[█░]+ +\d+ %  ", piece)
        assert not (drawn and "\n" in piece), piece
    assert meters


@pytest.mark.parametrize(
    ("verb", "last"), [("scan", "join sets"), ("scan --among", "join sets"), ("passages", "find")]
)
def test_a_page_reads_texts_again_and_the_bar_knows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str, last: str
) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    for number in range(30):
        words = " ".join(f"word{number % 7}x{at}" for at in range(200))
        (folder / f"{number}.txt").write_text(f"{words} {number}")
    meter = progress.Meter(draws=True, every=0)
    monkeypatch.setattr(output, "Meter", lambda *_: meter)
    screen = Screen()
    with contextlib.redirect_stderr(screen), contextlib.redirect_stdout(screen):
        command = [*verb.split(), str(folder), "--report", str(tmp_path / "page.html")]
        assert main(command) == 0
    shown = screen.raw_bytes.getvalue().decode().split(WIPE)
    lines = [line for line in shown if "%  " in line and "\n" not in line]
    found = max(at for at, line in enumerate(lines) if last in line)
    assert any("read" in line for line in lines[found:])
    assert _percent(lines[found]) < 60
    assert _percent(lines[-1]) > 90
    # The last pass over the texts is a part of the run, not one after its end.
    (*_, begun) = (
        line for line in lines if "read 0 of 30" in line or line.endswith("read 1 of 30")
    )
    assert _percent(begun) < 100


def _find(folder: Path, meter: progress.Meter) -> None:
    ilk.find(folder, progress=meter)


def _find_against(folder: Path, meter: progress.Meter) -> None:
    rows = folder / "rows.jsonl"
    others = sorted(folder.glob("*.txt"))
    ilk.find(rows, against=others, containment=0.95, noise=0.05, progress=meter)


def _deduplicate(folder: Path, meter: progress.Meter) -> None:
    out = folder.parent / "out.jsonl"
    ilk.deduplicate(folder / "rows.jsonl", out, accept_alarm=True, progress=meter)


def _find_passages(folder: Path, meter: progress.Meter) -> None:
    ilk.passages(folder, words=5, progress=meter)


def _synchronise(folder: Path, meter: progress.Meter) -> None:
    with ilk.Store(folder.parent / "a.ilk") as store:
        store.sync(folder, progress=meter)


@pytest.mark.parametrize("run", [_find, _find_against, _deduplicate, _find_passages, _synchronise])
def test_every_long_run_has_one_bar_that_never_goes_back(
    tmp_path: Path, run: Callable[[Path, progress.Meter], None]
) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    rows = []
    for number in range(30):
        words = (f"word{number % 7}x{at % 50}" for at in range(200))
        rows.append(f"{' '.join(words)} {number}")
        (folder / f"{number}.txt").write_text(rows[-1])
    (folder / "rows.jsonl").write_text("".join(json.dumps({"text": row}) + "\n" for row in rows))
    with terminal() as screen:
        run(folder, progress.Meter(draws=True, every=0))
    lines = list(filter(None, screen.getvalue().split(WIPE)))
    shown = [_percent(line) for line in lines if "%" in line]
    assert shown == sorted(shown)
    assert len(set(shown)) > 3
    assert shown[-1] >= 70
    bare = [line for line in lines if "%" not in line]
    assert bare == []


def test_an_ended_meter_draws_nothing_more(capsys: pytest.CaptureFixture[str]) -> None:
    meter = progress.Meter(draws=True, every=0)
    meter("read", 1, 2)
    meter.clear_then_stop_drawing()
    assert "read 1 of 2" in capsys.readouterr().err
    meter("read", 2, 2)
    meter.clear()
    assert capsys.readouterr().err == ""
