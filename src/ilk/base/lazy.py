"""Names of a package that are loaded when they are first used."""

from __future__ import annotations

import sys
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:  # These take longer to import than everything else here.
    from collections.abc import Callable, Mapping
    from typing import Any


def lazy_attributes(
    package: str,
    location_by_name: Mapping[str, str],
    suggestion_by_name: Mapping[str, str] | None = None,
) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package that loads its names when they are first used.

    Args:
        package: its name.
        location_by_name: where each name is: ``module:name``, or ``module`` if it is a module
            itself. ``scripts/make-signatures`` writes them, from what the package imports for type
            checkers.
        suggestion_by_name: what to suggest for names that it does not have.
    """

    def load(name: str) -> Any:
        if name not in location_by_name:
            known = suggestion_by_name or {}
            hint = f"; did you mean {known[name]}?" if name in known else ""
            raise AttributeError(f"module {package!r} has no attribute {name!r}{hint}")
        home, _, original = location_by_name[name].partition(":")
        module = import_module(home)
        value = getattr(module, original) if original else module
        setattr(sys.modules[package], name, value)
        return value

    return load
