"""Words of the command line: notes on stderr, options as the user types them, suggestions."""

from __future__ import annotations

import difflib
import functools
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Mapping

from ilk.base.options import OPTIONS, Option, flag_of
from ilk.base.terminal import printable
from ilk.cli import styling
from ilk.cli.exit_codes import ExitCode

#: A parameter in a message of the library: `memory`, or `pairing="fingerprint"`.
_NAMED = re.compile(r"`(?P<name>[a-z_]+)(?:=\"?(?P<value>[^`\"]+)\"?)?`")

#: A message that begins with the parameter it refuses.
_REFUSED = re.compile(r"(?P<name>[a-z_]+)(?= is )")

#: The least ratio of difflib at which one word may be a typo of another.
_NEAR = 0.7


def note(message: str, quiet: bool) -> None:
    """Print a note on stderr."""
    if not quiet:
        _print_wrapped_on_stderr("warning", "ilk:", printable(spell_parameters_as_flags(message)))


def print_refusal_and_return_code(command: str, reason: str, code: ExitCode) -> ExitCode:
    """Print on stderr why a command ended, and return its exit code."""
    _print_wrapped_on_stderr("error", f"{command}:", reason)
    return code


def _print_wrapped_on_stderr(role: str, prefix: str, message: str) -> None:
    """Print a prefix in the colours of a role, and a message; a terminal gets them wrapped between
    words, names whole.
    """
    lines = [f"{prefix} {message}"]
    if sys.stderr.isatty():
        columns = shutil.get_terminal_size().columns
        wrap = functools.partial(textwrap.wrap, break_long_words=False, break_on_hyphens=False)
        lines = [part for line in lines[0].split("\n") for part in wrap(line, columns) or [""]]
    styled = styling.style_text(role, prefix, sys.stderr)
    print("\n".join(lines).replace(prefix, styled, 1), file=sys.stderr)


def printable_document_name(source: str, id_: str | None) -> str:
    """Return the name of a document, with its id if it has one and a column of ids was named."""
    return printable(source) if id_ is None else f"{printable(source)}  (id {printable(id_)})"


def option_or_part_as_typed(name: str, option: Option) -> str:
    """Return an option as a user types it: ``--jobs``, or ``--limit memory`` for a part."""
    return flag_of(name) if option.part is None else f"{flag_of(option.part[0])} {option.part[1]}"


#: Every option of the table as a user types it.
FLAGS = {name: option_or_part_as_typed(name, option) for name, option in OPTIONS.items()}


def spell_parameters_as_flags(message: str, flags: Mapping[str, str] = FLAGS) -> str:
    """Return a message of the library with its parameters spelled as options of a command.

    >>> spell_parameters_as_flags('Raise `memory`, or take `pairing="exact"`.')
    'Raise --memory, or take --fingerprint pairing=exact.'

    Args:
        message: it has parameters in backticks, or begins with one (``radius is -1; ...``).
        flags: options as a user types them, by name; other names stay as they are.
    """

    def flag(match: re.Match[str]) -> str:
        if match["name"] not in flags:
            return match[0]
        word, value = flags[match["name"]], match.groupdict().get("value")
        return word + (f"{'=' if ' ' in word else ' '}{value}" if value else "")

    return _NAMED.sub(
        flag, _REFUSED.sub(flag, message, count=1) if _REFUSED.match(message) else message
    )


def suggestion_or_empty(word: str, allowed_words: Iterable[str]) -> str:
    """Return a question that suggests an allowed word; "" if none is similar."""
    word_by_bare_one = {other.lstrip("-"): other for other in allowed_words}
    bare_word = word.lstrip("-").lower()
    similar = difflib.get_close_matches(bare_word, word_by_bare_one, 1, _NEAR)
    similar += [other for other in word_by_bare_one if bare_word and other.startswith(bare_word)]
    return f"; did you mean {word_by_bare_one[similar[0]]}?" if similar else ""
