"""No two classes have one name, in Python or in a crate, and no two modules of a room nearly one,
so that a name in a message or a review is enough.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations

import pytest

from tests.support.fixtures import ROOT

SOURCES = [ROOT / "src", *ROOT.glob("packages/*/src")]

#: Public accessors that data frames' libraries give one name.
ACCESSORS = {"Texts"}

#: Where a crate names a type; the types of a trait are indented, and have the trait's names.
TYPE = re.compile(
    r"^(?:\s*(?:pub(?:\([\w: ]+\))? )?(?:struct|enum|union|(?:unsafe )?trait)"
    r"|(?:pub(?:\([\w: ]+\))? )?type) (\w+)",
    re.MULTILINE,
)


def _several(types: Iterator[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the places of each name that stands in several places, by name."""
    places = defaultdict(list)
    for name, place in types:
        places[name].append(place)
    return {name: where for name, where in places.items() if len(where) > 1}


def test_no_class_has_a_namesake() -> None:
    classes = (
        (node.name, str(path.relative_to(ROOT)))
        for source in SOURCES
        for path in source.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    )
    several = _several(classes)
    assert several.keys() <= ACCESSORS, several


@pytest.mark.parametrize("crate", sorted(path.parent.name for path in ROOT.glob("rust/*/src")))
def test_no_type_of_a_crate_has_a_namesake(crate: str) -> None:
    types = (
        (name, str(path.relative_to(ROOT)))
        for path in (ROOT / "rust" / crate).rglob("*.rs")
        for name in TYPE.findall(path.read_text(encoding="utf-8"))
    )
    several = _several(types)
    assert not several, several


#: Endings by which two names differ too little to be told apart.
ENDINGS = ("s", "es", "ren", "ing", "ed", "er", "f")


def _stems(name: str) -> set[str]:
    """Return a name, and what is left of it without one ending, an e, or a doubled letter."""
    stems = {name} | {name.removesuffix(ending) for ending in ENDINGS}
    stems |= {stem.removesuffix("e") for stem in stems}
    return stems | {stem[:-1] for stem in stems if stem[-1:] == stem[-2:-1]}


def _pairs_by_ending(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    yield from (
        pair for pair in combinations(sorted(names), 2) if _stems(pair[0]) & _stems(pair[1])
    )


def test_no_two_modules_of_a_room_differ_by_an_ending() -> None:
    rooms = defaultdict[str, set[str]](set)
    for pattern in ("src/**/*.py", "packages/*/src/**/*.py", "rust/*/src/**/*.rs"):
        for path in ROOT.glob(pattern):
            rooms[str(path.parent.relative_to(ROOT))].add(path.stem)
            rooms[str(path.parent.parent.relative_to(ROOT))].add(path.parent.name)
    assert len(rooms) > 50
    found = {room: pairs for room, names in rooms.items() if (pairs := [*_pairs_by_ending(names)])}
    assert not found


def test_modules_that_differ_by_an_ending_would_be_seen() -> None:
    alike = (
        ("child", "children"),
        ("plan", "planning"),
        ("join", "joins"),
        ("judge", "judging"),
        ("noise", "noised"),
        ("read", "reader"),
    )
    for pair in alike:
        assert [*_pairs_by_ending(pair)] == [pair]
    assert not [*_pairs_by_ending(["row", "row_plan", "text", "table"])]
