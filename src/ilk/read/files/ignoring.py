"""What an ``.ilkignore`` excludes: the patterns of a ``.gitignore``, for a folder and all below it.

A line is a pattern, unless it is empty or begins with ``#``. ``*`` and ``?`` stand for characters
without ``/``, ``**`` for any folders. A pattern with a ``/`` before its end counts
from the folder of its file; one that ends in ``/`` is for folders. After ``!`` it takes something
back, but not what is in an excluded folder. The last pattern that matches decides.

Source: gitignore(5), "Pattern format".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

#: The name of such a file.
IGNORE = ".ilkignore"


class _Rule(NamedTuple):
    """A pattern: the paths it matches, whether only folders, and whether it excludes them."""

    matches: re.Pattern[str]
    folders: bool
    excludes: bool


@dataclass(frozen=True, slots=True)
class Ignoring:
    """The rules of all files from the argument down to a folder, in their order."""

    rules: tuple[_Rule, ...] = ()

    def with_file(self, path: str, below: str) -> Ignoring:
        """Return the rules with those of a file, which stands in the folder at ``below``."""
        try:
            with open(path, encoding="utf-8", errors="surrogateescape") as file:
                lines = file.read().split("\n")
        except OSError:
            return self
        made = (_rule(line.removesuffix("\r"), below) for line in lines)
        return Ignoring(self.rules + tuple(rule for rule in made if rule))

    def ignores(self, place: str, *, folder: bool) -> bool:
        """Return whether the file or folder at a path below the argument is excluded."""
        for rule in reversed(self.rules):
            if (folder or not rule.folders) and rule.matches.fullmatch(place):
                return rule.excludes
        return False


def _rule(line: str, below: str) -> _Rule | None:
    excludes = not line.startswith("!")
    line = line if excludes else line[1:]
    if not line or line.startswith("#"):
        return None
    while line.endswith(" ") and not line.endswith("\\ "):
        line = line[:-1]
    folders = line.endswith("/")
    line = line[:-1] if folders else line
    anchored = "/" in line
    line = line.removeprefix("/")
    if not line:
        return None
    anywhere = "" if anchored else "(?:.*/)?"
    try:
        matches = re.compile(re.escape(below) + anywhere + _translated(line), re.DOTALL)
    except re.error:
        return None
    return _Rule(matches, folders, excludes)


def _translated(pattern: str) -> str:
    """Return a pattern as a regular expression."""
    found, at = "", 0
    while at < len(pattern):
        rest = pattern[at:]
        begins = at == 0 or pattern[at - 1] == "/"
        if begins and rest.startswith("**/"):
            found, at = found + "(?:.*/)?", at + 3
        elif begins and rest == "**":
            found, at = found + ".+", at + 2
        elif rest[0] == "*":
            found, at = found + "[^/]*", at + 1
        elif rest[0] == "?":
            found, at = found + "[^/]", at + 1
        elif rest[0] == "[" and (span := re.match(r"\[([!^]?)(\]?[^\]]*)\]", rest)):
            members = span[2].replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
            found += f"(?!/)[{'^' if span[1] else ''}{members}]"
            at += len(span[0])
        else:
            if rest[0] == "\\" and len(rest) > 1:
                at += 1
            found, at = found + re.escape(pattern[at]), at + 1
    return found
