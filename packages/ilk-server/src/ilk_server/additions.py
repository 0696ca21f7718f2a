"""The log of additions: a file with a line of JSON for each document that comes in.

Programs follow it (``tail -f``), and learn what came in that is like something. Lines are in the
order of the numbers of documents, and hold no texts. A line is written once its document is on
disk; whoever dies between the two leaves the line to the next start.
"""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Sequence
from typing import Any

from ilk.companions import Closing, errors
from ilk.plugins import OutputError
from ilk_server import logs
from ilk_server.errors import unwritable_error

#: The most bytes of a line that are read to find the last one.
_LONGEST = 1 << 24

#: What a line is about: where the log begins, or a document.
_BEGINS, ADDED = "begins", "added"

#: How every line begins.
_FIRST = b'{"time": "'


class AdditionLog(Closing):
    """The file; processes that serve one store write to it in turns.

    Args:
        path: the file, created if missing.
        append_only: whether another process writes to it already, and has looked at it.

    Raises:
        OutputError: it cannot be opened, or is no such log.
    """

    def __init__(self, path: str | os.PathLike[str], *, append_only: bool = False) -> None:
        """Open the file; what a torn line has left at its end is cut off."""
        self._path = os.fspath(path)
        self._last: int | None = None
        try:
            self._file = open(path, "a+b", buffering=0)  # noqa: SIM115 - as long as it is served
        except OSError as error:
            raise unwritable_error(self._path, error) from error
        try:
            if not append_only:
                self._last = self._repair_and_read_last_number()
        except OSError as error:
            self.close()
            raise unwritable_error(self._path, error) from error
        except OutputError:
            self.close()
            raise
        self._failed = False

    def _repair_and_read_last_number(self) -> int | None:
        """Return the number in the last line; None in an empty file."""
        end = self._file.seek(0, os.SEEK_END)
        start = max(0, end - _LONGEST)
        self._file.seek(start)
        content = self._file.read(end - start)
        whole = content[: content.rfind(b"\n") + 1]
        torn_line = content[len(whole) :]
        try:
            last = int(json.loads(whole.splitlines()[-1])["number"]) if whole else None
        except (ValueError, TypeError, KeyError):
            raise self._not_a_log_error() from None
        if torn_line[: len(_FIRST)] != _FIRST[: len(torn_line)]:
            raise self._not_a_log_error()
        if torn_line:
            self._file.truncate(start + len(whole))
        return last

    def _not_a_log_error(self) -> OutputError:
        return OutputError(
            f"{self._path} does not end with a line of a log of additions; name another file."
        )

    def read_last_number_or_begin_at(self, number: int) -> int:
        """Return the number of the last document in the log; begin a new log at this number."""
        if self._last is None:
            try:
                self._write_lines([{"event": _BEGINS, "number": number}])
            except OSError as error:
                raise unwritable_error(self._path, error) from error
            self._last = number
        return self._last

    def write_added_until_first_failure(self, documents: Sequence[dict[str, Any]]) -> None:
        """Write a line for each document that was added, each with its ``number``.

        The first failure is logged, and nothing is written after it, so that the next start finds
        what is missing.
        """
        if documents and not self._failed:
            try:
                self._write_lines([{"event": ADDED, **document} for document in documents])
            except OSError as error:
                self._failed = True
                logs.write_log_line("additions_not_logged", error=errors.reason_of_error(error))

    def _write_lines(self, lines: Sequence[dict[str, Any]]) -> None:
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
        content = "".join(json.dumps({"time": now, **line}) + "\n" for line in lines).encode()
        while content:
            content = content[self._file.write(content) :]

    def close(self) -> None:
        """Close the file."""
        self._file.close()
