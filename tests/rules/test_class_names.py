"""No two classes of the core have one name, and no two modules of a room nearly one, so that a name
in a message or a review is enough.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations

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


#: Endings that make another word of a name: one that is hard to tell from it.
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
