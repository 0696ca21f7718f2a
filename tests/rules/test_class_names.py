"""No two classes of the core have one name, so that a name in a message or a review is enough."""

from __future__ import annotations

import ast
from collections import defaultdict

from tests.support.fixtures import ROOT

CORE = ROOT / "src" / "ilk"

#: Public accessors that data frames' libraries give one name.
ACCESSORS = {"Texts"}


def test_no_class_has_a_namesake() -> None:
    places = defaultdict(set)
    for path in CORE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                places[node.name].add(str(path.relative_to(CORE)))
    several = {name: sorted(where) for name, where in places.items() if len(where) > 1}
    assert several.keys() <= ACCESSORS, several
