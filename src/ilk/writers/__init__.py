"""Step 6: what was found, and the rows that are kept, as files that appear whole or not at all.

One module, one concept:

- ``results``: clusters and pairs with the names people know
- ``rows``: rows of a data set as they were read
- ``accounts``, ``page``: what was dropped, and why, as files and as a page
"""

from __future__ import annotations

from ilk.system.whole import check, whole_file
from ilk.writers.results import (
    cluster_records,
    named_clusters,
    named_pairs,
    named_rows,
    plain_rows,
    write_csv,
    write_jsonl,
    write_lines,
    write_parquet,
)

__all__ = [
    "check",
    "cluster_records",
    "named_clusters",
    "named_pairs",
    "named_rows",
    "plain_rows",
    "whole_file",
    "write_csv",
    "write_jsonl",
    "write_lines",
    "write_parquet",
]
