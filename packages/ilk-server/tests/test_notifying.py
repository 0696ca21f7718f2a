"""The webhook: each addition arrives, whatever the receiver does, and whoever is killed."""

from __future__ import annotations

import contextlib
import json
import signal
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from server_support import Served
from tests.support.stores import LONG, OTHER

import ilk_server
from ilk.plugins import OptionError, OutputError
from ilk_server.additions import AdditionLog
from ilk_server.notifying import EVENT_ID, Notifier, SendingTimes


class Receiver:
    """A receiver on this machine; ``answers`` are statuses in their order, 0 for never, then 204.

    Attributes:
        came: id, number and whether it was taken, of each event.
    """

    def __init__(self, answers: list[int], port: int = 0) -> None:
        self.came: list[tuple[str, int, bool]] = []
        self.ended = threading.Event()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                status = answers.pop(0) if answers else 204
                taken = status // 100 == 2
                receiver.came.append((self.headers[EVENT_ID], event["number"], taken))
                if not status:
                    receiver.ended.wait(30)
                    return
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: Any) -> None: ...

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/events"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def taken(self) -> list[int]:
        """The numbers of the events taken, without repeats of one id."""
        ids = {id_: number for id_, number, taken in self.came if taken}
        return list(ids.values())

    def close(self) -> None:
        self.ended.set()
        self._server.shutdown()
        self._server.server_close()


@contextlib.contextmanager
def receiving(answers: list[int] | None = None, port: int = 0) -> Iterator[Receiver]:
    receiver = Receiver([] if answers is None else answers, port)
    try:
        yield receiver
    finally:
        receiver.close()


QUICK = SendingTimes(answer=0.5, first_wait=0.01, look=0.01)


def wait_until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.01)


def note(log: AdditionLog, *numbers: int) -> None:
    for number in numbers:
        log.write_added_until_first_failure([{"number": number, "matches": []}])


def test_every_line_arrives_in_order_though_the_receiver_fails_and_hangs(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    with receiving([500, 0, 302, 204, 429]) as receiver, AdditionLog(path) as log:
        with Notifier(str(path), receiver.url, log.read_last_number_or_begin_at(4), times=QUICK):
            note(log, 5, 6, 7)
            wait_until(lambda: len(receiver.taken()) == 3)
        assert receiver.taken() == [5, 6, 7]
        assert [number for _, number, _ in receiver.came] == [5, 5, 5, 5, 6, 6, 7]
        assert len({id_ for id_, *_ in receiver.came}) == 3


def test_nothing_is_lost_while_the_receiver_is_down(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    with receiving() as receiver:
        url, port = receiver.url, receiver.port
    with AdditionLog(path) as log:
        for numbers in ((1, 2), (3,)):  # Its process ends, and another one begins.
            with Notifier(str(path), url, log.read_last_number_or_begin_at(0), times=QUICK):
                note(log, *numbers)
        with receiving(port=port) as receiver, Notifier(str(path), url, 3, times=QUICK):
            wait_until(lambda: receiver.taken() == [1, 2, 3])


def test_an_address_is_told_of_what_comes_in_from_then_on(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    with AdditionLog(path) as log, receiving() as receiver:
        log.read_last_number_or_begin_at(0)
        note(log, 1, 2)
        with Notifier(str(path), receiver.url, 2, times=QUICK):
            note(log, 3)
            wait_until(lambda: receiver.taken() == [3])


def test_a_second_process_waits_for_the_first(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    with AdditionLog(path) as log, receiving() as receiver:
        first, second = (
            Notifier(str(path), receiver.url, log.read_last_number_or_begin_at(0), times=QUICK)
            for _ in "ab"
        )
        note(log, 1)
        wait_until(lambda: int((tmp_path / "log.jsonl.notified").read_text()) == 1)
        first.close()
        note(log, 2)
        wait_until(lambda: receiver.taken() == [1, 2])
        second.close()
        assert len(receiver.came) == 2


def test_what_cannot_be_an_address_or_a_place_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    AdditionLog(path).close()
    for url in ("ftp://a/", "file:///etc/passwd", "a.example", "http://"):
        with pytest.raises(OptionError, match="give an address like"):
            Notifier(str(path), url, 0, times=QUICK)
    for content in ("99", "words"):
        (tmp_path / "log.jsonl.notified").write_text(content)
        with pytest.raises(OutputError, match="belongs to another log"):
            Notifier(str(path), "http://127.0.0.1:1/", 3, times=QUICK)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_service_that_is_killed_sends_the_rest_when_it_serves_again(
    number: int, tmp_path: Path
) -> None:
    options = ("--additions", tmp_path / "log.jsonl", "--notify")
    with receiving([204, 0]) as receiver:
        it = Served(tmp_path / "store.ilk", *options, receiver.url)
        try:
            with ilk_server.Client(it.url, it.token) as client:
                for name, text in (("a", LONG), ("b", OTHER), ("c", LONG + " more")):
                    client.add(text, id=name)
            wait_until(lambda: len(receiver.came) == 2)
            it.end(number)
        finally:
            it.close()
        it = Served(tmp_path / "store.ilk", *options, receiver.url)
        try:
            wait_until(lambda: receiver.taken() == [0, 1, 2])
        finally:
            it.close()
