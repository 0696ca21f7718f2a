"""What lives long is named by a noun, a function by a verb or a noun: ``found`` and ``kept`` do not
say what they hold or return.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pytest

import ilk
from ilk import arrow
from tests.support.fixtures import ROOT

_SOURCES = [
    *sorted((ROOT / "src" / "ilk").rglob("*.py")),
    *sorted((ROOT / "packages").glob("*/src/**/*.py")),
]

#: The lines from which on a variable needs a noun: its value is then not seen where it is used.
_LONG = 8

#: Participles that do not end in -ed. Those that are nouns, adjectives or verbs of their own as
#: often (cut, left, read, set) are not among them.
_IRREGULAR = {
    *("begun", "bought", "broken", "brought", "built", "caught", "chosen", "done"),
    *("drawn", "driven", "fallen", "found", "frozen", "given", "gone", "held", "hidden"),
    *("kept", "known", "laid", "lost", "made", "meant", "met", "paid", "proven", "risen"),
    *("said", "seen", "sent", "shown", "sold", "sought", "spent", "stolen", "stood"),
    *("stuck", "sworn", "taken", "taught", "thrown", "told", "torn", "understood"),
    *("undone", "won", "woven", "written"),
}
#: What ends in -ed and is no participle.
_NO_PARTICIPLES = {"embed", "exceed", "feed", "need", "proceed", "seed", "shed", "speed", "succeed"}

#: Names that people see: columns of results. They keep them wherever they stand.
_COLUMNS = {
    name
    for schema in vars(arrow).values()
    if isinstance(schema, pa.Schema)
    for name in schema.names
}

_Function = ast.FunctionDef | ast.AsyncFunctionDef


def _is_participle(name: str) -> bool:
    """Return whether a name is a participle alone."""
    word = name.strip("_")
    if not word.isalpha() or not word.islower() or word in _NO_PARTICIPLES | _COLUMNS:
        return False
    return word in _IRREGULAR or (len(word) > 4 and word.endswith("ed"))


def _says_yes_or_no(annotation: ast.expr | None, value: ast.expr | None = None) -> bool:
    """Return whether a name holds a truth value, or one for each row: a participle says what of."""
    text = "" if annotation is None else ast.unparse(annotation)
    given = value.value if isinstance(value, ast.Constant) else None
    return isinstance(given, bool) or text in ("bool", "bool | None", "pa.BooleanArray")


def _all_arguments(function: _Function) -> list[ast.arg]:
    """Return the arguments of a function, in order."""
    named = function.args
    arguments = [*named.posonlyargs, *named.args, named.vararg, *named.kwonlyargs, named.kwarg]
    return [one for one in arguments if one is not None]


def _is_public(function: _Function, class_name: str) -> bool:
    """Return whether people name its arguments: of what ``ilk`` gives, or of a ``Progress``."""
    names = {one.arg for one in _all_arguments(function)}
    public = {class_name, function.name} & {*ilk.__all__}
    return {"step", "done"} <= names or (bool(public) and not function.name.startswith("_"))


def _unfit_arguments(function: _Function, class_name: str) -> Iterator[str]:
    if not _is_public(function, class_name):
        for one in _all_arguments(function):
            if _is_participle(one.arg) and not _says_yes_or_no(one.annotation):
                yield f"{function.lineno}: argument {one.arg} of {function.name}"


def _nodes_outside_inner_functions(function: _Function) -> Iterator[ast.AST]:
    """Yield the parts of a function, without those of the functions in it."""
    waiting: list[ast.AST] = [*function.body]
    for node in waiting:
        yield node
        if not isinstance(node, _Function):
            waiting += ast.iter_child_nodes(node)


def _assigned_names(function: _Function) -> set[str]:
    """Return the names that a function itself assigns, its arguments not among them."""
    return {
        node.id
        for node in _nodes_outside_inner_functions(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    } - {one.arg for one in _all_arguments(function)}


def _lines_of_name(function: _Function, name: str) -> Iterator[int]:
    """Yield the lines where a function uses a variable of its own, in inner functions too."""
    for node in _nodes_outside_inner_functions(function):
        if isinstance(node, ast.Name) and node.id == name:
            yield node.lineno
        elif isinstance(node, _Function) and name not in _assigned_names(node):
            yield from _lines_of_name(node, name)


def _unfit_variables(function: _Function) -> Iterator[str]:
    for name in filter(_is_participle, sorted(_assigned_names(function))):
        lines = list(_lines_of_name(function, name))
        if max(lines) - min(lines) + 1 >= _LONG:
            yield f"{min(lines)}: variable {name} of {function.name}"


class _Field(NamedTuple):
    """A place where a class gives a field its value or its type."""

    name: str
    line: int
    says_yes_or_no: bool


def _fields(owner: ast.ClassDef) -> Iterator[_Field]:
    """Yield what a class declares, and what its methods assign to ``self``."""
    for node in ast.walk(owner):
        pairs: list[tuple[ast.expr, ast.expr | None]]
        if isinstance(node, ast.AnnAssign):
            pairs = [(node.target, node.value)]
        elif isinstance(node, ast.Assign):
            pairs = [pair for target in node.targets for pair in _split_pair(target, node.value)]
        else:
            continue
        annotation = node.annotation if isinstance(node, ast.AnnAssign) else None
        for target, value in pairs:
            truth = _says_yes_or_no(annotation, value)
            if isinstance(target, ast.Attribute) and ast.unparse(target.value) == "self":
                yield _Field(target.attr, node.lineno, truth)
            elif isinstance(target, ast.Name) and node in owner.body:
                yield _Field(target.id, node.lineno, truth)


def _split_pair(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr | None]]:
    """Return what is assigned to what: ``a, b = 1, 2`` are two assignments."""
    if isinstance(target, ast.Tuple):
        values = value.elts if isinstance(value, ast.Tuple) else []
        return list(zip_longest(target.elts, values[: len(target.elts)], fillvalue=value))
    return [(target, value)]


def _unfit_fields(owner: ast.ClassDef) -> Iterator[str]:
    """Yield the fields that only the code sees: with an underscore, or of a class with one."""
    fields = list(_fields(owner))
    truths = {one.name for one in fields if one.says_yes_or_no}
    for name, line, _ in fields:
        is_private = name.startswith("_") or owner.name.startswith("_")
        if is_private and _is_participle(name) and name not in truths:
            yield f"{line}: field {name} of {owner.name}"


def _unfit_names(node: ast.AST, class_name: str = "") -> Iterator[str]:
    """Yield the names in a piece of source that are a participle alone, each with its line."""
    for below in ast.iter_child_nodes(node):
        if isinstance(below, ast.ClassDef):
            yield from _unfit_fields(below)
            yield from _unfit_names(below, below.name)
            continue
        if isinstance(below, _Function):
            if _is_participle(below.name):
                yield f"{below.lineno}: function {below.name}"
            yield from _unfit_arguments(below, class_name)
            yield from _unfit_variables(below)
        yield from _unfit_names(below, class_name)


@pytest.mark.parametrize("path", _SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_participle_alone_names_a_function_or_what_lives_long(path: Path) -> None:
    assert list(_unfit_names(ast.parse(path.read_text()))) == [], "say what it holds, by a noun"


_LATER = "\n".join(["    pass"] * _LONG)


@pytest.mark.parametrize(
    "source",
    [
        "def counted(texts: list[str]) -> int: ...",
        "class Search:\n    @property\n    def _found(self): ...",
        "def search(opened: Store) -> None: ...",
        "def search(*, found: list[int] | None = None) -> None: ...",
        f"def search():\n    found = 1\n{_LATER}\n    return found",
        f"def search():\n    kept = 1\n{_LATER}\n    def tell():\n        return kept",
        "class Search:\n    def __init__(self):\n        self._joined = []",
        "class Search:\n    def __init__(self):\n        self._size, self._joined = 0, []",
        "class _Search:\n    joined: int",
    ],
)
def test_a_participle_alone_is_seen(source: str) -> None:
    assert list(_unfit_names(ast.parse(source)))


@pytest.mark.parametrize(
    "source",
    [
        "def search(open_store: Store, seed: int, ordered: bool) -> None: ...",
        "def tell(step: str, done: int, total: int | None = None) -> None: ...",
        "def search():\n    found = 1\n    return found",
        "class Search:\n    joined: int\n    _failed: bool = False",
        "class Search:\n    def go(self):\n        self._ended = False\n        self._ended = f()",
        "class _Stamp:\n    modified: int",
    ],
)
def test_nouns_flags_columns_and_short_lives_are_left_alone(source: str) -> None:
    assert list(_unfit_names(ast.parse(source))) == []
