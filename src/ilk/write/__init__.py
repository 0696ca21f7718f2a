"""The write step: results and pages, as files that appear complete or not at all.

- ``results``: clusters and pairs with the names people know
- ``accounts``: the folder beside kept rows, which says what was dropped and why
- ``sarif``: passages in the format of code reviews
- ``gains``, ``folder_lines``: what can go, and folders that stand in others, in sentences and as
  plain values
- ``report``, ``plagiarism``, ``side_by_side``: pages; ``families``, ``pages``, ``plots``: what they
  share
- ``notebook``, ``pictures``: output in notebooks, and plots by matplotlib

Kept rows are written by the sources that read them (``ilk.read.rows.writing``).
"""

from __future__ import annotations

from ilk.base.lazy import lazy_attributes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ilk.base.compression import CODECS, whole_file_compressed_by_name
    from ilk.base.whole import (
        refuse_unwritable,
        identify_existing_files,
        is_stream_or_device,
        whole_file,
    )
    from ilk.write.folder_lines import plain_folders, spell_folders
    from ilk.write.gains import spell_gains, plain_gains_and_total_dropped
    from ilk.write.results import (
        cluster_records,
        duplicate_records,
        clusters_with_sources,
        pairs_with_sources,
    )
    from ilk.write.plagiarism import table_of_copied_words_by_source
    from ilk.write.results import plain_rows
    from ilk.write.results import write_csv, write_jsonl, write_lines, write_parquet
else:
    _PLACES = {
        # Names, by scripts/make-signatures.
        "CODECS": "ilk.base.compression:CODECS",
        "whole_file_compressed_by_name": "ilk.base.compression:whole_file_compressed_by_name",
        "refuse_unwritable": "ilk.base.whole:refuse_unwritable",
        "identify_existing_files": "ilk.base.whole:identify_existing_files",
        "is_stream_or_device": "ilk.base.whole:is_stream_or_device",
        "whole_file": "ilk.base.whole:whole_file",
        "plain_folders": "ilk.write.folder_lines:plain_folders",
        "spell_folders": "ilk.write.folder_lines:spell_folders",
        "spell_gains": "ilk.write.gains:spell_gains",
        "plain_gains_and_total_dropped": "ilk.write.gains:plain_gains_and_total_dropped",
        "cluster_records": "ilk.write.results:cluster_records",
        "duplicate_records": "ilk.write.results:duplicate_records",
        "clusters_with_sources": "ilk.write.results:clusters_with_sources",
        "pairs_with_sources": "ilk.write.results:pairs_with_sources",
        "table_of_copied_words_by_source": "ilk.write.plagiarism:table_of_copied_words_by_source",
        "plain_rows": "ilk.write.results:plain_rows",
        "write_csv": "ilk.write.results:write_csv",
        "write_jsonl": "ilk.write.results:write_jsonl",
        "write_lines": "ilk.write.results:write_lines",
        "write_parquet": "ilk.write.results:write_parquet",
        # End of what is written.
    }
    __getattr__ = lazy_attributes(__name__, _PLACES)
