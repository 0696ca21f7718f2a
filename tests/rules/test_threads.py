"""No question to Arrow waits for its threads: where the system gives none, it waits for ever."""

from __future__ import annotations

import ast
from pathlib import Path

import ilk

#: Engines of their own, whose tables are not Arrow's.
_OTHERS = ("polars", "spark")

_ASKED = ("group_by", "read_table")


def waiting(source: str) -> list[int]:
    """Lines that ask for groups, or for a whole file, with threads of Arrow's."""
    return [
        call.lineno
        for call in ast.walk(ast.parse(source))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in _ASKED
        and not any(word.arg == "use_threads" for word in call.keywords)
    ]


def test_nothing_waits_for_threads_of_arrow() -> None:
    files = sorted(Path(ilk.__file__).parent.rglob("*.py"))
    assert len(files) > 100
    found = {
        path.name: waiting(path.read_text())
        for path in files
        if not any(other in str(path) for other in _OTHERS)
    }
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_such_a_question_would_be_seen() -> None:
    assert waiting("table.group_by('a').aggregate([])") == [1]
    assert waiting("table.group_by('a', use_threads=False).aggregate([])") == []
