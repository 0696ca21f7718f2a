"""Former names of arguments, which are taken for one version more."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_R = TypeVar("_R")


def renamed(**names: str) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Let a function take arguments by their former names too, with a ``DeprecationWarning``.

    Args:
        names: the present name by the former one.
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
