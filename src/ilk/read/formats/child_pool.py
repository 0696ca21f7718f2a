"""Child processes that read possibly hostile input: each can be killed and replaced at any time.

A question to a child is eight bytes with its length, and its content. Each answer is a byte for its
kind, eight bytes with the length, and the content; the last has the kind ``DONE`` or ``FAILED``.
"""

from __future__ import annotations

import contextlib
import math
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from ilk.base import portable
from ilk.read.files.content import Unreadable
from ilk.read.formats.parts import FAILED, Answer

#: The program of the children.
PROGRAM = Path(__file__).with_name("child_main.py")

_HEAD = 9


class Child:
    """A process that answers questions."""

    def __init__(self, program: str, arguments: Sequence[str]) -> None:
        self._lock, self._end_event = threading.Lock(), threading.Event()
        self._watch: threading.Thread | None = None
        self._deadline = math.inf
        self._process = subprocess.Popen(
            # Without -P, the child's libraries would import the modules beside it.
            [sys.executable, "-P", program, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            **portable.OWN_GROUP,
        )

    def ask(self, question: bytes, seconds_per_answer: float) -> Iterator[Answer]:
        """Yield the answers, the last of them ``DONE`` or ``FAILED``.

        TimeoutError if one does not come in time: then the process is killed.
        EOFError and BrokenPipeError if the process has ended.
        """
        stdin = self._process.stdin
        assert stdin is not None, "the child was started with pipes"
        with self._kill_after(seconds_per_answer):
            stdin.write(len(question).to_bytes(8, "big") + question)
            stdin.flush()
            answer = self._read_answer()
        while answer.kind > FAILED:
            yield answer
            with self._kill_after(seconds_per_answer):
                answer = self._read_answer()
        yield answer

    def _read_answer(self) -> Answer:
        stdout = self._process.stdout
        assert stdout is not None, "the child was started with pipes"
        head: bytes = stdout.read(_HEAD)
        size = int.from_bytes(head[1:], "big")
        content: bytes = stdout.read(size)
        if len(head) < _HEAD or len(content) < size:
            raise EOFError
        return Answer(head[0], content)

    @contextmanager
    def _kill_after(self, seconds: float) -> Iterator[None]:
        """Kill the process if the block takes longer: then its end is a TimeoutError."""
        deadline = self._deadline = time.monotonic() + seconds
        if self._watch is None:
            self._watch = threading.Thread(
                target=self._wait_and_kill_at_deadline, args=(seconds,), daemon=True
            )
            self._watch.start()
        try:
            yield
        except (EOFError, BrokenPipeError):
            if time.monotonic() >= deadline:
                raise TimeoutError from None
            raise
        finally:
            self._deadline = math.inf

    def _wait_and_kill_at_deadline(self, longest_wait: float) -> None:
        """Wait, in a thread for all answers, until the child has ended; kill it at its deadline.

        A thread for each answer would delay it. This one sleeps no longer than an answer may take,
        in seconds, so it never wakes after the deadline.
        """
        wait = longest_wait
        while not self._end_event.wait(wait):
            wait = min(self._deadline - time.monotonic(), longest_wait)
            if wait <= 0:
                self.kill()
                return

    def kill(self) -> None:
        """Kill it and everything that it started; whoever waits for its answer gets none."""
        with self._lock:
            if self._process.returncode is None:
                portable.kill_process_group(self._process)

    def kill_and_reap(self) -> None:
        """Kill it and reap it, in the thread that uses it, or in any thread if it is idle."""
        self.kill()
        self._end_event.set()
        with self._lock:
            self._process.communicate()


class Pool:
    """Children of one kind: one for every thread that uses them at the same time."""

    def __init__(self, start: Callable[[], Child], seconds_per_answer: float, task: str) -> None:
        """Start nothing yet.

        ``task`` is what a child does, for errors.
        """
        self._start, self._seconds, self._task = start, seconds_per_answer, task
        self._lock = threading.Lock()
        self._idle: list[Child] = []
        self._busy: set[Child] = set()
        self._open = True

    def ask(self, question: bytes) -> Iterator[Answer]:
        """Yield the answers of a child that nobody else uses; Unreadable if one is missing.

        A child may have spent its memory on earlier questions: if it ends without any answer, a new
        one gets the same question.
        """
        for again in (True, False):
            with self._lock:
                if not self._open:
                    raise Unreadable(f"{self._task} was abandoned")
                used = again and bool(self._idle)
                child = self._idle.pop() if used else self._start()
                self._busy.add(child)
            is_complete = has_answer = False
            try:
                for answer in child.ask(question, self._seconds):
                    # No further questions are allowed after the last answer.
                    has_answer, is_complete = True, answer.kind <= FAILED
                    yield answer
            except (EOFError, BrokenPipeError):
                if not used or has_answer or not self._open:
                    raise Unreadable(f"{self._task} crashed, perhaps out of memory") from None
            except TimeoutError:
                raise Unreadable(f"{self._task} did not end within {self._seconds:g} s") from None
            finally:
                with self._lock:
                    self._busy.discard(child)
                    idle = is_complete and self._open
                    if idle:
                        self._idle.append(child)
                if not idle:  # It is gone, or in the middle of an answer that nobody wants.
                    child.kill_and_reap()
            if has_answer:
                return

    def end_children(self) -> None:
        """End the children, whose threads get no answer; the next question starts a new one."""
        with self._lock:
            for child in self._busy:
                child.kill()  # Its thread ends it.
            while self._idle:
                self._idle.pop().kill_and_reap()

    @contextmanager
    def children_ended_and_none_started(self) -> Iterator[None]:
        """End the children, and start no others until this ends."""
        self._open = False
        self.end_children()
        yield
        self._open = True


@contextmanager
def open_threads(jobs: int, *pools: Pool) -> Iterator[ThreadPoolExecutor]:
    """Start threads that use children; at the end, or if it is abandoned, neither is left."""
    threads = ThreadPoolExecutor(jobs)
    try:
        yield threads
    finally:
        with contextlib.ExitStack() as stack:
            for pool in pools:  # Otherwise a thread that just began would wait for an answer.
                stack.enter_context(pool.children_ended_and_none_started())
            threads.shutdown(cancel_futures=True)
