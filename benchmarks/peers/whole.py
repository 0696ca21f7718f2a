"""One package's deduplication of a file of JSON lines: ``whole.py IN OUT``.

Runs in the packages' own environment. Daft makes 128 minima of three words a shingle, in 16 bands
of 8, and what meets in a band is of one kind; the first of a kind stays. ``OUT`` is a folder.
"""

from __future__ import annotations

import sys
from importlib import import_module

import numpy as np

_MINIMA, _ROWS, _WORDS = 128, 8, 3


def main(source: str, output: str) -> None:
    """Deduplicate ``source`` and write what stays to a folder."""
    daft = import_module("daft")
    rows = daft.read_json(source)
    minima = rows.select(
        rows["text"].minhash(num_hashes=_MINIMA, ngram_size=_WORDS).alias("minima")
    ).to_arrow()
    column = minima.column("minima").combine_chunks()
    values = np.asarray(column.flatten(), np.uint32).reshape(len(column), _MINIMA)
    bands = [
        np.unique(np.ascontiguousarray(band).view(f"V{4 * _ROWS}").ravel(), return_inverse=True)[1]
        for band in np.split(values, _MINIMA // _ROWS, axis=1)
    ]
    kinds, before = np.arange(len(values)), None
    while before is None or (kinds != before).any():
        before = kinds.copy()
        for band in bands:
            least = np.full(band.max(initial=0) + 1, len(values))
            np.minimum.at(least, band, kinds)
            kinds = np.minimum(kinds, least[band])
    kept = kinds == np.arange(len(values))
    read = daft.read_json(source).to_arrow()
    daft.from_arrow(read.filter(kept)).write_json(output)


if __name__ == "__main__":
    main(*sys.argv[1:])
