"""The log of acts on files: written before and after each act, and read to resume."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ilk.base import portable
from ilk.base.errors import OutputError, PlanError
from ilk.base.parsed import parsed

#: The version of the format.
VERSION = 1

#: What a line records: an act begins, was done, or was undone.
BEGUN, DONE, UNDONE = "begun", "done", "undone"


class Journal:
    """The acts of a log, in order, and the state of each.

    acts: by number: ``way``, ``source``, ``keeper``, ``to``, ``size``, ``digest``, ``status``.
    states: by number: its last state.
    """

    def __init__(self, path: Path) -> None:
        """Read the existing log; write nothing."""
        self.path = path
        self.acts: dict[int, dict[str, Any]] = {}
        self.states: dict[int, str] = {}
        self._file: Any = None
        with contextlib.suppress(FileNotFoundError):
            self._read(path.read_bytes())

    def _read(self, content: bytes) -> None:
        rows = [row for line in content.splitlines() if (row := row_of(line)) is not None]
        if content and not (rows and rows[0].get("log") == VERSION):
            raise PlanError(f"{self.path} is not a log of `ilk apply`")
        for row in rows[1:]:
            number, state = row["act"], row["state"]
            if state == BEGUN:
                self.acts[number] = {k: v for k, v in row.items() if k not in ("act", "state")}
            self.states[number] = state

    @contextlib.contextmanager
    def open(self) -> Iterator[None]:
        """Open it for writing, with a lock.

        Raises:
            OutputError: it cannot be written, or another process is writing it.
        """
        try:
            file = self.path.open("ab+")
        except OSError as error:
            raise OutputError(f"cannot write {self.path}: {error.strerror}.") from None
        with file:
            try:
                portable.lock(file.fileno())
            except OSError:
                raise OutputError(
                    f"{self.path} is being written by another process; wait for it to end."
                ) from None
            self.acts, self.states = {}, {}
            file.seek(0)
            content = file.read()
            self._read(content)
            self._file = file
            if not content:
                self._write({"log": VERSION})
            elif not content.endswith(b"\n"):
                file.write(b"\n")  # A kill left half a line.
            try:
                yield
            finally:
                self.sync()
                self._file = None

    def begin(self, act: dict[str, Any]) -> int:
        """Log an act before it is done; return its number. It counts after ``sync``."""
        number = len(self.states)
        self.acts[number] = act
        self.say(number, BEGUN, **act)
        return number

    def say(self, number: int, state: str, **more: Any) -> None:
        """Log the new state of an act."""
        self.states[number] = state
        self._write({"act": number, "state": state, **more})

    def sync(self) -> None:
        """Flush the log to disk."""
        self._file.flush()
        os.fsync(self._file.fileno())

    def _write(self, row: dict[str, Any]) -> None:
        self._file.write(json.dumps(row).encode() + b"\n")
        self._file.flush()


def row_of(line: bytes) -> dict[str, Any] | None:
    """Return a line; None if a kill left only half of it."""
    try:
        row = parsed(line)
    except ValueError:
        return None
    return row if isinstance(row, dict) else None
