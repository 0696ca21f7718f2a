"""Step 2: documents with their fingerprints and digests, and what stands for copies of one text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk import columns
from ilk.features import blocks
from ilk.fingerprints import digest
from ilk.fingerprints.texts import fingerprints
from ilk.recipes.recipe import Recipe
from ilk.system import resources


def fingerprint_texts(
    texts: Any, recipe: Recipe | None = None, *, text: str | None = None, jobs: int | None = None
) -> pa.Array:
    """One fingerprint per text; similar texts differ in few bits.

    Args:
        texts: n texts: an Arrow, Polars, pandas or DuckDB column of strings, a list of ``str``, or
            record batches that have one: a table, a data frame, or a stream of batches, which is
            read once, and of which no more than a batch is in memory at a time.
        recipe: the way from text to fingerprint; the default is ``Recipe()``.
        text: the column of texts in record batches; without it that named ``text``, or the only
            one of strings.
        jobs: threads, by default one per processor; the answer does not depend on them.

    Returns:
        n fingerprints as ``uint64``, or of 128 bits as 16 bytes (``fixed_size_binary``, the most
        significant first, so that their hexadecimal form is the number's); null where a text is
        null or blank, or has fewer distinct features than the recipe's minimum. Write ``uint64`` as
        ``int64``: ``array.view("int64")``.

    Raises:
        ColumnTypeError: ``texts`` is not a column of texts, or has none of that name.

    Source: Charikar 2002, section 3; Manku 2007, section 2; Broder 1997, section 3; Li and Koenig
    2010, section 2.
    """
    way = (recipe or Recipe()).way()
    return fingerprints(columns.passing(texts, text), way, jobs=resources.threads(jobs))[0]


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


def represents(representatives: pa.Array) -> pa.Array:
    """Per document whether it stands for its copies."""
    return pc.equal(representatives, pa.arange(0, len(representatives)))
