"""Every public function with every odd value for each of its arguments.

A documented error of ilk, a TypeError or a ValueError is allowed; nothing else is, and no hang.
"""

from __future__ import annotations

import importlib.util
import inspect
import io
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import ilk
import ilk_papers
import ilk_server
import ilk_sources
from ilk import hamming, minhash, sets, tables
from ilk.base.errors import IlkError, OptionError
from ilk.fingerprints.recipe import SIMILARITY_INDEX
from ilk_web import changes, mirrors, urls
from tests.support.demands import package

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
    type("Word", (str,), {})("near"),
    type("Number", (int,), {})(3),
    Fraction(4, 5),
    Decimal("0.8"),
    memoryview(b"ab"),
    bytearray(b"x"),
    [2**70],
    [-1],
    [1.5],
    [float("nan")],
    [["a", "b"], ["a", "b"]],
    {"a": [1]},
    pa.array([None, 1]),
    pa.array(["a", None]),
    pa.chunked_array([["a"], ["b"]]),
    pa.table({"text": ["a", None]}),
    np.array([1, 2], dtype="uint64"),
    np.array([[1, 2]]),
    "iterator",
    "generator",
    "a closed file",
]

#: What is made anew for each call, since a call may use it up.
_MADE: dict[str, Callable[[], Any]] = {
    "iterator": lambda: iter([1]),
    "generator": lambda: (each for each in [1][1:]),
    "a closed file": lambda: _closed(),
}


def _closed() -> io.BytesIO:
    file = io.BytesIO(b"text")
    file.close()
    return file


def odd_values() -> Iterator[Any]:
    """Yield every odd value."""
    for odd in ODD:
        yield _MADE[odd]() if type(odd) is str and odd in _MADE else odd


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
    "connection": None,
    "store": None,
    "relation": None,
    "result": None,
    "copies": 3,
    "pairs_sample": 3,
}


def functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    """All that is public and can be called, but errors; what a class has, by its constructor."""
    tools = [
        importlib.import_module(module)
        for module in (
            "ilk.tables.datasets",
            "ilk.tables.pandas",
            "ilk.tables.polars",
            "ilk_sources.duckdb",
            "ilk_web.datatrove",
        )
        if importlib.util.find_spec(module.rpartition(".")[2]) is not None
    ]
    own = (ilk, hamming, sets, minhash, tables)
    for module in (*own, *tools, urls, mirrors, changes, ilk_papers, ilk_server, ilk_sources):
        for name in module.__all__:
            value = getattr(module, name)
            wrong = inspect.isclass(value) and issubclass(value, Exception)
            if callable(value) and not wrong:
                yield f"{module.__name__}.{name}", value


FUNCTIONS = dict(functions())

#: Classes whose objects a user makes; the others are results.
_MADE_BY_HAND = {
    *("Client", "Frame", "IlkDedup", "IlkFilter", "Index", "Limits", "Recipe", "Store", "Texts")
}

#: Results, which nobody makes by hand.
RESULTS = {
    name
    for name, value in FUNCTIONS.items()
    if inspect.isclass(value) and name.rpartition(".")[2] not in _MADE_BY_HAND
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
    _every_odd_value(name, FUNCTIONS[name], _usual(inspect.signature(FUNCTIONS[name])))


def _every_odd_value(name: str, function: Callable[..., Any], usual: Mapping[str, Any]) -> None:
    signature = inspect.signature(function)
    for argument in signature.parameters:
        if argument in _OWN:
            continue
        for value in odd_values():
            try:
                bound = signature.bind(**{**usual, argument: value})
                made = function(*bound.args, **bound.kwargs)
                if isinstance(made, ilk.Store):
                    made.close()
            except (IlkError, TypeError, ValueError):
                pass
            except Exception as error:
                raise AssertionError(f"{name}({argument}={value!r:.60}): {error!r:.200}") from error


#: What the methods of public classes need; a method that is not named takes nothing.
_METHODS: dict[str, dict[str, Any]] = {
    "texts": {"rows": [0]},
    "judge": {"left": pa.array([0]), "right": pa.array([1])},
    "at": {"resemblance": 0.9},
    "write": {"output": "out.jsonl"},
    "add": {"text": ["a text"]},
    "add_many": {"documents": ["a text"]},
    "backup": {"path": "copy.ilk"},
    "check": {"text": ["a text"]},
    "check_many": {"documents": ["a text"]},
    "check_fingerprint": {"fingerprint": 1},
    "number": {"id_": "1"},
    "remove": {"numbers": [1]},
    "similar": {"id_": 1},
    "dropped": {"share": 0.5},
    "places": {"row": 0},
    "excerpts": {"rows": [0], "width": 9},
    "frequent": {"most": 3},
    "sync": {"folder": "."},
    "text": {"id_": 1},
    "update": {"id_": 1},
    "query": {"fingerprint": 1},
    "query_many": {"fingerprints": [1]},
    "read": {"path": "absent"},
    "parse": {"string": "default"},
    "hamming_distance": {"other": "b"},
    "filter": {"doc": None},
    "filter_batch": {"batch": []},
    "run": {"data": []},
}
#: Not for users: what takes an object of ilk's own, or an open file, or axes.
_INNER = {"account", "stream", "plot", "enter", "measured", "with_names"}
#: Arguments that take anything that can be called, or what ilk counted itself.
_OWN = {"progress", "tally", "report"}


def _methods(made: Any) -> Iterator[tuple[str, Callable[..., Any]]]:
    for name in dir(type(made)):
        if not name.startswith("_") and name not in _INNER and name != "close":
            value = inspect.getattr_static(type(made), name)
            if inspect.isfunction(value) or isinstance(value, classmethod):
                yield name, getattr(made, name)


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda: ilk.find(_TEXTS), id="find"),
        pytest.param(lambda: ilk.deduplicate(_TEXTS), id="deduplicate"),
        pytest.param(lambda: ilk.find(_TEXTS, resemblance=0.1), id="families"),
        pytest.param(lambda: hamming.Index([1, 2, 3], 1), id="index"),
        pytest.param(lambda: _store(), id="store", marks=pytest.mark.long),
        pytest.param(lambda: ilk.passages(_TEXTS, words=2), id="passages"),
        pytest.param(lambda: ilk.compare(_TEXTS[:1], _TEXTS[1:]), id="comparison"),
        pytest.param(ilk.Recipe, id="recipe"),
        pytest.param(lambda: ilk_papers.document_weights(_TEXTS, SIMILARITY_INDEX), id="weights"),
        pytest.param(lambda: ilk_server.Client("http://127.0.0.1:1", "none"), id="client"),
        pytest.param(lambda: _frame().ilk, id="frame of pandas"),
        pytest.param(lambda: _frame()["text"].ilk, id="texts of pandas"),
        pytest.param(lambda: _expression(), id="texts of Polars"),
    ],
)
def test_methods_refuse_or_use_odd_values(make: Callable[[], Any]) -> None:
    made = make()
    for name, method in _methods(made):
        _every_odd_value(name, method, _METHODS.get(name, {}))


def _frame() -> Any:
    pandas, _ = package("pandas"), package("ilk.tables.pandas")
    return pandas.DataFrame({"text": _TEXTS})


def _expression() -> Any:
    polars, tool = package("polars"), package("ilk.tables.polars")
    return tool.Texts(polars.col("text"))


def _store() -> ilk.Store:
    store = ilk.Store("kept.ilk")
    store.add([" ".join(["word"] * 60)])
    return store


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
