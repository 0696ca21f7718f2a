"""Words of the command line: options as the user types them, and suggestions for wrong ones."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping

from ilk.base.options import OPTIONS, Option

#: A parameter in a message of the library: `memory`, or `pairing="fingerprint"`.
_NAMED = re.compile(r"`(?P<name>[a-z_]+)(?:=\"?(?P<value>[^`\"]+)\"?)?`")

#: The least ratio of difflib at which one word may be a typo of another.
_NEAR = 0.7

#: A message that begins with the parameter it refuses.
_REFUSED = re.compile(r"(?P<name>[a-z_]+)(?= is )")


def flag_of(name: str) -> str:
    """Return an option in the spelling of a command.

    >>> flag_of("pairs_sample")
    '--pairs-sample'
    """
    return "--" + name.replace("_", "-")


def typed(name: str, option: Option) -> str:
    """Return an option as a user types it: ``--jobs``, or ``--limit memory`` for a part."""
    return flag_of(name) if option.part is None else f"{flag_of(option.part[0])} {option.part[1]}"


#: Every option of the table as a user types it.
FLAGS = {name: typed(name, option) for name, option in OPTIONS.items()}


def spelled(message: str, flags: Mapping[str, str] = FLAGS) -> str:
    """Return a message of the library with its parameters spelled as options of a command.

    >>> spelled('Raise `memory`, or take `pairing="exact"`.')
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

    begin = _REFUSED.match(message)
    if begin is not None:
        message = flag(begin) + message[begin.end() :]
    return _NAMED.sub(flag, message)


def nearest(word: str, known: Iterable[str]) -> str:
    """Return a question that suggests a known word, or nothing if no word is near."""
    bare = {other.lstrip("-"): other for other in known}
    said = word.lstrip("-").lower()
    near = difflib.get_close_matches(said, bare, 1, _NEAR)
    near += [other for other in bare if said and other.startswith(said)]
    return f"; did you mean {bare[near[0]]}?" if near else ""
