"""Docstrings of functions say what to do, as PEP 257 asks, and what they name is there."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.support.fixtures import ROOT

#: First words of a phrase without a verb, which ruff's D401 lets pass.
NO_VERBS = {
    *("A", "All", "An", "Another", "Both", "By", "Each", "Every", "Everything", "How", "It", "Its"),
    *("One", "Per", "That", "The", "These", "Those", "What", "When", "Where", "Whether", "Which"),
}

_PROPERTIES = {"property", "cached_property"}

_SOURCES = [
    *sorted((ROOT / "src" / "ilk").rglob("*.py")),
    *sorted((ROOT / "packages").glob("*/src/**/*.py")),
]


def _functions() -> Iterator[tuple[Path, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for path in _SOURCES:
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


def _class_members() -> dict[str, set[str]]:
    """Return what each class of the sources has, by its name: methods, fields, attributes."""
    members, bases = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    for path in _SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                bases[node.name] |= {name.id for name in node.bases if isinstance(name, ast.Name)}
                fields = [part.target for part in node.body if isinstance(part, ast.AnnAssign)]
                members[node.name] |= {name.id for name in fields if isinstance(name, ast.Name)}
                for part in ast.walk(node):
                    if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
                        members[node.name].add(part.name)
                    elif isinstance(part, ast.Attribute):
                        members[node.name].add(part.attr)
    for name in bases:
        above = list(bases[name])
        for base in above:  # It grows by what these inherit from.
            members[name] |= members[base]
            above += bases.get(base, set()) - {*above}
    return members


def _missing_members(text: str, members: dict[str, set[str]]) -> list[str]:
    """Return each ``Class.member`` in a text whose class has no such member."""
    named = re.findall(r"``(?:ilk\.)?(\w+)\.(\w+)", text)
    return [f"{name}.{of}" for name, of in named if name in members and of not in members[name]]


def test_members_that_docstrings_and_comments_name_are_there() -> None:
    members = _class_members()
    seen = {path: _missing_members(path.read_text(), members) for path in _SOURCES}
    assert not {str(path.relative_to(ROOT)): names for path, names in seen.items() if names}


def test_a_member_that_is_gone_is_seen() -> None:
    text = (
        "``Search.find_members`` returns what ``Search.members`` did; ``Store.check`` is inherited."
    )
    assert _missing_members(text, _class_members()) == ["Search.members"]


def _listed_modules(text: str) -> list[str]:
    """Return the modules that the list in the docstring of a package explains."""
    entries = [" ".join(entry.split()) for entry in re.findall(r"^- (.*(?:\n  .*)*)", text, re.M)]
    heads = [head for entry in entries for head in re.findall(r"(?:^|; )(``[\w`, ]+``):", entry)]
    return [name for head in heads for name in re.findall(r"\w+", head)]


def test_modules_that_packages_list_are_there() -> None:
    packages = [path for path in _SOURCES if path.name == "__init__.py"]
    packages += sorted((ROOT / "tests").rglob("__init__.py"))
    missing = {
        str(path.relative_to(ROOT)): absent
        for path in packages
        if (listed := _listed_modules(ast.get_docstring(ast.parse(path.read_text())) or ""))
        if (absent := {*listed} - {each.stem for each in path.parent.iterdir()})
    }
    assert not missing


def test_modules_are_read_from_a_list() -> None:
    text = (
        "What.\n\n- ``one``, ``two``: for ``three``; ``four``: too,\n  and more; ``five``:\n  last"
    )
    assert _listed_modules(text) == ["one", "two", "four", "five"]
