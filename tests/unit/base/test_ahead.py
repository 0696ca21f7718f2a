"""Work ahead of its turn: results in order, errors in their turn, threads that end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ilk.base.ahead import consume_behind, map_ahead, start_in_background

JOBS = (1, 2, 3, 8)


def _count_helpers() -> int:
    return sum(thread.name == "ilk-ahead" for thread in threading.enumerate())


@given(st.lists(st.integers()), st.sampled_from(JOBS), st.sets(st.integers(0, 20)))
def test_results_are_in_the_order_of_the_items(
    values: list[int], jobs: int, alone: set[int]
) -> None:
    takers, doers = set(), {}

    def items() -> Iterator[tuple[int, int]]:
        for place, value in enumerate(values):
            takers.add(threading.get_ident())
            yield place, value

    def work(item: tuple[int, int]) -> int:
        doers[item[0]] = threading.get_ident()
        return item[1] + 1

    results = list(map_ahead(work, items(), jobs, lambda item: item[0] in alone))
    assert results == [value + 1 for value in values]
    me = threading.get_ident()
    assert takers <= {me}
    assert len({*doers.values(), me}) <= jobs
    assert all(doers[place] == me for place in alone & doers.keys())
    assert _count_helpers() == 0


@given(st.integers(0, 30), st.integers(0, 30), st.sampled_from(JOBS))
def test_the_first_error_by_place_is_raised_in_its_turn(fails: int, ends: int, jobs: int) -> None:
    def items() -> Iterator[int]:
        yield from range(ends)
        raise LookupError(ends)

    def work(item: int) -> int:
        if item >= fails:
            raise ValueError(item)
        return item

    results: list[int] = []
    with pytest.raises((ValueError, LookupError)) as raised:
        results.extend(map_ahead(work, items(), jobs))
    expected = ValueError(fails) if fails < ends else LookupError(ends)
    assert repr(raised.value) == repr(expected)
    assert results == list(range(min(fails, ends)))


@pytest.mark.parametrize("jobs", JOBS)
def test_few_items_are_taken_ahead_and_closing_ends_the_threads(jobs: int) -> None:
    taken = []

    def items() -> Iterator[int]:
        for item in range(1000):
            taken.append(item)
            yield item

    results = map_ahead(abs, items(), jobs)
    assert [next(results) for _ in range(5)] == list(range(5))
    assert len(taken) <= 5 + 2 * jobs
    results.close()
    assert _count_helpers() == 0


def test_a_signal_is_heard_while_helpers_work() -> None:
    sent, release = threading.Event(), threading.Event()

    def work(item: int) -> int:
        if threading.current_thread() is threading.main_thread():
            sent.wait(60)  # The signal ends it: the items are not done before a helper has one.
        else:
            os.kill(os.getpid(), signal.SIGINT)
            sent.set()
            release.wait(60)
        return item

    def items() -> Iterator[int]:
        yield from range(100)

    threading.Timer(0.2, release.set).start()
    # Processes that share out tests ignore the signal.
    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            list(map_ahead(work, items(), 2))
    finally:
        signal.signal(signal.SIGINT, former)
        release.set()


@pytest.mark.parametrize("place", [1, 2, 3])
def test_a_signal_while_a_thread_starts_leaves_none(
    monkeypatch: pytest.MonkeyPatch, place: int
) -> None:
    start, started = threading.Thread.start, list[threading.Thread]()

    def start_and_interrupt(thread: threading.Thread) -> None:
        started.append(thread)
        start(thread)
        if len(started) == place:
            raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", start_and_interrupt)
    ended = threading.Event()

    def run() -> None:
        with pytest.raises(KeyboardInterrupt):
            list(map_ahead(abs, range(100), 4))
        ended.set()

    start(threading.Thread(target=run, daemon=True))
    assert ended.wait(60)
    assert len(started) == place
    assert not any(thread.is_alive() for thread in started)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_fork_in_the_middle_of_the_work_goes_on() -> None:
    results = map_ahead(abs, iter(range(100)), 3)
    assert next(results) == 0
    child = os.fork()
    if not child:
        right = list(map_ahead(abs, iter(range(100)), 3)) == list(range(100))
        results.close()
        os._exit(0 if right else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert list(results) == list(range(1, 100))


def test_a_generator_that_nobody_closes_does_not_keep_the_process() -> None:
    code = (
        "from ilk.base.ahead import map_ahead\n"
        "results = map_ahead(abs, iter(range(100)), 3)\n"
        "print(next(results))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "0\n", "")


@pytest.mark.parametrize("jobs", JOBS)
def test_work_that_was_begun_gives_its_result_or_its_error(jobs: int) -> None:
    before = _count_helpers()
    with start_in_background(lambda: [1, 2], jobs) as result:
        assert result() == [1, 2]
    with pytest.raises(ZeroDivisionError), start_in_background(lambda: 1 // 0, jobs) as result:
        result()
    assert _count_helpers() == before


def test_one_thread_does_work_once_and_before_the_body() -> None:
    done: list[str] = []
    with start_in_background(lambda: done.append("work"), 1) as result:
        done.append("body")
        assert (result(), result()) == (None, None)
    assert done == ["work", "body"]


def test_work_is_done_while_the_body_runs() -> None:
    begun = threading.Event()
    with start_in_background(begun.set, 2) as result:
        assert begun.wait(60)
        result()


@pytest.mark.parametrize("jobs", [1, 2])
def test_work_is_at_its_end_after_a_body_that_fails(jobs: int) -> None:
    before = _count_helpers()
    with pytest.raises(KeyError), start_in_background(lambda: 1, jobs):
        raise KeyError
    assert _count_helpers() == before


def _count_writers() -> int:
    return sum(thread.name == "ilk-behind" for thread in threading.enumerate())


@given(st.lists(st.integers(), max_size=12), st.sampled_from(JOBS))
def test_items_are_consumed_in_their_order_by_one_thread(values: list[int], jobs: int) -> None:
    consumed, takers, consumers = list[int](), set(), set()

    def items() -> Iterator[int]:
        for value in values:
            takers.add(threading.get_ident())
            yield value

    def work(item: int) -> None:
        consumers.add(threading.get_ident())
        consumed.append(item)

    consume_behind(work, items(), jobs)
    assert consumed == values
    assert takers <= {threading.get_ident()}
    assert len(consumers) <= 1
    assert jobs == 1 or consumers.isdisjoint(takers)
    assert _count_writers() == 0


@given(st.integers(0, 12), st.integers(0, 12), st.sampled_from(JOBS))
def test_nothing_is_consumed_after_an_error(fails: int, ends: int, jobs: int) -> None:
    taken, consumed = list[int](), list[int]()

    def items() -> Iterator[int]:
        for item in range(ends):
            taken.append(item)
            yield item
        raise LookupError(ends)

    def work(item: int) -> None:
        if item == fails:
            raise ValueError(item)
        consumed.append(item)

    with pytest.raises(ValueError if fails < ends else LookupError):
        consume_behind(work, items(), jobs)
    assert consumed == list(range(min(fails, ends)))
    # At most two wait, one is worked on, and one was taken before the error was seen.
    assert len(taken) <= fails + 1 + 3
    assert _count_writers() == 0


def test_where_no_thread_starts_the_caller_consumes(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    consumed = list[int]()
    consume_behind(consumed.append, range(5), 8)
    assert consumed == [0, 1, 2, 3, 4]
