"""Arguments go by name: nobody has to count the places of five to know which is which."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.support.fixtures import ROOT

_FOLDERS = [ROOT / "src", *sorted(ROOT.glob("packages/*/src"))]

#: So many arguments by position are too many to be recognised by their places.
_TOO_MANY = 5

#: What calls its first argument with the others.
_CALLERS = {"partial", "submit", "work", "run_in_executor", "to_thread"}


def _named_places(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> int:
    """Return how many arguments by position have parameters of their own; ``*rest`` has none."""
    if not isinstance(node, ast.ClassDef):
        every = [part.arg for part in (*node.args.posonlyargs, *node.args.args)]
        return len(every) - (every[:1] in (["self"], ["cls"]))
    for part in node.body:
        if isinstance(part, ast.FunctionDef) and part.name in ("__init__", "__new__"):
            return _named_places(part)
    return sum(isinstance(part, ast.AnnAssign) for part in node.body)


def _name_of(node: ast.expr) -> str:
    return getattr(node, "id", getattr(node, "attr", ""))


def _classes_of_cls(tree: ast.Module) -> dict[ast.expr, str]:
    """Return the class that each ``cls`` stands for: the innermost around it."""
    return {
        node: owner.name
        for owner in ast.walk(tree)  # An inner class comes after the one that it is in.
        if isinstance(owner, ast.ClassDef)
        for node in ast.walk(owner)
        if isinstance(node, ast.Name) and node.id == "cls"
    }


def find_calls_by_position(trees: dict[str, ast.Module]) -> Iterator[str]:
    """Yield the calls of functions and classes of ``trees`` that pass five or more by position.

    Kernels are left out: ``_kernels.pyi`` says what they take. A row of a query that makes a value
    of its class, ``Row(*values)``, is one argument.
    """
    places = dict[str, int]()
    for tree in trees.values():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                places[node.name] = max(places.get(node.name, 0), _named_places(node))
    for file, tree in trees.items():
        classes = _classes_of_cls(tree)
        for call in ast.walk(tree):
            if not isinstance(call, ast.Call) or ast.unparse(call.func).startswith("_kernels."):
                continue
            called, passed = classes.get(call.func, _name_of(call.func)), len(call.args)
            if called in _CALLERS and call.args:
                first = call.args[0]
                called, passed = classes.get(first, _name_of(first)), passed - 1
            if min(passed, places.get(called, 0)) >= _TOO_MANY:
                yield f"{file}:{call.lineno} {called}"


def test_five_arguments_have_names() -> None:
    files = [file for folder in _FOLDERS for file in sorted(folder.rglob("*.py"))]
    trees = {str(file.relative_to(ROOT)): ast.parse(file.read_text()) for file in files}
    assert list(find_calls_by_position(trees)) == []


def test_a_call_by_position_is_found() -> None:
    source = """
class Held:
    def __init__(self, a, b, c, d, e, *rest): ...
    def method(self, a, b, c, d, e): ...
    @classmethod
    def of(cls): return cls(1, 2, 3, 4, 5), partial(cls, 1, 2, 3, 4, 5)
def few(a, b, *rest): ...
Held(1, 2, 3, 4, 5)
held.method(1, 2, 3, 4, 5)
partial(held.method, 1, 2, 3, 4, 5)
few(1, 2, 3, 4, 5)
Held(1, 2, 3, 4, e=5)
Held(*values)
_kernels.method(1, 2, 3, 4, 5)
print(1, 2, 3, 4, 5)
"""
    found = list(find_calls_by_position({"made.py": ast.parse(source)}))
    calls = ["8 Held", "9 method", "10 method", "6 Held", "6 Held"]
    assert found == [f"made.py:{call}" for call in calls]
