"""JSON from untrusted sources."""

from __future__ import annotations

import json
from typing import Any


def parsed(text: str | bytes) -> Any:
    """Return the value of a JSON text.

    Raises:
        ValueError: it is not JSON, or is nested deeper than Python can follow.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
