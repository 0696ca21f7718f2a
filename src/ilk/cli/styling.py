"""Colours on a terminal: what they are used for, and whether to use them.

Text is laid out first and coloured last, so that no width depends on a colour.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextvars import ContextVar
from typing import IO, Any

#: The value of ``--color``; ``auto`` by default.
_WHEN = ContextVar("color", default="auto")

#: The prefix for a text of each role; ``_PLAIN`` is the suffix.
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
    """Use ``--color`` from a command line; the parser refuses a wrong value later."""
    when = "auto"
    for word, following in zip(words, [*words[1:], ""], strict=False):
        flag, _, value = word.partition("=")
        if flag == "--color":
            when = value or following
    _WHEN.set(when)


def coloured(stream: IO[Any]) -> bool:
    """Return whether output to a stream may have colours.

    Without ``--color``, it may if the stream is a terminal that supports them, and ``NO_COLOR`` is
    absent or empty (https://no-color.org).
    """
    if _WHEN.get() in ("always", "never"):
        return _WHEN.get() == "always"
    known = os.environ.get("TERM") != "dumb" and not os.environ.get("NO_COLOR")
    return known and stream.isatty()


def styled(role: str, text: str, stream: IO[Any]) -> str:
    """Return a text in the form for a stream.

    Args:
        role: one of ``_ROLES``.
        text: the text, already laid out.
        stream: the stream to write it to.
    """
    return f"{_ROLES[role]}{text}{_PLAIN}" if text and coloured(stream) else text


def with_headings(page: str, stream: IO[Any]) -> str:
    """Return a page of help, with headings in bold if the stream supports colours."""
    return _HEADING.sub(lambda it: styled("heading", it["heading"], stream) + ":", page)
