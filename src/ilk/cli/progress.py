"""Progress and notes on stderr: progress only on a terminal, notes unless quiet."""

from __future__ import annotations

import sys

from ilk.cli import styling
from ilk.cli.wording import spelled


def note(message: str, quiet: bool) -> None:
    """Print a note on stderr."""
    if not quiet:
        name = styling.styled("warning", "ilk:", sys.stderr)
        print(f"{name} {printable(spelled(message))}", file=sys.stderr)


def refused(name: str, reason: str, code: int) -> int:
    """Print why a command ended, and return its exit code."""
    print(f"{styling.styled('error', name + ':', sys.stderr)} {reason}", file=sys.stderr)
    return code


def printable(name: str) -> str:
    """Return a name without control characters."""
    if name.isprintable():
        return name
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in name)


def named(source: str, id_: str | None) -> str:
    """Return the name of a document, with its id if it has one and a column of ids was named."""
    return printable(source) if id_ is None else f"{printable(source)}  (id {printable(id_)})"


def counted(number: int, thing: str, things: str = "") -> str:
    """Return a number of things, with singular or plural: 1 cluster, 2 clusters."""
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"
