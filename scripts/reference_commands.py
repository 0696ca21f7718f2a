"""The page of commands: what each does, its arguments, the names of its options, and examples."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterator

from ilk.cli import main as cli
from ilk.cli.parsing import Parser
from ilk.cli.wording import flag_of

_INTRODUCTION = """\
These are the commands, as `ilk VERB --help` shows them. [The options](options.md) have a page of
their own; [exit codes](errors.md) are with the errors. `ilk --version` prints the version, the
version of recipes, the vector instructions in use, and the installed extras.
"""


def page() -> str:
    """Return the whole page."""
    parts = ["# Commands", _INTRODUCTION.rstrip()]
    for words, parser in cli.commands().items():
        parts += [f"## ilk {words}", *_command(parser)]
    return "\n\n".join(parts) + "\n"


def _command(parser: Parser) -> Iterator[str]:
    said = " ".join((parser.description or "").split())
    if said:
        yield _wrapped(f"{said[0].upper()}{said[1:]}{'' if said.endswith('.') else '.'}")
    items = []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            names = ", ".join(f"`{name}`" for name in action.choices)
            items.append(_wrapped(f"- **VERB**: {names}.", "  "))
        elif not action.option_strings:
            name = action.metavar or action.dest
            items.append(_wrapped(f"- **`{name}`**: {action.help}.", "  "))
    if items:
        yield "\n".join(items)
    flags = [f"`{flag_of(name)}`" for name in parser.entries if name != "color"]
    if flags:
        yield _wrapped(f"Options: {', '.join(flags)}.")
    lines = (parser.epilog or "").splitlines()
    examples = [line[2:] for line in lines if line.startswith("  ilk ")]
    if examples:
        yield "\n".join(["```text", *examples, "```"])


def _wrapped(text: str, below: str = "") -> str:
    return textwrap.fill(
        text, 100, subsequent_indent=below, break_long_words=False, break_on_hyphens=False
    )
