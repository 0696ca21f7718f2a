"""``ilk completion``: commands, options and their values, for shells and for ``man``."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ilk.base.kinds import Choice, Flag, Text
from ilk.base.options import Option
from ilk.cli import main as cli
from ilk.cli import options, output

_EPILOG = """\
examples:
  eval "$(ilk completion bash)"                 in ~/.bashrc
  eval "$(ilk completion zsh)"                  in ~/.zshrc, after compinit
  ilk completion fish | source                  in ~/.config/fish/config.fish
  ilk completion man > ~/.local/share/man/man1/ilk.1   and then: man ilk"""


#: The name that prints the manual page instead of a script.
_MAN = "man"


class Command(NamedTuple):
    """A command for shell completion.

    Attributes:
        words: after ``ilk``; empty for ``ilk`` itself.
        verbs: the verbs that may follow, and what they do; and other words that may.
        entries: its options by their flags.
        files: whether paths may follow.
    """

    words: str
    verbs: dict[str, str]
    entries: dict[str, Option]
    files: bool


def parser() -> options.Parser:
    """Return the parser of the verb."""
    verb = options.parser(
        "completion",
        "Prints a shell script that completes ilk commands, or the man page.",
        _EPILOG,
    )
    known = (*SHELLS, _MAN)
    verb.add_argument("shell", choices=known, metavar="SHELL", help=f"one of {', '.join(known)}")
    return verb


def run(args: argparse.Namespace) -> int:
    """Print the script, and return the exit code."""
    if args.shell == _MAN:
        from ilk.cli import manual

        print("\n".join(manual.lines()))
    else:
        print("\n".join(SHELLS[args.shell](list(commands()))))
    return output.DONE


def commands() -> Iterator[Command]:
    """Yield ``ilk``, its verbs, and theirs."""
    yield Command("", dict(cli.VERBS), {}, files=False)
    for words, parser in cli.commands().items():
        verbs: dict[str, str] = {}
        files = False
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                helps = {each.dest: each.help or "" for each in action._choices_actions}
                verbs |= {name: helps.get(name, "") for name in action.choices}
            elif not action.option_strings:
                verbs |= dict.fromkeys(map(str, action.choices or ()), "")
                files = files or action.choices is None
        flags = {
            flag: option
            for action in parser._actions
            if (option := parser.entries.get(action.dest)) is not None
            for flag in action.option_strings
        }
        yield Command(words, verbs, flags, files)


def _values(option: Option) -> list[str] | None:
    """Return the possible values of an option; None if they may be paths."""
    if isinstance(option.kind, Choice):
        return [str(value) for value in option.kind.allowed]
    return None if isinstance(option.kind, Text) else []


def _bash(every: list[Command]) -> Iterator[str]:
    """Yield the script for bash, which completes file names by default."""
    yield "_ilk() {"
    yield "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}"
    yield '    local command="" next at words=""'
    yield "    for ((at = 1; at < COMP_CWORD; at++)); do"
    yield '        next="${command:+$command }${COMP_WORDS[at]}"'
    yield f"        case $next in {_patterns(every)}) command=$next ;; esac"
    yield "    done"
    yield "    COMPREPLY=()"
    yield '    case "$command $before" in'
    for patterns, values in _valued(every):
        if values is None:
            yield f"    {patterns}) return ;;"
        else:
            words = shlex.quote(" ".join(values))
            yield f'    {patterns}) COMPREPLY=($(compgen -W {words} -- "$word"))'
            yield "        compopt +o default 2>/dev/null; return ;;"
    yield "    esac"
    yield "    case $command in"
    for each in every:
        flags, verbs = " ".join(_flags(each)), " ".join(each.verbs)
        yield f"    {shlex.quote(each.words)})"
        yield f'        if [[ $word == -* ]]; then words="{flags}"; else words="{verbs}"; fi ;;'
    yield "    esac"
    yield '    COMPREPLY=($(compgen -W "$words" -- "$word"))'
    yield "}"
    yield "complete -o default -F _ilk ilk"


def _zsh(every: list[Command]) -> Iterator[str]:
    """Yield the script for zsh."""
    yield "#compdef ilk"
    yield "_ilk() {"
    yield '    local command="" next at'
    yield "    for ((at = 2; at < CURRENT; at++)); do"
    yield '        next="${command:+$command }${words[at]}"'
    yield f"        case $next in ({_patterns(every)}) command=$next ;; esac"
    yield "    done"
    yield '    case "$command ${words[CURRENT-1]}" in'
    for patterns, values in _valued(every):
        words = "_files" if values is None else f"compadd -- {' '.join(map(shlex.quote, values))}"
        yield f"    ({patterns}) {words}; return ;;"
    yield "    esac"
    yield '    case "$command" in'
    for each in every:
        yield f"    ({shlex.quote(each.words)})"
        yield f"        if [[ $PREFIX == -* ]]; then compadd -- {' '.join(_flags(each))}; else"
        if each.verbs:
            yield f"            compadd -- {' '.join(each.verbs)}"
        yield f"            {'_files' if each.files else ':'}"
        yield "        fi ;;"
    yield "    esac"
    yield "}"
    yield "compdef _ilk ilk"


def _fish(every: list[Command]) -> Iterator[str]:
    """Yield the script for fish."""
    names = " ".join(shlex.quote(each.words) for each in every if each.words)
    yield "function __ilk_at"
    yield "    set -l command"
    yield "    for word in (commandline -opc)[2..-1]"
    yield "        set -l next (string join ' ' $command $word)"
    yield f"        contains -- $next {names}; and set command $next"
    yield "    end"
    yield '    test "$command" = "$argv[1]"'
    yield "end"
    for each in every:
        at = f"complete -c ilk -n {shlex.quote(f'__ilk_at {shlex.quote(each.words)}')}"
        if not each.files:
            yield f"{at} -f"
        for verb, what in each.verbs.items():
            yield f"{at} -f -a {verb}" + (f" -d {_fish_text(what)}" if what else "")
        for flag, option in each.entries.items():
            if not flag.startswith("--"):
                continue
            line = f"{at} -l {flag[2:]}"
            if not isinstance(option.kind, Flag):
                values = _values(option)
                line += " -r" if values is None else f" -x -a '{' '.join(values)}'"
            yield f"{line} -d {_fish_text(option.help.partition(';')[0])}"


def _fish_text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _patterns(every: list[Command]) -> str:
    return "|".join(shlex.quote(each.words) for each in every if each.words)


def _flags(of: Command) -> list[str]:
    own = ["--help", *(["--version"] if not of.words else [])]
    return [*(flag for flag in of.entries if flag.startswith("--")), *own]


def _valued(every: list[Command]) -> Iterator[tuple[str, list[str] | None]]:
    """Yield patterns of commands with an option that takes a value, and the possible values."""
    for each in every:
        for flag, option in each.entries.items():
            # After an option that needs no value, anything may follow.
            if not isinstance(option.kind, Flag) and option.const is None:
                yield shlex.quote(f"{each.words} {flag}"), _values(option)


#: The writers of the scripts, by shell.
SHELLS: dict[str, Callable[[list[Command]], Iterator[str]]] = {
    "bash": _bash,
    "zsh": _zsh,
    "fish": _fish,
}
