"""Which files are wanted: the patterns of `--include` and `--exclude`.

A pattern is a shell glob as `fnmatch` reads it: `*` stands for any characters, `/` among them,
`?` for one, `[abc]` for one of several; case counts. It matches a file if it matches

- the file's name (`*.txt`), or
- its path below the given folder (`old/*`), or
- that path with a `/` before it (`/old/*` for the top folder only, `**/old/**` for any).

A pattern that ends in `/` means everything below that folder. With includes, a file must match
one of them; a file that matches an exclude is left out, whatever the includes say. Excludes
apply to folders too (`old` is enough), and an excluded folder is not entered.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import translate

from ilk.base.errors import OptionError
from ilk.base.options import OPTIONS


@dataclass(frozen=True, slots=True)
class Globs:
    """The compiled patterns, None if none were given; paths have `/` between their parts.

    patterns: those to include, as they were given.
    """

    include: re.Pattern[str] | None
    exclude: re.Pattern[str] | None
    patterns: tuple[str, ...] = ()

    def takes(self, path: str) -> bool:
        """Return whether the file at this path below the given folder is wanted."""
        if self.exclude is not None and _matches(self.exclude, path):
            return False
        return self.include is None or _matches(self.include, path)

    def enters(self, path: str) -> bool:
        """Return whether the folder at this path below the given folder is to be entered."""
        if self.exclude is None:
            return True
        return not (_matches(self.exclude, path) or _matches(self.exclude, path + "/"))


def compile_globs(include: Sequence[str], exclude: Sequence[str]) -> Globs:
    """Compile the patterns; OptionError if a single string is given instead of a list."""
    return Globs(_compile("include", include), _compile("exclude", exclude), tuple(include))


def matched(pattern: str, path: str) -> bool:
    """Return whether a path below the given folder matches one pattern."""
    compiled = _compile("include", [pattern])
    return compiled is not None and _matches(compiled, path)


def _compile(option: str, patterns: Sequence[str]) -> re.Pattern[str] | None:
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


def _matches(pattern: re.Pattern[str], path: str) -> bool:
    name = path[path.rfind("/") + 1 :]
    return bool(pattern.match(name) or pattern.match(path) or pattern.match("/" + path))
