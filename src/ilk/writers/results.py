"""Clusters and pairs with the names people know, as JSONL, CSV, Parquet, or to be read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk.columns import flat, verdicts


def named_clusters(documents: pa.Table, members: pa.Table) -> pa.Table:
    """Return a row per member: cluster, kind, keeper, source, id and measures; sorted by source.

    Args:
        documents: with ``source`` and, where the source gave them, ``id``.
        members: ``CLUSTERS`` of those documents.
    """
    docs, keepers = flat(members["doc"]), flat(members["keeper"])
    sources = documents["source"]
    rows = pa.table(
        {
            "cluster": members["cluster"],
            "kind": _kinds(members),
            "keeper": sources.take(keepers),
            "source": sources.take(docs),
            "id": documents["id"].take(docs),
            "distance": members["distance"],
            "resemblance": members["resemblance"],
            "contained_in_keeper": members["contained_in_keeper"],
            "contains_keeper": members["contains_keeper"],
            "doc": docs,
        }
    )
    order = [("cluster", "ascending"), ("source", "ascending"), ("doc", "ascending")]
    return rows.sort_by(order).drop_columns("doc")


def named_rows(members: pa.Table) -> pa.Table:
    """Return the same of the rows of a data set, which have their names and the policy already.

    Args:
        members: as ``deduplicate`` gives clusters.
    """
    rows = members.sort_by([("cluster", "ascending"), ("doc", "ascending")])
    same = ("source", "id", "distance", "resemblance", "contained_in_keeper", "contains_keeper")
    rows = rows.append_column("kind", _kinds(rows))
    names = ["cluster", "kind", "keeper_source", *same, "verdict", "policy"]
    rows = rows.select(names)
    return rows.rename_columns(["keeper" if name == "keeper_source" else name for name in names])


def _kinds(members: pa.Table) -> pa.Array:
    """Return per member what its cluster is: as alike as its member least like the keeper."""
    kinds = pa.array([verdicts.IDENTICAL, verdicts.EXACT, verdicts.NEAR])
    rank = pc.fill_null(pc.index_in(members["verdict"], value_set=kinds), 2)
    worst = pa.table({"cluster": members["cluster"], "rank": rank}).group_by("cluster")
    worst = worst.aggregate([("rank", "max")])
    at = pc.index_in(members["cluster"], value_set=flat(worst["cluster"]))
    return kinds.take(flat(worst["rank_max"].take(at)))


def named_pairs(documents: pa.Table, pairs: pa.Table) -> pa.Table:
    """Return the pairs with sources for rows."""
    for side in ("left", "right"):
        at = pairs.schema.get_field_index(side)
        pairs = pairs.set_column(at, side, documents["source"].take(flat(pairs[side])))
    return pairs


def cluster_records(named: pa.Table) -> Iterator[dict[str, Any]]:
    """Yield one record per cluster, its members in a list."""
    whole = ("cluster", "kind", "keeper")
    for _, rows in groupby(plain_rows(named), key=lambda row: row["cluster"]):
        members = list(rows)
        yield {name: members[0][name] for name in whole} | {
            "members": [
                {k: v for k, v in row.items() if k not in whole and (k != "id" or v is not None)}
                for row in members
            ]
        }


def plain_rows(table: pa.Table) -> Iterator[dict[str, Any]]:
    """Yield one record per row."""
    for batch in table.to_batches(max_chunksize=10_000):
        yield from batch.to_pylist()


def write_jsonl(lines: Iterator[Mapping[str, Any]], out: IO[bytes]) -> None:
    """Write one JSON object a line, in UTF-8."""
    for line in lines:
        out.write(json.dumps(line, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n")


def write_lines(lines: Iterator[str], out: IO[bytes]) -> None:
    """Write lines to be read, in UTF-8."""
    for line in lines:
        out.write(line.encode("utf-8", "backslashreplace") + b"\n")


def write_csv(table: pa.Table, out: IO[bytes]) -> None:
    """Write a header and one row a line, in UTF-8."""
    import pyarrow.csv

    pyarrow.csv.write_csv(table, out)


def write_parquet(table: pa.Table, out: IO[bytes], report: Mapping[str, Any]) -> None:
    """Write a Parquet file; the report stands in its metadata under ``ilk.report``."""
    import pyarrow.parquet

    note = {b"ilk.report": json.dumps(report).encode()}
    pyarrow.parquet.write_table(table.replace_schema_metadata(note), out, compression="zstd")
