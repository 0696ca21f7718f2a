"""What tests need besides Python: they skip without it, unless everything is demanded."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def absent(what: str) -> NoReturn:
    """Skip, or fail where everything is demanded."""
    if os.environ.get("ILK_REQUIRE_SERVERS"):
        pytest.fail(f"{what}, and ILK_REQUIRE_SERVERS is set")
    pytest.skip(what)
