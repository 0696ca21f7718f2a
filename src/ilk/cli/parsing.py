"""The command-line parser: made from options, with help for the terminal and one-line errors.

An option of the table is an option of the command, or a part of one: ``--limit memory=2GB,pairs=9``
sets ``limit_memory`` and ``max_pairs``. Parts are separated by commas; a switch is its name alone.
"""

from __future__ import annotations

import argparse
import copy
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn

from ilk.base.errors import OptionError
from ilk.base.kinds import Choice, Flag, Text
from ilk.base.options import (
    GROUPS,
    OPTIONS,
    Option,
    flag_of,
    refuse_idle_options,
    spell_conditions_of_effect,
)
from ilk.base.whole import descriptor_if_path_names_one
from ilk.cli import config, styling
from ilk.cli.wording import option_or_part_as_typed, suggestion_or_empty

#: The longest line of help, however wide the terminal is; the least width of its right column.
_WIDEST, _LEAST = 100, 24

#: Commands with at most this many options show all of them for ``-h``.
_FEW = 15

#: How other programs are asked to read the folders in folders.
_RECURSIVE = ("-r", "-R", "--recursive")

#: What programs that find files of equal bytes call it, and what it is called here.
_CALLED_ELSEWHERE = {
    ("--min-size", "--minsize", "--min", "--minimal-file-size"): ("size", "--size 1MB.."),
    ("--max-size", "--maxsize", "--max", "--maximal-file-size"): ("size", "--size ..1GB"),
    ("--max-depth", "--maxdepth"): ("depth", "--depth"),
    ("--newer-than",): ("newer", "--newer"),
    ("--older-than", "--modified-before"): ("older", "--older"),
    ("--nohidden", "-A"): ("no_hidden", "--walk no-hidden"),
    ("--one-fs", "--xdev", "--no-crossdev", "--exclude-other-filesystems"): (
        "one_file_system",
        "--walk one-file-system",
    ),
    ("--symlinks", "--follow-links", "--followlinks"): ("links", "--walk links"),
    ("--summarize",): ("summary", "--format summary"),
}

#: Options that may have parts.
_WHOLES = {option.part[0] for option in OPTIONS.values() if option.part} | {"recipe"}

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


class WrappedHelpFormatter(argparse.HelpFormatter):
    """Help wrapped to the terminal: prose as paragraphs; examples and lists line by line."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(indent + line for line in self._split_lines(text, width - len(indent)))

    def _split_lines(self, text: str, width: int) -> list[str]:
        # A line of prose continues the one before.
        lines = re.sub(r"(?<=\S)\n(?=\S)", " ", text).splitlines()
        return [part for line in lines for part in _wrap_help_line(line, width) or [""]]


def _wrap_help_line(line: str, width: int) -> list[str]:
    """Return a line in as many lines as needed, with the right column of a list aligned."""
    columns = re.fullmatch(r"( *\S.*?\S {2,})\S.*", line)
    hang = len(columns[1]) if columns else 0
    if columns and hang > width - _LEAST:
        return [columns[1].rstrip(), *_wrap_help_line(" " * 8 + line[hang:], width)]
    indent = len(line) - len(line.lstrip())
    below = " " * (hang or (indent + 4 if indent else 0))
    return textwrap.wrap(
        line, width, subsequent_indent=below, break_long_words=False, break_on_hyphens=False
    )


class _HelpAction(argparse.Action):
    """``-h`` shows the usual options, ``--help`` all of them."""

    def __call__(self, parser: Any, _: Any, __: Any, option_string: str | None = None) -> None:
        parser.print_help(brief=option_string == "-h")
        parser.exit()


class SingleValueAction(argparse.Action):
    """An option with one value, which argparse would silently replace by a second one.

    A switch may be repeated: it means the same.
    """

    def __call__(
        self, parser: Any, namespace: argparse.Namespace, values: Any, option_string: Any = None
    ) -> None:
        before = getattr(namespace, self.dest, None)
        if before is not None:
            parser.error(_given_twice_message(option_string, before, values))
        setattr(namespace, self.dest, values)


def _given_twice_message(flag: str, first: Any, second: Any) -> str:
    return f"{flag} is given twice, as {first} and as {second}; give it once"


class Parser(argparse.ArgumentParser):
    """A parser that checks its options by the table, and reports errors in one line.

    Attributes:
        entries: its options by their names, parts of others too.
        parts: by the name of an option that has parts, the names of these options by their parts.
    """

    def __init__(self, **words: Any) -> None:
        """Start with the options that every command has."""
        super().__init__(**words, allow_abbrev=False, add_help=False)
        self.entries: dict[str, Option] = {}
        self.parts: dict[str, dict[str, str]] = {}
        self._general = self.add_argument_group("every command")
        self._general.add_argument(
            *("-h", "--help"),
            action=_HelpAction,
            nargs=0,
            default=argparse.SUPPRESS,
            help="this help; -h: the usual options",
        )
        for name in ("config", "color"):
            self.add_option(name, OPTIONS[name], self._general)

    def add_option(
        self, name: str, option: Option, group: argparse._ActionsContainer | None = None
    ) -> None:
        """Add an option, by its name in Python, to a group; None for that of the parser itself."""
        self.entries[name] = option
        if option.part is None:
            self._add_argparse_action(name, option, group)
            return
        whole, part = option.part
        if whole in GROUPS and whole not in self.parts:
            self._add_argparse_action(whole, replace(GROUPS[whole], const=None), group)
        self.parts.setdefault(whole, {})[part] = name
        if whole in GROUPS and str(GROUPS[whole].const).startswith(f"{part}="):
            action = self._option_string_actions[flag_of(whole)]
            action.nargs, action.const = "?", GROUPS[whole].const

    def _add_argparse_action(
        self, name: str, option: Option, group: argparse._ActionsContainer | None
    ) -> None:
        """Add what argparse needs to read an option; defaults come after the file of options."""
        flags = [*(["-o"] if name == "output" else []), *map(flag_of, (name, *option.aliases))]
        more: dict[str, Any] = {"dest": name, "help": option.help_with_default.replace("%", "%%")}
        if isinstance(option.kind, Flag):
            more |= {"action": "store_const", "const": True}
        else:
            more["metavar"] = value_placeholder(option)
            # Different parts of an option may be given one after the other.
            repeated = option.repeated or name in _WHOLES
            more["action"] = "append" if repeated else SingleValueAction
            if option.const is not None:
                more |= {"nargs": "?", "const": option.const}
        (group or self).add_argument(*flags, default=None, **more)
        self._has_negative_number_optionals.clear()  # Even with a flag -0, -1 is still a value.

    def add_subparsers(self, **words: Any) -> Any:
        """Add subcommands, which have files of options themselves."""
        self.drop_config_option()
        return super().add_subparsers(**words)

    def drop_config_option(self) -> None:
        """Do without a file of options."""
        if self.entries.pop("config", None) is not None:
            action = self._option_string_actions.pop("--config")
            self._actions.remove(action)
            self._general._group_actions.remove(action)

    def option_or_part_as_typed(self, name: str) -> str:
        """Return an option as a user types it: ``--jobs``, or ``--limit memory`` for a part."""
        return option_or_part_as_typed(name, self.entries[name])

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Return the given values, checked."""
        words = list(sys.argv[1:] if args is None else args)
        for word in words:
            _refuse_nul("an argument", word)
        self._refuse_unknown_options(words)
        arguments, rest = super().parse_known_args(words, namespace)
        several = [action for action in self._actions if action.nargs in ("+", "*")]
        if several:  # Words after the options are arguments too.
            values = getattr(arguments, several[-1].dest)
            values += [self._get_value(several[-1], word) for word in rest if word != "--"]
            rest = []
        if not hasattr(arguments, "configured"):  # Else a subcommand has settled them.
            self._read_config_and_set_options(arguments, words)
        return arguments, rest

    def _read_config_and_set_options(
        self, namespace: argparse.Namespace, words: Sequence[str]
    ) -> None:
        """Set every option: from the command line, else from the file, else its default."""
        options: dict[str, Any] = {}
        file = getattr(namespace, "config", None) if "config" in self.entries else config.NONE
        for name, value in config.read_options_from_config_file(
            file, command=self.prog, options=self.entries, parts=self.parts
        ).items():
            options |= self._parse_option_or_its_parts(
                name, value, f"{file or config.NAME}: {name.replace('_', '-')}"
            )
        namespace.configured = dict(options)
        typed_flags, typed_names = {word.partition("=")[0] for word in words}, set[str]()
        for name in dict.fromkeys((*self.parts, *self.entries)):
            option, value = self.entries.get(name), getattr(namespace, name, None)
            if value is not None and (name in self.parts or (option and option.part is None)):
                flags = [flag_of(name), *map(flag_of, option.aliases if option else ())]
                taken = self._parse_option_or_its_parts(
                    name, value, next(filter(typed_flags.__contains__, flags), flags[0])
                )
                options |= taken
                typed_names |= taken.keys()
        # A file of options is for many commands: what it says may have no effect in some.
        own = {name: self.entries[name] for name in typed_names}
        refuse_idle_options(options, self.entries, own)
        missing = [n for n, option in self.entries.items() if option.required and n not in options]
        if missing:
            listed = ", ".join(map(self.option_or_part_as_typed, missing))
            self.error(f"the following arguments are required: {listed}")
        for name, option in self.entries.items():
            # The library knows the defaults of its own options.
            known = name in OPTIONS and option.default == OPTIONS[name].default
            usual = None if known else option.default
            usual = bool(option.default) if isinstance(option.kind, Flag) else usual
            setattr(namespace, name, options.get(name, usual))
            if name in options and namespace.configured.get(name) != options[name]:
                namespace.configured.pop(name, None)
        if descriptor_if_path_names_one(getattr(namespace, "output", None) or "") == 1:
            namespace.output = "-"  # /dev/stdout and the like are treated as `-` from here on.

    def _parse_option_or_its_parts(self, name: str, given_value: Any, flag: str) -> dict[str, Any]:
        """Return the checked values that an option as it is written sets: its own, or its parts'.

        flag: what messages call it.
        """
        several = given_value if isinstance(given_value, list) else [given_value]
        if name in self.parts:
            taken: dict[str, Any] = {}
            for value in several:
                self._parse_parts_into(taken, name, value, flag)
            return taken
        option = self.entries[name]
        if option.repeated:
            return {name: [_check_option_value(option, flag, value) for value in several]}
        if name in _WHOLES and len(several) > 1:
            self.error(_given_twice_message(flag, *several[:2]))
        return {
            name: _check_option_value(option, flag, several[0] if name in _WHOLES else given_value)
        }

    def _parse_parts_into(
        self, values: dict[str, Any], name: str, given_value: Any, flag: str
    ) -> None:
        """Add the checked values of the parts of an option as it is written."""
        parts, leading = self.parts[name], self.entries.get(name)
        pieces: list[tuple[str, Any]] = []
        if isinstance(given_value, Mapping):
            pieces = list(given_value.items())
        else:
            for word in str(given_value).split(","):
                part, equals, value = word.partition("=")
                within = pieces and isinstance(pieces[-1][1], str) and pieces[-1][0]
                if part in parts:
                    pieces.append((part, value if equals else None))
                elif within and isinstance(self.entries[parts[within]].kind, Text):
                    pieces[-1] = (within, f"{pieces[-1][1]},{word}")  # A comma of a value.
                elif leading is None:
                    near = (
                        suggestion_or_empty(part, parts)
                        or f"; it must be one of {', '.join(parts)}"
                    )
                    self.error(f"{flag} has no {part!r}{near}")
                else:
                    pieces.append(("", word))
        for part, value in pieces:
            if not part and leading is not None:
                if name in values and value == values[name]:
                    self.error(_given_twice_message(flag, values[name], value))
                if name in values:
                    self.error(f"{flag} is {given_value}; give {values[name]} or {value}, not both")
                values[name] = _check_option_value(leading, flag, value, part_names=parts)
                continue
            if part not in parts:
                self.error(f"{flag} has no {part!r}{suggestion_or_empty(part, parts)}")
            option = self.entries[parts[part]]
            if value is None and not isinstance(option.kind, Flag):
                value = option.metavar or option.default
                self.error(f"{flag} {part} needs a value: {part}={value}")
            part_value = _check_option_value(
                option, f"{flag} {part}", True if value is None else value
            )
            name_of_part = parts[part]
            if option.repeated:
                values[name_of_part] = [*values.get(name_of_part, ()), part_value]
                continue
            if name_of_part in values and not isinstance(option.kind, Flag):
                before = option.kind.format_value(values[name_of_part])
                self.error(_given_twice_message(f"{flag} {part}", before, value))
            values[name_of_part] = part_value

    def _refuse_unknown_options(self, words: Sequence[str]) -> None:
        """Refuse an unknown option, before reporting anything missing."""
        for word in words:
            if word == "--" or (self._subparsers is not None and not word.startswith("-")):
                return  # Arguments, or words of a subcommand, follow.
            flag = word.partition("=")[0]
            # A word with a space is a value, as for argparse; so is a number.
            is_flag = re.fullmatch(r"-[A-Za-z-][^\s]*", flag) is not None and " " not in word
            short = not word.startswith("--") and word[:2] in self._option_string_actions
            if is_flag and flag not in self._option_string_actions and not short:
                if flag in _RECURSIVE and any(a.dest == "paths" for a in self._actions):
                    self.error(f"folders are read recursively; leave out {flag}")
                called = [here for names, here in _CALLED_ELSEWHERE.items() if flag in names]
                if called and called[0][0] in self.entries:
                    self.error(f"no option {flag}; give {called[0][1]} instead")
                parts = {flag_of(n): n for whole in self.parts.values() for n in whole.values()}
                near = (
                    f"; did you mean {self.option_or_part_as_typed(parts[flag])}?"
                    if flag in parts
                    else ""
                )
                near = near or suggestion_or_empty(flag, self._option_string_actions)
                self.error(f"no option {flag}{near}")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        allowed = [str(choice) for choice in action.choices]
        named = (action.metavar if isinstance(action.metavar, str) else action.dest).lower()
        near = suggestion_or_empty(str(value), allowed)
        listed = f"{named} is {value!r}; it must be one of {', '.join(allowed)}"
        self.error(f"no {named} {value!r}{near}" if near else listed)

    def subcommand_parsers(self) -> dict[str, Parser]:
        """Return the parsers of its subcommands, by their names."""
        below = (a for a in self._actions if isinstance(a, argparse._SubParsersAction))
        return {name: parser for action in below for name, parser in action.choices.items()}

    def command_line_names_of_all_options(self) -> dict[str, str]:
        """Return its options and those of its subcommands by name, as a user types them."""
        every = [
            parser.command_line_names_of_all_options()
            for parser in self.subcommand_parsers().values()
        ]
        own = {name: self.option_or_part_as_typed(name) for name in self.entries}
        return {name: flag for flags in (*every, own) for name, flag in flags.items()}

    def _get_formatter(self) -> WrappedHelpFormatter:
        return WrappedHelpFormatter(
            self.prog, width=min(_WIDEST, shutil.get_terminal_size().columns - 2)
        )

    def format_help(self, brief: bool = False) -> str:
        """Return the help: with ``brief``, of the usual options if there are many."""
        flag_actions = [action for action in self._actions if action.option_strings]
        self._positionals.title = "arguments"
        brief = brief and len(flag_actions) > _FEW
        formatter = self._get_formatter()
        formatter.add_usage(self.usage or " ".join(self._usage_words()), self._actions, ())
        formatter.add_text(self.description)
        for group in sorted(self._action_groups, key=lambda group: group is self._general):
            formatter.start_section(group.title)
            formatter.add_text(group.description)
            formatter.add_arguments(
                filter(
                    None,
                    (
                        self._action_with_help_or_none_if_hidden(a, brief)
                        for a in group._group_actions
                    ),
                )
            )
            formatter.end_section()
        all_of_them = f"All {len(flag_actions)} options, and examples: {self.prog} --help"
        formatter.add_text(all_of_them if brief else self.epilog)
        return formatter.format_help()

    def _usage_words(self) -> Iterator[str]:
        yield self.prog.replace("%", "%%")
        shown = [action for action in self._actions if action.help is not argparse.SUPPRESS]
        if any(action.option_strings for action in shown):
            yield "[options]"
        for action in shown:
            if not action.option_strings:
                name = str(action.metavar or action.dest)
                name += "..." if action.nargs in ("+", "*", argparse.PARSER) else ""
                yield f"[{name}]" if action.nargs in ("?", "*") else name

    def _action_with_help_or_none_if_hidden(
        self, action: argparse.Action, brief: bool
    ) -> argparse.Action | None:
        """Return an option with its parts in its help; ``brief``: the beginning, if it is usual."""
        own, parts = self.entries.get(action.dest), self.parts.get(action.dest, {})
        whole = own or GROUPS.get(action.dest)
        if not action.option_strings or (whole is None and not brief):
            return action
        if whole is None or (brief and not (own and own.usual)):
            return None
        action = copy.copy(action)
        if brief:
            text = re.split(r"[;:] | \(", whole.help)[0]
            text += f" (default: {whole.default_in_words})" if whole.default_in_words else ""
            text += f", or {', '.join(parts)}" if parts else ""
        elif parts:
            where = "" if own is None else self._spell_conditions_of_effect(own)
            text = (
                f"{whole.help_with_default}{where}{'; also, separated by commas' if own else ''}:"
            )
        else:
            text = whole.help_with_default + (
                "" if own is None else self._spell_conditions_of_effect(own)
            )
        for part, name in () if brief else parts.items():
            option = self.entries[name]
            value = "" if isinstance(option.kind, Flag) else f"={value_placeholder(option)}"
            where = self._spell_conditions_of_effect(option)
            text += f"\n  {part}{value}: {option.help_with_default}{where}"
        action.help = text.replace("%", "%%")
        return action

    def _spell_conditions_of_effect(self, option: Option) -> str:
        where = spell_conditions_of_effect(option, self.entries)
        return f"; {where}" if where else ""

    def print_help(self, file: Any = None, brief: bool = False) -> None:
        """Print the help, with headings in bold on a terminal; argparse would lose an error."""
        stream = file or sys.stdout
        text = styling.style_help_headings(self.format_help(brief), stream)
        print(text, end="", file=stream, flush=True)

    def error(self, message: str) -> NoReturn:
        """Refuse the command line."""
        for argparses, ours in _SAYINGS:
            if match := re.fullmatch(argparses, message):
                message = match.expand(ours)
                break
        raise OptionError(
            f"{message}{'' if message.endswith('?') else '.'} See: {self.prog} --help"
        )


def value_placeholder(option: Option) -> str:
    """Return what stands for the value of an option in help."""
    if isinstance(option.kind, Choice) and option.metavar is None:
        return "{" + ",".join(map(str, option.kind.allowed)) + "}"
    return option.metavar or "VALUE"


def _check_option_value(
    option: Option, flag: str, value: Any, part_names: Iterable[str] = ()
) -> Any:
    """Return a value as the library uses it; a refusal also lists the names of parts."""
    kind = option.kind
    _refuse_nul(flag, value)
    if part_names and isinstance(kind, Choice):
        kind = replace(kind, allowed=(*map(str, kind.allowed), *part_names))
    return kind.check(
        flag, kind.convert_word_if_possible(value) if isinstance(value, str) else value
    )


def _refuse_nul(argument_name: str, value: Any) -> None:
    if isinstance(value, str) and "\0" in value:
        raise OptionError(f"{argument_name} is {value!r}; no name of a file or a column has a NUL.")
