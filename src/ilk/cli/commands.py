"""Every command with its parser: for completion, for reference pages, and for tests."""

from __future__ import annotations

from ilk.base import packages
from ilk.cli.parsing import Parser
from ilk.cli.verbs import VERBS, load_verb_or_none


def make_parsers_of_all_commands() -> dict[str, Parser]:
    """Return a new parser of every command, including subcommands, by its words."""
    parsers: dict[str, Parser] = {}

    def add(words: str, parser: Parser) -> None:
        parsers[words] = parser
        for name, below in parser.subcommand_parsers().items():
            add(f"{words} {name}", below)

    for name in (*VERBS, *packages.entry_points_in_ilk_group("verbs")):
        verb = load_verb_or_none(name)
        if verb is not None:
            add(name, verb.parser())
    return parsers
