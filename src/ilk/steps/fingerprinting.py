"""Step 2: documents with their fingerprints and digests, and representatives of copies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk import columns, readers
from ilk.fingerprints import digest
from ilk.fingerprints.texts import fingerprints
from ilk.recipes.recipe import Recipe, checked_recipe
from ilk.system import resources
from ilk.system.running import Running


def fingerprint(
    source: Any, recipe: Recipe | None = None, *, text: str | None = None, jobs: int | None = None
) -> pa.Array:
    """Return one fingerprint per document; similar texts differ in few bits.

    Args:
        source: n texts: an Arrow, Polars, pandas or DuckDB column of strings, a list of ``str``, a
            dict that maps ids to texts, or record batches with such a column: a table, a data
            frame, or a stream of batches, which is read once with no more than one batch in memory
            at a time. Or a path (``str`` or ``Path``) or a list of ``Path``, as for ``ilk.find``;
            documents that cannot be read have no fingerprint in the result.
        recipe: the way from text to fingerprint; ``Recipe()`` by default.
        text: the column of texts in record batches; by default ``text``, or the only column of
            strings.
        jobs: threads; by default one per processor. The result does not depend on them.

    Returns:
        n fingerprints as ``uint64``, or of 128 bits as 16 bytes (``fixed_size_binary``, the most
        significant first, so that their hexadecimal form is the number's); null if a text is
        null or blank, or has fewer distinct features than the recipe's minimum. Write ``uint64`` as
        ``int64``: ``array.view("int64")``.

    Raises:
        ColumnTypeError: ``source`` is not a column of texts, or has no column of that name.
        OptionError: every ``str`` of a list names a file.
        SourceNotFound, NothingRead: there is no such file, or none can be read.

    Source: Charikar 2002, section 3; Manku 2007, section 2; Broder 1997, section 3; Li and Koenig
    2010, section 2.
    """
    if readers.named_paths(source) is None:
        held = readers.of_memory(source) if isinstance(source, Mapping) else source
        return fingerprint_texts(held, recipe, text=text, jobs=jobs)
    tally, reading = readers.Tally(), readers.Reading.of(text=text)
    batches = readers.read(source, reading, Running.of(jobs), tally)
    stream = pa.RecordBatchReader.from_batches(columns.DOCUMENTS, batches)
    made = fingerprint_texts(stream, recipe, text="text", jobs=jobs)
    readers.check_read(tally)
    return made


def fingerprint_texts(
    texts: Any, recipe: Recipe | None = None, *, text: str | None = None, jobs: int | None = None
) -> pa.Array:
    """Return the fingerprints of texts in memory, as ``fingerprint``, even if they name files."""
    way = checked_recipe(recipe).way()
    return fingerprints(columns.passing(texts, text), way, jobs=resources.threads(jobs))[0]


def fingerprinted(
    batches: Iterable[pa.RecordBatch | pa.Table], recipe: Recipe, *, jobs: int
) -> pa.Table:
    """Do only step 2: return ``source``, ``id`` and ``declared`` of documents, fingerprints, and
    reasons.

    The column of fingerprints is marked with the recipe.
    """
    known = ("source", "id", "declared")
    fields = [columns.DOCUMENTS.field(name) for name in known]
    fields += [columns.FINGERPRINTS.field(name) for name in ("fingerprint", "reason")]
    schema = columns.with_recipe(pa.schema(fields), str(recipe), recipe.bits)
    parts = [schema.empty_table()]
    for batch in batches:
        made = fingerprints(columns.texts(batch["text"]), recipe.way(), jobs=jobs)
        parts.append(pa.table([*(batch[name] for name in known), *made], schema=schema))
    return pa.concat_tables(parts)


def distinct(documents: pa.Table, ranking: pa.Array, *, files: bool = False) -> pa.Array:
    """Return for each document the best one with an equal digest (its representative), as
    ``int64``.

    A blank or null text has no digest and represents itself alone; for ``files`` (documents with a
    size) without one, the digest of their bytes is used.
    """
    digests = columns.flat(documents["digest"])
    if files:
        sized = columns.flat(documents["size"]).is_valid()
        raw = columns.flat(documents["bytes_digest"])
        of_bytes = pc.if_else(sized, raw, pa.scalar(None, raw.type))
        digests = pc.coalesce(digests, of_bytes)
    best = digest.first_rows(digests.take(ranking))
    representatives = pc.coalesce(ranking.take(best), ranking)
    return pc.scatter(representatives, ranking)


def represents(representatives: pa.Array) -> pa.Array:
    """Return for each document whether it represents its copies."""
    return pc.equal(representatives, pa.arange(0, len(representatives)))
