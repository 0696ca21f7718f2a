"""Clusters and pairs with the names people know, as JSONL, CSV, Parquet, or text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import groupby, islice
from typing import IO, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk.arrow import (
    count_rows_with_same_name,
    flat,
    greatest_values_with_same_name,
    replace_columns,
    verdicts,
)
from ilk.arrow.strings import is_text_or_null_type

#: The measures of written members, in order; the last is there if noisy copies were looked for.
_MEASURES = ("distance", "resemblance", "contained_in_keeper", "contains_keeper", "agreement")

#: The columns that are the same for all members of a cluster.
_NAMES = ("family", "cluster", "kind", "keeper", "also_like", "also_resemblance")

#: Rows of a group of a Parquet file.
_GROUP = 1 << 15

#: Lines that are written at once, and bytes of Parquet.
_LINES, _BYTES_AT_ONCE = 100, 1 << 20

#: How a text begins that a spreadsheet takes for a formula (OWASP, CSV injection); numbers.
_FORMULA, _SIGNED_NUMBER = r"^[=+\-@\t\r\n\x{FF1D}\x{FF0B}\x{FF0D}\x{FF20}]", r"^[+-]?\d[\d.]*$"

#: What goes before such a text, and what is between the two.
_APOSTROPHE, _NOTHING = pa.scalar("'", pa.large_string()), pa.scalar("", pa.large_string())

#: The kind of clusters of empty files.
EMPTY = "empty"


def clusters_with_sources(
    documents: pa.Table,
    members: pa.Table,
    sort: str | None = None,
    top: int | None = None,
    gains: Mapping[str, int] | None = None,
) -> pa.Table:
    """Return one row per member of a family with the names people know.

    Args:
        documents: with ``source`` and, if the source has them, ``id``.
        members: ``CLUSTERS`` of those documents; those of ``deduplicate`` have names already.
        sort: ``size``: the families of most documents first, and in them the largest clusters;
            ``bytes``: those with most bytes that could go, and then with most bytes besides their
            keepers; ``name``: by the name of a family's first document, numbers in it by their
            value; None: by row. Empty files come last in any order.
        top: how many families; None for all.
        gains: by source, the bytes that its going adds, of what could go; None if that is unknown.

    Returns:
        ``family``, ``cluster``, its ``kind``, ``keeper`` (a source), ``also_like`` (a source) and
        ``also_resemblance``, ``source``, ``id``, ``verdict``, ``distance``, ``resemblance``,
        ``contained_in_keeper``, ``contains_keeper``, and for files ``size`` in bytes, for rows the
        ``policy`` that chose the keeper; in a cluster by row.
    """
    rows, order = named_rows_and_order(documents, members, sort=sort, top=top, gains=gains)
    return rows.drop_columns(["doc", "stays"]).take(order)


class OrderedRows(NamedTuple):
    """Rows, and the numbers of rows in another order, which may leave some out."""

    rows: pa.Table
    order: pa.Array


def named_rows_and_order(
    documents: pa.Table,
    members: pa.Table,
    *,
    sort: str | None = None,
    top: int | None = None,
    gains: Mapping[str, int] | None = None,
) -> OrderedRows:
    """Return these rows by document, with ``doc`` and ``stays`` (whether it is the keeper), and the
    order: rows put in it would take their memory twice.
    """
    rows = make_named_member_table(documents, members)
    return OrderedRows(rows, row_order_by_family_and_cluster(rows, sort, top, gains))


def rows_for_account(named_members: pa.Table, members: pa.Table) -> pa.Table:
    """Return the clusters of ``deduplicate`` as in files.

    The columns are those of ``clusters_with_sources``, and ``doc``, ``keeper_doc``, ``keeper_id``
    and ``also_like_doc``.

    Args:
        named_members: the members with their names, from ``make_named_member_table``.
        members: the same rows without.
    """
    rows = named_members.drop_columns("stays")
    for name, of in (("keeper_doc", "keeper"), ("keeper_id",) * 2, ("also_like_doc", "also_like")):
        rows = rows.append_column(name, members[of])
    return rows


def make_named_member_table(documents: pa.Table, members: pa.Table) -> pa.Table:
    """Return members in the order of their rows, with the names of what they refer to by number,
    the ``kind`` of their cluster, and ``stays``, whether each is its keeper.

    Args:
        documents: with ``source``, ``id`` and perhaps ``size``; rows of a data set (members with a
            ``policy``) have their names already.
        members: documents in clusters.
    """
    columns = dict(zip(members.column_names, members.columns, strict=True))
    columns["kind"] = _weakest_verdict_in_each_members_cluster(members)
    columns["also_resemblance"] = _keeper_values_of_members(members, "also_resemblance")
    if "policy" in columns:
        columns["keeper"] = members["keeper_source"]
        columns["also_like"] = _keeper_values_of_members(members, "also_like_source")
        # Rows of a reference have no numbers, and are there as keepers alone.
        is_keeper = pc.equal(members["doc"], members["keeper"])
        columns["stays"] = pc.fill_null(is_keeper, False)
        columns["stays"] = pc.or_(columns["stays"], members["doc"].is_null())
    else:
        docs, sources = flat(members["doc"]), flat(documents["source"])
        columns["keeper"] = sources.take(flat(members["keeper"]))
        columns["also_like"] = sources.take(_keeper_values_of_members(members, "also_like"))
        columns |= {"source": sources.take(docs), "id": flat(documents["id"]).take(docs)}
        columns["stays"] = pc.equal(members["doc"], members["keeper"])
        if "size" in documents.column_names and documents["size"].null_count < len(documents):
            size, kinds = flat(documents["size"]).take(docs), columns["kind"]
            empty = pc.fill_null(pc.and_(pc.equal(size, 0), pc.is_valid(kinds)), False)
            columns |= {"size": size, "kind": pc.if_else(empty, EMPTY, kinds)}
    order = (*_NAMES, "source", "id", "verdict", *_MEASURES, "size", "policy", "doc", "stays")
    return pa.table({name: columns[name] for name in order if name in columns})


def _keeper_values_of_members(members: pa.Table, column: str) -> pa.Array:
    """Return for each member the value of its keeper in a column that only keepers have."""
    keepers = members.filter(members[column].is_valid())
    at = pc.index_in(members["cluster"], value_set=flat(keepers["cluster"]))
    return flat(keepers[column]).take(flat(at))


def with_cluster_kinds_as_verdicts_of_dropped_keepers(
    members: pa.Table, policies: pa.Array
) -> pa.Table:
    """Return members in which keepers that go have the kind of their cluster as their verdict.

    What they are to themselves says nothing of why they go, so they have no measures.

    Args:
        members: n rows of clusters.
        policies: why each goes; null for those that stay.
    """
    own = pc.and_(pc.equal(members["doc"], members["keeper"]), policies.is_valid())
    columns = {
        "verdict": pc.if_else(
            own, _weakest_verdict_in_each_members_cluster(members), members["verdict"]
        )
    }
    for name in _MEASURES:
        if name in members.column_names:
            columns[name] = pc.if_else(own, None, members[name])
    return replace_columns(members, **columns)


def _weakest_verdict_in_each_members_cluster(members: pa.Table) -> pa.Array:
    """Return for each member the kind of its cluster: that of the member least like the keeper.

    For a document alone in its cluster, that of the pair in ``also_like``.
    """
    kinds = pa.array([*verdicts.SAME, verdicts.KEY])
    own, clusters = (flat(members[name]) for name in ("verdict", "cluster"))
    alone = pc.equal(count_rows_with_same_name(clusters), 1)
    words = pc.if_else(
        alone, pc.coalesce(_keeper_values_of_members(members, "also_verdict"), own), own
    )
    # Members found by bits alone, and connected ones, are less than near.
    near = pa.scalar(verdicts.SAME.index(verdicts.NEAR), pa.int32())
    other = pc.starts_with(words, verdicts.WITHIN)
    rank = pc.fill_null(pc.index_in(words, value_set=kinds), near)
    ranks = pc.if_else(other, len(kinds), rank)
    bits = words.filter(other)
    kinds = pa.concat_arrays([kinds, bits.slice(0, 1) if len(bits) else pa.array([verdicts.NEAR])])
    return kinds.take(greatest_values_with_same_name(clusters, ranks))


def _family_sums_of_rows(rows: pa.Table, values: pa.Array) -> pa.ChunkedArray:
    of = pa.table({"family": rows["family"], "value": values})
    sums = of.group_by("family", use_threads=False).aggregate([("value", "sum")])
    return sums["value_sum"].take(pc.index_in(rows["family"], value_set=flat(sums["family"])))


def row_order_by_family_and_cluster(
    rows: pa.Table,
    sort: str | None,
    top_families: int | None = None,
    gains: Mapping[str, int] | None = None,
) -> pa.Array:
    """Return the order of members, family by family, as ``clusters_with_sources`` has them."""
    order = [("family", "ascending"), ("cluster", "ascending"), ("doc", "ascending")]
    keys: dict[str, Any] = {name: rows[name] for name, _ in order}
    if sort == "bytes" and "size" in rows.column_names:
        size = pc.if_else(rows["stays"], 0, pc.fill_null(rows["size"], 0))
        keys["bytes"] = _family_sums_of_rows(rows, size)
        order[:0] = [("bytes", "descending")]
        if gains is not None:  # Names of one file have bytes, and none of them takes room.
            gain = pa.array([gains.get(name, 0) for name in rows["source"].to_pylist()], pa.int64())
            keys["gain"] = _family_sums_of_rows(rows, gain)
            order[:0] = [("gain", "descending")]
    elif sort == "size":
        keys |= {
            f"of_{name}": count_rows_with_same_name(rows[name]) for name in ("family", "cluster")
        }
        order[:1] = [("of_family", "descending"), order[0], ("of_cluster", "descending")]
    elif sort == "name":
        firsts = rows.sort_by("doc").group_by("family", use_threads=False)
        named = firsts.aggregate([("source", "first")]).to_pylist()
        named.sort(key=lambda one: _natural_sort_key(one["source_first"]))
        places = pa.array([one["family"] for one in named], rows.schema.field("family").type)
        keys["place"] = pc.index_in(rows["family"], value_set=places)
        order[:0] = [("place", "ascending")]
    if "size" in rows.column_names:
        keys["is_empty"] = pc.equal(rows["kind"], EMPTY)
        order[:0] = [("is_empty", "ascending")]
    order_of_rows = pc.sort_indices(pa.table(keys), order)
    if top_families is not None:
        family = rows["family"].take(order_of_rows)
        order_of_rows = order_of_rows.filter(
            flat(pc.is_in(family, value_set=pc.unique(family)[:top_families]))
        )
    return order_of_rows


def _natural_sort_key(name: str) -> list[tuple[int, str]]:
    """Return a name in parts that sort numbers by value.

    >>> sorted(["a#10", "a#2"], key=_natural_sort_key)
    ['a#2', 'a#10']
    """
    parts = re.split(r"(\d+)", name)
    return [(int(part), part) if part.isdecimal() else (-1, part) for part in parts]


def pairs_with_sources(documents: pa.Table, pairs: pa.Table) -> pa.Table:
    """Return the pairs with sources for rows."""
    sources = documents["source"]
    return replace_columns(
        pairs, **{side: sources.take(flat(pairs[side])) for side in ("left", "right")}
    )


def cluster_records(members: pa.Table) -> Iterator[dict[str, Any]]:
    """Yield one record per cluster, with its members in a list."""
    own = [name for name in members.column_names if name not in _NAMES]
    # What is the same for a cluster is not taken out of each of its rows.
    rows = zip(plain_rows(members.select(_NAMES)), plain_rows(members.select(own)), strict=True)
    for _, cluster in groupby(rows, key=lambda row: row[0]["cluster"]):
        heads, every = map(list, zip(*cluster, strict=True))
        whole = heads[0]
        for row in every:
            if row.get("id", "") is None:
                del row["id"]
        also = {"source": whole.pop("also_like"), "resemblance": whole.pop("also_resemblance")}
        yield whole | {"also_like": None if also["source"] is None else also, "members": every}


def duplicate_records(
    documents: pa.Table,
    members: pa.Table,
    sort: str | None = None,
    top: int | None = None,
    gains: Mapping[str, int] | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield one record per member that is not the keeper of its cluster."""
    rows, order = named_rows_and_order(documents, members, sort=sort, top=top, gains=gains)
    rows = rows.take(order.filter(pc.invert(flat(rows["stays"].take(order)))))
    own = ["source", "id", "keeper", "family", "cluster", "verdict"]
    own += [name for name in _MEASURES if name in rows.column_names]
    for row in plain_rows(rows.select(own)):
        yield {name: value for name, value in row.items() if name != "id" or value is not None}


def plain_rows(table: pa.Table) -> Iterator[dict[str, Any]]:
    """Yield one record per row."""
    for batch in table.to_batches(max_chunksize=10_000):
        yield from batch.to_pylist()


def write_jsonl(lines: Iterator[Mapping[str, Any]], out: IO[bytes]) -> None:
    """Write one JSON object per line, in UTF-8."""
    write_lines((json.dumps(line, ensure_ascii=False) for line in lines), out)


def write_lines(lines: Iterable[str], out: IO[bytes]) -> None:
    """Write lines of text, in UTF-8."""
    lines_left = iter(lines)
    while some := list(islice(lines_left, _LINES)):
        # Names of files may have bytes that are no text; an error in a name must not end the list.
        out.write("".join(f"{line}\n" for line in some).encode("utf-8", "backslashreplace"))


def write_csv(table: pa.Table, out: IO[bytes]) -> None:
    """Write a header and one row per line, in UTF-8; no text is a formula for a spreadsheet."""
    import pyarrow.csv

    for number, column in enumerate(table.columns):
        if is_text_or_null_type(column.type):
            harmless = _without_formulas(column)
            table = table.set_column(number, table.column_names[number], harmless)
    pyarrow.csv.write_csv(table, out)


def _without_formulas(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return texts with an apostrophe before those that a spreadsheet would run as a formula.

    Ids, names and texts are those of strangers. A number with a sign is not a formula.
    """
    plain = texts.cast(pa.large_string())
    begins = pc.match_substring_regex(plain, _FORMULA)
    risky = pc.and_not(begins, pc.match_substring_regex(plain, _SIGNED_NUMBER))
    if not pc.any(risky).as_py():
        return texts
    return pc.if_else(risky, pc.binary_join_element_wise(_APOSTROPHE, plain, _NOTHING), plain)


def write_parquet(
    table: pa.Table | pa.RecordBatchReader,
    out: IO[bytes],
    report: Mapping[str, Any],
    row_mask: pa.Array | None = None,
) -> None:
    """Write a table, or the rows of a mask, as Parquet, with the report under ``ilk.report``."""
    from pyarrow.parquet import ParquetWriter

    schema_metadata = {b"ilk.report": json.dumps(report).encode()}
    if isinstance(table, pa.RecordBatchReader):
        schema = table.schema.with_metadata(schema_metadata)
        with (
            _open_stream_that_writes_seldom(out) as stream,
            ParquetWriter(stream, schema, compression="zstd") as writer,
        ):
            for batch in table:
                writer.write_batch(batch.replace_schema_metadata(schema_metadata))
        return
    table = table.replace_schema_metadata(schema_metadata)
    with (
        _open_stream_that_writes_seldom(out) as stream,
        ParquetWriter(stream, table.schema, compression="zstd") as writer,
    ):
        # A group of rows is in memory until it is written.
        for at in range(0, len(table), _GROUP):
            group = table.slice(at, _GROUP)
            writer.write_table(
                group if row_mask is None else group.filter(row_mask.slice(at, _GROUP))
            )


@contextmanager
def _open_stream_that_writes_seldom(out: IO[bytes]) -> Iterator[pa.NativeFile]:
    """Yield a stream to a file that collects what is written: each time it hands some over, it
    waits for the interpreter, in which another thread may make a page.
    """
    stream = pa.output_stream(out, buffer_size=_BYTES_AT_ONCE)
    try:
        yield stream
    finally:
        stream.detach()  # It would close the file at its own end.
