"""What ``ilk --version`` prints: the versions, what the kernels run on, the extras found."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator
from importlib import metadata

from ilk import __version__, _kernels
from ilk.recipes.recipe import VERSION

#: A package that an extra brings, as the metadata of ilk name it.
_BROUGHT = re.compile(r"(?P<package>[\w.-]+).*; *extra *== *['\"](?P<extra>[\w-]+)['\"]")

#: Extras for those who work on ilk.
_OWN = ("bench", "docs", "test", "test-long", "test-tools")


def lines() -> Iterator[str]:
    """Yield the version of ilk in a line of its own, and what it has to work with."""
    yield f"ilk {__version__}"
    yield (
        f"recipe {VERSION}, {_kernels.instructions()} instructions, "
        f"Python {platform.python_version()}"
    )
    found = extras()
    for what, wanted in (("extras", True), ("not installed", False)):
        names = [name for name, there in found.items() if there is wanted]
        if names:
            yield f"{what}: {', '.join(names)}"


def extras() -> dict[str, bool]:
    """Return the extras of ilk, and whether all the packages that each brings are installed."""
    try:
        brought = metadata.requires("ilk") or []
    except metadata.PackageNotFoundError:  # Run from its source, and never installed.
        return {}
    found: dict[str, bool] = {}
    for line in brought:
        match = _BROUGHT.match(line)
        if match is not None and match["extra"] not in _OWN:
            found[match["extra"]] = found.get(match["extra"], True) and _installed(match["package"])
    return found


def _installed(package: str) -> bool:
    try:
        metadata.version(package)
    except metadata.PackageNotFoundError:
        return False
    return True
