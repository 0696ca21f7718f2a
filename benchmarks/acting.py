"""The differences of two editions of a novel, and `ilk apply` for each of some thousand files."""

from __future__ import annotations

import contextlib
import os
import random
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import ilk
from benchmarks import timing
from benchmarks.rows import Row
from ilk import write
from ilk.search.differences import folded_word_changes_and_moves
from ilk.tasks.apply import carry, file_plan
from ilk.write.side_by_side import render_comparison_page

#: Words of the novel, and shares of them that the other edition changes.
_NOVEL, _CHANGED = 100_000, (0.001, 0.01, 0.05)

_FILES, _WORDS = 2_000, 400


def run() -> list[Row]:
    """CPU seconds of the differences and their page; CPU microseconds of acts a file."""
    return [*_editions(), *_acts()]


def _editions() -> Iterator[Row]:
    draw = random.Random(0)
    # Words of a text, the frequent ones often.
    words = [f"w{int(draw.paretovariate(0.9)) % 30_000}" for _ in range(_NOVEL)]
    left = _text(words)
    for share in _CHANGED:
        other = [f"new{n}" if draw.random() < share else word for n, word in enumerate(words)]
        moved = [*other[2_000:70_000], *other[:2_000], *other[70_000:]]
        right = _text(moved)
        cost = timing.medians(
            {
                "differences": partial(
                    timing.cpu, partial(folded_word_changes_and_moves, left, right)
                ),
                "page": partial(timing.cpu, partial(_page, left, right)),
            }
        )
        title = f"acting: editions of 10^5 words, {share:.1%} of them changed"
        yield Row(f"{title}: differences", cost["differences"], "CPU-s", target="< 0.3")
        yield Row(f"{title}: page", cost["page"], "CPU-s")


def _text(words: list[str]) -> str:
    return ". ".join(" ".join(words[at : at + 17]) for at in range(0, len(words), 17))


def _page(left: str, right: str) -> str:
    shown: dict[str, Any] = {
        "sides": ("left", "right"),
        "meaning": "",
        "measures": [],
        "verdict": "",
    }
    return render_comparison_page(left, right, folded_word_changes_and_moves(left, right), **shown)


def _acts() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        draw = random.Random(0)
        os.mkdir("in")
        for at in range(0, _FILES, 2):
            text = " ".join(f"{draw.getrandbits(20):x}" for _ in range(_WORDS))
            for number in (at, at + 1):
                Path("in", f"{number:06}.txt").write_text(text)
        found = ilk.find("in")
        with open("plan", "wb") as out:
            write.write_jsonl(found.files().lines(), out)
        decided = file_plan.read_plan("plan")
        for kind in (carry.MOVE, "hardlink"):
            way = carry.DropMethod(kind, "aside" if kind == carry.MOVE else None)
            spent: dict[str, list[float]] = {"apply": [], "undo": []}
            for turn in range(3):
                log = Path(f"{kind}{turn}.log")
                spent["apply"].append(
                    timing.cpu(partial(carry.apply, decided, way, log, dry=False))
                )
                spent["undo"].append(timing.cpu(partial(carry.undo, log, dry=False)))
            for name, seconds in spent.items():
                each = 1e6 * sorted(seconds)[1] / (_FILES // 2)
                yield Row(f"acting: {name} --{kind}, per file", each, "CPU-us")
