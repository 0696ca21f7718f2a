"""Step 6: results, kept rows and pages, as files that appear complete or not at all.

- ``results``: clusters and pairs with the names people know, and accounts of what was dropped
- ``gains``: what can go, in sentences and as plain values
- ``families``, ``report``, ``plagiarism``, ``side_by_side``: pages; ``pages`` and ``plots``: what
  they share
- ``notebook``, ``drawn``: output in notebooks, and plots by matplotlib
"""

from __future__ import annotations

from ilk.base.lazy import lazy_attributes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ilk.base.packing import CODECS, packed_file
    from ilk.base.whole import check, files, is_stream, whole_file
    from ilk.write.gains import gain_sentences, plain_gains
    from ilk.write.results import cluster_records, duplicates, named_clusters, named_pairs
    from ilk.write.plagiarism import shares
    from ilk.write.results import plain_rows
    from ilk.write.results import write_csv, write_jsonl, write_lines, write_parquet
else:
    __getattr__ = lazy_attributes(__name__)
