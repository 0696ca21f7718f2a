"""An option that has one value, and is given twice, is refused: one value would go in silence."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import pytest

from ilk.base.errors import OptionError
from ilk.base.kinds import Choice, Flag, Seconds, Share, Size, Whole
from ilk.base.options import Option, flag_of
from ilk.cli.commands import make_parsers_of_all_commands
from ilk.cli.parsing import Parser
from tests.support.command_line import Run

PARSERS = {
    words: each
    for words, each in make_parsers_of_all_commands().items()
    if not each.subcommand_parsers()
}


def value(option: Option) -> str:
    """A value that the option allows, as a user writes it."""
    kind = option.kind
    if isinstance(kind, Choice):
        return str(kind.allowed[0])
    if isinstance(kind, Whole):
        return str(kind.low)
    if isinstance(kind, Share):
        return str(float(kind.highest))
    return "1GB" if isinstance(kind, Size) else "7" if isinstance(kind, Seconds) else "some"


def ways(parser: Parser) -> Iterator[tuple[str, Option, list[list[str]]]]:
    """Every option of a command that has a value, with the ways to give it twice."""
    for name, option in parser.entries.items():
        if isinstance(option.kind, Flag):
            continue
        written = value(option)
        if option.part is None:
            flags = [flag_of(each) for each in (name, *option.aliases)]
            forms = [[flags[0], written, flags[-1], written]]
            forms.append([f"{flags[0]}={written}", f"{flags[0]}={written}"])
        else:
            whole, part = option.part
            flag, given = flag_of(whole), f"{part}={written}"
            forms = [[flag, f"{given},{given}"], [flag, given, flag, given]]
        yield name, option, forms


def arguments(parser: Parser) -> list[str]:
    """The arguments and required options of a command, so that nothing is missing."""
    words = []
    for action in parser._actions:
        if not action.option_strings and action.nargs not in ("?", "*"):
            words.append(str(next(iter(action.choices))) if action.choices else "1")
    for name, option in parser.entries.items():
        if option.required and option.part is None:
            words += [flag_of(name), value(option)]
    return words


def refusal(parser: Parser, words: list[str]) -> str:
    """What a parser says of a command line; nothing if it takes it."""
    try:
        parser.parse_known_args(words, argparse.Namespace())
    except OptionError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("words", PARSERS)
def test_an_option_with_one_value_is_given_once(words: str) -> None:
    parser, asked = PARSERS[words], 0
    for name, option, forms in ways(parser):
        for form in forms:
            given = [*arguments(parser), *form, "--config", "none"]
            given = given if "config" in parser.entries and name != "config" else given[:-2]
            said = refusal(parser, given)
            assert ("is given twice" in said) == (not option.repeated), (form, said)
            asked += 1
    assert asked


def test_switches_and_different_parts_may_be_given_one_after_the_other() -> None:
    parser = PARSERS["dedup"]
    words = "in --exact --exact --limit text=1MB --limit ratio=9 --key a --key b --config none"
    args = parser.parse_args(words.split())
    assert (args.exact, args.limit_text, args.limit_ratio, args.key) == (
        *(True, 1_000_000, 9),
        ["a", "b"],
    )


def test_what_was_given_twice_is_said(run: Run) -> None:
    words = ("dedup", "x", "--resemblance", ".8", "--threshold", ".9")
    said = "ilk dedup: --threshold is given twice, as .8 and as .9; give it once."
    assert run(*words)[2].startswith(said)
    words = ("dedup", "x", "--limit", "text=1MB", "--limit", "text=2MB")
    said = "ilk dedup: --limit text is given twice, as 1MB and as 2MB; give it once."
    assert run(*words)[2].startswith(said)
