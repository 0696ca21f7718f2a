"""Colours on a terminal: what they are used for, and whether there are any.

Text is laid out first and coloured last, so that no width depends on a colour.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextvars import ContextVar
from typing import IO, Any

#: What ``--color`` was; ``auto`` where nothing was said.
_WHEN = ContextVar("color", default="auto")

#: What is written before a text of each role; after it ``_PLAIN`` is.
_ROLES = {
    "heading": "\x1b[1m",
    "keeper": "\x1b[32m",
    "faint": "\x1b[2m",
    "warning": "\x1b[33m",
    "error": "\x1b[1;31m",
    "gone": "\x1b[31m",
    "new": "\x1b[32m",
    "away": "\x1b[34m",
    "moved": "\x1b[34m",
}
_PLAIN = "\x1b[0m"

_HEADING = re.compile(r"^(?P<heading>[A-Za-z][^:\n]*):(?=\n|$)", re.MULTILINE)


def choose(words: Sequence[str]) -> None:
    """Take what a command line says of ``--color``; its parser refuses a wrong value later."""
    when = "auto"
    for word, following in zip(words, [*words[1:], ""], strict=False):
        flag, _, value = word.partition("=")
        if flag == "--color":
            when = value or following
    _WHEN.set(when)


def coloured(stream: IO[Any]) -> bool:
    """Return whether what is written to a stream may have colours.

    Without ``--color`` it has if the stream is a terminal that knows them, and ``NO_COLOR`` is
    absent or empty (https://no-color.org).
    """
    if _WHEN.get() in ("always", "never"):
        return _WHEN.get() == "always"
    known = os.environ.get("TERM") != "dumb" and not os.environ.get("NO_COLOR")
    return known and stream.isatty()


def styled(role: str, text: str, stream: IO[Any]) -> str:
    """Return a text as it is written to a stream.

    Args:
        role: one of ``_ROLES``.
        text: what is shown, laid out already.
        stream: where it will be written.
    """
    return f"{_ROLES[role]}{text}{_PLAIN}" if text and coloured(stream) else text


def with_headings(page: str, stream: IO[Any]) -> str:
    """Return a page of help, its headings in bold where the stream takes colours."""
    return _HEADING.sub(lambda it: styled("heading", it["heading"], stream) + ":", page)
