"""Names of a package that are loaded when they are first used."""

from __future__ import annotations

import sys
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:  # These take longer to import than everything else here.
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any


def loader(package: str, homes: Mapping[str, Iterable[str]]) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package whose names live in modules.

    Args:
        package: its name.
        homes: the names, by their modules; a module below the package begins with a dot. The home
            of a module that is a name itself is the module with a colon after it.
    """
    modules = {name: module for module, names in homes.items() for name in names}

    def load(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home, whole, _ = modules[name].partition(":")
        module = import_module(home, package)
        value = module if whole else getattr(module, name)
        setattr(sys.modules[package], name, value)
        return value

    return load
