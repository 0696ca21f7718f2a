"""Keyword arguments that are options: what a function says of those that it cannot use."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, ParamSpec, TypeVar

from ilk.base.errors import OptionError
from ilk.base.options import OPTIONS, Option, refuse_idle_options

_Asked = ParamSpec("_Asked")
_Answer = TypeVar("_Answer")
_Class = TypeVar("_Class", bound=type)


def suggest_arguments(function: Callable[_Asked, _Answer]) -> Callable[_Asked, _Answer]:
    """Let a function say which argument a misspelt one may have meant; other calls cost nothing."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*args: _Asked.args, **keywords: _Asked.kwargs) -> _Answer:
        try:
            return function(*args, **keywords)
        except TypeError:
            _bind_or_explain_misspelling(function, signature, *args, **keywords)
            raise

    return call


def refuse_idle_or_unknown_arguments(
    option_overrides: Mapping[str, Option] | None = None,
    refusal_by_argument: Mapping[str, str] | None = None,
) -> Callable[[Callable[_Asked, _Answer]], Callable[_Asked, _Answer]]:
    """Make a decorator that refuses misspelt arguments, and those that would have no effect.

    Args:
        option_overrides: options that take the place of those of the table, since they have an
            effect elsewhere than the table says.
        refusal_by_argument: messages for arguments that the function does not have, by name.
    """
    table = OPTIONS | dict(option_overrides or {})

    def decorate(function: Callable[_Asked, _Answer]) -> Callable[_Asked, _Answer]:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def call(*args: _Asked.args, **keywords: _Asked.kwargs) -> _Answer:
            for name in sorted(keywords.keys() & (refusal_by_argument or {})):
                raise OptionError((refusal_by_argument or {})[name])
            bound = _bind_or_explain_misspelling(function, signature, *args, **keywords)
            # A default that is given changes nothing, and is not refused.
            chosen = {
                name: value
                for name, value in bound.arguments.items()
                if name not in OPTIONS
                or not _is_same_object_or_equal_scalar(value, OPTIONS[name].default)
            }
            refuse_idle_options(chosen, signature.parameters, table)
            return function(*args, **keywords)

        return call

    return decorate


def suggest_fields(kind: _Class) -> _Class:
    """Let a class say which argument a misspelt one may have meant, as ``suggest_arguments``."""
    kind.__init__ = suggest_arguments(kind.__init__)  # type: ignore[misc]
    return kind


def _bind_or_explain_misspelling(
    function: Callable[..., Any], signature: inspect.Signature, *args: Any, **keywords: Any
) -> inspect.BoundArguments:
    """Return the arguments by name.

    Raises:
        TypeError: they do not fit; it says which one an unknown one may have meant.
    """
    parameters = signature.parameters
    unknown = sorted(keywords.keys() - parameters.keys())
    if unknown and all(
        parameter.kind is not inspect.Parameter.VAR_KEYWORD for parameter in parameters.values()
    ):
        # Report the unknown name first: it is often a misspelling of the one that ``bind`` calls
        # missing.
        names = [name for name in parameters if name != "self"]
        hints = [(word, _hint_for_unknown_argument(word, names)) for word in unknown]
        word, hint = next((each for each in hints if each[1]), hints[0])
        raise TypeError(
            f"{function.__qualname__}(): got an unexpected keyword argument {word!r}{hint}"
        )
    try:
        return signature.bind(*args, **keywords)
    except TypeError as error:
        hint = _hint_for_excess_positional_arguments(signature, args)
        raise TypeError(f"{function.__qualname__}(): {error}{hint}") from None


def _is_same_object_or_equal_scalar(value: Any, default: Any) -> bool:
    """Return whether a value is the default; a table or an array is not."""
    return value is default or (isinstance(value, str | int | float) and value == default)


#: The most arguments of a function that are listed if none is near an unknown one.
_FEW = 8


def _hint_for_unknown_argument(unknown: str, names: Sequence[str]) -> str:
    """Say which argument an unknown one may be meant as; "" if many names, and none is near."""
    others = {alias: name for name in names if name in OPTIONS for alias in OPTIONS[name].aliases}
    near = [unknown] if unknown in others else get_close_matches(unknown, [*names, *others], 1)
    if near:
        (name,) = near
        if name in others:
            return f"; here it is called {others[name]!r}"
        return f"; did you mean {name!r}?"
    return f"; the arguments are {', '.join(names)}" if len(names) <= _FEW else ""


def _hint_for_excess_positional_arguments(signature: inspect.Signature, args: Sequence[Any]) -> str:
    """Return a hint for a value that is given by place where only names are allowed, or ""."""
    kinds = {name: parameter.kind for name, parameter in signature.parameters.items()}
    placed = [name for name, kind in kinds.items() if kind is not inspect.Parameter.KEYWORD_ONLY]
    if len(args) <= len(placed) or len(placed) == len(kinds):
        return ""
    value = args[len(placed)]
    if "resemblance" in kinds and isinstance(value, float):
        return f"; write resemblance={value!r}"
    return "; give options by name"
