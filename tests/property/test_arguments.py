"""Every public function with every odd value for each of its arguments.

A documented error of ilk, a TypeError or a ValueError is allowed; nothing else is, and no hang.
"""

from __future__ import annotations

import inspect
import io
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import ilk
from ilk import sql
from ilk.base.errors import IlkError, OptionError
from ilk_web import changes, mirrors, urls

#: What no function can use, or that few can.
ODD: list[Any] = [
    None,
    True,
    0,
    -1,
    2**70,
    -2.5,
    3.5,
    float("nan"),
    float("inf"),
    1j,
    "",
    "nonsense",
    "a\0b",
    "\ud800",
    "x" * 5_000,
    b"",
    b"\xff",
    Path("x" * 5_000),
    Path("a\0b"),
    object(),
    type,
    len,
    [],
    (),
    {},
    set(),
    [None],
    [object()],
    [1, "a"],
    [[1]],
    [b"x"],
    {"a": 1},
    range(3),
    "iterator",
]

_TEXTS = ["one two three four five six seven", "one two three four five six seven eight"]
_SETS = [[1, 2], [1, 2, 3]]

#: What the arguments are that must be given, and those that would take time.
USUAL: dict[str, Any] = {
    "source": _TEXTS,
    "texts": _TEXTS,
    "batches": [_TEXTS],
    "fingerprints": [1, 2, 3],
    "signatures": [1, 2],
    "left": [1, 2],
    "right": [2, 3],
    "a": _TEXTS[0],
    "b": _TEXTS[1],
    "sets": _SETS,
    "radius": 1,
    "n": 10,
    "url": "http://a.example/",
    "urls": ["http://a.example/"],
    "pages": [("http://a.example/", "a")],
    "dialect": "sqlite",
    "table": "docs",
    "text": "body",
    "column": "fp",
    "method": "minima",
    "number": 4,
    "recipe": None,
    "given": {"a": 1},
    "copies": 3,
    "pairs_sample": 3,
}


def functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    """All that is public and can be called, but errors; what a class has, by its constructor."""
    for module in (ilk, urls, sql, mirrors, changes):
        for name in module.__all__:
            value = getattr(module, name)
            wrong = inspect.isclass(value) and issubclass(value, Exception)
            if callable(value) and not wrong:
                yield f"{module.__name__}.{name}", value


FUNCTIONS = dict(functions())

#: Results, which nobody makes by hand.
RESULTS = {
    name
    for name, value in FUNCTIONS.items()
    if inspect.isclass(value) and name.rpartition(".")[2] not in ("Index", "Recipe", "Store")
}


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A name that is taken for a path is one in an empty folder; standard input is empty.

    Hundreds of stores are made in it, which takes a while where every one waits for a disk.
    """
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        monkeypatch.chdir(folder)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
        yield


def _usual(of: inspect.Signature) -> dict[str, Any]:
    named = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    return {
        name: USUAL.get(name, "x")
        for name, parameter in of.parameters.items()
        if parameter.kind not in named
        and (parameter.default is inspect.Parameter.empty or name in ("copies", "pairs_sample"))
    }


#: A store is planned anew for every call, which takes half a minute for all of them.
_LONG = "ilk.Store"


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.long) if name == _LONG else name
        for name in sorted(FUNCTIONS.keys() - RESULTS)
    ],
)
def test_odd_values_are_refused_or_used(name: str) -> None:
    function = FUNCTIONS[name]
    signature = inspect.signature(function)
    usual = _usual(signature)
    for argument in signature.parameters:
        if argument == "progress":  # Anything that can be called; it is called as it is.
            continue
        for odd in ODD:
            value = iter([1]) if odd == "iterator" else odd
            try:
                bound = signature.bind(**{**usual, argument: value})
                made = function(*bound.args, **bound.kwargs)
                if isinstance(made, ilk.Store):
                    made.close()
            except (IlkError, TypeError, ValueError):
                pass
            except Exception as error:
                raise AssertionError(f"{name}({argument}={value!r:.60}): {error!r:.200}") from error


@pytest.mark.parametrize(
    ("argument", "odd"),
    [("path", "x" * 5_000), ("path", None), ("path", "a\0b"), ("recipe", -1), ("jobs", 2**70)],
)
def test_a_store_refuses_odd_values(argument: str, odd: Any) -> None:
    with pytest.raises((IlkError, TypeError, ValueError)):
        ilk.Store(**{"path": "x", argument: odd})


@pytest.mark.parametrize("keep", [7, [7]])
def test_a_policy_that_is_no_text_is_shown(keep: Any) -> None:
    with pytest.raises(OptionError, match="keep is 7"):
        ilk.find(_TEXTS, keep=keep)
