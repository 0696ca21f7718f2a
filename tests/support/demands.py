"""What tests need besides Python: they skip without it, unless everything is demanded."""

from __future__ import annotations

import importlib
import os
from types import ModuleType
from typing import NoReturn

import pytest


def absent(what: str) -> NoReturn:
    """Skip, or fail where everything is demanded."""
    if os.environ.get("ILK_REQUIRE_SERVERS"):
        pytest.fail(f"{what}, and ILK_REQUIRE_SERVERS is set")
    pytest.skip(what, allow_module_level=True)


def package(name: str) -> ModuleType:
    """Import a package, or skip, or fail where everything is demanded."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        # A package that is there and lacks one of its own is broken, not absent.
        if error.name != name.partition(".")[0]:
            raise
    absent(f"the package {name.partition('.')[0]} is not installed")
