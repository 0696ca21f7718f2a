"""Join a file of fingerprints: ``billion_join.py COLUMN RADIUS MEMORY PAIRS TOLD``.

A process of its own, so that its CPU time and its peak memory are those of the join. The pairs go
to PAIRS as numbers ``left * 2**32 + right``; what it took, the pages of the mapped file apart, and
what was planned, to TOLD.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

import ilk
from ilk import _kernels
from ilk.base.kinds import Size


def main() -> None:
    """Join once."""
    column, radius, memory, pairs, told = sys.argv[1:]
    fingerprints = np.memmap(column, np.uint64, "r")
    ilk.hamming.pairs(fingerprints[:2], int(radius))  # What the first join loads is not counted.
    peaks = [_own()]
    found = ilk.hamming.pairs(
        fingerprints,
        int(radius),
        memory=memory,
        jobs=1,
        progress=lambda _share: peaks.append(_own()),
    )
    left, right = (found[side].to_numpy().astype(np.uint64) for side in ("left", "right"))
    np.save(pairs, left << np.uint64(32) | right)
    room = Size().check("memory", memory)
    plan = _kernels.plan_hamming_join(len(fingerprints), 64, int(radius), room)
    facts = {
        "own": max(peaks),
        "before": peaks[0],
        "planned": plan.seconds,
        "slices": plan.slices,
    }
    Path(told).write_text(json.dumps(facts))


def _own() -> int:
    """Bytes of memory that are not pages of a file; 0 where the system does not tell."""
    status = Path("/proc/self/status")
    if not status.is_file():
        return 0
    lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
    return int(lines["RssAnon"].split()[0]) * 1024


if __name__ == "__main__":
    main()
