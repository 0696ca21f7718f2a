"""Work done ahead of its turn by several threads, for kernels that let go of the interpreter.

The order of the results is that of the items, so nothing that is made of them depends on the
threads.
"""

from __future__ import annotations

import atexit
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar
from weakref import WeakSet

Item = TypeVar("Item")
Result = TypeVar("Result")

#: Items that are taken for each thread before the result of the first is needed: one that is worked
#: on, and one that waits, so that no thread does.
_TASKS_FOR_EACH_THREAD = 2


def map_ahead(
    work: Callable[[Item], Result],
    items: Iterable[Item],
    jobs: int,
    in_caller: Callable[[Item], bool] = lambda _: False,
) -> Generator[Result, None, None]:
    """Yield what ``work`` returns for each item, in the order of the items.

    Up to ``jobs`` threads work at the same time, one of them the caller's, which alone takes the
    items. Threads start with the second item, and end when the generator is exhausted or closed.

    Args:
        work: called in any thread; its error is raised in its turn.
        items: at most two for each thread are taken ahead; their error comes after all results.
        in_caller: whether the caller's thread must do it: only there is Ctrl-C heard while a kernel
            works, so that is where work belongs that may take long.
    """
    if jobs <= 1:
        yield from map(work, items)
        return
    helpers = _Helpers(work, jobs - 1)
    iterator, tasks, failure = iter(items), deque[_Task[Item, Result]](), None
    try:
        while True:
            try:
                item = next(iterator)
            except StopIteration:
                break
            except Exception as error:
                failure = error
                break
            tasks.append(helpers.put_task(item, in_caller=in_caller(item)))
            if len(tasks) >= _TASKS_FOR_EACH_THREAD * jobs:
                yield helpers.work_until_done(tasks.popleft())
        while tasks:
            yield helpers.work_until_done(tasks.popleft())
        if failure is not None:
            raise failure
    finally:
        helpers.end()


@contextmanager
def begin_ahead(work: Callable[[], Result], jobs: int) -> Iterator[Callable[[], Result]]:
    """Have a thread do some work while the body runs; the function that is given waits for its
    result, and raises its error.

    Args:
        work: called once, if its result is asked for once.
        jobs: with one, the work is done where its result is asked for.
    """
    if jobs <= 1:
        yield work
        return
    helpers = _Helpers[None, Result](lambda _: work(), 1)
    task = helpers.put_task(None, in_caller=False)
    helpers.start_thread()
    try:
        yield lambda: helpers.work_until_done(task)
    finally:
        helpers.end()


class _Task(Generic[Item, Result]):
    """One item, and the result of its work."""

    __slots__ = ("error", "in_caller", "item", "result", "unfinished")

    def __init__(self, item: Item, *, in_caller: bool) -> None:
        self.item, self.in_caller = item, in_caller
        self.result: Result | None = None
        self.error: BaseException | None = None
        #: Held until the work is done.
        self.unfinished = threading.Lock()
        self.unfinished.acquire()


class _Helpers(Generic[Item, Result]):
    """Threads that do tasks in the order in which they are put."""

    def __init__(self, work: Callable[[Item], Result], most: int) -> None:
        self._work, self._most = work, most
        self._queue: SimpleQueue[_Task[Item, Result] | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._tasks = 0
        self._ended = False
        _all_helpers.add(self)

    def put_task(self, item: Item, *, in_caller: bool) -> _Task[Item, Result]:
        """Take an item; whoever is free does its work, or the caller when he needs its result."""
        task = _Task[Item, Result](item, in_caller=in_caller)
        if not in_caller:
            self._tasks += 1
            self._queue.put(task)
            if 1 < self._tasks <= 1 + self._most:
                self.start_thread()
        return task

    def start_thread(self) -> None:
        # A daemon: a generator that nobody closes must not keep the process from its end.
        thread = threading.Thread(target=self._run_tasks_until_end, name="ilk-ahead", daemon=True)
        self._threads.append(thread)  # Before Ctrl-C can come between the start and the list.
        try:
            thread.start()
        except RuntimeError:  # The system allows no more threads: the caller does the work.
            self._threads.remove(thread)

    def _run_tasks_until_end(self) -> None:
        while (task := self._queue.get()) is not None and not self._ended:
            self._run_task(task)
        self._queue.put(None)  # For the next thread: who ends them cannot know how many began.

    def _run_task(self, task: _Task[Item, Result]) -> None:
        try:
            task.result = self._work(task.item)
        except BaseException as error:
            task.error = error
        task.unfinished.release()

    def work_until_done(self, task: _Task[Item, Result]) -> Any:
        """Return the result of a task, and do others until it is there."""
        if task.in_caller:
            return self._work(task.item)
        while task.unfinished.locked():
            try:
                other = self._queue.get_nowait()
            except Empty:
                with task.unfinished:  # A helper does it.
                    break
            assert other is not None, "only an end is None"
            self._run_task(other)
            if other.error is not None and not isinstance(other.error, Exception):
                raise other.error  # Ctrl-C, which only this thread hears, does not wait its turn.
        if task.error is not None:
            raise task.error
        return task.result

    def end(self) -> None:
        """End the threads; each finishes what it does."""
        self._ended = True
        self._queue.put(None)
        for thread in self._threads:
            if thread.is_alive():  # Ctrl-C may have come before it was.
                thread.join()
        self._threads = []


_all_helpers: WeakSet[_Helpers[Any, Any]] = WeakSet()


@atexit.register
def _end_all_threads() -> None:
    """End threads before the interpreter does: it would end them in the middle of a kernel."""
    for helpers in list(_all_helpers):
        helpers.end()
