"""Step 2: documents with their fingerprints and digests, and representatives of copies."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.base import resources
from ilk.fingerprints import digest
from ilk.fingerprints.recipe import Recipe, checked_recipe
from ilk.fingerprints.texts import fingerprints


def fingerprint_texts(
    texts: Any,
    recipe: Recipe | str | None = None,
    *,
    text: str | None = None,
    jobs: int | None = None,
) -> pa.Array:
    """Return the fingerprints of texts in memory, even if they name files."""
    way = checked_recipe(recipe).way()
    return fingerprints(arrow.passing(texts, text), way, jobs=resources.threads(jobs))[0]


def fingerprinted(
    batches: Iterable[pa.RecordBatch | pa.Table], recipe: Recipe, *, jobs: int
) -> pa.Table:
    """Do only step 2: return ``source``, ``id`` and ``declared`` of documents, fingerprints, and
    reasons.

    The column of fingerprints is marked with the recipe.
    """
    known = ("source", "id", "declared")
    fields = [arrow.DOCUMENTS.field(name) for name in known]
    fields += [arrow.FINGERPRINTS.field(name) for name in ("fingerprint", "reason")]
    schema = arrow.with_recipe(pa.schema(fields), str(recipe), recipe.bits)
    parts = [schema.empty_table()]
    for batch in batches:
        made = fingerprints(arrow.texts(batch["text"]), recipe.way(), jobs=jobs)
        parts.append(pa.table([*(batch[name] for name in known), *made], schema=schema))
    return pa.concat_tables(parts)


def distinct(documents: pa.Table, ranking: pa.Array, *, files: bool = False) -> pa.Array:
    """Return for each document the best one with an equal digest (its representative), as
    ``int64``.

    A blank or null text has no digest and represents itself alone; for ``files`` (documents with a
    size) without one, the digest of their bytes is used.
    """
    digests = arrow.flat(documents["digest"])
    if files:
        sized = arrow.flat(documents["size"]).is_valid()
        raw = arrow.flat(documents["bytes_digest"])
        of_bytes = pc.if_else(sized, raw, pa.scalar(None, raw.type))
        digests = pc.coalesce(digests, of_bytes)
    best = digest.first_rows(digests.take(ranking))
    representatives = pc.coalesce(ranking.take(best), ranking)
    return pc.scatter(representatives, ranking)


def represents(representatives: pa.Array) -> pa.Array:
    """Return for each document whether it represents its copies."""
    return pc.equal(representatives, pa.arange(0, len(representatives)))
