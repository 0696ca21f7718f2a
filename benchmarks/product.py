"""The product's command line, as a user calls it."""

from __future__ import annotations

import sys
from pathlib import Path


def ilk() -> Path:
    """The ``ilk`` command of this environment.

    Raises:
        FileNotFoundError: ilk is not installed beside this Python.
    """
    command = Path(sys.executable).with_name("ilk")
    if not command.is_file():
        raise FileNotFoundError(f"there is no ilk beside {sys.executable}; run `make build` first.")
    return command
