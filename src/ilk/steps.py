"""The six steps as functions from Arrow tables to Arrow tables.

read -> fingerprint -> pair -> verify -> cluster -> write

A step never prints, never reads the environment and never changes its input; the same input gives
the same bytes out, whatever the batches and threads. Reading and writing have rooms of their own
(``readers``, ``writers``); the four steps between them are here. A document is named by its row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk import columns, planning
from ilk.errors import TooManyPairs
from ilk.features import blocks
from ilk.fingerprints import digest
from ilk.fingerprints.texts import fingerprints
from ilk.pairing import hamming
from ilk.pairing.measured import Measured
from ilk.pairing.verify import Counts, count
from ilk.recipe import Recipe

#: Verdicts whose documents are of one kind and form clusters.
SAME = ("identical", "exact", "numbers_only", "near")


def fingerprint_texts(texts: Any, recipe: Recipe | None = None, *, jobs: int = 1) -> pa.Array:
    """One fingerprint per text; similar texts differ in few bits.

    Args:
        texts: n texts: an Arrow, Polars, pandas or DuckDB column of strings, or a list of ``str``.
        recipe: the way from text to fingerprint; the default is ``Recipe()``.
        jobs: threads; the answer does not depend on them.

    Returns:
        n fingerprints as ``uint64``, or of 128 bits as 16 bytes (``fixed_size_binary``, the most
        significant first, so that their hexadecimal form is the number's); null where a text is
        null or blank, or has fewer distinct features than the recipe's minimum. Write ``uint64`` as
        ``int64``: ``array.view("int64")``.

    Raises:
        ColumnTypeError: ``texts`` is not a column of texts.

    Source: Charikar 2002, section 3; Manku 2007, section 2; Broder 1997, section 3; Li and Koenig
    2010, section 2.
    """
    return fingerprints(columns.texts(texts), (recipe or Recipe()).way(), jobs=jobs)[0]


def fingerprint(documents: pa.RecordBatch | pa.Table, recipe: Recipe, *, jobs: int) -> pa.Table:
    """Step 2, row by row: ``DOCUMENTS`` -> ``FINGERPRINTS``, its column marked with the recipe.

    The bytes digest is the reader's; where there is none, it is that of the text's UTF-8.
    """
    texts = columns.texts(documents["text"])
    values, reasons = fingerprints(texts, recipe.way(), jobs=jobs)
    digests = digest.digests(texts, normalisation=recipe.normalisation, jobs=jobs)
    raw = pc.coalesce(columns.flat(documents["bytes_digest"]), digest.bytes_digests(texts))
    return pa.table(
        [documents["doc"], values, digests, raw, reasons],
        schema=columns.with_recipe(columns.FINGERPRINTS, str(recipe), recipe.bits),
    )


def _documents_schema(recipe: Recipe) -> pa.Schema:
    """Documents with their fingerprints, one table."""
    prints = columns.with_recipe(columns.FINGERPRINTS, str(recipe), recipe.bits)
    fields = {f.name: f for f in (*columns.DOCUMENTS, pa.field("length", pa.int64()), *prints)}
    return pa.schema(list(fields.values()))


def fingerprinted(
    batches: Iterable[pa.RecordBatch | pa.Table], recipe: Recipe, *, jobs: int
) -> pa.Table:
    """Documents as they are read, with their fingerprints and the length of their text in bytes."""
    schema = _documents_schema(recipe)
    parts = []
    for batch in batches:
        prints = fingerprint(batch, recipe, jobs=jobs)
        found = dict(zip(batch.schema.names, batch.columns, strict=True))
        found["length"] = pc.binary_length(batch["text"]).cast(pa.int64())
        found |= dict(zip(prints.column_names, prints.columns, strict=True))
        parts.append(pa.table([found[name] for name in schema.names], schema=schema))
    return pa.concat_tables(parts) if parts else schema.empty_table()


def without_common(
    documents: pa.Table,
    texts: pa.ChunkedArray,
    representatives: pa.Array,
    more_than: int,
    recipe: Recipe,
    *,
    jobs: int,
) -> tuple[pa.Table, pa.ChunkedArray, pa.Table]:
    """The documents' texts without the blocks that recur in many of them, and those blocks.

    Copies of one text count once. Digests stay those of the whole texts, so that copies stay
    copies.

    Args:
        documents: documents with their fingerprints.
        texts: their texts.
        representatives: per document the one that stands for its copies.
        more_than: how many texts a block may stand in without being common.
        recipe: how the fingerprints of what is left are made.
        jobs: threads.

    Returns:
        The documents, ``fingerprint`` and ``reason`` changed; what is left of their texts; and
        ``hash``, ``documents`` and ``text`` of every common block.
    """
    once = columns.only(texts, represents(representatives))
    found = blocks.common(once, more_than, jobs=jobs)
    left = blocks.without(texts, found, jobs=jobs)
    values, reasons = fingerprints(left, recipe.way(), jobs=jobs)
    # Blank by its digest, a text was so before.
    emptied = pc.and_(pc.equal(reasons, "blank"), columns.flat(documents["digest"]).is_valid())
    reasons = pc.if_else(pc.fill_null(emptied, False), "nothing but common blocks", reasons)
    changed = {"fingerprint": values, "reason": reasons}
    for name, column in changed.items():
        at = documents.schema.get_field_index(name)
        documents = documents.set_column(at, documents.schema.field(at), column)
    return documents, left, found


def distinct(fingerprints: pa.Table, ranking: pa.Array) -> pa.Array:
    """Per document the best one with an equal digest (its representative), as ``int64``.

    A blank or null text has no digest and represents itself alone.
    """
    digests = columns.flat(fingerprints["digest"])
    best = digest.first_rows(digests.take(ranking))
    representatives = pc.coalesce(ranking.take(best), ranking)
    return pc.scatter(representatives, ranking)


def pair(
    documents: pa.Table, representatives: pa.Array, radius: int, *, max_pairs: int
) -> pa.Table:
    """Step 3 by fingerprint: every pair of representatives within the radius, as ``CANDIDATES``.

    Raises:
        TooManyPairs: there are more than ``max_pairs``.
    """
    found = hamming.pairs(_nominating(documents, representatives), radius, max_pairs=max_pairs)
    return columns.padded(found, columns.CANDIDATES)


def pair_groups(
    documents: pa.Table,
    representatives: pa.Array,
    ranking: pa.Array,
    radius: int,
    *,
    max_pairs: int,
) -> tuple[pa.Array, pa.Table]:
    """Step 3 by fingerprint, where every pair within the radius counts.

    Documents of one fingerprint are within the radius of the same others, so that the best of them
    stands for all.

    Returns:
        Per document the one that stands for it (``int64``), and every pair of such ones within the
        radius, as ``CANDIDATES``.

    Raises:
        TooManyPairs: there are more than ``max_pairs``.
    """
    # In the order of the ranking, the first of a group is its best.
    values = _nominating(documents, representatives).take(ranking)
    firsts, edges = hamming.pair_groups(values, radius, max_pairs=max_pairs)
    best = pc.scatter(pc.coalesce(ranking.take(firsts), ranking), ranking)
    left, right = (ranking.take(columns.flat(edges[side])) for side in ("left", "right"))
    found = pa.table({"left": left, "right": right, "distance": edges["distance"]})
    candidates = _ascending(columns.padded(found, columns.CANDIDATES))
    return best.take(representatives), candidates


def measured(
    texts: columns.Texts,
    representatives: pa.Array,
    *,
    shingle: int,
    jobs: int,
    progress: Callable[[float], object] | None = None,
) -> Measured:
    """The shingle sets of the representatives, ready to be joined; all others are empty."""
    once = columns.only(texts, represents(representatives))
    return Measured.of(once, shingle, jobs, progress)


def pair_sets(
    sets: Measured, resemblance: Fraction, containment: Fraction | None, *, max_pairs: int
) -> pa.Table:
    """Step 3 by shingle sets: every pair at the resemblance or containment, as ``CANDIDATES``.

    Raises:
        TooManyPairs: there are more than ``max_pairs`` of either.
    """
    found = [_counted(*sets.resembling(resemblance, max_pairs))]
    if containment is not None:
        left, right, counts = sets.contained(containment, max_pairs)
        alike = counts.resembling(resemblance)
        both = counts.contained(containment)[1]
        # Found already, or found from its other side too.
        again = pc.or_(alike, pc.and_(both, pc.greater(left, right)))
        table = _counted(left, right, counts).filter(pc.invert(again))
        found.append(_ascending(table))
    order = [("left", "ascending"), ("right", "ascending")]
    return pa.concat_tables(found).sort_by(order)


def pair_containers(sets: Measured, containment: Fraction) -> pa.Table:
    """Per contained document one larger one in which it stands, as ``CANDIDATES``."""
    found = sets.containers(containment)
    rows = pa.table({"left": pa.arange(0, len(found)), "right": found})
    return columns.padded(rows.filter(found.is_valid()), columns.CANDIDATES)


def pair_contained(
    sets: Measured,
    containment: Fraction,
    inner: pa.ChunkedArray,
    without: pa.ChunkedArray,
    *,
    max_pairs: int,
) -> pa.Table:
    """Every pair of one of the documents ``inner`` and one in which it stands, as ``CANDIDATES``.

    Documents ``without`` are no containers: their keepers stand for them.

    Raises:
        TooManyPairs: there are more than ``max_pairs``.
    """
    left, right = sets.contained_among(
        containment, columns.flat(inner), columns.flat(without), max_pairs
    )
    return columns.padded(pa.table({"left": left, "right": right}), columns.CANDIDATES)


def contained_left(pairs: pa.Table) -> pa.Table:
    """Per contained document one of the pairs in which it is, turned so that it is the left one."""
    inside = pairs.filter(pc.equal(pairs["verdict"], "contained"))
    around = turned(pairs.filter(pc.equal(pairs["verdict"], "contains")))
    both = pa.concat_tables([inside, around]).sort_by(
        [("left", "ascending"), ("right", "ascending")]
    )
    first = both.append_column("row", pa.arange(0, len(both))).group_by("left")
    rows = first.aggregate([("row", "min")]).sort_by("row_min")
    return both.take(rows["row_min"])


def turned(pairs: pa.Table) -> pa.Table:
    """The pairs with left and right exchanged."""
    verdict = pairs["verdict"]
    other = pc.if_else(pc.equal(verdict, "contained"), "contains", "contained")
    sided = pc.is_in(verdict, pa.array(["contained", "contains"]))
    columns_ = {
        "left": pairs["right"],
        "right": pairs["left"],
        "containment_left": pairs["containment_right"],
        "containment_right": pairs["containment_left"],
        "verdict": pc.if_else(sided, other, verdict),
    }
    arrays = [columns_.get(name, pairs[name]) for name in columns.PAIRS.names]
    return pa.table(arrays, schema=columns.PAIRS)


def _nominating(documents: pa.Table, representatives: pa.Array) -> pa.Array:
    """The fingerprints of the representatives; null for all others."""
    values = columns.flat(documents["fingerprint"])
    return pc.if_else(represents(representatives), values, pa.scalar(None, values.type))


def represents(representatives: pa.Array) -> pa.Array:
    """Per document whether it stands for its copies."""
    return pc.equal(representatives, pa.arange(0, len(representatives)))


def _counted(left: pa.Array, right: pa.Array, counts: Counts) -> pa.Table:
    names = ("left", "right", "shared", "left_shingles", "right_shingles")
    table = pa.table([left, right, *counts.arrays], names=list(names))
    return columns.padded(table, columns.CANDIDATES)


def _ascending(candidates: pa.Table) -> pa.Table:
    """The candidates with the lower row on the left."""
    turned = pc.greater(candidates["left"], candidates["right"])
    other = {"left": "right", "right": "left", "left_shingles": "right_shingles"}
    other["right_shingles"] = "left_shingles"
    return pa.table(
        [
            pc.if_else(turned, candidates[other.get(name, name)], candidates[name])
            for name in candidates.column_names
        ],
        schema=candidates.schema,
    )


def verify(
    candidates: pa.Table,
    documents: pa.Table,
    texts: columns.Texts,
    *,
    resemblance: Fraction | None,
    containment: Fraction | None,
    shingle: int,
    jobs: int,
    any_numbers: bool = False,
) -> pa.Table:
    """Step 4, row by row: measures on the texts what is not measured yet, and gives the verdict.

    Args:
        candidates: ``CANDIDATES``; distances and counts that are null are filled.
        documents: what the candidates' rows number, with digests and fingerprints.
        texts: the documents' texts.
        resemblance: the least resemblance of ``near``; None takes any.
        containment: the least containment of ``contained`` and ``contains``; None knows neither.
        shingle: words per shingle.
        jobs: threads.
        any_numbers: ``numbers_only`` for all texts that differ in numbers alone; else only for
            those at the least resemblance, so that a search finds what it promises and no more.

    Returns:
        ``PAIRS``, one row per candidate in their order.
    """
    left, right = (columns.flat(candidates[side]) for side in ("left", "right"))
    counts = _counts(candidates, texts, left, right, shingle, jobs)

    def equal(name: str) -> pa.Array:
        column = documents[name]
        return columns.flat(pc.fill_null(pc.equal(column.take(left), column.take(right)), False))

    always, never = pa.repeat(True, len(left)), pa.repeat(False, len(left))
    near = always if resemblance is None else counts.resembling(resemblance)
    inside, around = (never, never) if containment is None else counts.contained(containment)
    copies = equal("digest")
    altered = pc.and_(pc.invert(copies), always if any_numbers else near)
    rules = {
        "identical": equal("bytes_digest"),
        "exact": copies,
        "numbers_only": _numbers_only(texts, left, right, altered, jobs),
        "near": near,
        "contained": inside,
        "contains": around,
    }
    verdict = verdicts(rules)
    # Texts of an equal digest have equal features, also where they are too few for a fingerprint.
    nothing = pc.if_else(copies, pa.scalar(0, pa.uint8()), pa.scalar(None, pa.uint8()))
    distance = pc.coalesce(candidates["distance"], nothing, _distances(documents, left, right))
    found = {"left": left, "right": right, "distance": distance, **counts.columns()}
    return pa.table({**found, "verdict": verdict}, schema=columns.PAIRS)


def verdicts(rules: Mapping[str, pa.Array]) -> pa.Array:
    """Per pair the first verdict that holds; ``different`` where none does.

    Args:
        rules: by verdict, in order, per pair whether it holds.
    """
    held = pa.StructArray.from_arrays(list(rules.values()), list(rules))
    return pc.case_when(held, *rules, "different")


def _counts(
    candidates: pa.Table,
    texts: columns.Texts,
    left: pa.Array,
    right: pa.Array,
    shingle: int,
    jobs: int,
) -> Counts:
    names = ("shared", "left_shingles", "right_shingles")
    known = Counts(*(columns.flat(candidates[name]) for name in names))
    unknown = known.shared.is_null()
    if not pc.any(unknown).as_py():
        return known
    counted = count(texts, left.filter(unknown), right.filter(unknown), shingle=shingle, jobs=jobs)
    filled = zip(known.arrays, counted.arrays, strict=True)
    return Counts(*(pc.replace_with_mask(column, unknown, new) for column, new in filled))


def _numbers_only(
    texts: columns.Texts, left: pa.Array, right: pa.Array, asked: pa.Array, jobs: int
) -> pa.Array:
    """Per pair that is asked about whether the texts differ in numbers alone; the others: no."""
    rows = pc.unique(pa.concat_arrays([left.filter(asked), right.filter(asked)]))
    if not len(rows):
        return asked
    some = columns.only(texts, pc.is_in(pa.arange(0, len(texts)), value_set=rows))
    masked = digest.masked_digests(some, jobs=jobs)
    same = pc.fill_null(pc.equal(masked.take(left), masked.take(right)), False)
    return pc.and_(asked, same)


def _distances(documents: pa.Table, left: pa.Array, right: pa.Array) -> pa.Array:
    values = columns.flat(documents["fingerprint"])
    return hamming.distance(values.take(left), values.take(right))


def counted(candidates: pa.Table, sets: Measured, representatives: pa.Array) -> pa.Table:
    """``CANDIDATES`` of which each pair is counted on the sets of its representatives."""
    left, right = (
        representatives.take(columns.flat(candidates[side])) for side in ("left", "right")
    )
    names = ("shared", "left_shingles", "right_shingles")
    known = dict(zip(names, sets.count(left, right).arrays, strict=True))
    arrays = [known.get(name, candidates[name]) for name in candidates.column_names]
    return pa.table(arrays, schema=columns.CANDIDATES)


def same(pairs: pa.Table) -> pa.Table:
    """The pairs whose documents are of one kind."""
    return pairs.filter(pc.is_in(pairs["verdict"], pa.array(SAME)))


def best(left: pa.Array, right: pa.Array, measure: pa.Array, count: int) -> pa.Array:
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


def portions(
    documents: pa.Table, representatives: pa.Array, radius: int, memory: int
) -> Iterator[pa.Array]:
    """The documents that pairs within the radius connect, in portions whose sets fit in memory.

    What is connected stays together, so that the exact join of each portion tells all of it; a
    portion that takes too much alone stands alone.

    Args:
        documents: n documents with their fingerprints and lengths.
        representatives: per document the best one with an equal digest.
        radius: in bits.
        memory: bytes that the sets of a portion may take.

    Yields:
        n truth values: the documents of the portion, copies of one text among them.
    """
    roots = hamming.connected(_nominating(documents, representatives), radius)
    sizes = planning.sets_size(columns.flat(documents["length"]))
    table = pa.table({"root": roots, "size": sizes}).filter(represents(representatives))
    found = table.group_by("root").aggregate([("size", "sum"), ([], "count_all")]).sort_by("root")
    found = found.filter(pc.greater(found["count_all"], 1))
    numbers, taken, number = [], 0.0, 0
    for size in found["size_sum"].to_pylist():
        if taken and taken + size > memory:
            taken, number = 0.0, number + 1
        taken += size
        numbers.append(number)
    place = pc.index_in(roots.take(representatives), value_set=columns.flat(found["root"]))
    portion = pa.array(numbers, pa.int64()).take(place)
    for one in sorted(set(numbers)):
        yield pc.fill_null(pc.equal(portion, one), False)


def numbered(members: pa.Table) -> pa.Table:
    """``CLUSTERS`` put together from several searches: numbered anew, by their first documents."""
    firsts = members.group_by("keeper").aggregate([("doc", "min")]).sort_by("doc_min")
    number = pc.index_in(members["keeper"], value_set=columns.flat(firsts["keeper"]))
    at = members.schema.get_field_index("cluster")
    members = members.set_column(at, members.schema.field(at), number.cast(pa.int64()))
    return members.sort_by("doc")


def cluster(keepers: pa.Array, representatives: pa.Array, held: int = 0) -> pa.Table:
    """Step 5, over everything: the documents of one kind.

    Args:
        keepers: per row the keeper of its representative's cluster (``ilk.clusters``).
        representatives: per document the best one with an equal digest.
        held: so many documents, the first ones, are in no cluster but as its keeper.

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
        verdicts = members.append_column("verdict", pa.repeat("key", len(members)))
        return columns.padded(verdicts, columns.CLUSTERS)
    raw = columns.flat(documents["bytes_digest"])
    same = pc.equal(raw.take(members["doc"]), raw.take(members["keeper"]))
    one = pa.repeat(1.0, len(members))
    return pa.table(
        [
            *members.columns,
            pa.repeat(pa.scalar(0, pa.uint8()), len(members)),
            *(one, one, one),
            pc.if_else(same, "identical", "exact"),
        ],
        schema=columns.CLUSTERS,
    )


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
            "verdict": pc.if_else(pc.equal(raw.take(left), raw.take(right)), "identical", "exact"),
        },
        schema=columns.PAIRS,
    )
