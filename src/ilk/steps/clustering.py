"""Step 5: documents of one kind, and pairs spread out to their copies."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from ilk import columns
from ilk.columns import verdicts
from ilk.errors import TooManyPairs
from ilk.steps.verifying import turned


def best(
    left: pa.ChunkedArray, right: pa.ChunkedArray, measure: pa.ChunkedArray, count: int
) -> pa.Array:
    """Per row from 0 to ``count`` the left row of its best pair, of equal ones the lowest; or null.

    Args:
        left, right: m pairs of rows.
        measure: per pair how good it is.
        count: how many rows there are.
    """
    pairs = pa.table({"left": left, "right": right, "measure": measure})
    order = [("right", "ascending"), ("measure", "descending"), ("left", "ascending")]
    pairs = pairs.sort_by(order)
    rows = pairs["right"].combine_chunks()
    first = pc.not_equal(rows, pa.concat_arrays([pa.array([-1], pa.int64()), rows])[: len(rows)])
    found = pairs.filter(first)
    at = pc.index_in(pa.arange(0, count), value_set=columns.flat(found["right"]))
    return columns.flat(found["left"]).take(at)


def cluster(keepers: pa.Array, representatives: pa.Array, held: int = 0) -> pa.Table:
    """Step 5, over everything: the documents of one kind.

    Args:
        keepers: per row the keeper of its representative's cluster (``ilk.steps.linkage``).
        representatives: per document the best one with an equal digest.
        held: the first ``held`` documents are in a cluster only as its keeper.

    Returns:
        ``doc``, ``cluster`` and ``keeper`` of every document in a cluster of two or more; clusters
        are numbered from 0 in the order of their first document.
    """
    keepers = keepers.take(representatives)
    members = pa.table({"doc": pa.arange(0, len(keepers)), "keeper": keepers})
    own = pc.or_(
        pc.greater_equal(members["doc"], held), pc.equal(members["doc"], members["keeper"])
    )
    members, keepers = members.filter(own), keepers.filter(columns.flat(own))
    groups = members.group_by("keeper").aggregate([("doc", "count"), ("doc", "min")])
    groups = groups.filter(pc.greater(groups["doc_count"], 1)).sort_by("doc_min")
    number = pc.index_in(keepers, value_set=columns.flat(groups["keeper"]))
    members = members.add_column(1, "cluster", number.cast(pa.int64()))
    return members.filter(number.is_valid())


def copies(
    documents: pa.Table, representatives: pa.Array, held: int, *, key: bool = False
) -> pa.Table:
    """Step 5 where equal digests are all that counts: ``CLUSTERS`` of copies.

    Args:
        documents: with their digests.
        representatives: per document the best one with an equal digest.
        held: as for ``cluster``.
        key: the digests are of keys, so that nothing is known of the texts.
    """
    members = cluster(pa.arange(0, len(representatives)), representatives, held)
    if key:
        keyed = members.append_column("verdict", pa.repeat(verdicts.KEY, len(members)))
        return columns.padded(keyed, columns.CLUSTERS)
    raw = columns.flat(documents["bytes_digest"])
    same = pc.equal(raw.take(members["doc"]), raw.take(members["keeper"]))
    one = pa.repeat(1.0, len(members))
    return pa.table(
        [
            *members.columns,
            pa.repeat(pa.scalar(0, pa.uint8()), len(members)),
            *(one, one, one),
            pc.if_else(same, verdicts.IDENTICAL, verdicts.EXACT),
        ],
        schema=columns.CLUSTERS,
    )


def numbered(members: pa.Table) -> pa.Table:
    """``CLUSTERS`` put together from several searches: numbered anew, by their first documents."""
    firsts = members.group_by("keeper").aggregate([("doc", "min")]).sort_by("doc_min")
    number = pc.index_in(members["keeper"], value_set=columns.flat(firsts["keeper"]))
    at = members.schema.get_field_index("cluster")
    members = members.set_column(at, members.schema.field(at), number.cast(pa.int64()))
    return members.sort_by("doc")


def expand(
    pairs: pa.Table, fingerprints: pa.Table, representatives: pa.Array, *, max_pairs: int
) -> pa.Table:
    """Pairs of representatives as pairs of documents: every copy with every copy.

    Copies of one text are paired with one another too. Sorted by row, left below right.

    Raises:
        TooManyPairs: there would be more than ``max_pairs``.
    """
    docs = pa.table({"doc": pa.arange(0, len(representatives)), "rep": representatives})
    sizes = docs.group_by("rep").aggregate([("doc", "count")])
    size = (
        pc.scatter(
            columns.flat(sizes["doc_count"]), columns.flat(sizes["rep"]), max_index=len(docs) - 1
        )
        if len(docs)
        else pa.array([], pa.int64())
    )
    left, right = columns.flat(pairs["left"]), columns.flat(pairs["right"])
    crossed = pc.sum(pc.multiply(size.take(left), size.take(right))).as_py() or 0
    counted = columns.flat(sizes["doc_count"])
    within = pc.sum(pc.divide(pc.multiply(counted, pc.subtract(counted, 1)), 2)).as_py() or 0
    if crossed + within > max_pairs:
        raise TooManyPairs(crossed + within, max_pairs)
    across = _products(pairs, docs)
    copies = _copies(docs.filter(pc.greater(size.take(representatives), 1)), fingerprints)
    return pa.concat_tables([across, copies]).sort_by(
        [("left", "ascending"), ("right", "ascending")]
    )


def _products(pairs: pa.Table, docs: pa.Table) -> pa.Table:
    lefts, rights = docs.rename_columns(["a", "rep"]), docs.rename_columns(["b", "rep"])
    table = pairs.join(lefts, "left", "rep", join_type="inner")
    table = table.join(rights, "right", "rep", join_type="inner")
    document = {"left": "a", "right": "b"}
    arrays = [table[document.get(name, name)] for name in columns.PAIRS.names]
    found = pa.table(arrays, schema=columns.PAIRS)
    ascending = pc.less(found["left"], found["right"])
    return pa.concat_tables([found.filter(ascending), turned(found.filter(pc.invert(ascending)))])


def _copies(docs: pa.Table, fingerprints: pa.Table) -> pa.Table:
    """Every pair of documents with an equal digest."""
    table = docs.rename_columns(["left", "rep"]).join(
        docs.rename_columns(["right", "rep"]), "rep", join_type="inner"
    )
    table = table.filter(pc.less(table["left"], table["right"]))
    left, right = columns.flat(table["left"]), columns.flat(table["right"])
    raw = fingerprints["bytes_digest"]
    one = pa.repeat(1.0, len(table))
    return pa.table(
        {
            "left": left,
            "right": right,
            "distance": pa.repeat(pa.scalar(0, pa.uint8()), len(table)),
            "resemblance": one,
            "containment_left": one,
            "containment_right": one,
            "verdict": pc.if_else(
                pc.equal(raw.take(left), raw.take(right)), verdicts.IDENTICAL, verdicts.EXACT
            ),
        },
        schema=columns.PAIRS,
    )
