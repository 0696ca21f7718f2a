"""JSON that anybody may have written."""

from __future__ import annotations

import json
from typing import Any


def parsed(text: str | bytes) -> Any:
    """Return what JSON says.

    Raises:
        ValueError: it is no JSON, or lists stand in lists deeper than Python follows.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
