"""The output of ``ilk --version``: versions, the kernels' instructions, the extras found."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator
from importlib import metadata

from ilk import __version__, _kernels
from ilk.fingerprints.recipe import VERSION

#: A package of an extra, in the metadata of ilk.
_BROUGHT = re.compile(r"(?P<package>[\w.-]+).*; *extra *== *['\"](?P<extra>[\w-]+)['\"]")

#: Extras for developers of ilk.
_OWN = ("bench", "docs", "test", "test-long", "test-tools")


def lines() -> Iterator[str]:
    """Yield the version of ilk on its own line, and its environment."""
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
    """Return the extras of ilk, and whether all packages of each are installed."""
    try:
        brought = metadata.requires("ilk") or []
    except metadata.PackageNotFoundError:  # Run from source, without an installation.
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
