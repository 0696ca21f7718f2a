"""Which files are wanted, by their names, sizes and times, and what an ``.ilkignore`` excludes.

A pattern of ``--include`` is a shell glob as `fnmatch` reads it, where `*` stands for `/` too, and
case counts. It matches a file if it matches its name (`*.txt`), its path below the given folder
(`old/*`), or that path with a `/` before it (`/old/*` for the top folder, `**/old/**` for any).

A pattern that ends in `/` means everything below that folder. With includes, a file must match
one of them; a file that matches an exclude is left out, whatever the includes say. Excludes
apply to folders too (`old` is enough), and an excluded folder is not entered.

An ``.ilkignore`` has the patterns of a ``.gitignore``, for its folder and all below it: see
gitignore(5), "Pattern format".
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fnmatch import translate
from typing import NamedTuple, TypeAlias

from ilk.base.errors import OptionError
from ilk.base.kinds import SizeRange
from ilk.base.options import OPTIONS
from ilk.read.report import NEWER, OLDER, SIZES


@dataclass(frozen=True, slots=True)
class Globs:
    """The compiled patterns, None without any; ``patterns`` are those to include, as given."""

    include: re.Pattern[str] | None
    exclude: re.Pattern[str] | None
    patterns: tuple[str, ...] = ()

    def takes(self, path: str) -> bool:
        """Return whether the file at this path below the given folder is wanted."""
        if self.exclude is not None and _matches_name_or_path(self.exclude, path):
            return False
        return self.include is None or _matches_name_or_path(self.include, path)

    def enters(self, path: str) -> bool:
        """Return whether the folder at this path below the given folder is to be entered."""
        if self.exclude is None:
            return True
        return not (
            _matches_name_or_path(self.exclude, path)
            or _matches_name_or_path(self.exclude, path + "/")
        )


def compile_globs(include: Sequence[str], exclude: Sequence[str]) -> Globs:
    """Compile the patterns; OptionError if a single string is given instead of a list."""
    return Globs(
        _compile_patterns_if_any("include", include),
        _compile_patterns_if_any("exclude", exclude),
        tuple(include),
    )


def matches_pattern(pattern: str, path: str) -> bool:
    """Return whether a path below the given folder matches one pattern."""
    return compile_globs([pattern], ()).takes(path)


def _compile_patterns_if_any(option: str, patterns: Sequence[str]) -> re.Pattern[str] | None:
    if isinstance(patterns, str):
        raise OptionError(
            f"{option} is a string, {patterns!r}; give a list of globs: [{patterns!r}]"
        )
    if not patterns:
        return None
    for pattern in patterns:
        OPTIONS[option].kind.check(option, pattern)
    whole = (pattern + "*" if pattern.endswith("/") else pattern for pattern in patterns)
    return re.compile("|".join(map(translate, whole)))


def _matches_name_or_path(pattern: re.Pattern[str], path: str) -> bool:
    name = path[path.rfind("/") + 1 :]
    return bool(pattern.match(name) or pattern.match(path) or pattern.match("/" + path))


#: The kind under which ``ilk.read.report`` counts a file that is left out.
LeftOutKind: TypeAlias = str

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class FileFilter:
    """Which files are wanted by what they are: their size, and when they were last modified.

    size: the least and the most bytes, both included. newer: modified then or since. older:
    modified before then.
    """

    size: SizeRange | None = None
    newer: datetime | None = None
    older: datetime | None = None

    def __bool__(self) -> bool:
        """Return whether it may refuse a file at all."""
        return (self.size, self.newer, self.older) != (None, None, None)

    def kind_if_filtered_out(self, status: os.stat_result) -> LeftOutKind | None:
        """Return the kind under which a file is left out; None if it is wanted."""
        if self.size is not None:
            least, most = self.size
            if status.st_size < (least or 0) or (most is not None and status.st_size > most):
                return SIZES
        if self.newer is not None and status.st_mtime_ns < _nanoseconds_since_1970(self.newer):
            return NEWER
        if self.older is not None and status.st_mtime_ns >= _nanoseconds_since_1970(self.older):
            return OLDER
        return None


#: The filter that wants every file.
EVERY_FILE = FileFilter()


def _nanoseconds_since_1970(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(microseconds=1) * 1000


#: The name of a file of patterns.
IGNORE = ".ilkignore"


class _Rule(NamedTuple):
    """A pattern: the paths it matches, whether only folders, and whether it excludes them."""

    matches: re.Pattern[str]
    folders: bool
    excludes: bool


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The rules of all files from the argument down to a folder, in their order."""

    rules: tuple[_Rule, ...] = ()

    def with_rules_read_from(self, ignore_file: str, relative_folder: str) -> IgnoreRules:
        """Return the rules and those of a file; the same if it cannot be read.

        ``relative_folder`` is its folder below the argument: "" or "old/letters/".
        """
        with (
            suppress(OSError),
            open(ignore_file, encoding="utf-8", errors="surrogateescape") as file,
        ):
            lines = (line.removesuffix("\r") for line in file.read().split("\n"))
            parsed = (_parse_rule_if_any(line, relative_folder) for line in lines)
            return IgnoreRules(self.rules + tuple(filter(None, parsed)))
        return self

    def ignores(self, relative_path: str, *, is_folder: bool) -> bool:
        """Return whether the file or folder at a path below the argument is excluded."""
        for rule in reversed(self.rules):
            if (is_folder or not rule.folders) and rule.matches.fullmatch(relative_path):
                return rule.excludes
        return False


def _parse_rule_if_any(line: str, relative_folder: str) -> _Rule | None:
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
        matches = re.compile(
            re.escape(relative_folder) + anywhere + _translate_glob(line), re.DOTALL
        )
    except re.error:
        return None
    return _Rule(matches, folders, excludes)


def _translate_glob(pattern: str) -> str:
    regex, at = "", 0
    while at < len(pattern):
        rest = pattern[at:]
        begins = at == 0 or pattern[at - 1] == "/"
        if begins and rest.startswith("**/"):
            regex, at = regex + "(?:.*/)?", at + 3
        elif begins and rest == "**":
            regex, at = regex + ".+", at + 2
        elif rest[0] == "*":
            regex, at = regex + "[^/]*", at + 1
        elif rest[0] == "?":
            regex, at = regex + "[^/]", at + 1
        elif rest[0] == "[" and (span := re.match(r"\[([!^]?)(\]?[^\]]*)\]", rest)):
            members = span[2].replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
            regex += f"(?!/)[{'^' if span[1] else ''}{members}]"
            at += len(span[0])
        else:
            if rest[0] == "\\" and len(rest) > 1:
                at += 1
            regex, at = regex + re.escape(pattern[at]), at + 1
    return regex
