"""Tests vary what is a parameter; they patch no private name and no constant of a module."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.support.fixtures import ROOT


def _patched(tree: ast.AST) -> Iterator[str]:
    """Yield the names that ``setattr`` of a monkeypatch replaces."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            texts = [arg.value for arg in node.args if isinstance(arg, ast.Constant)]
            if node.func.attr == "setattr" and texts and isinstance(texts[0], str):
                yield texts[0].rpartition(".")[2]


def _is_refused(name: str) -> bool:
    return name.startswith("_") or name.isupper()


def test_no_test_patches_a_private_name_or_a_constant() -> None:
    found: list[tuple[Path, str]] = []
    for path in sorted([*ROOT.glob("tests/**/*.py"), *ROOT.glob("packages/*/tests/**/*.py")]):
        found += [(path, name) for name in _patched(ast.parse(path.read_bytes()))]
    assert found
    assert [(path, name) for path, name in found if _is_refused(name)] == []


def test_such_a_patch_would_be_seen() -> None:
    code = 'm.setattr(module, "_FEW", 2)\nm.setattr("a.b.LARGEST", 3)\nm.setattr(sys, "stdin", f)'
    assert [_is_refused(name) for name in _patched(ast.parse(code))] == [True, True, False]
