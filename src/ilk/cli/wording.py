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

#: A parameter in a message of the library: `memory`, or `pairing="fingerprint"`.
_NAMED = re.compile(r"`(?P<name>[a-z_]+)(?:=\"?(?P<value>[^`\"]+)\"?)?`")

#: A message that begins with the parameter it refuses.
_REFUSED = re.compile(r"(?P<name>[a-z_]+)(?= is )")

#: The least ratio of difflib at which one word may be a typo of another.
_NEAR = 0.7


def note(message: str, quiet: bool) -> None:
    """Print a note on stderr."""
    if not quiet:
        _print_wrapped("warning", "ilk:", printable(spell_options(message)))


def print_refusal(name: str, reason: str, code: int) -> int:
    """Print why a command ended, and return its exit code."""
    _print_wrapped("error", f"{name}:", reason)
    return code


def _print_wrapped(role: str, name: str, message: str) -> None:
    """Print a message on stderr; a terminal gets it wrapped between words, names whole."""
    lines = [f"{name} {message}"]
    if sys.stderr.isatty():
        columns = shutil.get_terminal_size().columns
        wrap = functools.partial(textwrap.wrap, break_long_words=False, break_on_hyphens=False)
        lines = [part for line in lines[0].split("\n") for part in wrap(line, columns) or [""]]
    styled = styling.style_text(role, name, sys.stderr)
    print("\n".join(lines).replace(name, styled, 1), file=sys.stderr)


def document_name(source: str, id_: str | None) -> str:
    """Return the name of a document, with its id if it has one and a column of ids was named."""
    return printable(source) if id_ is None else f"{printable(source)}  (id {printable(id_)})"


def option_as_typed(name: str, option: Option) -> str:
    """Return an option as a user types it: ``--jobs``, or ``--limit memory`` for a part."""
    return flag_of(name) if option.part is None else f"{flag_of(option.part[0])} {option.part[1]}"


#: Every option of the table as a user types it.
FLAGS = {name: option_as_typed(name, option) for name, option in OPTIONS.items()}


def spell_options(message: str, flags: Mapping[str, str] = FLAGS) -> str:
    """Return a message of the library with its parameters spelled as options of a command.

    >>> spell_options('Raise `memory`, or take `pairing="exact"`.')
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


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return a question that suggests a known word, or nothing if no word is near."""
    bare = {other.lstrip("-"): other for other in known}
    said = word.lstrip("-").lower()
    near = difflib.get_close_matches(said, bare, 1, _NEAR)
    near += [other for other in bare if said and other.startswith(said)]
    return f"; did you mean {bare[near[0]]}?" if near else ""
