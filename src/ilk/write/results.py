"""Clusters and pairs with the names people know, as JSONL, CSV, Parquet, or text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk.arrow import flat, verdicts

#: The columns of written clusters, in order.
_SHARED = ("distance", "resemblance", "contained_in_keeper", "contains_keeper")
#: The kind of clusters of empty files.
EMPTY = "empty"

#: The measure of noisy copies, if those were looked for.
NOISE = "agreement"

_NAMES = ("family", "cluster", "kind", "keeper", "also_like", "also_resemblance")


def named_clusters(
    documents: pa.Table,
    members: pa.Table,
    sort: str | None = None,
    top: int | None = None,
    *,
    numbered: bool = False,
) -> pa.Table:
    """Return one row per member with the names people know.

    Args:
        documents: with ``source`` and, if the source has them, ``id``.
        members: ``CLUSTERS`` of those documents.
        sort: ``size``: the families of most documents first, and in them the largest clusters;
            ``bytes``: those with most bytes besides their keepers; ``name``: by the name of a
            family's first document, numbers in it by their value; None: by row. Empty files come
            last in any order.
        top: how many families; None for all.
        numbered: whether to add the columns ``doc`` and ``stays`` (whether it is the keeper).

    Returns:
        ``family``, ``cluster``, its ``kind``, ``keeper`` (a source), ``also_like`` (a source) and
        ``also_resemblance``, ``source``, ``id``, ``verdict``, ``distance``, ``resemblance``,
        ``contained_in_keeper``, ``contains_keeper``, ``size`` in bytes; in a cluster by row.
    """
    docs, keepers = flat(members["doc"]), flat(members["keeper"])
    also = _of_cluster(members, "also_like")
    sources = flat(documents["source"])
    rows = pa.table(
        {
            "family": members["family"],
            "cluster": members["cluster"],
            "kind": _kinds(members),
            "keeper": sources.take(keepers),
            "also_like": sources.take(also),
            "also_resemblance": _of_cluster(members, "also_resemblance"),
            "source": sources.take(docs),
            "id": flat(documents["id"]).take(docs),
            "verdict": members["verdict"],
            **_measures(members),
            **_sizes(documents, docs),
            "doc": docs,
            "stays": pc.equal(docs, keepers),
        }
    )
    if "size" in rows.column_names:
        empty = pc.fill_null(pc.and_(pc.equal(rows["size"], 0), pc.is_valid(rows["kind"])), False)
        at = rows.schema.get_field_index("kind")
        rows = rows.set_column(at, "kind", pc.if_else(empty, EMPTY, rows["kind"]))
    rows = _sorted(rows, sort, top)
    return rows if numbered else rows.drop_columns(["doc", "stays"])


def written_rows(members: pa.Table) -> pa.Table:
    """Return the same for the rows of a data set, with their numbers, as in files.

    Args:
        members: the clusters of ``deduplicate``.

    Returns:
        The columns of ``named_rows``, and ``doc``, ``keeper_doc``, ``keeper_id`` and
        ``also_like_doc``.
    """
    rows = _rows(members).drop_columns("stays")
    more = {"keeper_doc": "keeper", "keeper_id": "keeper_id", "also_like_doc": "also_like"}
    for name, of in more.items():
        rows = rows.append_column(name, members[of])
    return rows


def named_rows(
    members: pa.Table, sort: str | None = None, top: int | None = None, *, numbered: bool = False
) -> pa.Table:
    """Return the same for the rows of a data set, with the ``policy`` that chose the keeper.

    Args:
        members: the clusters of ``deduplicate``.
        sort, top, numbered: as for ``named_clusters``.
    """
    rows = _sorted(_rows(members), sort, top)
    return rows if numbered else rows.drop_columns(["doc", "stays"])


def _rows(members: pa.Table) -> pa.Table:
    """Return the rows of a data set, in their order, with the names people know."""
    return pa.table(
        {
            "family": members["family"],
            "cluster": members["cluster"],
            "kind": _kinds(members),
            "keeper": members["keeper_source"],
            "also_like": _of_cluster(members, "also_like_source"),
            "also_resemblance": _of_cluster(members, "also_resemblance"),
            **{name: members[name] for name in ("source", "id", "verdict")},
            **_measures(members),
            "policy": members["policy"],
            "doc": members["doc"],
            "stays": members["policy"].is_null(),
        }
    )


def _measures(members: pa.Table) -> dict[str, pa.ChunkedArray]:
    """Return the measures of members against their keepers, including noise if it was looked
    for.
    """
    return {name: members[name] for name in (*_SHARED, NOISE) if name in members.column_names}


def _sizes(documents: pa.Table, docs: pa.Array) -> dict[str, pa.Array]:
    """Return the bytes of documents, if they are known: those of rows are not."""
    if "size" not in documents.column_names or not documents["size"].null_count < len(documents):
        return {}
    return {"size": flat(documents["size"]).take(docs)}


def _of_cluster(members: pa.Table, name: str) -> pa.Array:
    """Return for each member the keeper's value in a column."""
    known = members.filter(members[name].is_valid())
    at = pc.index_in(members["cluster"], value_set=flat(known["cluster"]))
    return flat(known[name]).take(flat(at))


def _kinds(members: pa.Table) -> pa.Array:
    """Return for each member the kind of its cluster: that of the member least like the keeper.

    For a document alone in its cluster, that of the pair in ``also_like``.
    """
    kinds = pa.array([*verdicts.SAME, verdicts.KEY])
    also = _of_cluster(members, "also_verdict")
    counts = pc.value_counts(members["cluster"])
    at = pc.index_in(members["cluster"], value_set=counts.field(0))
    alone = pc.equal(counts.field(1).take(flat(at)), 1)
    words = pc.if_else(alone, pc.coalesce(also, flat(members["verdict"])), flat(members["verdict"]))
    rank = pc.index_in(words, value_set=kinds)
    # Members found by bits alone, and connected ones, are less than near.
    near = pa.scalar(verdicts.SAME.index(verdicts.NEAR), pa.int32())
    other = pc.starts_with(words, verdicts.WITHIN)
    rank = pc.if_else(other, len(kinds), pc.fill_null(rank, near))
    worst = pa.table({"cluster": members["cluster"], "rank": rank}).group_by(
        "cluster", use_threads=False
    )
    worst = worst.aggregate([("rank", "max")])
    bits = words.filter(other)
    kinds = pa.concat_arrays([kinds, bits.slice(0, 1) if len(bits) else pa.array([verdicts.NEAR])])
    place = pc.index_in(members["cluster"], value_set=flat(worst["cluster"]))
    return kinds.take(flat(worst["rank_max"].take(place)))


def _sorted(rows: pa.Table, sort: str | None, top: int | None) -> pa.Table:
    """Return named members in the order to show."""
    order = [("family", "ascending"), ("cluster", "ascending"), ("doc", "ascending")]
    if sort == "bytes" and "size" in rows.column_names:
        rows = rows.append_column("family_bytes", _bytes_besides_keepers(rows))
        order[:0] = [("family_bytes", "descending")]
    if sort == "size":
        for name in ("family", "cluster"):
            counts = pc.value_counts(rows[name])
            at = pc.index_in(rows[name], value_set=counts.field(0))
            rows = rows.append_column(f"{name}_size", counts.field(1).take(flat(at)))
        order[1:1] = [("cluster_size", "descending")]
        order[:0] = [("family_size", "descending")]
    elif sort == "name":
        rows = rows.append_column("place", _places(rows))
        order[:0] = [("place", "ascending")]
    if "size" in rows.column_names:
        rows = rows.append_column("is_empty", pc.equal(rows["kind"], EMPTY))
        order[:0] = [("is_empty", "ascending")]
    rows = rows.sort_by(order)
    if top is not None:
        first = pc.unique(rows["family"])[:top]
        rows = rows.filter(pc.is_in(rows["family"], value_set=first))
    return rows.select([name for name in rows.column_names if name not in _HELPING])


#: Columns only for sorting.
_HELPING = ("family_size", "cluster_size", "family_bytes", "is_empty", "place")


def _bytes_besides_keepers(rows: pa.Table) -> pa.Array:
    """Return for each member the bytes of its family that are no keeper's."""
    sizes = pc.if_else(rows["stays"], 0, pc.fill_null(rows["size"], 0))
    table = pa.table({"family": rows["family"], "size": sizes}).group_by(
        "family", use_threads=False
    )
    sums = table.aggregate([("size", "sum")])
    at = pc.index_in(rows["family"], value_set=flat(sums["family"]))
    return flat(sums["size_sum"]).take(flat(at))


def _places(rows: pa.Table) -> pa.Array:
    """Return for each member the rank of its family by the name of its first document."""
    firsts = rows.sort_by("doc").group_by("family", use_threads=False)
    firsts = firsts.aggregate([("source", "first")])
    names = firsts["source_first"].to_pylist()
    order = sorted(range(len(names)), key=lambda at: _natural(names[at]))
    at = pc.index_in(
        rows["family"], value_set=flat(firsts["family"].take(pa.array(order, pa.int64())))
    )
    return flat(at)


def _natural(name: str) -> list[tuple[int, str]]:
    """Return a name in parts that sort numbers by value.

    >>> sorted(["a#10", "a#2"], key=_natural)
    ['a#2', 'a#10']
    """
    return [
        (int(part), part) if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)
    ]


def named_pairs(documents: pa.Table, pairs: pa.Table) -> pa.Table:
    """Return the pairs with sources for rows."""
    for side in ("left", "right"):
        at = pairs.schema.get_field_index(side)
        pairs = pairs.set_column(at, side, documents["source"].take(flat(pairs[side])))
    return pairs


#: What CSV and Parquet say of words that are elsewhere: a row per document and source.
_SHARES = pa.schema(
    {
        "source": pa.string(),
        "words": pa.int64(),
        "elsewhere": pa.int64(),
        "quoted": pa.int64(),
        "cited": pa.int64(),
        "share": pa.float64(),
        "from": pa.string(),
        "from_words": pa.int64(),
        "from_quoted": pa.int64(),
        "from_cited": pa.int64(),
    }
)


def shares(copied: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Return which words of documents are elsewhere, a row for each document and each source."""
    rows = [
        {
            **{name: one[name] for name in _SHARES.names if name in one},
            "from": each["source"],
            **{f"from_{name}": each[name] for name in ("words", "quoted", "cited")},
        }
        for one in copied
        for each in one["sources"]
    ]
    return pa.Table.from_pylist(rows, _SHARES)


def cluster_records(named: pa.Table) -> Iterator[dict[str, Any]]:
    """Yield one record per cluster, with its members in a list."""
    for _, rows in groupby(plain_rows(named), key=lambda row: row["cluster"]):
        members = list(rows)
        whole = {name: members[0][name] for name in _NAMES}
        also = {"source": whole.pop("also_like"), "resemblance": whole.pop("also_resemblance")}
        yield whole | {
            "also_like": None if also["source"] is None else also,
            "members": [
                {k: v for k, v in row.items() if k not in _NAMES and (k != "id" or v is not None)}
                for row in members
            ],
        }


def duplicates(
    documents: pa.Table, members: pa.Table, sort: str | None = None, top: int | None = None
) -> Iterator[dict[str, Any]]:
    """Yield one record per member that is not the keeper of its cluster.

    Args:
        documents, members, sort, top: as for ``named_clusters``.
    """
    rows = named_clusters(documents, members, sort, top, numbered=True)
    rows = rows.filter(pc.invert(rows["stays"]))
    own = ["source", "id", "keeper", "family", "cluster", "verdict", *_measures(rows)]
    for row in plain_rows(rows.select(own)):
        if row["id"] is None:
            del row["id"]
        yield row


def plain_rows(table: pa.Table) -> Iterator[dict[str, Any]]:
    """Yield one record per row."""
    for batch in table.to_batches(max_chunksize=10_000):
        yield from batch.to_pylist()


def write_jsonl(lines: Iterator[Mapping[str, Any]], out: IO[bytes]) -> None:
    """Write one JSON object per line, in UTF-8."""
    for line in lines:
        out.write(json.dumps(line, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n")


def write_lines(lines: Iterator[str], out: IO[bytes]) -> None:
    """Write lines of text, in UTF-8."""
    for line in lines:
        out.write(line.encode("utf-8", "backslashreplace") + b"\n")


def write_csv(table: pa.Table, out: IO[bytes]) -> None:
    """Write a header and one row per line, in UTF-8."""
    import pyarrow.csv

    pyarrow.csv.write_csv(table, out)


def write_parquet(table: pa.Table, out: IO[bytes], report: Mapping[str, Any]) -> None:
    """Write a Parquet file, with the report in its metadata under ``ilk.report``."""
    import pyarrow.parquet

    note = {b"ilk.report": json.dumps(report).encode()}
    pyarrow.parquet.write_table(table.replace_schema_metadata(note), out, compression="zstd")
