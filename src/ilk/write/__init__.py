"""Step 6: results and kept rows, as files that appear complete or not at all.

One module, one concept:

- ``results``: clusters and pairs with the names people know
- ``rows``: rows of a data set as they were read
- ``accounts``: what was dropped, and why, as files
- ``pages``: the templates, and how they are rendered; ``plots``: the geometry of plots
- ``report``, ``plagiarism``, ``passages``, ``side_by_side``: pages of families, of words that are
  elsewhere, of passages and of two texts
- ``notebook``, ``figures``: output in notebooks
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ilk.base.lazy import loader

if TYPE_CHECKING:
    from ilk.base.whole import check, files, whole_file
    from ilk.read.rows.writers import CODECS, packed_file
    from ilk.write.results import (
        cluster_records,
        duplicates,
        named_clusters,
        named_pairs,
        named_rows,
        plain_rows,
        shares,
        write_csv,
        write_jsonl,
        write_lines,
        write_parquet,
    )

__all__ = [
    "CODECS",
    "check",
    "cluster_records",
    "duplicates",
    "files",
    "named_clusters",
    "named_pairs",
    "named_rows",
    "packed_file",
    "plain_rows",
    "shares",
    "whole_file",
    "write_csv",
    "write_jsonl",
    "write_lines",
    "write_parquet",
]

if not TYPE_CHECKING:
    __getattr__ = loader(
        __name__,
        {
            "ilk.base.whole": ("check", "files", "whole_file"),
            ".results": (
                "cluster_records",
                "duplicates",
                "named_clusters",
                "named_pairs",
                "named_rows",
                "plain_rows",
                "shares",
                "write_csv",
                "write_jsonl",
                "write_lines",
                "write_parquet",
            ),
            "ilk.read.rows.writers": ("CODECS", "packed_file"),
        },
    )
