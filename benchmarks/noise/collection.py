"""10,000 real documents, and 300 of their texts scanned at about 1, 3, 6 and 10 % wrong characters.

The documents are of the corpus of the other benchmarks: software documentation, full of relatives
(pages of one template, versions, articles on one subject). The scans are made by Tesseract, a few
tries each, until about the wanted share of characters is wrong; what is measured is kept.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks import corpus
from benchmarks.noise.scanned import scanned
from ilk.search.noise_evidence import measure_whole_and_within_agreement

#: How many documents there are, and how many of them are scanned.
DOCUMENTS, SCANS = 10_000, 300

#: The shares of wrong characters that are aimed at, and the harm to begin with.
LEVELS = {0.01: 1.45, 0.03: 1.6, 0.06: 1.7, 0.1: 1.8}

#: Tries until a scan has about the wanted share.
_TRIES = 5

#: Characters of the beginnings and ends that a page of a template shares with others.
_EDGE, _OTHERS = 30, 6


@dataclass(frozen=True, slots=True)
class Scan:
    """A text that was scanned.

    Attributes:
        row: of the document.
        target, errors: the share of wrong characters aimed at, and the one measured.
        harm: what was done to the page.
        text: what was read.
    """

    row: int
    target: float
    errors: float
    harm: float
    text: str


def documents() -> list[str]:
    """Return the documents, in an order drawn once."""
    texts: list[str] = corpus.distinct().texts.to_pylist()
    random.Random(28).shuffle(texts)
    return texts[:DOCUMENTS]


def scans(texts: list[str], kept: Path) -> list[Scan]:
    """Return the scans; those that a file holds are not made again.

    Args:
        texts: the documents.
        kept: the file, a line a scan; it grows as scans are made.
    """
    lines = kept.read_text().splitlines() if kept.exists() else []
    known = {scan.row: scan for scan in (Scan(**json.loads(line)) for line in lines)}
    guesses = dict(LEVELS)
    with kept.open("a") as out:
        for number, row in enumerate(chosen(texts)):
            target = list(LEVELS)[number % len(LEVELS)]
            if row in known:
                continue
            scan = known[row] = _aimed(texts[row], row, target, guesses[target])
            guesses[target] += 0.2 * (scan.harm - guesses[target])
            out.write(json.dumps(asdict(scan)) + "\n")
            out.flush()
    return [known[row] for row in chosen(texts)]


def chosen(texts: list[str]) -> list[int]:
    """Return the documents that are scanned: prose of a page, and few of one template."""
    begins = Counter(_edge(text) for text in texts)
    ends = Counter(_edge(text[::-1]) for text in texts)
    rows = (
        row
        for row, text in enumerate(texts)
        if 500 <= len(text) <= 1900
        and sum(c.isalpha() or c == " " for c in text) >= 0.82 * len(text)
        and len(text.split()) >= 80
        and begins[_edge(text)] <= _OTHERS
        and ends[_edge(text[::-1])] <= _OTHERS
    )
    return [row for row, _ in zip(rows, range(SCANS), strict=False)]


def _edge(text: str) -> str:
    return "".join(_letters(text[:200]))[:_EDGE]


def _letters(text: str) -> Iterator[str]:
    return (c for c in text.casefold() if c.isalnum())


def _aimed(text: str, row: int, target: float, harm: float) -> Scan:
    """Return the scan whose share of wrong characters is nearest to the wanted one."""
    best, low, high = None, 1.0, 2.4
    for _ in range(_TRIES):
        read = scanned(text, harm, row)
        scan = Scan(row, target, 1 - measure_whole_and_within_agreement(text, read)[0], harm, read)
        if best is None or abs(scan.errors - target) < abs(best.errors - target):
            best = scan
        if abs(scan.errors - target) <= 0.3 * target:
            break
        low, high = (harm, high) if scan.errors < target else (low, harm)
        harm = (low + high) / 2 if low > 1 and high < 2.4 else harm + (0.1 if low > 1 else -0.1)
    assert best is not None, "there is at least one try"
    return best
