"""What is compared in some minutes: kept as JSON by day, told as tables in Markdown."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from benchmarks import machine
from benchmarks.accuracy import beside, drawn
from benchmarks.accuracy.recipes import controlled, modelled, natural, templates
from ilk_papers.measure import plots

_RESULTS = Path(__file__).parents[1] / "results"


class Section(Protocol):
    """A module that measures, and tells what it measured."""

    def run(self) -> dict[str, Any]:
        """Measure."""

    def lines(self, figures: dict[str, Any]) -> Iterator[str]:
        """Tables of the figures, as they stand in the JSON."""


#: What can be measured, by the option that asks for it.
SECTIONS: dict[str, Section] = {
    "recipes": natural,
    "model": modelled,
    "edits": controlled,
    "templates": templates,
    "peers": beside,
}

#: Significant digits of what is kept.
_DIGITS = 4


def run(names: Sequence[str], *, save: bool, picture: Path | None) -> Iterator[str]:
    """The tables of some sections, measured; kept with the other sections of the day if asked.

    Args:
        names: of ``SECTIONS``.
        save: whether to keep the figures.
        picture: where to draw what ``recipes``, one of the names, nominate.
    """
    told: dict[str, Any] = {}
    for name in names:
        told[name] = _rounded(SECTIONS[name].run())
        yield from _section(name, told[name])
    if picture:
        plots.save_picture(partial(drawn.recipes, told["recipes"]), picture)
    if save:
        yield f"\nkept in {_keep(told)}"


def _keep(told: dict[str, Any]) -> Path:
    """Write the sections to the file of the day, and all that stand there as tables beside it."""
    today = datetime.datetime.now(datetime.UTC).date()
    path = _RESULTS / f"accuracy-{today}.json"
    kept = json.loads(path.read_text()) if path.is_file() else {}
    kept |= {"measured": str(today), "machine": machine.description(), **told}
    _RESULTS.mkdir(exist_ok=True)
    path.write_text(_json(kept) + "\n")
    lines = [line for name in SECTIONS if name in kept for line in _section(name, kept[name])]
    path.with_suffix(".md").write_text("\n".join([f"# Accuracy, measured {today}", *lines, ""]))
    return path


def _section(name: str, figures: Any) -> Iterator[str]:
    yield f"\n## {name.capitalize()}\n"
    yield from SECTIONS[name].lines(figures)


def _rounded(value: Any) -> Any:
    """Numbers to a few digits, in whatever they stand."""
    if isinstance(value, dict):
        return {str(key): _rounded(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(inner) for inner in value]
    return float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value


def _json(value: Any, indent: str = "") -> str:
    """JSON with a line for each member; lists stand on one line."""
    if not isinstance(value, dict) or not value:
        return json.dumps(value)
    inner = indent + " "
    members = (f"{inner}{json.dumps(k)}: {_json(v, inner)}" for k, v in value.items())
    return "{\n" + ",\n".join(members) + f"\n{indent}}}"
