"""Names of a package that are loaded when they are first used."""

from __future__ import annotations

import sys
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:  # These take longer to import than everything else here.
    from collections.abc import Callable
    from typing import Any


def lazy_attributes(package: str) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a module for what it imports only for type checkers.

    So each name is written once, where readers, editors and type checkers look for it.
    """
    homes: dict[str, tuple[str, str]] = {}

    def load(name: str) -> Any:
        if not homes:
            homes.update(_imports(package))
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home, original = homes[name]
        if home == package:  # A module of its own.
            value = import_module(f"{package}.{original}")
        else:
            value = getattr(__import__(home, fromlist=[original]), original)
        setattr(sys.modules[package], name, value)
        return value

    return load


def _imports(package: str) -> dict[str, tuple[str, str]]:
    import ast
    from importlib.util import find_spec

    loader = find_spec(package).loader  # type: ignore[union-attr]
    nodes = ast.walk(ast.parse(loader.get_source(package)))  # type: ignore[union-attr]
    return {
        alias.asname or alias.name: (node.module or "", alias.name)
        for node in nodes
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
