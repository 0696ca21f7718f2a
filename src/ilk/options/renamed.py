"""Old names of arguments, which are accepted for one more version."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_R = TypeVar("_R")


def renamed(**names: str) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Let a function also accept arguments by their old names, with a ``DeprecationWarning``.

    Args:
        names: the new names by the old ones.
    """

    def decorated(function: Callable[_P, _R]) -> Callable[_P, _R]:
        @functools.wraps(function)
        def taking(*args: _P.args, **given: _P.kwargs) -> _R:
            for former in names.keys() & given.keys():
                name = names[former]
                if name in given:
                    raise TypeError(f"{former} is the old name of {name}; give {name} only.")
                warnings.warn(
                    f"{former} is now called {name}; the next version accepts only {name}.",
                    DeprecationWarning,
                    stacklevel=2,
                )
                given[name] = given.pop(former)
            return function(*args, **given)

        return taking

    return decorated
