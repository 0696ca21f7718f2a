"""A store that several processes use, and one that dies at any moment."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ilk.store import Store
from tests.support.fixtures import ROOT

#: What a writing process does, one line on standard output for each call that has returned.
WRITER = """
import sys
from tests.unit.store.test_processes import calls, perform
from ilk.store import Store
path, seed, first, count = sys.argv[1], *map(int, sys.argv[2:])
store = Store(path, texts=True, jobs=1)
print("ready", flush=True)
for number, call in enumerate(calls(seed, count)):
    if number >= first:
        perform(store, call)
        print(number, flush=True)
"""


def text(draw: random.Random) -> str:
    """A text that is mostly like some other one."""
    kind = draw.randrange(12)
    words = [f"w{kind}x{n}" for n in range(80)]
    words[draw.randrange(80)] = f"edit{draw.randrange(9)}"
    return " ".join(words)


Call = tuple[str, list[int], list[str]]


def calls(seed: int, count: int = 400) -> list[Call]:
    """Calls that fit one another: what is changed or removed is there."""
    draw, next_id = random.Random(seed), 0
    made: list[Call] = []
    held: list[int] = []
    for _ in range(count):
        kind = draw.choice(["add", "add", "add", "update", "remove"]) if held else "add"
        if kind == "add":
            texts = [text(draw) for _ in range(draw.randrange(1, 5))]
            made.append((kind, list(range(next_id, next_id + len(texts))), texts))
            held += made[-1][1]
            next_id += len(texts)
        elif kind == "update":
            made.append((kind, [draw.choice(held)], [text(draw)]))
        else:
            made.append((kind, [held.pop(draw.randrange(len(held)))], []))
    return made


def perform(store: Store, call: Call) -> None:
    kind, ids, texts = call
    if kind == "add":
        assert [one.id for one in store.add_many(texts)] == ids
    elif kind == "update":
        store.update(ids[0], texts[0])
    else:
        store.remove(ids)


def after(done: list[Call]) -> dict[int, str]:
    """The texts that are there after these calls."""
    texts: dict[int, str] = {}
    for kind, ids, given in done:
        if kind == "remove":
            del texts[ids[0]]
        else:
            texts |= zip(ids, given, strict=True)
    return texts


def contents(store: Store) -> dict[int, str | None]:
    return {record.id: store.text(record.id) for record in store}


def writer(path: Path, seed: int, first: int, count: int) -> subprocess.Popen[str]:
    words = [sys.executable, "-c", WRITER, str(path), str(seed), str(first), str(count)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=ROOT)


def killed(path: Path, seed: int, first: int, seconds: float, count: int = 400) -> int:
    """How many calls a writing process had acknowledged when it was killed."""
    with writer(path, seed, first, count) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        time.sleep(seconds)
        child.send_signal(signal.SIGKILL)
        told = child.stdout.read().splitlines(keepends=True)
    whole = [int(line) for line in told if line.endswith("\n")]
    return whole[-1] + 1 if whole else first


def check_kills(path: Path, kills: int, seed: int, *, exact: bool) -> None:
    Store(path, texts=True, exact=exact).close()
    draw, every, done = random.Random(seed), calls(seed), 0
    for _ in range(kills):
        acknowledged = killed(path, seed, done, draw.uniform(0, 0.25))
        with Store(path, texts=True, jobs=1) as store:
            found = contents(store)
            assert store.validate().problems == []
            # The call that was going on is there whole, or not at all.
            states = {n: after(every[:n]) for n in (acknowledged, acknowledged + 1)}
            assert found in states.values()
            done = next(n for n, state in states.items() if state == found)
            clusters = store.clusters()
        if done >= len(every) - 1:
            break
    with Store(path.with_name("again.ilk"), texts=True, exact=exact, jobs=1) as again:
        for call in every[:done]:
            perform(again, call)
        assert again.clusters() == clusters
        assert contents(again) == found


@pytest.mark.parametrize("exact", [False, True])
def test_five_kills_lose_nothing_that_was_acknowledged(tmp_path: Path, exact: bool) -> None:
    check_kills(tmp_path / "s.ilk", 5, 2011, exact=exact)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(5))
def test_fifty_kills_lose_nothing_that_was_acknowledged(tmp_path: Path, seed: int) -> None:
    check_kills(tmp_path / "s.ilk", 10, seed, exact=seed % 2 == 1)


READER = """
import sys
from tests.unit.store.test_processes import text
import random
from ilk.store import Store
draw = random.Random(int(sys.argv[2]))
with Store(sys.argv[1], create=False, jobs=1) as store:
    print("ready", flush=True)
    while True:
        known = [record.id for record in store]
        assert known == sorted(set(known))
        for match in store.check([text(draw)]):
            assert match.verdict in ("identical", "near", "numbers_only")
        print(len(known), flush=True)
"""


def check_kills_beside_readers(path: Path, kills: int, seed: int, *, exact: bool) -> None:
    """Kill a writer again and again, while two others read; none of them may see anything odd."""
    Store(path, texts=True, exact=exact).close()
    draw, every, done = random.Random(seed), calls(seed, 4000), 0
    words = [sys.executable, "-c", READER, str(path)]
    readers = [
        subprocess.Popen([*words, str(at)], stdout=subprocess.PIPE, text=True, cwd=ROOT)
        for at in range(2)
    ]
    try:
        for one in readers:
            assert one.stdout is not None
            assert one.stdout.readline() == "ready\n"
        for _ in range(kills):
            acknowledged = killed(path, seed, done, draw.uniform(0, 0.25), 4000)
            with Store(path, jobs=1) as store:
                found = contents(store)
            states = {n: after(every[:n]) for n in (acknowledged, acknowledged + 1)}
            assert found in states.values()
            done = next(n for n, state in states.items() if state == found)
            assert [one.poll() for one in readers] == [None, None]
            for one in readers:
                assert one.stdout is not None
                assert one.stdout.readline().strip().isdigit()
    finally:
        for one in readers:
            one.kill()
            one.communicate()
    with Store(path, jobs=1) as store:
        assert store.validate().problems == []


@pytest.mark.parametrize("exact", [False, True])
def test_kills_beside_readers_lose_nothing(tmp_path: Path, exact: bool) -> None:
    check_kills_beside_readers(tmp_path / "s.ilk", 2, 7, exact=exact)


@pytest.mark.long
@pytest.mark.parametrize("exact", [False, True])
def test_a_hundred_kills_beside_readers_lose_nothing(tmp_path: Path, exact: bool) -> None:
    check_kills_beside_readers(tmp_path / "s.ilk", 50, 8, exact=exact)


ADDER = """
import sys
from ilk.store import Store
store = Store(sys.argv[1], jobs=1)
for number in range(15):
    store.add(" ".join(f"{sys.argv[2]} {number} {n}" for n in range(60)), source=sys.argv[2])
"""


@pytest.mark.parametrize(("processes", "exact"), [(2, False), (4, False), (4, True)])
def test_processes_that_write_wait_for_one_another(path: Path, processes: int, exact: bool) -> None:
    Store(path, exact=exact).close()
    children = [
        subprocess.Popen([sys.executable, "-c", ADDER, str(path), f"p{number}"])
        for number in range(processes)
    ]
    with Store(path, jobs=1) as reader:
        # What is read meanwhile is always whole.
        while any(child.poll() is None for child in children):
            held = [record.id for record in reader]
            assert held == list(range(len(held)))
            assert len(held) <= len(reader)
            time.sleep(0.05)
        assert [child.wait() for child in children] == [0] * processes
        assert len(reader) == 15 * processes
        for number in range(processes):
            first = " ".join(f"p{number} 7 {n}" for n in range(60))
            assert [m.source for m in reader.check(first) if m.verdict == "identical"] == [
                f"p{number}"
            ]
        assert reader.validate().problems == []


def test_an_open_store_follows_what_others_write(tmp_path: Path) -> None:
    path = tmp_path / "s.ilk"
    words = " ".join(f"word{n}" for n in range(100))
    with Store(path, jobs=1) as one, Store(path, jobs=1) as other:
        assert one.check(words) == []
        assert other.add(words).id == 0
        assert [m.id for m in one.check(words)] == [0]
        assert one.add(words + " more").matches[0].id == 0
        other.update(0, "another text altogether")
        assert [m.id for m in one.check(words)] == [1]
        one.remove(1)
        assert other.check(words) == []
        assert len(other) == 1
