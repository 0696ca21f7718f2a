"""Join a file of sets and nothing else: ``join_sets.py SETS RESEMBLANCE``.

A process of its own, so that its peak memory is that of the join.
"""

from __future__ import annotations

import sys

import pyarrow as pa
import pyarrow.feather as feather

import ilk


def main() -> None:
    """Join once."""
    sets = feather.read_table(sys.argv[1], memory_map=True).column("set").chunk(0)
    found: pa.Table = ilk.sets.pairs(sets, float(sys.argv[2]), jobs=1)
    print(len(found))


if __name__ == "__main__":
    main()
