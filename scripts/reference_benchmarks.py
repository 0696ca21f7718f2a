"""The page of benchmarks: ilk beside other tools, from the newest results that are kept.

The picture and the table show the same rows. Everything else that was measured stays in
``benchmarks/results``.
"""

from __future__ import annotations

import html
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parents[1] / "benchmarks" / "results"

_PICTURE = "_static/pictures/peers.svg"


@dataclass(frozen=True)
class Comparison:
    """One job that ilk and another tool did in the same run.

    Attributes:
        job: what both were asked for.
        tool: the other tool.
        measured: the name of its result.
        ilk: the name of ilk's result, if the result of the other tool has no ratio to it; a result
            in MB a second is turned into a ratio of times.
        answers: how the other tool's answers differ from ilk's.
    """

    job: str
    tool: str
    measured: str
    answers: str
    ilk: str = ""


_SETS = "every pair of 33,213 documents at resemblance 0.8"
_BITS = "every pair of a million fingerprints within 3 bits"

COMPARISONS = (
    Comparison(
        _SETS,
        "SetSimilaritySearch",
        "overlap: SetSimilaritySearch at resemblance 0.8, rounds: 1",
        "the same",
    ),
    Comparison(
        _SETS,
        "datasketch (LSH)",
        "overlap: datasketch at resemblance 0.8, rounds: 1",
        "65 % of the pairs",
    ),
    Comparison(
        _SETS, "gaoya (LSH)", "overlap: gaoya at resemblance 0.8, rounds: 1", "81 % of the pairs"
    ),
    Comparison(_BITS, "FAISS", "joins: FAISS, 1,000,000, radius 3, rounds: 1", "the same"),
    Comparison(_BITS, "DuckDB", "joins: DuckDB, 1,000,000, radius 3, rounds: 1", "the same"),
    Comparison(
        _BITS, "hammingbird", "joins: hammingbird, 1,000,000, radius 3, rounds: 1", "the same"
    ),
    Comparison(
        "128 MinHash values of each text",
        "datasketch",
        "prints: datasketch MinHash, 4000 distinct corpus",
        "as many values, of other hashes",
        ilk="prints: ilk MinHash signatures of 128, 4000 distinct corpus",
    ),
    Comparison(
        "a file of 215 MB without its duplicates",
        "Daft (MinHash)",
        "dedup: 47,669 rows of JSON lines, 215 MB, Daft (MinHash)",
        "a tenth of what ilk keeps is dropped",
    ),
    Comparison(
        "12,000 documents in datatrove",
        "its MinHash",
        "datatrove: its MinHash, 12,000 documents of the corpus",
        "787 documents dropped that are like none that stays",
        ilk="datatrove: IlkDedup, 12,000 documents of the corpus",
    ),
    Comparison(
        "a million documents on Spark",
        "Spark's MinHash-LSH",
        "spark: lsh, 1,000,000 documents",
        "96 % of the pairs; 48,441 documents dropped that are like none that stays",
        ilk="spark: exact, 1,000,000 documents",
    ),
    Comparison(
        "every passage that stands in two places",
        "suffix array",
        "passages: reference, distinct corpus, 300 bytes",
        "in bytes, where ilk counts words",
    ),
)

_TEXT = """\
# Benchmarks

How much longer another tool takes for the same job than ilk, in seconds of the processor, both
measured in one run on one machine. 1 is ilk. The scale is logarithmic.

![Processor time of other tools, as multiples of ilk's](../{picture})

| job | other tool | its time, ilk's is 1 | its answers beside ilk's | day |
|---|---|--:|---|---|
{rows}

The corpus holds 47,669 documents, 33,213 of them distinct: the documentation packages of Debian 12
and Python's standard library. A time is the median of three runs or more, and a single run where
the name of the result says `rounds: 1`, and on Spark. Ratios carry over to other machines better
than seconds do.

`python -m benchmarks.peers` makes the environments of these tools, and `python -m benchmarks
overlap` repeats a measurement, and so on by the words before the colon in the results;
`python -m benchmarks --help` lists them. All that was ever kept, with day and machine, is in
`benchmarks/results`: speed of every recipe, growth to 10^7 short texts and 10^9 fingerprints,
memory, stores, archives, pages. [Scale](scale.md) says what that means for your data.

Recall and precision on labelled pairs, other packages beside, are in [how to
choose](choosing.md#other-packages); `python -m benchmarks.accuracy --all` measures them.

## Machines

{machines}
"""


def newest_results() -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Return by name the newest result of every measurement, and the run that it is from."""
    newest: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {}
    for path in RESULTS.glob("*.json"):
        run = json.loads(path.read_text())
        for row in run.get("rows", ()):
            name = row["name"]
            if name not in newest or newest[name][1]["measured"] < run["measured"]:
                newest[name] = row, run
    return newest


def page() -> str:
    """Return the whole page."""
    newest = newest_results()
    ratios = [(comparison, _time_ratio(comparison, newest)) for comparison in COMPARISONS]
    rows = [
        f"| {one.job} | {one.tool} | {ratio:.3g} | {one.answers} | "
        f"{newest[one.measured][1]['measured'][:10]} |"
        for one, ratio in ratios
    ]
    runs = [newest[comparison.measured][1] for comparison in COMPARISONS]
    return _TEXT.format(picture=_PICTURE, rows="\n".join(rows), machines=_machine_lines(runs))


def _time_ratio(comparison: Comparison, newest: dict[str, tuple[dict[str, Any], Any]]) -> float:
    """Return the time of the other tool over that of ilk."""
    theirs = newest[comparison.measured][0]
    if not comparison.ilk:
        return float(theirs["ratio"])
    ours = newest[comparison.ilk][0]
    if theirs["unit"] != ours["unit"]:
        raise ValueError(f"{comparison.measured} and {comparison.ilk} have different units")
    ratio = float(theirs["figure"]) / float(ours["figure"])
    return 1 / ratio if theirs["unit"].startswith("MB/") else ratio


def _machine_lines(runs: list[dict[str, Any]]) -> str:
    days: dict[str, set[str]] = {}
    for run in runs:
        machine = run["machine"]
        text = (
            f"{machine['cores']} cores of {machine['cpu']} ({', '.join(machine['features'])}), "
            f"{machine['memory_gb']:g} GB, {machine['system']}, Python {machine['python']}, "
            f"ilk {machine['ilk']}"
        )
        days.setdefault(text, set()).add(run["measured"][:10])
    return "\n".join(f"- {', '.join(sorted(of))}: {text}" for text, of in sorted(days.items()))


#: Pixels of the picture: a row, the labels on the left, and the bars.
_ROW, _LABELS, _BARS = 26, 400, 280


def picture() -> str:
    """Return the picture of the page, as SVG: a bar for each comparison, on a logarithmic scale."""
    newest = newest_results()
    ratios = sorted(
        ((_time_ratio(one, newest), one) for one in COMPARISONS), key=lambda pair: -pair[0]
    )
    decades = math.log10(ratios[0][0])
    width, height = _LABELS + _BARS + 70, _ROW * (len(ratios) + 2)
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" role="img" font-family="sans-serif" font-size="13">'
        ),
        "<title>Processor time of other tools, as multiples of ilk's</title>",
        '<rect width="100%" height="100%" rx="8" fill="#fbfaf7"/>',
    ]
    for decade in range(math.floor(decades) + 1):
        x = _LABELS + _BARS * decade / decades
        parts.append(f'<path d="M{x:.0f} {_ROW}V{height - _ROW}" stroke="#d8d4ca"/>')
        parts.append(
            f'<text x="{x:.0f}" y="{height - 9}" text-anchor="middle" fill="#666">{10**decade}'
            "</text>"
        )
    for at, (ratio, one) in enumerate(ratios):
        y, long = _ROW * (at + 1), _BARS * math.log10(max(ratio, 1)) / decades
        job = {_SETS: "pairs of sets", _BITS: "pairs of fingerprints"}.get(one.job, one.job)
        label = html.escape(f"{one.tool}: {job}")
        exact = "same" in one.answers
        parts.append(
            f'<text x="{_LABELS - 8}" y="{y + 17}" text-anchor="end" fill="#222">{label}</text>'
            f'<rect x="{_LABELS}" y="{y + 5}" width="{max(long, 1):.0f}" height="{_ROW - 9}" '
            f'fill="{"#35618e" if exact else "#b3832f"}"/>'
            f'<text x="{_LABELS + long + 6:.0f}" y="{y + 17}" fill="#222">{ratio:.3g}</text>'
        )
    parts.append(
        f'<text x="{_LABELS}" y="17" fill="#35618e">blue: the same answers</text>'
        f'<text x="{_LABELS + 160}" y="17" fill="#8a6116">brown: other answers</text>'
    )
    return "\n".join([*parts, "</svg>"]) + "\n"
