"""Texts with families, for tables of any tool."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Sequence

import pyarrow as pa

import ilk


def text_table(texts: Sequence[str | None]) -> pa.Table:
    """Return a table of one column, ``text``."""
    return pa.table({"text": pa.array(texts, pa.string())})


def some(count: int = 300) -> list[str | None]:
    """Return texts of 3 to 150 words: originals, edited copies, copies, blanks and nulls."""
    draw = random.Random(count)
    words = [f"word{number}" for number in range(900)]
    found: list[str | None] = []
    for number in range(count):
        kind = number % 6
        before = draw.choice(found) if found else None
        if kind == 5:
            found.append(draw.choice(["", None, "  "]))
        elif kind in (0, 3) and before:
            one = before.split(" ")
            if kind == 0:
                one[draw.randrange(len(one))] = "changed"
            found.append(" ".join(one))
        else:
            found.append(" ".join(draw.choices(words, k=draw.randint(3, 150))))
    return found


TEXTS = some()

#: What ilk itself says of them.
KEPT = ilk.deduplicate(TEXTS).keep_mask.to_pylist()
PAIRS = [(pair["left"], pair["right"]) for pair in ilk.find(TEXTS).pairs.to_pylist()]

_WITHOUT = """
import importlib, sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == sys.argv[1]:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Missing())
importlib.import_module(sys.argv[2])
"""


def without(package: str, module: str = "") -> str:
    """Return what ilk's module for a package says where the package is not installed."""
    words = [sys.executable, "-c", _WITHOUT, package, module or f"ilk.tables.{package}"]
    return subprocess.run(words, capture_output=True, text=True).stderr
