"""Keyword arguments that several functions accept, described once: in the table of options."""

from __future__ import annotations

import difflib
import functools
import inspect
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ParamSpec, TypeVar

from ilk.base.options import OPTIONS, Option, conditions, refuse_idle
from ilk.base.progress import draw_progress

_Asked = ParamSpec("_Asked")
_Answer = TypeVar("_Answer")

#: Arguments that are not command-line options.
_OTHERS = {"limits": "what reading one document may use (``ilk.Limits``)"}


def described(
    kind: Any, own: Mapping[str, Option] | None = None, **defaults: Any
) -> Callable[[Callable[_Asked, _Answer]], Callable[_Asked, _Answer]]:
    """Show the arguments of ``**options`` in signature and docstring, and refuse others.

    The function also accepts ``progress=True``.

    The line ``options: ...`` of the docstring gives way to a line for each, and for each of the
    function's own arguments that the docstring does not describe.

    Args:
        kind: the ``TypedDict`` of the function's ``**options``.
        own: options that the function describes in other words than the table.
        defaults: the defaults that are not those of the table.
    """
    names = kind.__annotations__  # Those of its bases too.
    table = OPTIONS | dict(own or {})
    known = {name: OPTIONS[name].default for name in names if name in OPTIONS}
    known = dict.fromkeys(names) | known | defaults
    for name in known.keys() & {"include", "exclude"}:
        known[name] = ()

    def shown(function: Callable[_Asked, _Answer]) -> Callable[_Asked, _Answer]:
        own = inspect.signature(function)
        named = [each for each in own.parameters.values() if each.kind != each.VAR_KEYWORD]
        more = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=value)
            for name, value in known.items()
        ]
        signature = own.replace(parameters=[*named, *more])

        @functools.wraps(function)
        def refusing(*args: _Asked.args, **given: _Asked.kwargs) -> _Answer:
            try:
                bound = signature.bind(*args, **given)
            except TypeError as error:
                hint = _nearest(set(given) - set(signature.parameters), signature.parameters)
                raise TypeError(f"{function.__name__}(): {error}{hint}") from None
            # A default that is given changes nothing, and is not refused.
            chosen = {
                name: value
                for name, value in bound.arguments.items()
                if name not in OPTIONS or not _is_default(value, OPTIONS[name].default)
            }
            refuse_idle(chosen, signature.parameters, table)
            with draw_progress(given):
                return function(*args, **given)

        text = function.__doc__ or ""
        described = set(re.findall(r"\w+", " ".join(re.findall(r"(?m)^ +(.+): ", text))))
        others = OPTIONS.keys() - described
        undescribed = [each.name for each in named if each.name in others]
        lines = functools.partial(_lines, [*undescribed, *known])
        refusing.__signature__ = signature  # type: ignore[attr-defined]
        refusing.__doc__ = re.sub(r"(?m)^( *)options: .*$", lines, text)
        return refusing

    return shown


def _is_default(value: Any, usual: Any) -> bool:
    """Return whether a value is the default; a table or an array is not."""
    return value is usual or (isinstance(value, str | int | float) and value == usual)


def _nearest(unknown: Iterable[str], names: Iterable[str]) -> str:
    """Return what an unknown argument may have meant; "" if no name is near."""
    others = {alias: name for name in names if name in OPTIONS for alias in OPTIONS[name].aliases}
    for word in sorted(unknown):
        if word in others:
            return f"; here it is called {others[word]!r}"
        near = difflib.get_close_matches(word, names, 1)
        if near:
            return f"; did you mean {near[0]!r}?"
    return ""


def _lines(names: list[str], line: re.Match[str]) -> str:
    """Return a line for each argument, with the indent of the line that they replace."""
    texts = {name: OPTIONS[name].help if name in OPTIONS else _OTHERS[name] for name in names}
    for name in names:
        where = conditions(OPTIONS[name], names) if name in OPTIONS else ""
        texts[name] += f"; {where}" if where else ""
    return "\n".join(
        textwrap.fill(
            f"{name}: " + re.sub(r"(?<!\w)'([^']+)'(?!\w)", r"``\1``", text) + ".",
            100,
            initial_indent=line[1],
            subsequent_indent=f"{line[1]}    ",
        )
        for name, text in texts.items()
    )
