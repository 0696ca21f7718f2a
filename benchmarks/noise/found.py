"""What ilk and other packages find of scanned copies, and how much of what they find is right.

A pair of a scan and a document is right where the document is the one that was scanned, or a
near-duplicate of it. Recall is the share of the scans whose own document is found; precision that
of the pairs found that are right.
"""

from __future__ import annotations

import dataclasses
import datetime
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import ilk
from benchmarks import kept, machine
from benchmarks.noise.collection import LEVELS, Scan
from ilk import arrow
from ilk.search.counting import Counting
from ilk.search.evidence import Evidence
from ilk.search.evidence_joins import join_candidates_by_resemblance

#: The rates that are asked for.
RATES = ("2%", "5%", "10%")

#: Pairs of a scan (its number) and a document (its row).
Pairs = set[tuple[int, int]]


class Score(NamedTuple):
    """What was found of the scans of one level.

    scans, errors: how many there are, and the mean share of wrong characters.
    recall, precision: as above; pairs: how many were found.
    """

    scans: int
    errors: float
    recall: float
    precision: float
    pairs: int


def by_ilk(texts: list[str], scans: list[Scan], **options: Any) -> tuple[Pairs, float]:
    """Return the pairs that ilk finds, and the CPU seconds it takes; options as of ``ilk.find``."""
    begin = time.process_time()
    pairs = ilk.find(texts + [scan.text for scan in scans], jobs=1, **options).pairs
    seconds = time.process_time() - begin
    sides = zip(pairs["left"].to_pylist(), pairs["right"].to_pylist(), strict=True)
    first = len(texts)
    return {(right - first, left) for left, right in sides if left < first <= right}, seconds


def by_peer(name: str, texts: list[str], scans: list[Scan], python: Path) -> tuple[Pairs, float]:
    """Return what another package finds, run by the Python of its environment.

    Args:
        name: one of ``peers.PEERS``.
        texts, scans: as above.
        python: the interpreter.
    """
    with tempfile.TemporaryDirectory() as folder:
        given = Path(folder, "texts.json")
        given.write_text(json.dumps({"texts": texts, "scans": [scan.text for scan in scans]}))
        script = Path(__file__).with_name("peers.py")
        done = subprocess.run([python, script, name, given], capture_output=True, check=True)
    answer = json.loads(done.stdout)
    return {(scan, row) for scan, row in answer["pairs"]}, answer["seconds"]


def relatives(texts: list[str], scans: list[Scan]) -> dict[int, set[int]]:
    """Return per scanned document itself and its near-duplicates."""
    evidence = Evidence.from_texts(arrow.import_texts(texts), Counting(3), 1)
    left, right, _ = join_candidates_by_resemblance(evidence, Fraction(4, 5), 10**9)
    kin: dict[int, set[int]] = {scan.row: {scan.row} for scan in scans}
    for one, other in zip(left.to_pylist(), right.to_pylist(), strict=True):
        if one in kin:
            kin[one].add(other)
        if other in kin:
            kin[other].add(one)
    return kin


def scores(found: Pairs, scans: list[Scan], kin: dict[int, set[int]]) -> dict[float, Score]:
    """Return the score of every level."""
    return {level: _score(found, scans, kin, level) for level in LEVELS}


def _score(found: Pairs, scans: list[Scan], kin: dict[int, set[int]], level: float) -> Score:
    rows = {at: scan for at, scan in enumerate(scans) if scan.target == level}
    pairs = [pair for pair in found if pair[0] in rows]
    right = sum(row in kin[rows[at].row] for at, row in pairs)
    own = sum((at, scan.row) in found for at, scan in rows.items())
    return Score(
        len(rows),
        sum(scan.errors for scan in rows.values()) / max(1, len(rows)),
        own / max(1, len(rows)),
        right / len(pairs) if pairs else 1.0,
        len(pairs),
    )


def printed(name: str, found: dict[float, Score], seconds: float) -> Iterable[str]:
    """Yield lines of a table."""
    for level, score in found.items():
        yield (
            f"| {name} | {level:.0%} ({score.errors:.1%}) | {score.recall:.3f} | "
            f"{score.precision:.3f} | {score.pairs:,} | {seconds:.1f} |"
        )


def keep(results: dict[str, Any], scans: Sequence[Scan], documents: int) -> Path:
    """Write what was found, and the errors that were measured, to a file of their own."""
    now = datetime.datetime.now(datetime.UTC)
    path = kept.RESULTS / f"noise-{now:%Y-%m-%d}.json"
    said = {
        "measured": now.isoformat(timespec="seconds"),
        "machine": machine.description(),
        "documents": documents,
        "found": results,
        # What stands in the scans belongs to others.
        "scans": [
            {name: value for name, value in dataclasses.asdict(scan).items() if name != "text"}
            for scan in scans
        ],
    }
    path.write_text(json.dumps(said, indent=1) + "\n")
    return path


def main(arguments: list[str]) -> dict[str, Any]:
    """Measure, print a table, and keep the figures.

    Args:
        arguments: the file of scans, and perhaps the Python of an environment with the packages to
            compare with.
    """
    from benchmarks.noise import collection, peers

    texts = collection.documents()
    scans = collection.scans(texts, Path(arguments[0]))
    kin = relatives(texts, scans)
    print("| found by | wrong characters | recall | precision | pairs | CPU-s |")
    print("|---|---|---|---|---|---|")
    results: dict[str, Any] = {}

    def show(name: str, found: Pairs, seconds: float) -> None:
        score = scores(found, scans, kin)
        levels = {f"{level:g}": one._asdict() for level, one in score.items()}
        results[name] = {"seconds": round(seconds, 2), "levels": levels}
        print(*printed(name, score, seconds), sep="\n", flush=True)

    for rate in RATES:
        show(f"ilk, noise={rate}", *by_ilk(texts, scans, noise=rate))
    show("ilk, no noise", *by_ilk(texts, scans))
    simhash = by_ilk(texts, scans, similarity="90%", unverified=True)
    show("SimHash of words, 6 of 64 bits", *simhash)
    for name in peers.PEERS if len(arguments) > 1 else ():
        show(name, *by_peer(name, texts, scans, Path(arguments[1])))
    keep(results, scans, len(texts))
    return results


if __name__ == "__main__":
    main(sys.argv[1:])
