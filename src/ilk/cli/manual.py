"""The manual page ilk(1): every command and its options, for ``man``."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from ilk import __version__
from ilk.cli import main as cli
from ilk.cli.parsing import Parser

_CODES = {
    0: "something was found, or done",
    1: "nothing was found",
    2: "an error, in one line on standard error",
    3: "an alarm: a cluster so large that a person should look at it first",
    130: "interrupted",
}


def lines() -> Iterator[str]:
    """Yield the page in roff, line by line."""
    yield f'.TH ILK 1 "" "ilk {__version__}" "User Commands"'
    yield ".SH NAME"
    yield "ilk \\- find exact and near\\-duplicate documents"
    yield ".SH SYNOPSIS"
    yield ".B ilk"
    yield ".I VERB"
    yield "\\&..."
    yield ".SH DESCRIPTION"
    yield "Every pair of documents that shares the text you ask for is found,"
    yield "and no other pair."
    yield "Start with"
    yield '.BR "ilk scan" " and the name of a folder."'
    for title, verbs in cli.GROUPS.items():
        yield f".SS {_text(title.capitalize())}"
        for verb, what in verbs.items():
            yield from _item(f"ilk {verb}", f"{what}.")
    yield ".SH COMMANDS"
    for words, parser in cli.commands().items():
        yield from _command(words, parser)
    yield ".SH EXIT STATUS"
    for code, what in _CODES.items():
        yield from _item(str(code), f"{what}.")


def _command(words: str, parser: Parser) -> Iterator[str]:
    yield f".SS ilk {words}"
    yield from _paragraph(" ".join((parser.description or "").split()))
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction) or action.dest in ("color", "help"):
            continue
        names = ", ".join(action.option_strings) or str(action.metavar or action.dest)
        if action.option_strings and action.nargs != 0:
            value = action.metavar or action.dest.upper()
            names += f" [{value}]" if action.nargs == "?" else f" {value}"
        what = (action.help or "").replace("%(default)s", str(action.default)).replace("%%", "%")
        yield from _item(names, f"{what}.")


def _item(names: str, what: str) -> Iterator[str]:
    yield ".TP"
    yield f".B {_text(names)}"
    yield from _paragraph(what)


def _paragraph(text: str) -> Iterator[str]:
    if text:
        yield _text(text)


def _text(text: str) -> str:
    """Return a line escaped for roff."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped
