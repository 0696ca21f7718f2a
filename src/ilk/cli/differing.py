"""The differences between two texts, as lines for a terminal."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator

from ilk.cli import styling
from ilk.cli.wording import printable
from ilk.search.differences import Differences
from ilk.write.side_by_side import pieces

#: The marks around words of each role, so that nothing depends on colours.
_MARKS = {"gone": ("[-", "-]"), "new": ("{+", "+}"), "away": ("[~", "~]"), "moved": ("{~", "~}")}

#: The key to the marks.
LEGEND = "[-only in A-] {+only in B+} [~moved away~] {~moved here~}"


def lines(left: str, right: str, found: Differences, *, wrong: bool = False) -> Iterator[str]:
    """Yield the differences, wrapped to the terminal; paragraphs stay apart.

    Args:
        left, right: the texts.
        found: the differences.
        wrong: whether to mark wrong characters within words.
    """
    width = min(100, shutil.get_terminal_size().columns)
    line: list[str] = []
    used = 0
    for role, word in _words(pieces(left, right, found, wrong=wrong)):
        if word == "\n":
            if line:
                yield " ".join(line)
                yield ""
            line, used = [], 0
            continue
        if line and used + 1 + len(word) > width:
            yield " ".join(line)
            line, used = [], 0
        used += len(word) + (1 if line else 0)
        plain = role in ("same", "wrong")
        line.append(word if plain else styling.styled(role, word, sys.stdout))
    if line:
        yield " ".join(line)


def _words(pieces: Iterator[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield words with their roles and marks, and a line break between paragraphs."""
    for role, text in pieces:
        begin, end = _MARKS.get(role, ("", ""))
        paragraphs = [paragraph.split() for paragraph in _PARAGRAPH.split(text)]
        full = [at for at, words in enumerate(paragraphs) if words]
        for at, words in enumerate(paragraphs):
            if at:
                yield role, "\n"
            shown = [printable(word) for word in words]
            if full and at == full[0]:
                shown[0] = begin + shown[0]
            if full and at == full[-1]:
                shown[-1] += end
            yield from ((role, word) for word in shown)


_PARAGRAPH = re.compile(r"\n[ \t\r]*\n")
