"""The options of a request, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ilk.base.kinds import Share
from ilk.base.options import OPTIONS
from ilk.search.measures import percent


def options(asked: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Return options as a command spells them, their values in words, and their meanings.

    Args:
        asked: values by option name, as in reports; options that were not given are left out.
    """
    return [
        (f"--{name.replace('_', '-')}", value_in_words(name, value), OPTIONS[name].help)
        for name, value in asked.items()
        if name in OPTIONS and value not in (None, False, [], {})
    ]


def value_in_words(name: str, value: Any) -> str:
    """Return the value of an option in words.

    >>> value_in_words("resemblance", 0.8), value_in_words("keep", ["longest", "first"])
    ('80%', 'longest, then first')
    """
    if value is True:
        return "yes"
    if isinstance(OPTIONS[name].kind, Share) and isinstance(value, int | float):
        return percent(value, digits=0)
    if isinstance(value, list | tuple):
        between = ", then " if name == "keep" else ", "
        return between.join(map(str, value))
    return f"{value:,}" if isinstance(value, int) else str(value)
