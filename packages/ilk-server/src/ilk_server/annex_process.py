"""``python -m ilk_server.annex_process HANDLE``: the process that ``annex`` starts.

It serves the connections that the other process sends, and ends when its standard input does. It
tells what is counted on standard output, a line of JSON each.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import sys
from http import HTTPStatus
from typing import Any

from ilk import IlkError, Store
from ilk_server.additions import AdditionLog
from ilk_server.annex import ProcessLink
from ilk_server.application import make_store_application
from ilk_server.guard import Guard, Receive, Scope, Send
from ilk_server.limits import RequestLimits
from ilk_server.metrics import Metrics
from ilk_server.problems import Refused
from ilk_server.process import Server, prepare_process_and_configure
from ilk_server.sessions import Sessions
from ilk_server.tokens import LoadedTokens

#: How much lower its priority is than that of the process with the small requests.
_LOWER = 10


class _ForwardedMetrics(Metrics):
    """Counts for another process."""

    def count_request(self, *values: Any) -> None:
        """Tell of a request that has been answered."""
        _forward_count("request", values)

    def count_event(self, *values: Any) -> None:
        """Tell what happened to documents."""
        _forward_count("event", values)


def _forward_count(kind: str, values: tuple[Any, ...]) -> None:
    with contextlib.suppress(OSError):  # Nobody counts any more.
        sys.stdout.write(json.dumps([kind, values]) + "\n")
        sys.stdout.flush()


class _AnnexServer(Server):
    """A server of the connections that another process sends."""

    async def startup(self, sockets: Any = None) -> None:
        """Start to listen."""
        await super().startup(sockets)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)  # The other process says when to end.
        loop = asyncio.get_running_loop()
        loop.add_reader(self.guard.link.end, self.serve_received_connections)  # type: ignore[union-attr]
        loop.add_reader(sys.stdin, self._stop_serving)

    def _stop_serving(self) -> None:
        asyncio.get_running_loop().remove_reader(sys.stdin)
        self.should_exit = True


def main() -> None:
    """Serve until the other process ends."""
    link = ProcessLink(socket.socket(fileno=int(sys.argv[1])))
    settings = json.loads(sys.stdin.readline())
    os.nice(_LOWER)
    limits = RequestLimits(**settings["limits"])
    tokens = LoadedTokens(tuple(map(tuple, settings["tokens"])))
    try:
        store = Store(
            settings["store"], create=False, timeout=limits.seconds, jobs=settings["jobs"]
        )
    except IlkError as error:
        refused = Refused(HTTPStatus.SERVICE_UNAVAILABLE, str(error))

        async def refuse(scope: Scope, receive: Receive, send: Send) -> None:
            del scope, receive, send
            raise refused

        guard = Guard(
            refuse,
            tokens=tokens,
            sessions=Sessions(),
            hosts=settings["hosts"],
            limits=limits,
            metrics=_ForwardedMetrics(),
        )
        _serve_annex(guard, link, limit_max_requests=1)  # The next large one begins another annex.
        return
    log = settings["additions"]
    additions = None if log is None else AdditionLog(log, append_only=True)
    with store:
        app = make_store_application(
            store,
            tokens,
            limits=limits,
            hosts=settings["hosts"],
            metrics=_ForwardedMetrics(),
            additions=additions,
        )
        _serve_annex(app, link)


def _serve_annex(guard: Guard, link: ProcessLink, **uvicorn_settings: Any) -> None:
    guard.link, guard.annexed = link, True
    _AnnexServer(prepare_process_and_configure(guard, **uvicorn_settings), guard).run(sockets=[])


if __name__ == "__main__":
    main()
