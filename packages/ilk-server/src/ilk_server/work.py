"""Work for a store, outside the event loop: some calls run, more wait, others are refused."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import os
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import Any, TypeVar

from ilk_server.limits import RequestLimits
from ilk_server.problems import Refused

_T = TypeVar("_T")


class ThreadCalls:
    """Calls in separate threads; a call that has started always runs to its end."""

    def __init__(self, limits: RequestLimits) -> None:
        """Start without threads."""
        self._limits = limits
        self._waiting = 0
        processors = os.cpu_count() or 1
        self._threads = ThreadPoolExecutor(processors + 2, "ilk-serve")
        # Each one uses several processors by itself.
        self._large = asyncio.Semaphore(max(processors // 2, 1))

    async def __call__(self, call: Callable[..., _T], *arguments: Any, **keywords: Any) -> _T:
        """Return the result of a call.

        Raises:
            Refused: too many calls are waiting, or the call takes too long.
        """
        if self._waiting >= self._limits.requests:
            raise Refused(
                HTTPStatus.SERVICE_UNAVAILABLE,
                f"{self._waiting} requests are waiting for an answer; try again in a second.",
                {"Retry-After": "1"},
            )
        loop = asyncio.get_running_loop()
        self._waiting += 1
        future = loop.run_in_executor(
            self._threads, functools.partial(call, *arguments, **keywords)
        )
        future.add_done_callback(self._count_finished_call)
        try:
            return await asyncio.wait_for(asyncio.shield(future), self._limits.seconds)
        except TimeoutError:
            raise Refused(
                HTTPStatus.SERVICE_UNAVAILABLE,
                f"no answer within {self._limits.seconds:g} seconds; a change may still be "
                "written. Look before you send it again.",
                {"Retry-After": "10"},
            ) from None

    @contextlib.asynccontextmanager
    async def turn_for_large(self) -> AsyncIterator[None]:
        """Wait for one of the few turns for large bodies, and hold it until the block ends.

        Raises:
            Refused: no place is free within the time limit.
        """
        try:
            await asyncio.wait_for(self._large.acquire(), self._limits.seconds)
        except TimeoutError:
            raise Refused(
                HTTPStatus.SERVICE_UNAVAILABLE,
                "other large requests are still in progress; try again later.",
                {"Retry-After": "10"},
            ) from None
        try:
            yield
        finally:
            self._large.release()

    def _count_finished_call(self, future: asyncio.Future[Any]) -> None:
        self._waiting -= 1
        if not future.cancelled():
            future.exception()  # The client may have gone.

    def close(self) -> None:
        """Wait for running calls."""
        self._threads.shutdown(wait=True)
