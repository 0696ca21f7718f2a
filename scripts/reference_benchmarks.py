"""The page of benchmarks: the newest result of every measurement that is kept, with its machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parents[1] / "benchmarks" / "results"

_INTRODUCTION = """\
Figures that `python -m benchmarks --save` has kept in `benchmarks/results`, the newest of each,
with its day and machine; this page is made of them (`scripts/make-reference`). A figure is the
median of three runs or more (on Spark there was one), in seconds of the processor, so that other
work on the machine counts little. A ratio compares with a yardstick that ran in the same minutes:
it holds on other machines, the figures do not.

To repeat one: `python -m benchmarks text`, and so on by the word before the colon;
`python -m benchmarks --help` lists them. `python -m benchmarks.peers` makes the environments of the
packages to compare with.
"""

_ROOMS = {
    "prints": "Fingerprints beside other packages",
    "text": "Text to fingerprints and shingle sets",
    "overlap": "Exact joins of sets",
    "short": "Exact joins of short texts",
    "hamming": "Exact joins of fingerprints",
    "joins": "Exact joins of fingerprints, other sizes",
    "billion": "A join of 10^9 fingerprints",
    "scan": "Scans",
    "dedup": "Data sets",
    "tools": "Inside other tools",
    "datatrove": "In datatrove",
    "spark": "On Apache Spark",
    "passages": "Passages",
    "store": "The store",
    "documents": "Documents",
    "archives": "Archives of the web",
    "rows": "Rows",
    "urls": "URLs",
    "mirrors": "Mirrors",
    "report": "Pages to read",
    "scaling": "Threads and memory",
    "startup": "Start",
}


def page() -> str:
    """Return the whole page."""
    newest: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {}
    for path in RESULTS.glob("*.json"):
        kept = json.loads(path.read_text())
        for row in kept.get("rows", ()):
            name = row["name"]
            if name not in newest or newest[name][1]["measured"] < kept["measured"]:
                newest[name] = row, kept
    rooms: dict[str, list[str]] = {}
    for name, (row, kept) in sorted(newest.items(), key=lambda it: it[1][1]["measured"]):
        room, _, what = name.partition(": ")
        rooms.setdefault(room, []).append(_row(what, row, kept))
    parts = ["# Benchmarks", _INTRODUCTION.rstrip()]
    order = [room for room in _ROOMS if room in rooms] + sorted(rooms.keys() - _ROOMS)
    for room in order:
        parts.append(f"## {_ROOMS.get(room, room.capitalize())}")
        head = "| what | figure | ratio to | day |\n|---|--:|---|---|"
        parts.append("\n".join([head, *rooms[room]]))
    parts += ["## Machines", "\n".join(_machines(newest))]
    parts.append("## Accuracy")
    parts.append(
        "Recall and precision on labelled pairs, other packages beside, are in [how to "
        "choose](choosing.md#other-packages); `python -m benchmarks.accuracy --all` measures them."
    )
    return "\n\n".join(parts) + "\n"


def _row(what: str, row: dict[str, Any], kept: dict[str, Any]) -> str:
    figure = row["figure"]
    shown = f"{figure:,.0f}" if figure >= 100 else f"{figure:.3g}"
    ratio = "" if row["ratio"] is None else f"{row['ratio']:.3g} x {row['yardstick']}"
    return f"| {what} | {shown} {row['unit']} | {ratio} | {kept['measured'][:10]} |"


def _machines(newest: dict[str, tuple[dict[str, Any], dict[str, Any]]]) -> list[str]:
    found: dict[str, set[str]] = {}
    for _, kept in newest.values():
        machine = kept["machine"]
        said = (
            f"{machine['cores']} cores of {machine['cpu']} ({', '.join(machine['features'])}), "
            f"{machine['memory_gb']:g} GB, {machine['system']}, Python {machine['python']}, "
            f"ilk {machine['ilk']}"
        )
        found.setdefault(said, set()).add(kept["measured"][:10])
    return [f"- {', '.join(sorted(days))}: {said}" for said, days in sorted(found.items())]
