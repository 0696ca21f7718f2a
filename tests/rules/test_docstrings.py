"""Docstrings of functions say what to do, as PEP 257 asks, and what they name is there."""

import ast
import re
import textwrap
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

#: What takes the arguments of a class.
_MAKERS = {"__init__", "__new__"}

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


def _own_members(owner: ast.ClassDef) -> set[str]:
    """Return the methods and fields of a class, and the attributes that it gives a value."""
    methods = {
        part.name
        for part in ast.walk(owner)
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    attributes = {
        part.attr
        for part in ast.walk(owner)
        if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store)
    }
    fields = {
        part.id
        for statement in owner.body
        if isinstance(statement, ast.Assign | ast.AnnAssign)
        for part in ast.walk(statement)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }
    return methods | attributes | fields


def _class_members() -> dict[str, set[str]]:
    """Return what each class of the sources has and inherits, by its name."""
    members, bases = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    for path in _SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                bases[node.name] |= {name.id for name in node.bases if isinstance(name, ast.Name)}
                members[node.name] |= _own_members(node)
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


def _explained_names(text: str, section: str) -> list[str]:
    """Return the names that a section of a docstring explains: ``Args`` or ``Attributes``."""
    found = re.search(rf"^{section}:\n((?: +.*\n?|\n)+)", text, re.MULTILINE)
    entries = re.findall(r"^\S.*(?:\n +.*)*", textwrap.dedent(found[1] if found else ""), re.M)
    names = [name for entry in entries for name in entry.partition(":")[0].split(",")]
    # What follows the last comma may stand for several: "and the others: as for ``ilk.find``".
    return [name.strip(" `*\n") for name in names if "the others" not in name]


def _explained_fields(text: str) -> list[str]:
    """Return the fields that lines of a docstring explain without a section: ``name: what``."""
    heads = re.findall(r"^(?:[a-z_]\w*, )*[a-z_]\w*(?=: )", text.partition("\n")[2], re.MULTILINE)
    return [name for head in heads for name in head.split(", ")]


def _arguments(node: ast.AST) -> set[str]:
    """Return the arguments of a function, or of what makes a value of a class."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return {part.arg for part in ast.walk(node.args) if isinstance(part, ast.arg)}
    makers = [part for part in ast.walk(node) if getattr(part, "name", "") in _MAKERS]
    return {name for maker in makers for name in _arguments(maker)}


def _missing_names(tree: ast.Module, members: dict[str, set[str]]) -> list[str]:
    """Return what docstrings explain as an attribute or an argument, and the code lacks."""
    missing: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text, there = ast.get_docstring(node) or "", _arguments(node)
            names = _explained_names(text, "Args")
            if isinstance(node, ast.ClassDef):
                names += _explained_names(text, "Attributes") + _explained_fields(text)
                there |= members[node.name]
            missing += [f"{node.name}: {name}" for name in names if name not in there]
    return missing


def test_attributes_and_arguments_that_docstrings_explain_are_there() -> None:
    members = _class_members()
    trees = {str(path.relative_to(ROOT)): ast.parse(path.read_text()) for path in _SOURCES}
    missing = {path: _missing_names(tree, members) for path, tree in trees.items()}
    assert not {path: names for path, names in missing.items() if names}


def test_an_attribute_or_argument_that_is_gone_is_seen() -> None:
    tree = ast.parse('''
class Held:
    """What: it is.

    Attributes:
        one, two: there.
        gone: not
            there: at all.

    Args:
        three: there.
        lost: not there.

    four, left: without a section.
    """

    one: int

    def __init__(self, three):
        self.two = self.four = three.gone

    def find(self, text, *rest, most=1):
        """Find.

        Args:
            text: there.
            rest, most, least,
                and the others: as elsewhere.

        Raises:
            KeyError: no argument.
        """
''')
    (owner,) = (node for node in tree.body if isinstance(node, ast.ClassDef))
    expected = ["Held: lost", "Held: gone", "Held: left", "find: least"]
    assert _missing_names(tree, {"Held": _own_members(owner)}) == expected


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
