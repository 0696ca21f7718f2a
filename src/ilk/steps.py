"""The six steps as functions from Arrow tables to Arrow tables.

read -> fingerprint -> pair -> verify -> cluster -> write

A step never prints, never reads the environment and never changes its input; the same input gives
the same bytes out, whatever the batches and threads. Reading and writing have rooms of their own
(``readers``, ``writers``); the four steps between them are here. A document is named by its row.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk import clusters, columns
from ilk.errors import TooManyPairs
from ilk.fingerprints import digest, simhash
from ilk.pairing import hamming
from ilk.pairing.verify import count
from ilk.recipe import Recipe

#: Verdicts whose documents are of one kind and form clusters.
SAME = ("identical", "exact", "near")


def fingerprint_texts(texts: Any, recipe: Recipe | None = None, *, jobs: int = 1) -> pa.Array:
    """One fingerprint per text; similar texts differ in few bits.

    Args:
        texts: n texts: an Arrow, Polars, pandas or DuckDB column of strings, or a list of ``str``.
        recipe: the way from text to fingerprint; the default is ``Recipe()``.
        jobs: threads; the answer does not depend on them.

    Returns:
        n fingerprints as ``uint64``; null where a text is null or blank, or has fewer distinct
        features than the recipe's minimum. Write them as ``int64``: ``array.view("int64")``.

    Raises:
        ColumnTypeError: ``texts`` is not a column of texts.

    Source: Charikar 2002, section 3; Manku 2007, section 2.
    """
    return _fingerprints(columns.texts(texts), recipe or Recipe(), jobs)[0]


def _fingerprints(
    texts: pa.ChunkedArray, recipe: Recipe, jobs: int
) -> tuple[pa.Array, pa.Array]:
    return simhash.simhash(
        texts,
        unit=recipe.unit,
        width=recipe.width,
        normalisation=recipe.normalisation,
        weight=recipe.weight,
        bits=recipe.bits,
        minimum=recipe.minimum,
        jobs=jobs,
    )


def fingerprint(documents: pa.RecordBatch | pa.Table, recipe: Recipe, *, jobs: int) -> pa.Table:
    """Step 2, row by row: ``DOCUMENTS`` -> ``FINGERPRINTS``, its column marked with the recipe.

    The bytes digest is the reader's; where there is none, it is that of the text's UTF-8.
    """
    texts = columns.texts(documents["text"])
    values, reasons = _fingerprints(texts, recipe, jobs)
    digests = digest.digests(texts, normalisation=recipe.normalisation, jobs=jobs)
    raw = pc.coalesce(columns.flat(documents["bytes_digest"]), digest.bytes_digests(texts))
    return pa.table(
        [documents["doc"], values, digests, raw, reasons],
        schema=columns.with_recipe(columns.FINGERPRINTS, str(recipe)),
    )


def _documents_schema(recipe: Recipe) -> pa.Schema:
    """Documents with their fingerprints, one table."""
    prints = columns.with_recipe(columns.FINGERPRINTS, str(recipe))
    fields = {f.name: f for f in (*columns.DOCUMENTS, pa.field("length", pa.int64()), *prints)}
    return pa.schema(list(fields.values()))


def fingerprinted(
    batches: Iterable[pa.RecordBatch | pa.Table], recipe: Recipe, *, jobs: int
) -> pa.Table:
    """Documents as they are read, with their fingerprints and the length of their text in bytes."""
    schema = _documents_schema(recipe)
    parts = []
    for batch in batches:
        prints = steps.fingerprint(batch, recipe, jobs=jobs)
        found = dict(zip(batch.schema.names, batch.columns, strict=True))
        found["length"] = pc.binary_length(batch["text"]).cast(pa.int64())
        found |= dict(zip(prints.column_names, prints.columns, strict=True))
        parts.append(pa.table([found[name] for name in schema.names], schema=schema))
    return pa.concat_tables(parts) if parts else schema.empty_table()


def distinct(fingerprints: pa.Table, ranking: pa.Array) -> pa.Array:
    """Per document the best one with an equal digest (its representative), as ``int64``.

    A blank or null text has no digest and represents itself alone.
    """
    digests = columns.flat(fingerprints["digest"])
    best = digest.first_rows(digests.take(ranking))
    representatives = pc.coalesce(ranking.take(best), ranking)
    return pc.scatter(representatives, ranking)


def pair(
    fingerprints: pa.Table, representatives: pa.Array, radius: int, *, max_pairs: int
) -> pa.Table:
    """Step 3 by fingerprint: every pair of representatives within the radius, as ``PAIRS``.

    Raises:
        TooManyPairs: there are more than ``max_pairs``.
    """
    rows = pa.arange(0, len(representatives))
    values = columns.flat(fingerprints["fingerprint"])
    chosen = pc.if_else(pc.equal(representatives, rows), values, pa.scalar(None, pa.uint64()))
    found = hamming.pairs(chosen, radius, max_pairs=max_pairs)
    return unmeasured(found)


def unmeasured(found: pa.Table) -> pa.Table:
    """A table with some columns of ``PAIRS``, the others null: to be verified."""
    arrays = [
        found[field.name] if field.name in found.column_names else pa.nulls(len(found), field.type)
        for field in columns.PAIRS
    ]
    return pa.table(arrays, schema=columns.PAIRS)


def verify(
    pairs: pa.Table,
    documents: pa.Table,
    *,
    resemblance: Fraction | None,
    containment: Fraction | None,
    shingle: int,
    jobs: int,
) -> pa.Table:
    """Step 4, row by row: measures every pair on its texts and gives the verdict.

    Args:
        pairs: ``PAIRS``; distances that are null are filled too.
        documents: what the pairs' rows number, texts and fingerprints.
        resemblance: the least resemblance of ``near``; None takes any.
        containment: the least containment of ``contained`` and ``contains``; None knows neither.
        shingle: words per shingle.
        jobs: threads.
    """
    left, right = (columns.flat(pairs[side]) for side in ("left", "right"))
    texts = columns.texts(documents["text"])
    counts = count(texts, left, right, shingle=shingle, jobs=jobs)

    def equal(name: str) -> pa.Array:
        column = documents[name]
        return pc.fill_null(pc.equal(column.take(left), column.take(right)), False)

    near = pa.repeat(True, len(pairs)) if resemblance is None else counts.resembling(resemblance)
    never = pa.repeat(False, len(pairs))
    inside, around = (never, never) if containment is None else counts.contained(containment)
    names = ["identical", "exact", "near", "contained", "contains"]
    conditions = [equal("bytes_digest"), equal("digest"), near, inside, around]
    verdicts = pc.case_when(
        pa.StructArray.from_arrays([columns.flat(c) for c in conditions], names), *names, "different"
    )
    distances = pc.coalesce(pairs["distance"], _distances(documents, left, right))
    found = {"left": left, "right": right, "distance": distances, **counts.columns()}
    return pa.table({**found, "verdict": verdicts}, schema=columns.PAIRS)


def _distances(fingerprints: pa.Table, left: pa.Array, right: pa.Array) -> pa.Array:
    values = columns.flat(fingerprints["fingerprint"])
    return hamming.distance(values.take(left), values.take(right))


def same(pairs: pa.Table) -> pa.Table:
    """The pairs whose documents are of one kind."""
    return pairs.filter(pc.is_in(pairs["verdict"], pa.array(SAME)))


def cluster(
    pairs: pa.Table, representatives: pa.Array, ranking: pa.Array, *, linkage: str
) -> pa.Table:
    """Step 5, over everything: which documents are of one kind.

    Args:
        pairs: verified ``PAIRS`` of representatives, all of one kind.
        representatives: per document the best one with an equal digest.
        ranking: all documents, best keeper first.
        linkage: ``anchored`` or ``connected``.

    Returns:
        ``doc``, ``cluster`` and ``keeper`` of every document in a cluster of two or more; clusters
        are numbered from 0 in the order of their first document.
    """
    left, right = (columns.flat(pairs[side]) for side in ("left", "right"))
    keepers = clusters.keepers(left, right, ranking, linkage).take(representatives)
    table = pa.table({"doc": pa.arange(0, len(keepers)), "keeper": keepers})
    groups = table.group_by("keeper").aggregate([("doc", "count"), ("doc", "min")])
    groups = groups.filter(pc.greater(groups["doc_count"], 1)).sort_by("doc_min")
    number = pc.index_in(keepers, value_set=columns.flat(groups["keeper"]))
    table = table.append_column("cluster", number.cast(pa.int64()))
    return table.filter(number.is_valid()).select(["doc", "cluster", "keeper"])


def expand(
    pairs: pa.Table, fingerprints: pa.Table, representatives: pa.Array, *, max_pairs: int
) -> pa.Table:
    """Pairs of representatives as pairs of documents: every copy of the one with every of the other.

    Copies of one text are paired with one another too. Sorted by row, left below right.

    Raises:
        TooManyPairs: there would be more than ``max_pairs``.
    """
    docs = pa.table({"doc": pa.arange(0, len(representatives)), "rep": representatives})
    sizes = docs.group_by("rep").aggregate([("doc", "count")])
    size = pc.scatter(columns.flat(sizes["doc_count"]), columns.flat(sizes["rep"]), max_index=len(docs) - 1) if len(docs) else pa.array([], pa.int64())
    left, right = columns.flat(pairs["left"]), columns.flat(pairs["right"])
    crossed = pc.sum(pc.multiply(size.take(left), size.take(right))).as_py() or 0
    counted = columns.flat(sizes["doc_count"])
    within = pc.sum(pc.divide(pc.multiply(counted, pc.subtract(counted, 1)), 2)).as_py() or 0
    if crossed + within > max_pairs:
        raise TooManyPairs(crossed + within, max_pairs)
    across = _products(pairs, docs)
    copies = _copies(docs.filter(pc.greater(size.take(representatives), 1)), fingerprints)
    return pa.concat_tables([across, copies]).sort_by([("left", "ascending"), ("right", "ascending")])


def _products(pairs: pa.Table, docs: pa.Table) -> pa.Table:
    lefts = docs.rename_columns(["a", "left"])
    rights = docs.rename_columns(["b", "right"])
    table = pairs.join(lefts, "left", join_type="inner").join(rights, "right", join_type="inner")
    a, b = table["a"], table["b"]
    turned = pc.greater(a, b)
    swapped = {
        "left": pc.if_else(turned, b, a),
        "right": pc.if_else(turned, a, b),
        "containment_left": pc.if_else(turned, table["containment_right"], table["containment_left"]),
        "containment_right": pc.if_else(turned, table["containment_left"], table["containment_right"]),
        "verdict": pc.if_else(turned, _turned(table["verdict"]), table["verdict"]),
    }
    arrays = [swapped.get(name, None) for name in columns.PAIRS.names]
    return pa.table(
        [table[n] if array is None else array for n, array in zip(columns.PAIRS.names, arrays, strict=True)],
        schema=columns.PAIRS,
    )


def _turned(verdicts: pa.ChunkedArray) -> pa.ChunkedArray:
    """The verdicts with left and right exchanged."""
    contained, contains = pc.equal(verdicts, "contained"), pc.equal(verdicts, "contains")
    return pc.if_else(contained, "contains", pc.if_else(contains, "contained", verdicts))


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
            "distance": _distances(fingerprints, left, right),
            "resemblance": one,
            "containment_left": one,
            "containment_right": one,
            "verdict": pc.if_else(pc.equal(raw.take(left), raw.take(right)), "identical", "exact"),
        },
        schema=columns.PAIRS,
    )

