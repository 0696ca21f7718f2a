"""``ilk --print-completion SHELL``: a script that completes commands, by shtab."""

from __future__ import annotations

import argparse

from ilk.base.errors import MissingExtra, OptionError
from ilk.base.kinds import Choice
from ilk.cli.parsing import Parser
from ilk.cli.verbs import commands

#: Values that are files or folders, by the words that stand for them in help.
_PATHS = {"FILE": "file", "PATH": "file", "OUT": "file", "TSV": "file", "DIR": "directory"}


def script(shell: str) -> str:
    """Return the script for a shell.

    Raises:
        MissingExtra: shtab is not installed.
    """
    try:
        import shtab
    except ModuleNotFoundError as error:
        raise MissingExtra("shtab", "completion") from error
    if shell not in shtab.SUPPORTED_SHELLS:
        known = ", ".join(shtab.SUPPORTED_SHELLS)
        raise OptionError(f"--print-completion is {shell!r}; it must be one of {known}.")
    complete = {"file": shtab.FILE, "directory": shtab.DIRECTORY}
    root = argparse.ArgumentParser(prog="ilk")
    verbs = root.add_subparsers(dest="verb")
    for words, parser in commands().items():
        for action in parser._actions:
            option = parser.entries.get(action.dest)
            allowed = _allowed(parser, action)
            if allowed:
                action.choices = allowed
            elif (kind := _PATHS.get(str(action.metavar))) and not action.choices:
                action.complete = complete[kind]  # type: ignore[attr-defined]
            action.help = ((option and option.help) or action.help or "").replace("%", "%%")
        if " " not in words:
            verbs.add_parser(words, help=parser.description, add_help=False)
            verbs.choices[words] = parser
    return str(shtab.complete(root, shell=shell))


def _allowed(parser: Parser, action: argparse.Action) -> list[str]:
    """Return the words that an option may have as its value; none if it may be anything."""
    option = parser.entries.get(action.dest)
    words = (
        [str(it) for it in option.kind.allowed]
        if option and isinstance(option.kind, Choice)
        else []
    )
    for part, name in parser.parts.get(action.dest, {}).items():
        words.append(part if parser.entries[name].metavar is None else f"{part}=")
    return words
