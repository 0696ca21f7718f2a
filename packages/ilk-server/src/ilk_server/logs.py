"""The log: a line of JSON for every request, on standard error, without texts and ids."""

from __future__ import annotations

import contextlib
import datetime
import json
import logging
import sys
import traceback
from typing import Any


def write_log_line(event: str, **fields: Any) -> None:
    """Write a line."""
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
    # On a full disk, requests are answered all the same.
    with contextlib.suppress(OSError):
        print(json.dumps({"time": now, "event": event, **fields}), file=sys.stderr, flush=True)


class Notes(logging.Handler):
    """What other packages log, in a line each, without the values, which may be texts."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line."""
        words = str(record.msg).partition("\n")[0]
        write_log_line("note", logger=record.name, level=record.levelname, words=words)


def write_error_place(error: BaseException, **fields: Any) -> None:
    """Log where an unexpected error was raised, without its message, which may contain text."""
    frames = traceback.extract_tb(error.__traceback__)[-6:]
    where = [f"{frame.filename.rpartition('/')[2]}:{frame.lineno}" for frame in frames]
    write_log_line("error", error=type(error).__name__, where=where, **fields)
