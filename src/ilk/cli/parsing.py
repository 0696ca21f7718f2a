"""The command-line parser: made from options, with help for the terminal and one-line errors."""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from collections.abc import Iterator, Sequence
from typing import IO, Any, NoReturn

from ilk.base.errors import OptionError
from ilk.base.kinds import Choice, Flag
from ilk.base.options import OPTIONS, Option
from ilk.cli import styling
from ilk.cli.wording import flag_of, nearest

#: The longest line of help, however wide the terminal is.
_WIDEST = 100

#: The least width of the right column of two.
_LEAST = 24

#: A line of two columns.
_COLUMNS = re.compile(r"(?P<left> *\S.*?\S {2,})(?P<right>\S.*)")

#: Options with a short name too.
_SHORT = {"output": "-o", "print0": "-0"}

#: Messages of argparse, and their replacements.
_SAYINGS = (
    (r"the following arguments are required: ([^,]+)", r"\1 is missing"),
    (r"the following arguments are required: (.+), ([^,]+)", r"\1 and \2 are missing"),
    (r"argument (?:-\w/)?(\S+): expected (?:one|at least one) argument", r"\1 needs a value"),
    (r"argument (?:-\w/)?(\S+): ignored explicit argument (.+)", r"\1 takes no value, such as \2"),
    (r"unrecognized arguments: (.+)", r"unexpected argument: \1"),
    (r"argument (\S+): invalid int value: (.+)", r"\1 is \2; it must be a whole number"),
    (r"argument (?:-\w/)?(\S+): not allowed with argument (\S+)", r"give \1 or \2, not both"),
)


class Help(argparse.HelpFormatter):
    """Help wrapped to the terminal, with examples and lists kept line by line."""

    def __init__(self, prog: str) -> None:
        """Use the width of the terminal, up to a readable maximum."""
        super().__init__(prog)
        self._width = min(self._width, _WIDEST)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(_filled(text, width, indent))


def _filled(text: str, width: int, indent: str = "") -> Iterator[str]:
    """Yield wrapped paragraphs; keep indented lines and headings."""
    prose: list[str] = []
    for line in [*text.splitlines(), ""]:
        if line and not line.startswith(" "):
            prose.append(line)
            continue
        if prose:
            yield from textwrap.wrap(" ".join(prose), width, break_on_hyphens=False)
            prose = []
        if line:
            yield from _wrapped(indent + line, width)
        else:
            yield ""


def _wrapped(line: str, width: int) -> Iterator[str]:
    """Yield a line of a list in as many lines as needed, with the right column aligned."""
    columns = _COLUMNS.fullmatch(line)
    if len(line) <= width or columns is None:
        below = " " * (len(line) - len(line.lstrip()) + 4)
        yield from textwrap.wrap(
            line, width, subsequent_indent=below, break_long_words=False, break_on_hyphens=False
        )
        return
    left, right = columns["left"], columns["right"]
    if width - len(left) < _LEAST:
        yield left.rstrip()
        left = " " * 8
    yield from textwrap.wrap(
        right, width, initial_indent=left, subsequent_indent=" " * len(left), break_on_hyphens=False
    )


class Parser(argparse.ArgumentParser):
    """A parser that checks its options by the table, and reports errors in one line.

    Attributes:
        entries: its options by their names.
    """

    def __init__(self, **words: Any) -> None:
        """Start with the options that every command has."""
        words = {"formatter_class": Help} | words
        super().__init__(**words, allow_abbrev=False)
        self.entries: dict[str, Option] = {}
        self.option("color", OPTIONS["color"])

    def option(
        self, name: str, option: Option, to: argparse._ActionsContainer | None = None
    ) -> None:
        """Add an option.

        Args:
            name: its name in Python.
            option: its entry.
            to: the group for it; None for the first one.
        """
        self.entries[name] = option
        flags = [flag_of(spelled) for spelled in (name, *option.aliases)]
        if name in _SHORT:
            flags.insert(0, _SHORT[name])
        shown = option.described.replace("%", "%%")
        more: dict[str, Any] = {"dest": name, "help": shown}
        if isinstance(option.kind, Flag):
            (to or self).add_argument(*flags, action="store_true", **more)
            self._has_negative_number_optionals.clear()  # Even with a flag -0, -1 is still a value.
            return
        more["metavar"] = option.metavar
        if isinstance(option.kind, Choice):
            more["metavar"] = "{" + ",".join(map(str, option.kind.allowed)) + "}"
        if option.repeated:
            more["action"] = "append"
        if option.const is not None:
            more |= {"nargs": "?", "const": option.const}
        # The library knows the defaults of its own options.
        known = name in OPTIONS and option.default == OPTIONS[name].default
        default = None if known else option.default
        (to or self).add_argument(*flags, default=default, required=option.required, **more)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Return the given values, checked.

        Raises:
            OptionError: an option is unknown or out of bounds.
        """
        words = list(sys.argv[1:] if args is None else args)
        self._refuse_unknown(words)
        parsed, rest = super().parse_known_args(words, namespace)
        for name, option in self.entries.items():
            written = getattr(parsed, name, None)
            if isinstance(written, str):
                flag = self._typed(name, words)
                setattr(parsed, name, option.kind.check(flag, option.kind.read(written)))
        return parsed, self._taken(parsed, rest)

    def _refuse_unknown(self, words: Sequence[str]) -> None:
        """Refuse an unknown option, before reporting anything missing."""
        for word in words:
            if word == "--" or (self._subparsers is not None and not word.startswith("-")):
                return  # Arguments, or words of a subcommand, follow.
            flag = word.partition("=")[0]
            # A word with a space is a value, as for argparse; so is a number.
            said = re.fullmatch(r"-[A-Za-z-][^\s]*", flag) is not None and " " not in word
            short = not word.startswith("--") and word[:2] in self._option_string_actions
            if said and flag not in self._option_string_actions and not short:
                self.error(f"no option {flag}{nearest(flag, self._option_string_actions)}")

    def _typed(self, name: str, words: Sequence[str]) -> str:
        """Return an option as the user types it."""
        said = {word.partition("=")[0] for word in words}
        flags = [flag_of(spelled) for spelled in (name, *self.entries[name].aliases)]
        return next((flag for flag in flags if flag in said), flags[0])

    def _taken(self, parsed: argparse.Namespace, rest: list[str]) -> list[str]:
        """Add words after the options to the repeatable arguments."""
        for flag in rest:
            if flag.startswith("-") and flag not in ("-", "--"):
                self.error(f"no option {flag}{nearest(flag, self._option_string_actions)}")
        several = [action for action in self._actions if action.nargs in ("+", "*")]
        if not several:
            return rest
        values = getattr(parsed, several[-1].dest)
        values += [self._get_value(several[-1], word) for word in rest if word != "--"]
        return []

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        allowed = [str(choice) for choice in action.choices]
        named = (action.metavar if isinstance(action.metavar, str) else action.dest).lower()
        near = nearest(str(value), allowed)
        self.error(f"no {named} {value!r}{near}" if near else _one_of(named, value, allowed))

    def known(self) -> dict[str, Option]:
        """Return its options and those of its subcommands, by name."""
        below = (
            parser
            for action in self._actions
            if isinstance(action, argparse._SubParsersAction)
            for parser in action.choices.values()
        )
        return {name: option for one in below for name, option in one.known().items()} | (
            self.entries
        )

    def error(self, message: str) -> NoReturn:
        """Refuse the command line.

        Raises:
            OptionError: always.
        """
        for argparses, ours in _SAYINGS:
            if match := re.fullmatch(argparses, message):
                message = match.expand(ours)
                break
        end = "" if message.endswith("?") else "."
        raise OptionError(f"{message}{end} See: {self.prog} --help")

    def _print_message(self, message: str, file: Any = None) -> None:
        stream: IO[str] = sys.stderr if file is None else file
        super()._print_message(styling.with_headings(message, stream), stream)


def _one_of(named: str, value: object, allowed: Sequence[str]) -> str:
    return f"{named} is {value!r}; it must be one of {', '.join(allowed)}"
