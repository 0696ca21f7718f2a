"""Documents of one kind, those that are never in one cluster, and pairs of copies."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.arrow import verdicts
from ilk.base.errors import TooManyPairs
from ilk.search.linkage import Clustering


def list_members_of_families_of_several(
    clustering: Clustering, representatives: pa.Array, *, baseline_size: int = 0
) -> pa.Table:
    """Return the documents that are like others, copies included: the cluster step.

    Args:
        clustering: the clusters and families of the representatives.
        representatives: per document the best one with an equal digest.
        baseline_size: the first documents, as many as these, are in a cluster only as keepers of
            others.

    Returns:
        ``doc``, ``family``, ``cluster``, ``keeper`` and ``also_like`` of every document in a
        family of two or more; families and clusters are numbered from 0 in the order of their
        first documents.
    """
    rows, families = pa.arange(0, len(representatives)), clustering.families.take(representatives)
    elsewhere = pc.not_equal(families, rows)
    # Most documents are alone. The others are in the family of another row, or have one in theirs.
    joined = pc.is_in(rows, value_set=pc.unique(families.filter(elsewhere)))
    members = membership_of_documents(
        clustering, representatives, rows.filter(pc.or_(elsewhere, joined))
    )
    if baseline_size:
        docs, keepers = arrow.flat(members["doc"]), arrow.flat(members["keeper"])
        members = members.filter(
            pc.or_(pc.greater_equal(docs, baseline_size), pc.equal(docs, keepers))
        )
        # A keeper of the baseline that keeps nothing else is no cluster of this search.
        is_of_search = pc.greater_equal(members["doc"], baseline_size)
        members = members.filter(pc.or_(is_of_search, are_repeated(members["keeper"])))
    return sort_and_renumber_families_and_clusters(members.filter(are_repeated(members["family"])))


def membership_of_documents(
    clustering: Clustering, representatives: pa.Array, docs: pa.Array
) -> pa.Table:
    """Return some documents with their families and clusters, which are named by rows."""
    representatives = representatives.take(docs)
    keepers = clustering.keepers.take(representatives)
    return pa.table(
        {
            "doc": docs,
            "family": clustering.families.take(representatives),
            "cluster": keepers,
            "keeper": keepers,
            "also_like": pc.if_else(pc.equal(docs, keepers), clustering.also_like.take(docs), None),
        }
    )


def are_repeated(values: pa.Array | pa.ChunkedArray) -> pa.BooleanArray:
    """Return for each row whether another one has the same name."""
    return pc.greater(arrow.count_rows_with_same_name(values), 1)


def make_clusters_of_equal_digests(
    documents: pa.Table,
    representatives: pa.Array,
    *,
    baseline_size: int,
    clustering: Clustering | None = None,
    digests_are_of_keys: bool = False,
) -> arrow.ClusterTable:
    """Do the cluster step if only equal digests count: return ``CLUSTERS`` of copies.

    Args:
        documents: with their digests.
        representatives: per document the best one with an equal digest.
        baseline_size: as for ``list_members_of_families_of_several``.
        clustering: the clusters of the representatives; None if each is alone.
        digests_are_of_keys: the digests are of keys, so nothing is known of the texts.
    """
    if clustering is None:
        clustering = Clustering.each_row_alone(len(representatives))
    members = list_members_of_families_of_several(
        clustering, representatives, baseline_size=baseline_size
    )
    if digests_are_of_keys:
        keyed = members.append_column("verdict", pa.repeat(verdicts.KEY, len(members)))
        return arrow.fit_columns_to_schema(keyed, arrow.CLUSTERS)
    raw = arrow.flat(documents["bytes_digest"])
    same = pc.equal(raw.take(members["doc"]), raw.take(members["keeper"]))
    one = pa.repeat(1.0, len(members))
    rows = members.append_column("distance", pa.repeat(pa.scalar(0, pa.uint8()), len(members)))
    for name in ("resemblance", "contained_in_keeper", "contains_keeper"):
        rows = rows.append_column(name, one)
    also = arrow.flat(members["also_like"])
    equal = pc.equal(raw.take(members["doc"]), raw.take(also))
    rows = rows.append_column("also_resemblance", pc.if_else(also.is_valid(), 1.0, None))
    also_words = pc.if_else(equal, verdicts.IDENTICAL, verdicts.EXACT)
    rows = rows.append_column("also_verdict", also_words)
    words = pc.if_else(same, verdicts.IDENTICAL, verdicts.EXACT)
    return arrow.fit_columns_to_schema(rows.append_column("verdict", words), arrow.CLUSTERS)


def sort_and_renumber_families_and_clusters(members: pa.Table) -> pa.Table:
    """Return members sorted by row; families and clusters, which may have names of any kind, are
    numbered by their first documents.
    """
    members = members.sort_by("doc")
    for name in ("family", "cluster"):
        # A dictionary has names in the order in which they first occur.
        numbers = arrow.flat(members[name]).dictionary_encode("encode").indices
        members = arrow.replace_columns(members, **{name: numbers.cast(pa.int64())})
    return members


def expand_to_all_document_pairs(
    representative_pairs: arrow.PairTable,
    documents: pa.Table,
    representatives: pa.Array,
    *,
    max_pairs: int,
) -> arrow.PairTable:
    """Return pairs of representatives as pairs of documents: every copy with every copy.

    Copies of one text are also paired with one another. Sorted by row, left below right.

    Raises:
        TooManyPairs: there are more than ``max_pairs``.
    """
    docs = pa.table({"doc": pa.arange(0, len(representatives)), "rep": representatives})
    # Counted before any row is made: a join of two large groups would fill the memory first.
    sizes = docs.group_by("rep", use_threads=False).aggregate([("doc", "count")])
    counted = arrow.flat(sizes["doc_count"])
    size = counted.take(pc.index_in(docs["doc"], value_set=arrow.flat(sizes["rep"])))
    left, right = (arrow.flat(representative_pairs[side]) for side in ("left", "right"))
    crossed = pc.sum(pc.multiply(size.take(left), size.take(right))).as_py() or 0
    within = pc.sum(pc.divide(pc.multiply(counted, pc.subtract(counted, 1)), 2)).as_py() or 0
    if crossed + within > max_pairs:
        raise TooManyPairs(crossed + within, max_pairs)
    lefts, rights = docs.rename_columns(["a", "rep"]), docs.rename_columns(["b", "rep"])
    table = representative_pairs.join(lefts, "left", "rep", join_type="inner")
    table = table.join(rights, "right", "rep", join_type="inner")
    document = {"left": "a", "right": "b"}
    arrays = [table[document.get(name, name)] for name in arrow.PAIRS.names]
    pairs_of_documents = _tell_identical_from_exact_copies(
        pa.table(arrays, schema=arrow.PAIRS), documents
    )
    # A copy may come before the representative of the other side: such a pair is turned round, with
    # its measures.
    ascending = pc.less(pairs_of_documents["left"], pairs_of_documents["right"])
    descending = swap_sides(pairs_of_documents.filter(pc.invert(ascending)))
    copies = _list_all_pairs_of_copies(
        docs.filter(pc.greater(size.take(representatives), 1)), documents
    )
    every = pa.concat_tables([pairs_of_documents.filter(ascending), descending, copies])
    return every.sort_by([("left", "ascending"), ("right", "ascending")])


def _tell_identical_from_exact_copies(
    pairs: arrow.PairTable, documents: pa.Table
) -> arrow.PairTable:
    """Return pairs with the verdicts of equal texts by the bytes of each."""
    equal = pc.is_in(pairs["verdict"], pa.array(verdicts.COPIES))
    if not pc.any(equal).as_py():
        return pairs
    raw = arrow.flat(documents["bytes_digest"])
    same = pc.equal(*(raw.take(arrow.flat(pairs[side])) for side in ("left", "right")))
    words = pc.if_else(same, verdicts.IDENTICAL, verdicts.EXACT)
    return arrow.replace_columns(pairs, verdict=pc.if_else(equal, words, pairs["verdict"]))


def _list_all_pairs_of_copies(
    docs_with_representatives: pa.Table, documents: pa.Table
) -> arrow.PairTable:
    docs = docs_with_representatives
    table = docs.rename_columns(["left", "rep"]).join(
        docs.rename_columns(["right", "rep"]), "rep", join_type="inner"
    )
    table = table.filter(pc.less(table["left"], table["right"]))
    left, right = arrow.flat(table["left"]), arrow.flat(table["right"])
    raw = documents["bytes_digest"]
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
        schema=arrow.PAIRS,
    )


def pick_first_container_of_each(pairs: arrow.PairTable) -> arrow.PairTable:
    """Return for each contained document one of its pairs, turned so that it is on the left."""
    inside = pairs.filter(pc.equal(pairs["verdict"], verdicts.CONTAINED))
    around = swap_sides(pairs.filter(pc.equal(pairs["verdict"], verdicts.CONTAINS)))
    both = pa.concat_tables([inside, around]).sort_by(
        [("left", "ascending"), ("right", "ascending")]
    )
    first = both.append_column("row", pa.arange(0, len(both))).group_by("left", use_threads=False)
    return both.take(first.aggregate([("row", "min")]).sort_by("row_min")["row_min"])


def are_left_contained_or_first_of_equal(pairs: arrow.PairTable) -> pa.BooleanArray:
    """Return which pairs, listed in any order, have a left document that the right one contains.

    Of two documents that are in each other by equal parts, only the first row is contained: a
    person who lets go of contained documents keeps one of them.
    """
    one_way = pc.or_(
        pc.not_equal(pairs["containment_left"], pairs["containment_right"]),
        pc.less(pairs["left"], pairs["right"]),
    )
    return pc.and_(pc.equal(pairs["verdict"], verdicts.CONTAINED), one_way)


def swap_sides(pairs: arrow.PairTable) -> arrow.PairTable:
    """Return the pairs with left and right exchanged.

    Of two texts that are in each other by equal parts, the left one is contained, before and after.
    """
    verdict = pairs["verdict"]
    other = pc.if_else(pc.equal(verdict, verdicts.CONTAINED), verdicts.CONTAINS, verdicts.CONTAINED)
    has_sides = pc.and_(
        pc.is_in(verdict, pa.array([verdicts.CONTAINED, verdicts.CONTAINS])),
        pc.not_equal(pairs["containment_left"], pairs["containment_right"]),
    )
    columns_ = {
        "left": pairs["right"],
        "right": pairs["left"],
        "containment_left": pairs["containment_right"],
        "containment_right": pairs["containment_left"],
        "verdict": pc.if_else(has_sides, other, verdict),
    }
    arrays = [columns_.get(name, pairs[name]) for name in arrow.PAIRS.names]
    return pa.table(arrays, schema=arrow.PAIRS)


def unordered_pair_keys(left: pa.Array, right: pa.Array, row_count: int) -> pa.Int64Array:
    """Return a number for each pair of rows below ``row_count``, the same for both orders."""
    low, high = pc.min_element_wise(left, right), pc.max_element_wise(left, right)
    return pc.add(pc.multiply(low, row_count), high)


@dataclass(frozen=True, slots=True)
class CannotLink:
    """Pairs of documents that stay apart.

    Attributes:
        left, right: n rows each.
    """

    left: list[int]
    right: list[int]

    def split_representatives(self, representatives: pa.Array, ranking: pa.Array) -> pa.Array:
        """Return representatives, none of which represents two documents that stay apart.

        Args:
            representatives: for each document, the best one with an equal digest.
            ranking: all documents, best first.
        """
        return _give_lower_ranked_its_own_head(representatives, ranking, self.left, self.right)

    def are_allowed(
        self, left: pa.Array, right: pa.Array, representatives: pa.Array
    ) -> pa.BooleanArray:
        """Return which pairs of representatives do not stay apart; arguments as above."""
        count, labelled = len(representatives), (self.left, self.right)
        one, other = (representatives.take(pa.array(side, pa.int64())) for side in labelled)
        return pc.invert(
            pc.is_in(
                unordered_pair_keys(left, right, count),
                value_set=unordered_pair_keys(one, other, count),
            )
        )

    def split_clusters(
        self, clustering: Clustering, representatives: pa.Array, ranking: pa.Array
    ) -> Clustering:
        """Return clusters, none of which has two documents that stay apart. Arguments as above.

        Two members of one keeper may be labelled different: then the lower-ranked one is alone.
        """
        rows = representatives.to_pylist()
        left, right = ([rows[each] for each in side] for side in (self.left, self.right))
        return clustering._replace(
            keepers=_give_lower_ranked_its_own_head(clustering.keepers, ranking, left, right)
        )


def _give_lower_ranked_its_own_head(
    heads: pa.Array, ranking: pa.Array, left_rows: list[int], right_rows: list[int]
) -> pa.Array:
    """Return heads in which the lower-ranked row of a pair with the same head is its own head."""
    own, place = heads.to_pylist(), pc.sort_indices(ranking).to_pylist()
    for one, other in zip(left_rows, right_rows, strict=True):
        if own[one] == own[other]:
            # The head itself cannot leave. Heads change as labels are gone through, so each is
            # looked up again.
            lesser = max((each for each in (one, other) if each != own[one]), key=place.__getitem__)
            own[lesser] = lesser
    return pa.array(own, pa.int64())
