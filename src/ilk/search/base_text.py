"""A base text: what documents have from a template, a hand-out, a licence, and does not count."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.base.errors import NothingRead
from ilk.base.run_options import Running
from ilk.fingerprints.digest import text_digests_null_if_blank
from ilk.read import Collection, Reading, ReadReport, paths_or_none_if_texts
from ilk.search.counting import BaseText, Counting
from ilk.search.evidence import Evidence
from ilk.search.query import Query


def query_with_base_text_if_given(
    query: Query, source: Any | None, reading: Reading, jobs: int
) -> Query:
    """Return a query in which the text of a source does not count; None counts all.

    Args:
        query, source: what is looked for, and the base text, as for ``ilk.find``.
        reading, jobs: as for ``read_base_text``.
    """
    if source is None:
        return query
    query.refuse_noise_and_fingerprints_for_base_text()
    return replace(query, base=read_base_text(source, reading, query.counting, jobs))


def read_base_text(source: Any, reading: Reading, counting: Counting, jobs: int) -> BaseText:
    """Return what does not count of a base text: the shingles in it, made as others are.

    Args:
        source, reading, jobs: as of ``read_base_document_batches``.
        counting: what counts of a text.

    Raises:
        NothingRead, SourceNotFound: as of ``read_base_document_batches``.
    """
    hashes = [pa.array([], pa.uint64())]
    for batch in read_base_document_batches(source, reading, jobs):
        texts, sources = arrow.import_texts(batch.column("text")), batch.column("source")
        evidence = Evidence.from_texts(
            texts, counting, jobs, sources=sources, whole_hashes_above_shingles=0
        )
        hashes.append(pc.unique(evidence.field("word_hashes").flatten()))
    names = tuple(map(os.fsdecode, paths_or_none_if_texts(source) or ()))
    return BaseText.from_shingle_hashes(pa.concat_arrays(hashes), counting, names)


def read_base_texts_with_programs_as_words(
    source: Any, reading: Reading, counting: Counting
) -> pa.ChunkedArray:
    """Return what counts of each document of a base text.

    Raises:
        NothingRead, SourceNotFound: as of ``read_base_document_batches``.
    """
    pieces = [pa.array([], pa.large_string())]
    for batch in read_base_document_batches(source, reading, jobs=1):
        texts = arrow.import_texts(batch.column("text"))
        pieces += counting.replace_programs_by_words_if_as_code(
            texts, batch.column("source")
        ).chunks
    return pa.chunked_array(pieces)


def read_base_document_batches(
    source: Any, reading: Reading, jobs: int
) -> Iterator[pa.RecordBatch]:
    """Yield the documents of a base text: files, folders, rows, a table, or texts.

    Args:
        source: as for ``ilk.find``.
        reading: how to read it.
        jobs: threads.

    Raises:
        NothingRead: a path gives no text.
        SourceNotFound: a path does not exist.
    """
    paths = paths_or_none_if_texts(source)
    for part in [source] if paths is None else [[path] for path in paths]:
        tally, has_text = ReadReport(), False
        for batch in Collection.of(
            part, reading.without_size_and_time_filters(), Running.of(jobs), tally
        ).batches():
            known = text_digests_null_if_blank(arrow.import_texts(batch.column("text")), jobs=jobs)
            has_text = has_text or known.null_count < len(known)
            yield batch
        if not has_text:
            name = "the base text" if paths is None else os.fsdecode(part[0])
            why = "".join(
                f" {one['source']}: {one['reason']}." for one in tally.failures_as_dicts()[:1]
            )
            raise NothingRead(
                f"no text was read of {name} (`ignore_text`), so nothing would be ignored.{why}"
            )
