"""Keyword arguments that are options: what a function says of those that it cannot use."""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ParamSpec, TypeVar

from ilk.base.errors import OptionError
from ilk.base.options import OPTIONS, Option, refuse_idle_options
from ilk.base.progress import put_meter_if_asked

_Asked = ParamSpec("_Asked")
_Answer = TypeVar("_Answer")


def suggest_arguments(function: Callable[_Asked, _Answer]) -> Callable[_Asked, _Answer]:
    """Let a function say which argument a misspelt one may have meant; other calls cost nothing."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*args: _Asked.args, **given: _Asked.kwargs) -> _Answer:
        try:
            return function(*args, **given)
        except TypeError:
            _bind(function, signature, *args, **given)
            raise

    return call


def accept_options(
    own_options: Mapping[str, Option] | None = None, refusals: Mapping[str, str] | None = None
) -> Callable[[Callable[_Asked, _Answer]], Callable[_Asked, _Answer]]:
    """Let a function help with misspelt arguments, and refuse those that would have no effect.

    The function also accepts ``progress=True``.

    Args:
        own_options: options that have an effect elsewhere than the table says.
        refusals: what to say of arguments that the function does not have, by name.
    """
    table = OPTIONS | dict(own_options or {})

    def decorate(function: Callable[_Asked, _Answer]) -> Callable[_Asked, _Answer]:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def call(*args: _Asked.args, **given: _Asked.kwargs) -> _Answer:
            for name in sorted(given.keys() & (refusals or {})):
                raise OptionError((refusals or {})[name])
            bound = _bind(function, signature, *args, **given)
            # A default that is given changes nothing, and is not refused.
            chosen = {
                name: value
                for name, value in bound.arguments.items()
                if name not in OPTIONS or not _is_default(value, OPTIONS[name].default)
            }
            refuse_idle_options(chosen, signature.parameters, table)
            with put_meter_if_asked(given):
                return function(*args, **given)

        return call

    return decorate


def _bind(
    function: Callable[..., Any], signature: inspect.Signature, *args: Any, **given: Any
) -> inspect.BoundArguments:
    """Return the arguments by name.

    Raises:
        TypeError: they do not fit; it says which one an unknown one may have meant.
    """
    try:
        return signature.bind(*args, **given)
    except TypeError as error:
        hint = _suggestion(set(given) - set(signature.parameters), signature.parameters)
        raise TypeError(f"{function.__qualname__}(): {error}{hint}") from None


def _is_default(value: Any, usual: Any) -> bool:
    """Return whether a value is the default; a table or an array is not."""
    return value is usual or (isinstance(value, str | int | float) and value == usual)


def _suggestion(unknown: Iterable[str], names: Iterable[str]) -> str:
    """Return what an unknown argument may have meant; "" if no name is near."""
    others = {alias: name for name in names if name in OPTIONS for alias in OPTIONS[name].aliases}
    for word in sorted(unknown):
        if word in others:
            return f"; here it is called {others[word]!r}"
        near = difflib.get_close_matches(word, names, 1)
        if near:
            return f"; did you mean {near[0]!r}?"
    return ""
