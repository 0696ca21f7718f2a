"""The paper's tables and results, published beside measured."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from contextlib import closing
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from ilk.fingerprints.recipe import Recipe
from ilk.search import steps
from ilk_papers.frame import Exhibit, Value, exhibit
from ilk_papers.roth2013 import example, prototype, published
from ilk_papers.roth2013.copies import KINDS
from ilk_papers.roth2013.experiment import Copies, Fingerprinted, Pairs
from ilk_papers.roth2013.lacking import PERCENTS, RUNS, Run
from ilk_papers.roth2013.sheets import ALIKE, LONGER, sheets
from ilk_papers.simhash import distance

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Per cent in a row of the table of copies.
_STEP = 10


def steps_of(grams: Sequence[str], name: str, title: str) -> Exhibit:
    """Show grams, their hashes, and V after each, as Table 1 prints them; the fingerprint below."""
    rows = [
        (step.gram, step.hash, f"{step.hash:016b}", " ".join(f"{v:+.0f}" for v in step.votes))
        for step in example.steps(grams)
    ]
    number = example.fingerprint(grams)
    note = f"The fingerprint is {number:016b} = {number}."
    return exhibit(name, title, ("gram", "hash", "bits", "V, highest bit first"), rows, note=note)


def worked(text: str) -> Exhibit:
    """Return the worked example of any text."""
    grams = example.grams(text)
    return steps_of(grams, "example", f"SimHash of {text!r}: 16 bits, 3-grams, sums of codes")


def table_1() -> Exhibit:
    """Show Table 1: the published grams and their V."""
    return steps_of(list(published.TABLE_1), "table-1", "Table 1, as the paper has it: eight grams")


def results(rows: Iterable[tuple[str, str, str]]) -> Exhibit:
    """Return every observation, published beside measured."""
    title = "The experiment"
    return exhibit("observations", title, ("what", "published", "measured"), rows, note=_SUMS)


_SUMS = """The paper's numbers do not add up: 13,620 + 4,619 + 3,057 is 21,296, and 12,800 files
"unchanged" are fewer than the 13,620 that were kept."""


def changes(copies: Copies) -> Exhibit:
    """Return the distance of copies to their originals by what was done, and to how much."""
    rows: list[Sequence[Value]] = []
    for kind, name in KINDS.items():
        of = copies.of_kind(kind)
        for low in range(1, 81, _STEP):
            chosen = of.distances[(of.percents >= low) & (of.percents < low + _STEP)]
            mean = float(chosen.mean()) if len(chosen) else None
            reached = 100 * float(np.mean(chosen <= published.RADIUS)) if len(chosen) else None
            rows.append((name, f"{low} to {low + _STEP - 1}", len(chosen), mean, reached))
    columns = ("what", "per cent", "copies", "mean distance", "% within 6 bits")
    return exhibit("changes", "Copies by what was done to them", columns, rows)


def lacking(runs: Sequence[Run]) -> Exhibit:
    """Return the mean distance after each kind of edit, those of the paper first."""
    means = {(run.name, run.percent): run.mean for run in runs}
    rows: list[Sequence[Value]] = [
        (name, *(means[name, percent] for percent in PERCENTS)) for name in RUNS
    ]
    columns = ("mean distance in bits", *(f"{percent} %" for percent in PERCENTS))
    title = "Why deletions look worse: the edits that the paper did not try"
    return exhibit("lacking", title, columns, rows, note=_LACKING)


_LACKING = """Inserted text of the file's own is counted already; foreign text costs about what a
deletion costs."""


def of_sheets(recipe: Recipe, seed: int) -> Exhibit:
    """Return how far every specification sheet is from the first."""
    texts = sheets(seed)
    prints = steps.fingerprint_texts(list(texts.values()), recipe).to_pylist()
    names = list(texts)
    apart = [distance(prints[0], value) for value in prints]
    grouped = ("in one group", "apart")
    rows = [
        (name, grouped[name not in ALIKE], bits, grouped[bits > published.RADIUS])
        for name, bits in zip(names, apart, strict=True)
    ]
    most = max(distance(a, b) for a, b in combinations(prints[: len(ALIKE)], 2))
    note = f"The first {len(ALIKE)} are within {most} bits of one another; {LONGER} is longer."
    columns = ("sheet", "published", f"bits from {names[0]}", "measured")
    return exhibit("sheets", "Specification sheets, generated", columns, rows, note=note)


def queried() -> Exhibit:
    """Return the printed result of the paper's query, beside that of both queries here."""
    prints = {name: value for name, value, _ in published.QUERY}
    asked = prints["sttech.txt"]
    with closing(prototype.database(prints.items())) as database:
        by_text = dict(prototype.similar_as_text(database, asked, published.RADIUS))
        by_number = dict(prototype.similar_as_number(database, asked, published.RADIUS))
    rows = [
        (name, f"{value:016x}", apart, by_text.get(name), by_number.get(name))
        for name, value, apart in published.QUERY
    ]
    columns = ("file", "fingerprint", "published", "strings", "numbers")
    note = f"{prototype.AS_TEXT}\n{prototype.AS_NUMBER}"
    return exhibit("query", "What is like sttech.txt, on SQLite", columns, rows, note=note)


def query_costs(of: Fingerprinted) -> Exhibit:
    """Return what both queries take over all files."""
    files = [
        (name, value)
        for name, value in zip(of.names, of.fingerprints.to_pylist(), strict=True)
        if value is not None
    ]
    rows: list[Sequence[Value]] = []
    with closing(prototype.database(files)) as database:
        for name, query in (
            ("strings of 64 characters", prototype.similar_as_text),
            ("numbers of 64 bits", prototype.similar_as_number),
        ):
            start = time.process_time()
            found = [query(database, value, published.RADIUS) for _, value in files[:1]]
            spent = 1000 * (time.process_time() - start)
            rows.append((name, len(files), sum(map(len, found)), spent))
    columns = ("column", "rows", "found", "CPU ms")
    return exhibit("query-costs", "One query over all files", columns, rows)


def result_file(of: Fingerprinted, compared: Pairs) -> Exhibit:
    """Return the result file: every pair at 90 %, with both fingerprints, for a spreadsheet."""
    names = pa.array(of.names)
    prints = pa.array([None if v is None else f"{v:016x}" for v in of.fingerprints.to_pylist()])
    left, right, bits = (compared.table[name] for name in ("left", "right", "distance"))
    columns = {
        "file": names.take(left),
        "fingerprint": prints.take(left),
        "similar file": names.take(right),
        "its fingerprint": prints.take(right),
        "distance": bits,
        "per cent of bits that agree": pa.array(100 * (1 - bits.to_numpy() / 64)),
    }
    return Exhibit("result", "The result file", pa.table(columns), printed=False)


def draw_changes(axes: Axes, copies: Copies) -> None:
    """Draw distance against per cent: every copy a dot, and the mean of each per cent a line."""
    for kind, colour in (("d", "#b3541e"), ("i", "#1f4e79")):
        of = copies.of_kind(kind)
        axes.scatter(of.percents, of.distances, s=4, alpha=0.15, color=colour)
        percents = np.unique(of.percents)
        means = [float(of.distances[of.percents == percent].mean()) for percent in percents]
        axes.plot(percents, means, color=colour, label=KINDS[kind])
    axes.axhline(published.RADIUS + 0.5, color="black", linewidth=0.8)
    axes.set_xlabel("per cent of the original; the line: what is found is below")
    axes.set_ylabel("distance in bits")
    axes.set_title("Roth 2013: modified copies and their originals")
    axes.legend()


def draw_lacking(axes: Axes, runs: Sequence[Run]) -> None:
    """Draw mean distance against per cent, a line for each kind of edit."""
    for name in RUNS:
        of = [(run.percent, run.mean) for run in runs if run.name == name and run.mean is not None]
        axes.plot([percent for percent, _ in of], [m for _, m in of], marker="o", label=name)
    axes.set_xlabel("per cent of the words")
    axes.set_ylabel("mean distance in bits")
    axes.set_title("Edits, and what they cost")
    axes.legend()
