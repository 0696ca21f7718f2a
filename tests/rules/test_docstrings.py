"""Docstrings of functions say what to do, as PEP 257 asks."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.support.fixtures import ROOT

#: First words of a phrase without a verb, which ruff's D401 lets pass.
NO_VERBS = {
    *("A", "All", "An", "Another", "Both", "By", "Each", "Every", "Everything", "How", "It", "Its"),
    *("One", "Per", "That", "The", "These", "Those", "What", "When", "Where", "Whether", "Which"),
}

_PROPERTIES = {"property", "cached_property"}


def _functions() -> Iterator[tuple[Path, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for path in sorted((ROOT / "src" / "ilk").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                kinds = {ast.unparse(kind).rpartition(".")[2] for kind in node.decorator_list}
                if not kinds & _PROPERTIES:
                    yield path, node


def test_functions_say_what_to_do() -> None:
    seen = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {text.splitlines()[0]}"
        for path, node in _functions()
        if (text := ast.get_docstring(node)) and text.split()[0].rstrip(",.:;") in NO_VERBS
    ]
    assert not seen, "begin with a verb (Return, Yield):\n" + "\n".join(seen)
