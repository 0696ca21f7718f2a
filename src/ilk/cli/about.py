"""``ilk --version``: versions and extras; ``ilk --print-completion SHELL``: a script of shtab."""

from __future__ import annotations

import functools
import platform
import re
from collections.abc import Iterator
from importlib import metadata
from typing import NamedTuple

from ilk import _kernels
from ilk.base._version import RECIPE_VERSION, __version__
from ilk.base.errors import MissingExtra, OptionError

#: A package of an extra, in the metadata of ilk; extras for developers of ilk.
_BROUGHT = re.compile(
    r"(?P<package>[\w.-]+)(\[(?P<own>\w+)\])?.*; *extra *== *['\"](?P<extra>[\w-]+)['\"]"
)
_OWN = ("bench", "docs", "test", "test-long", "test-tools")

#: Values that are files or folders, by the words that stand for them in help.
_PATHS = {"FILE": "file", "PATH": "file", "OUT": "file", "TSV": "file", "DIR": "directory"}


class _Requirement(NamedTuple):
    """A package that an extra brings, and which extra of it; "" for none."""

    package: str
    extra: str


def version_and_extras_lines() -> Iterator[str]:
    """Yield the version of ilk on its own line, its environment, and the extras found."""
    yield f"ilk {__version__}"
    yield (
        f"recipe {RECIPE_VERSION}, {_kernels.vector_instructions()} instructions, "
        f"Python {platform.python_version()}"
    )
    complete_by_extra = {
        name: _is_installed_with_extra("ilk", name)
        for name in requirements_by_extra_if_installed("ilk") or ()
        if name not in _OWN
    }
    for what, wanted in (("extras", True), ("not installed", False)):
        if names := [name for name, complete in complete_by_extra.items() if complete is wanted]:
            yield f"{what}: {', '.join(names)}"


@functools.cache
def requirements_by_extra_if_installed(package: str) -> dict[str, list[_Requirement]] | None:
    """Return what each extra of a package brings; None if the package is not installed."""
    try:
        requirements = metadata.requires(package) or []
    except metadata.PackageNotFoundError:
        return None
    by_extra: dict[str, list[_Requirement]] = {}
    for match in filter(None, map(_BROUGHT.match, requirements)):
        by_extra.setdefault(match["extra"], []).append(
            _Requirement(match["package"], match["own"] or "")
        )
    return by_extra


def _is_installed_with_extra(package: str, extra: str) -> bool:
    """Return whether a package is installed, with all that an extra of it brings."""
    brought = requirements_by_extra_if_installed(package)
    return brought is not None and all(
        _is_installed_with_extra(*one) for one in brought.get(extra, ())
    )


def completion_script(shell: str) -> str:
    """Return the script that completes commands in a shell."""
    try:
        import shtab
    except ModuleNotFoundError as error:
        raise MissingExtra("shtab", "completion") from error
    if shell not in shtab.SUPPORTED_SHELLS:
        known = ", ".join(shtab.SUPPORTED_SHELLS)
        raise OptionError(f"--print-completion is {shell!r}; it must be one of {known}.")
    import argparse

    from ilk.base.kinds import Choice
    from ilk.cli.commands import make_parsers_of_all_commands

    complete = {"file": shtab.FILE, "directory": shtab.DIRECTORY}
    root = argparse.ArgumentParser(prog="ilk")
    verbs = root.add_subparsers(dest="verb")
    for words, parser in make_parsers_of_all_commands().items():
        for action in parser._actions:
            option = parser.entries.get(action.dest)
            allowed = [*option.kind.allowed] if option and isinstance(option.kind, Choice) else []
            for part, name in parser.parts.get(action.dest, {}).items():
                allowed.append(part if parser.entries[name].metavar is None else f"{part}=")
            if allowed:
                action.choices = [str(word) for word in allowed]
            elif (kind := _PATHS.get(str(action.metavar))) and not action.choices:
                action.complete = complete[kind]  # type: ignore[attr-defined]
            action.help = ((option and option.help) or action.help or "").replace("%", "%%")
        if " " not in words:
            verbs.add_parser(words, help=parser.description, add_help=False)
            verbs.choices[words] = parser
    return str(shtab.complete(root, shell=shell))
