"""The man page: every command, its arguments, and every option with its meaning and default."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator

from ilk import __version__
from ilk.base import packages
from ilk.cli import verbs
from ilk.cli.commands import make_parsers_of_all_commands
from ilk.cli.options import Parser

#: Options that every command has; they are described once.
_COMMON = ("help", "config", "color")

#: A line of a list in help: a name, and its meaning.
_ITEM = re.compile(r"  (?P<name>\S.*?) {2,}(?P<meaning>\S.*)")

_CODES = {
    "0": "something was found, or done",
    "1": "nothing was found; or two documents differ, a store refused a document, or, with "
    "--expect-none or --fail-above, something was found",
    "2": "an error, or damage of a store; with --strict also, something could not be read",
    "3": "an alarm: look before rows are dropped",
    "130": "interrupted",
}


def page() -> str:
    """Return the page in the language of man(7)."""
    return "\n".join(_page_lines()) + "\n"


def _page_lines() -> Iterator[str]:
    yield f'.TH ILK 1 "" "ilk {__version__}" "User Commands"'
    yield from (".nh", ".ad l")  # A name of an option is never broken.
    yield ".SH NAME"
    yield r"ilk \- find exact and near\-duplicate documents"
    yield ".SH SYNOPSIS"
    for words in ("VERB [options] ...", "VERB --help", "--version", "--print-completion SHELL"):
        yield from (".PP", rf"\fBilk\fR {_escape_roff(words)}")
    yield ".SH DESCRIPTION"
    yield from _paragraph_lines(
        "ilk finds documents of the same kind: identical ones, ones that are equal except for case "
        "and white space, and ones that share most of their text. A scan changes nothing."
    )
    for verb, what in _summaries_by_verb().items():
        yield from _item_lines(f"ilk {verb}", what)
    yield ".SH OPTIONS OF EVERY COMMAND"
    scan = make_parsers_of_all_commands()["scan"]
    for action in scan._actions:
        if action.dest in _COMMON:
            yield from _option_lines(scan, action)
    yield ".SH COMMANDS"
    for words, parser in make_parsers_of_all_commands().items():
        yield from _command_lines(words, parser)
    yield ".SH EXIT STATUS"
    for code, what in _CODES.items():
        yield from _item_lines(code, what)
    yield ".SH FILES"
    yield from _item_lines("ilk.toml", "options of the working folder, as --config reads them")


def _summaries_by_verb() -> dict[str, str]:
    others = {
        name: packages.load_entry_point(point).SUMMARY
        for name, point in packages.entry_points_in_ilk_group("verbs").items()
    }
    return verbs.VERBS | others


def _command_lines(words: str, parser: Parser) -> Iterator[str]:
    usage = " ".join(parser._usage_words()).replace("%%", "%")
    yield f".SS {_escape_roff(usage)}"
    package = packages.companion_extra_or_none(verb=words.split()[0])
    if package is not None:
        yield from _paragraph_lines(
            f"Of the package {packages.make_missing_extra_error(package).package}."
        )
    yield from _help_text_lines(parser.description or "")
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from _item_lines(str(action.metavar), ", ".join(action.choices))
        elif not action.option_strings:
            yield from _item_lines(str(action.metavar or action.dest), action.help or "")
    for action in parser._actions:
        if action.option_strings and action.dest not in _COMMON:
            yield from _option_lines(parser, action)
    yield from _help_text_lines(parser.epilog or "")


def _option_lines(parser: Parser, action: argparse.Action) -> Iterator[str]:
    """Yield an option: its names, its meaning and default; its parts below it."""
    told = parser._action_with_help_or_none_if_hidden(action, brief=False) or action
    value = "" if told.nargs == 0 else str(told.metavar or "")
    value = f" [{value}]" if told.nargs == "?" and value else f" {value}" if value else ""
    names = ", ".join(f"{name}{value}" for name in told.option_strings)
    meaning, *parts = (told.help or "").replace("%%", "%").split("\n  ")
    yield from _item_lines(names, meaning)
    if parts:
        yield ".RS"
        for part in parts:
            name, _, what = part.partition(": ")
            yield from _item_lines(name, what)
        yield ".RE"


def _help_text_lines(text: str) -> Iterator[str]:
    """Yield the paragraphs, lists and examples of a text around the options."""
    for block in filter(None, text.split("\n\n")):
        lines = block.splitlines()
        if lines[0] == "examples:":
            yield from (".PP", "Examples:", ".PP", ".nf", *map(_escape_roff, lines[1:]), ".fi")
            continue
        prose = " ".join(line for line in lines if not line.startswith("  "))
        yield from _paragraph_lines(prose) if prose else ()
        items: list[tuple[str, str]] = []
        for line in (line for line in lines if line.startswith("  ")):
            found = _ITEM.fullmatch(line)
            if found is not None:
                items.append((found["name"], found["meaning"]))
            elif items:
                items[-1] = (items[-1][0], f"{items[-1][1]} {line.strip()}")
            else:
                items.append((line.strip(), ""))
        for name, meaning in items:
            yield from _item_lines(name, meaning)


def _paragraph_lines(text: str) -> Iterator[str]:
    yield from (".PP", _escape_roff(text))


def _item_lines(name: str, meaning: str) -> Iterator[str]:
    yield from (
        ".TP",
        rf"\fB{_escape_roff(name)}\fR",
        _escape_roff(" ".join(meaning.split())) or r"\&",
    )


def _escape_roff(text: str) -> str:
    """Return a text in one line that no character of it makes a request; `words` become bold."""
    text = text.replace("\\", r"\e").replace("-", r"\-")
    text = re.sub(r"`([^`]+)`", r"\\fB\1\\fR", text)
    return rf"\&{text}" if text.startswith((".", "'")) else text
