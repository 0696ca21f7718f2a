"""The exact join of a billion fingerprints in a mapped file: ``python -m benchmarks.billion``.

The file is written first: random numbers; one in a thousand is made a neighbour, 0 to 3
bits away, of another. A process of its own joins it in bounded memory; every planted pair must be
among those found.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks import rows, timing
from benchmarks.hamming import Bits
from benchmarks.kept import RESULTS, keep
from benchmarks.rows import Row, WrongAnswerError

RADIUS = 3

#: One in this many is a neighbour of another.
_PLANTED = 1000
#: Fingerprints that are drawn at a time; a multiple of the share that is planted.
_DRAWN = 10_000_000

#: The join of a file, as a process of its own.
JOIN = Path(__file__).with_name("billion_join.py")


def main() -> int:
    """Write, join, check, print, and keep if asked."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.billion",
        description=f"Joins fingerprints that are random but for planted pairs, at {RADIUS} bits.",
    )
    parser.add_argument("--count", type=int, default=10**9, help="how many (10^9)")
    parser.add_argument("--memory", default="11GB", help="what the join may work in (11GB)")
    parser.add_argument("--folder", help="where the file is written, 8 bytes a fingerprint")
    parser.add_argument("--save", action="store_true", help=f"keep the figures in {RESULTS.name}/")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        found = run(args.count, args.memory, Path(folder))
    print("\n".join(rows.lines(found)))
    if args.save:
        print(f"kept in {keep(found, 'billion-')}", file=sys.stderr)
    return 0


def run(count: int, memory: str, folder: Path) -> list[Row]:
    """CPU seconds and peak memory of the join.

    Raises:
        WrongAnswerError: a planted pair is not among those found.
    """
    column, pairs, told = folder / "column", folder / "pairs.npy", folder / "told.json"
    planted = write(column, count)
    cost = timing.command([sys.executable, JOIN, column, str(RADIUS), memory, pairs, told])
    found = np.load(pairs)
    missing = len(planted) - int(np.isin(planted, found).sum())
    if missing:
        raise WrongAnswerError(f"{missing:,} of {len(planted):,} planted pairs are missing.")
    facts = json.loads(told.read_text())
    name = f"billion: {count:,} of 64 bits, radius {RADIUS}, memory_limit {memory}"
    return [
        Row(f"{name}, rounds: 1", cost.cpu, "CPU-s", target="<= 150 CPU-s at 10^9"),
        Row(f"{name}, peak memory", cost.peak / 1e9, "GB", target="<= 20 GB at 10^9"),
        Row(f"{name}, peak memory, the mapped file apart", facts["own"] / 1e9, "GB"),
        Row(f"{name}, seconds as planned", facts["planned"], "CPU-s"),
        Row(f"{name}, slices", facts["slices"], "slices"),
        Row(f"{name}, planted pairs, all found", len(planted), "pairs"),
        Row(f"{name}, pairs", len(found), "pairs"),
    ]


def write(path: Path, count: int) -> Bits:
    """Write fingerprints, and tell the planted pairs, as numbers ``left * 2**32 + right``."""
    random = np.random.default_rng(9)
    column = np.memmap(path, np.uint64, "w+", shape=(count,))
    for start in range(0, count, _DRAWN):
        drawn = column[start : start + _DRAWN]
        drawn[:] = random.integers(0, 1 << 64, len(drawn), np.uint64)
    # The neighbour of the first of every thousand is the second of another thousand, far away.
    origins = np.arange(0, count, _PLANTED, dtype=np.uint64)
    neighbours = np.roll(origins, len(origins) // 3) + np.uint64(1)
    column[neighbours] = column[origins] ^ _errors(len(origins), random)
    column.flush()
    planted: Bits = np.minimum(origins, neighbours) << np.uint64(32)
    planted |= np.maximum(origins, neighbours)
    return planted


def _errors(count: int, random: np.random.Generator) -> Bits:
    """Numbers of 0, 1, 2 and 3 ones in turn."""
    first = random.integers(0, 64, count)
    places = (first, first + random.integers(1, 32, count), first + random.integers(32, 64, count))
    errors = np.zeros(count, np.uint64)
    for at, place in enumerate(places):
        bit = np.uint64(1) << (place % 64).astype(np.uint64)
        errors |= np.where(np.arange(count) % (RADIUS + 1) > at, bit, np.uint64(0))
    return errors


if __name__ == "__main__":
    sys.exit(main())
