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
from queue import Empty, Queue, SimpleQueue
from typing import Any, Generic, TypeVar, cast

Item = TypeVar("Item")
Result = TypeVar("Result")

#: Items that are taken for each thread before the result of the first is needed: one that is worked
#: on, and one that waits, so that no thread does.
_TASKS_FOR_EACH_THREAD = 2


def map_ahead(
    work: Callable[[Item], Result],
    items: Iterable[Item],
    jobs: int,
    runs_in_caller: Callable[[Item], bool] = lambda _: False,
) -> Generator[Result, None, None]:
    """Yield what ``work`` returns for each item, in the order of the items.

    Up to ``jobs`` threads work at the same time, one of them the caller's, which alone takes the
    items. Threads start with the second item, and end when the generator is exhausted or closed.

    Args:
        work: called in any thread; its error is raised in its turn.
        items: at most two for each thread are taken ahead; their error comes after all results.
        runs_in_caller: whether the caller's thread must do it. Only there is Ctrl-C heard while a
            kernel works, so work that may take long belongs there.
    """
    if jobs <= 1:
        yield from map(work, items)
        return
    helpers = _HelperThreads(work, jobs - 1)
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
            tasks.append(helpers.submit_task(item, runs_in_caller=runs_in_caller(item)))
            if len(tasks) >= _TASKS_FOR_EACH_THREAD * jobs:
                yield helpers.run_tasks_until_result(tasks.popleft())
        while tasks:
            yield helpers.run_tasks_until_result(tasks.popleft())
        if failure is not None:
            raise failure
    finally:
        helpers.shut_down()


def consume_behind(work: Callable[[Item], object], items: Iterable[Item], jobs: int) -> None:
    """Call ``work`` for each item, in their order, in a thread of its own, while the caller's takes
    the next items; return when all is done.

    Args:
        work: its error is raised here, after a few more items are taken. Ctrl-C waits for the call
            that runs, so nothing that may block forever belongs here.
        items: at most two wait for their work; their error comes after all work.
        jobs: with one, the work is done in the caller's thread.
    """
    work_errors: list[BaseException] = []
    waiting: Queue[Item | None] = Queue(_TASKS_FOR_EACH_THREAD)

    def work_until_end() -> None:
        while (item := waiting.get()) is not None:
            if not work_errors:  # Else only taken, so that the caller does not wait forever.
                try:
                    work(item)
                except BaseException as error:
                    work_errors.append(error)

    thread = threading.Thread(target=work_until_end, name="ilk-behind", daemon=True)
    if jobs <= 1 or not _start_if_system_allows(thread):
        for item in items:
            work(item)
        return
    items_error: Exception | None = None
    try:
        for item in items:
            waiting.put(item)
            if work_errors:
                break
    except Exception as error:
        items_error = error
    finally:
        waiting.put(None)
        thread.join()
    if work_errors:
        raise work_errors[0]
    if items_error is not None:
        raise items_error


@contextmanager
def start_in_background(work: Callable[[], Result], jobs: int) -> Iterator[Callable[[], Result]]:
    """Have a thread do some work while the body runs; the function that it yields waits for the
    result and returns it, or raises the error of the work.

    With one of ``jobs``, the work is done before the body runs, and its error raised there.
    """
    if jobs <= 1:
        result = work()
        del work  # It may hold much that the body needs no more.
        yield lambda: result
        return
    helpers = _HelperThreads[None, Result](lambda _: work(), 1)
    task = helpers.submit_task(None, runs_in_caller=False)
    helpers.start_thread_if_system_allows()
    try:
        yield lambda: helpers.run_tasks_until_result(task)
    finally:
        helpers.shut_down()


def _start_if_system_allows(thread: threading.Thread) -> bool:
    """Start a thread; return whether the system allowed one more."""
    try:
        thread.start()
    except RuntimeError:
        return False
    return True


class _Task(Generic[Item, Result]):
    """One item, and the result of its work."""

    __slots__ = ("error", "item", "result", "runs_in_caller", "work_lock")

    def __init__(self, item: Item, *, runs_in_caller: bool) -> None:
        self.item, self.runs_in_caller = item, runs_in_caller
        self.result: Result | None = None
        self.error: BaseException | None = None
        #: Held until the work is done.
        self.work_lock = threading.Lock()
        self.work_lock.acquire()


class _HelperThreads(Generic[Item, Result]):
    """Threads that do tasks in the order in which they are put."""

    def __init__(self, work: Callable[[Item], Result], max_threads: int) -> None:
        self._work, self._max_threads = work, max_threads
        self._queue: SimpleQueue[_Task[Item, Result] | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._task_count = 0
        self._ended = False
        _all_helpers.add(self)

    def submit_task(self, item: Item, *, runs_in_caller: bool) -> _Task[Item, Result]:
        """Queue an item for whichever thread is free; start another thread if one is allowed.

        An item that must run in the caller is not queued: ``run_tasks_until_result`` does it.
        """
        task = _Task[Item, Result](item, runs_in_caller=runs_in_caller)
        if not runs_in_caller:
            self._task_count += 1
            self._queue.put(task)
            if 1 < self._task_count <= 1 + self._max_threads:
                self.start_thread_if_system_allows()
        return task

    def start_thread_if_system_allows(self) -> None:
        # A daemon: a generator that nobody closes must not keep the process from its end.
        thread = threading.Thread(target=self._run_tasks_until_end, name="ilk-ahead", daemon=True)
        # Append first: Ctrl-C between start and append would lose the thread.
        self._threads.append(thread)
        if not _start_if_system_allows(thread):  # The caller does the work.
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
        task.work_lock.release()

    def run_tasks_until_result(self, task: _Task[Item, Result]) -> Result:
        """Do queued tasks until the result of a task is there, and return it or raise its error."""
        if task.runs_in_caller:
            return self._work(task.item)
        while task.work_lock.locked():
            try:
                other = self._queue.get_nowait()
            except Empty:
                with task.work_lock:  # Another thread works on it: wait for it.
                    break
            assert other is not None, "only an end is None"
            self._run_task(other)
            if other.error is not None and not isinstance(other.error, Exception):
                raise other.error  # Ctrl-C, which only this thread hears, does not wait its turn.
        if task.error is not None:
            raise task.error
        return cast("Result", task.result)

    def shut_down(self) -> None:
        """End the threads, and wait for them; each finishes the task that it works on."""
        self._ended = True
        self._queue.put(None)
        for thread in self._threads:
            if thread.is_alive():  # Ctrl-C may have come before it was.
                thread.join()
        self._threads = []
        _all_helpers.discard(self)


#: Those that are not shut down yet. Not a weak set: Python runs code when a member of one goes, and
#: would print an interrupt that comes just then, and lose it.
_all_helpers = set[_HelperThreads[Any, Any]]()


@atexit.register
def _shut_down_all_threads() -> None:
    """End threads before the interpreter does, which would end them in the middle of a kernel."""
    for helpers in list(_all_helpers):
        helpers.shut_down()
