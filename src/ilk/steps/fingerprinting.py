"""Step 2: documents with their fingerprints and digests, and what stands for copies of one text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk import columns
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


def fingerprinted(
    batches: Iterable[pa.RecordBatch | pa.Table], recipe: Recipe, *, jobs: int
) -> pa.Table:
    """Step 2 alone: ``source`` and ``page`` of documents, their fingerprints, and the reasons.

    The column of fingerprints is marked with the recipe.
    """
    fields = [columns.DOCUMENTS.field("source"), columns.DOCUMENTS.field("page")]
    fields += [columns.FINGERPRINTS.field(name) for name in ("fingerprint", "reason")]
    schema = columns.with_recipe(pa.schema(fields), str(recipe), recipe.bits)
    parts = [schema.empty_table()]
    for batch in batches:
        made = fingerprints(columns.texts(batch["text"]), recipe.way(), jobs=jobs)
        parts.append(pa.table([batch["source"], batch["page"], *made], schema=schema))
    return pa.concat_tables(parts)


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
