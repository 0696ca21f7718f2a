"""Colours on a terminal: what they are used for, and whether to use them.

Text is laid out first and coloured last, so that no width depends on a colour.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextvars import ContextVar
from typing import IO, Any
from urllib.parse import quote

from ilk.base.terminal import count_cells, shorten_middle, wrap_keeping_indent_shortening_words

#: The value of ``--color``; ``auto`` by default.
_WHEN = ContextVar("color", default="auto")

#: The prefix for a text of each role; ``_PLAIN`` is the suffix.
_CODES = {
    "1": "heading keep",
    "2": "faint",
    "31": "gone",
    "1;31": "error",
    "32": "keeper new",
    "33": "warning near noisy",
    "34": "away moved",
    "35": "numbers_only",
    "36": "identical exact",
}
_ROLES = {role: f"\x1b[{code}m" for code, roles in _CODES.items() for role in roles.split()}
_PLAIN = "\x1b[0m"

#: A member of a family as it is laid out: how alike it is, its verdict, its name, and a note.
_MEMBER = re.compile(
    r"^(?P<before> *(?:goes|stays)? *(?:[\d.]+%)? +)(?P<verdict>keep|identical|exact|numbers_only"
    r"|near|noisy|connected|key|unverified|within \d+ bits"
    r"|same runs, but not the same text)(?P<gap> +)(?P<name>\S.*?)(?P<note>  \(.*\))?$"
)

#: The least cells of a name on a terminal: a shorter one could not be told from others.
LEAST_NAME_CELLS = 20

_HEADING = re.compile(r"^(?P<heading>[A-Za-z][^:\n]*):(?=\n|$)", re.MULTILINE)


def set_color_option(words: Sequence[str]) -> None:
    """Use ``--color`` from a command line; the parser refuses a wrong value later."""
    when = "auto"
    for word, following in zip(words, [*words[1:], ""], strict=False):
        flag, _, value = word.partition("=")
        if flag == "--color":
            when = value or following
    _WHEN.set(when)


def has_colours(stream: IO[Any]) -> bool:
    """Return whether output to a stream may have colours.

    Without ``--color``, it may if the stream is a terminal that supports them, and ``NO_COLOR`` is
    absent or empty (https://no-color.org).
    """
    if _WHEN.get() in ("always", "never"):
        return _WHEN.get() == "always"
    return os.environ.get("TERM") != "dumb" and not os.environ.get("NO_COLOR") and stream.isatty()


def style_text(role: str, text: str, stream: IO[Any]) -> str:
    """Return a text, already laid out, as a stream shows one of the ``_ROLES``."""
    return f"{_ROLES[role]}{text}{_PLAIN}" if text and has_colours(stream) else text


def style_help_headings(page: str, stream: IO[Any]) -> str:
    """Return a page of help, with headings in bold if the stream supports colours."""
    return _HEADING.sub(lambda it: style_text("heading", it["heading"], stream) + ":", page)


def style_and_fit_family_lines(
    lines: Iterable[str], stream: IO[Any], terminal_cells: int | None = None
) -> Iterator[str]:
    """Yield lines of families in the form for a stream: verdicts coloured, names linked to files.

    A folder that the name above has too is dimmed. With the width of a terminal, a name
    that is too long is shortened in its middle, a note for which there is no room goes below, and
    other lines are wrapped.
    """
    colours = has_colours(stream)
    if terminal_cells is None and not colours:
        yield from lines
        return
    before = ""
    for line in lines:
        match = _MEMBER.match(line)
        if match is None:
            yield from (
                [line]
                if terminal_cells is None
                else wrap_keeping_indent_shortening_words(line, terminal_cells)
            )
            continue
        name, verdict, note = match["name"], match["verdict"], match["note"] or ""
        short = name
        below = list[str]()
        if terminal_cells is not None:
            room = terminal_cells - count_cells(match["before"] + verdict + match["gap"])
            if note and room - count_cells(note) < min(LEAST_NAME_CELLS, count_cells(name)):
                note, below = (
                    "",
                    [
                        *wrap_keeping_indent_shortening_words(
                            f"{'':8}{note.strip()}", terminal_cells
                        )
                    ],
                )
            short = shorten_middle(name, max(LEAST_NAME_CELLS, room - count_cells(note)))
        if not colours:
            yield from (match["before"] + verdict + match["gap"] + short + note, *below)
            continue
        folder = short[: short.rfind("/") + 1]
        folder_text = style_text("faint", folder, stream) if folder == before else folder
        folder_text += short[len(folder) :]
        before = folder
        if os.path.isfile(name):
            # OSC 8: terminals that do not know it show the text alone.
            address = f"file://{quote(os.path.abspath(name))}"
            folder_text = f"\x1b]8;;{address}\x1b\\{folder_text}\x1b]8;;\x1b\\"
        word = style_text(verdict, verdict, stream) if verdict in _ROLES else verdict
        yield from (match["before"] + word + match["gap"] + folder_text + note, *below)
