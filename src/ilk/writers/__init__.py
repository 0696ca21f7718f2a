"""Step 6: what was found, and the rows that are kept, as files that appear whole or not at all.

One module, one concept:

- ``results``: clusters and pairs with the names people know
- ``rows``: rows of a data set as they were read
- ``whole``: a file that takes its name when it is whole
"""

from __future__ import annotations

from ilk.system.whole import check, whole_file
from ilk.writers.results import (
    FORMATS,
    cluster_records,
    named_clusters,
    named_pairs,
    named_rows,
    records,
    write_csv,
    write_jsonl,
    write_lines,
    write_parquet,
)

__all__ = [
    "FORMATS",
    "check",
    "cluster_records",
    "named_clusters",
    "named_pairs",
    "named_rows",
    "records",
    "whole_file",
    "write_csv",
    "write_jsonl",
    "write_lines",
    "write_parquet",
]
