"""The page of commands: what each does, its arguments, its options, and examples."""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Collection, Iterator

from ilk.base import packages
from ilk.base.options import READING, flag_of
from ilk.cli.commands import make_parsers_of_all_commands
from ilk.cli.parsing import Parser

_INTRODUCTION = """\
These are the commands, as `ilk VERB --help` shows them. `ilk VERB -h` shows only the usual options.
[The options](options.md) have a page of their own; [exit codes](results.md#exit-codes) are with the
results. `ilk --version` prints the version, the version of recipes, the vector instructions in use,
and the installed extras. Commands of a package are there once it is installed: [what to install for
what](../getting-started.md#more-than-text).
"""

#: An argument with a longer meaning, in characters, has it at the first command that takes it.
_LONG = 80

#: A line of a list in help: a name, and its meaning.
_ITEM = re.compile(r"  (?P<name>\S.*?) {2,}(?P<meaning>\S.*)")


def page() -> str:
    """Return the whole page."""
    parts = ["# Commands", _INTRODUCTION.rstrip(), _wrap_text(_define_reading())]
    explained: dict[str, str] = {}
    for words, parser in make_parsers_of_all_commands().items():
        parts += [f"## ilk {words}", *_command_section(words, parser, explained)]
    return "\n\n".join(parts) + "\n"


def _command_section(words: str, parser: Parser, explained: dict[str, str]) -> Iterator[str]:
    """Yield what a command does; ``explained`` has the command of each meaning said before."""
    package = packages.companion_extra_or_none(verb=words.split()[0])
    if package is not None and " " not in words:
        yield f"Of the package `{packages.make_missing_extra_error(package).package}`."
    yield from _help_paragraphs(parser.description or "")
    items = []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            names = ", ".join(f"`{name}`" for name in action.choices)
            items.append(_wrap_text(f"- **{action.metavar}**: {names}.", "  "))
        elif not action.option_strings:
            name, meaning = action.metavar or action.dest, action.help or ""
            first = explained.setdefault(meaning, words)
            if first != words and len(meaning) > _LONG:
                meaning = f"as for [`ilk {first}`](#ilk-{first.replace(' ', '-')})"
            items.append(_wrap_text(f"- **`{name}`**: {meaning}.", "  "))
    if items:
        yield "\n".join(items)
    flags = _spell_flags(parser)
    if flags:
        yield _wrap_text(f"Options: {', '.join(flags)}.")
    epilog, recipe, _ = (parser.epilog or "").partition("options of a recipe")
    yield from _help_paragraphs(epilog.rstrip())
    if recipe:
        yield "[The options of a recipe](options.md#of-a-recipe), which the help lists too."


def _reading_options() -> frozenset[str]:
    """Return the options that say what is read, as most commands that read documents have them."""
    return frozenset(READING.keys() & make_parsers_of_all_commands()["store check"].entries.keys())


def _define_reading() -> str:
    """Return what the word for the options of reading stands for."""
    reading, parser = _reading_options(), make_parsers_of_all_commands()["store check"]
    others = parser.entries.keys() - reading
    names = [name for name in (action.dest for action in parser._actions) if name in reading]
    flags = (_spell_flag(parser, name, others) for name in dict.fromkeys([*names, *parser.parts]))
    return f"*Reading* among the options of a command stands for {', '.join(filter(None, flags))}."


def _spell_flags(parser: Parser) -> list[str]:
    """Return the options of a command as they are listed; those of reading as one word."""
    reading = _reading_options()
    if not reading <= parser.entries.keys():
        reading = frozenset()
    flags = ["*reading*"] * bool(reading)
    for action in parser._actions:
        if action.option_strings and action.dest not in ("help", "color", "config", *reading):
            flags.append(_spell_flag(parser, action.dest, reading))
    return list(filter(None, flags))


def _spell_flag(parser: Parser, name: str, left_out: Collection[str] = ()) -> str:
    """Return an option with its parts in brackets; "" if it has but parts that are left out."""
    parts = parser.parts.get(name, {})
    shown = ", ".join(part for part, option in parts.items() if option not in left_out)
    if parts and not shown and name not in parser.entries:
        return ""
    return f"`{flag_of(name)}`" + (f" ({shown})" if shown else "")


def _help_paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs, lists and examples of a text around the options."""
    for block in text.split("\n\n"):
        lines = block.splitlines()
        heading = lines.pop(0) if lines and lines[0].endswith(":") else ""
        listed = [line for line in lines if line.startswith("  ")]
        if heading == "examples:":
            yield "\n".join(["```text", *(line[2:] for line in lines), "```"])
            continue
        said = heading.removesuffix(":") if listed else heading
        prose = " ".join([said, *(line for line in lines if not line.startswith("  "))]).strip()
        if prose:
            end = ":" if listed else "" if prose.endswith((".", ":")) else "."
            yield _wrap_text(f"{prose[0].upper()}{prose[1:]}{end}")
        if listed:
            yield "\n".join(_wrap_text(item, "  ") for item in _list_items(listed))


def _list_items(lines: list[str]) -> Iterator[str]:
    """Yield lines of a list in help as items; a line without a name continues the one before."""
    items: list[str] = []
    for line in lines:
        match = _ITEM.fullmatch(line)
        if match is not None:
            items.append(f"- **`{match['name']}`**: {match['meaning']}")
        else:
            items[-1] += f" {line.strip()}"
    yield from items


def _wrap_text(text: str, below: str = "") -> str:
    return textwrap.fill(
        text, 100, subsequent_indent=below, break_long_words=False, break_on_hyphens=False
    )
