"""The folder of accounts beside a deduplicated data set: what was dropped, and why."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk.arrow import flat, verdicts
from ilk.base import resources
from ilk.base.errors import OutputError, reason_of_error
from ilk.base.whole import (
    identify_existing_files,
    is_stream_or_device,
    refuse_overwriting,
    whole_file,
)
from ilk.read.rows.sources import Rejected
from ilk.read.rows.writing import Output
from ilk.write.results import write_jsonl, write_parquet

#: The files in it.
CLUSTERS, PAIRS, DROPPED = "clusters.parquet", "pairs.parquet", "dropped.parquet"
REPORT, PAGE, REJECTED = "report.json", "report.html", "rejected.jsonl"
CUTS, ORIGINALS = "cuts.parquet", "originals.jsonl"


def account_folder_beside_output_or_none(output: Output | None) -> Path | None:
    """Return the folder of accounts for an output; None beside a device, a pipe or an open file."""
    if not isinstance(output, str | os.PathLike) or is_stream_or_device(output):
        return None
    return Path(f"{os.fspath(output).rstrip('/')}.ilk")


def refuse_account_over_inputs(folder: Path, input_files: Iterable[str]) -> None:
    """Refuse a folder of accounts in which a file would replace an input file."""
    names = list(input_files)
    for name in (CLUSTERS, PAIRS, DROPPED, REPORT, PAGE, REJECTED, CUTS, ORIGINALS):
        refuse_overwriting(folder / name, force=True, inputs=lambda: identify_existing_files(names))


def write_parquet_tables_and_report(
    folder: Path, tables: Mapping[str, pa.Table | pa.RecordBatchReader], report: Mapping[str, Any]
) -> None:
    """Write tables by the names of their files, and a report; make the folder if it is missing.

    Raises:
        OutputError: it cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot make the folder {folder}: {reason_of_error(error)}.") from error
    for name, table in tables.items():
        with whole_file(folder / name) as out:
            write_parquet(table, out, {})
    with whole_file(folder / REPORT) as out:
        out.write(json.dumps(report, indent=2, ensure_ascii=False).encode() + b"\n")


def write_clusters_dropped_pairs_report_rejected(
    folder: Path,
    cluster_rows: pa.Table,
    rejected_rows: Iterable[Rejected],
    report: Mapping[str, Any],
) -> None:
    """Write all but the page, each complete or not at all; an OutputError if one cannot be
    written.

    ``cluster_rows``: the clusters, from ``rows_for_account``.
    """
    dropped = pc.is_valid(cluster_rows["policy"])
    near = pc.and_not(dropped, pc.is_in(cluster_rows["verdict"], pa.array(verdicts.COPIES)))
    resources.release_freed_memory()
    write_parquet_tables_and_report(folder, {CLUSTERS: cluster_rows}, report)
    for name, rows in ((DROPPED, dropped), (PAIRS, near)):
        with whole_file(folder / name) as out:
            write_parquet(cluster_rows, out, {}, flat(rows))
    (folder / REJECTED).unlink(missing_ok=True)
    if lines := [
        {
            "source": row.source,
            row.unit: row.at,
            "reason": row.reason,
            "content": row.data.rstrip(b"\r\n").decode("utf-8", "backslashreplace"),
        }
        for row in rejected_rows
    ]:
        with whole_file(folder / REJECTED) as out:
            write_jsonl(iter(lines), out)


def write_report_page(folder: Path, html: str) -> None:
    """Write the page, complete or not at all; an OutputError if it cannot be written."""
    with whole_file(folder / PAGE) as out:
        out.write(html.encode("utf-8", "backslashreplace"))
