"""Fingerprints of texts in memory, and of documents in files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from ilk import arrow, read
from ilk.base.arguments import suggest_arguments
from ilk.base.run_options import Running
from ilk.fingerprints.recipe import Recipe
from ilk.fingerprints.texts import fingerprint_texts


@suggest_arguments
def fingerprint(
    source: Any,
    recipe: Recipe | str | None = None,
    *,
    text: str | None = None,
    jobs: int | None = None,
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
    if read.paths_or_none_if_texts(source) is None:
        held = read.texts_to_table_or_as_given(source) if isinstance(source, Mapping) else source
        return fingerprint_texts(held, recipe, text_column=text, jobs=jobs)
    tally, reading = read.ReadReport(), read.Reading.of(text=text)
    batches = read.read_documents(source, reading, Running.of(jobs), tally)
    stream = pa.RecordBatchReader.from_batches(arrow.DOCUMENTS, batches)
    made = fingerprint_texts(stream, recipe, text_column="text", jobs=jobs)
    read.refuse_if_all_files_unreadable(tally)
    return made
