"""A webhook: every line of the log of additions is sent to an address, until it is taken.

The log is the journal. A file beside it holds the number of the last document whose line was taken,
so a line is sent again after whatever happened between the two, and always with the same id.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import os
import threading
from collections.abc import AsyncIterator
from typing import NamedTuple
from urllib.parse import urlsplit

import httpx

from ilk.companions import Closing, errors, portable
from ilk.plugins import OptionError, OutputError
from ilk_server import logs
from ilk_server.additions import ADDED
from ilk_server.errors import unwritable_error

#: The header with the id of an event; it is the same however often the event is sent.
EVENT_ID = "Idempotency-Key"

#: How the number is written: as many bytes each time, so that one write replaces the other.
_NUMBER = "{:+021d}\n"


class SendingTimes(NamedTuple):
    """How long a ``Notifier`` waits, in seconds.

    Attributes:
        answer: how long a receiver may take to answer.
        first_wait, longest_wait: the first wait after a failure, and the longest; each is twice the
            one before.
        look: how long it waits before it looks at the log again.
    """

    answer: float = 10.0
    first_wait: float = 0.25
    longest_wait: float = 60.0
    look: float = 0.25


class Notifier(Closing):
    """Sends lines to an address, in their order and one at a time, from a thread of its own.

    Args:
        log: the log of additions, open as long as this is.
        url: where to send them: an address of http or https.
        last_number: of the last document in the log; of an address that is new, only later ones are
            sent.
        times: how long it waits.

    Raises:
        OptionError: the address is not one of http or https.
        OutputError: the file beside the log cannot be written, or belongs to another log.
    """

    def __init__(
        self, log: str, url: str, last_number: int, *, times: SendingTimes | None = None
    ) -> None:
        """Start to send."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise OptionError(
                f"`notify` is {url!r:.80}; give an address like 'https://example.org/events'."
            )
        self._log, self._url, self._path = log, url, f"{log}.notified"
        self._times = times or SendingTimes()
        try:
            self._handle = os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600)
        except OSError as error:
            raise unwritable_error(self._path, error) from error
        try:
            self._is_sender = self._try_to_become_sender()
            if self._is_sender:
                self._check_or_begin_taken_number(last_number)
        except BaseException:
            os.close(self._handle)
            raise
        self._start_event = threading.Event()
        self._task: asyncio.Task[None] | None = None
        self._thread = threading.Thread(
            target=self._run_sending_thread, name="notifying", daemon=True
        )
        self._thread.start()

    def _try_to_become_sender(self) -> bool:
        """Return whether this process sends; another one that serves the store may do so."""
        try:
            portable.lock_file(self._handle)
        except OSError:
            return False
        return True

    def _check_or_begin_taken_number(self, number: int) -> None:
        """Refuse the number of another log; in a new file, write this number, the last one's.

        Raises:
            OutputError: the file cannot be written, or belongs to another log.
        """
        content = os.read(self._handle, 100)
        if not content:
            try:
                self._write_taken_number(number)
            except OSError as error:
                raise unwritable_error(self._path, error) from error
            return
        try:
            taken = int(content)
        except ValueError:
            taken = number + 1
        if taken > number:
            raise OutputError(
                f"{self._path} belongs to another log of additions than {self._log}; remove it, "
                "and what comes in from now on is sent."
            )

    def _write_taken_number(self, number: int) -> None:
        os.lseek(self._handle, 0, os.SEEK_SET)
        os.write(self._handle, _NUMBER.format(number).encode())
        os.fsync(self._handle)

    def _read_taken_number(self) -> int:
        os.lseek(self._handle, 0, os.SEEK_SET)
        return int(os.read(self._handle, 100))

    def _run_sending_thread(self) -> None:
        try:
            asyncio.run(self._send_for_ever())
        except asyncio.CancelledError:
            pass
        except Exception as error:
            logs.write_error_place(error, of="notifying")

    async def _send_for_ever(self) -> None:
        self._task = asyncio.current_task()
        self._start_event.set()
        while not (self._is_sender or self._try_to_become_sender()):
            await asyncio.sleep(self._times.look)
        last_number = self._read_taken_number()
        async with httpx.AsyncClient(timeout=self._times.answer, trust_env=False) as client:
            async for line in self._follow_log_lines():
                event = json.loads(line)
                if event["event"] != ADDED or event["number"] <= last_number:
                    continue
                last_number = event["number"]
                await self._send_until_taken(client, line, last_number)
                try:
                    self._write_taken_number(last_number)
                except OSError as error:  # It is sent again at the next start.
                    reason = errors.reason_of_error(error)
                    logs.write_log_line("not_remembered", number=last_number, error=reason)

    async def _follow_log_lines(self) -> AsyncIterator[bytes]:
        """Yield every whole line of the log, those to come too."""
        with open(self._log, "rb") as file:
            while True:
                at = file.tell()
                line = file.readline()
                if line.endswith(b"\n"):
                    yield line
                else:
                    file.seek(at)
                    await asyncio.sleep(self._times.look)

    async def _send_until_taken(self, client: httpx.AsyncClient, line: bytes, number: int) -> None:
        """Send a line again and again until the receiver takes it."""
        wait = self._times.first_wait
        while (failure := await self._send_once_or_return_failure(client, line)) is not None:
            logs.write_log_line("not_notified", number=number, error=failure, again_in=wait)
            await asyncio.sleep(wait)
            wait = min(2 * wait, self._times.longest_wait)

    async def _send_once_or_return_failure(
        self, client: httpx.AsyncClient, line: bytes
    ) -> str | None:
        """Send a line once, and return what failed; None if the receiver took it."""
        event_id = hashlib.blake2b(line, digest_size=16).hexdigest()
        headers = {"Content-Type": "application/json", EVENT_ID: event_id}
        try:
            async with (
                asyncio.timeout(self._times.answer),
                client.stream("POST", self._url, content=line, headers=headers) as answer,
            ):
                return None if answer.is_success else f"status {answer.status_code}"
        except (httpx.HTTPError, OSError) as error:  # A TimeoutError is an OSError.
            return type(error).__name__

    def close(self) -> None:
        """End; what was not taken is sent at the next start."""
        self._start_event.wait(self._times.answer)
        if self._task is not None:
            with contextlib.suppress(RuntimeError):  # It has ended by itself.
                self._task.get_loop().call_soon_threadsafe(self._task.cancel)
        self._thread.join(self._times.answer)
        os.close(self._handle)
