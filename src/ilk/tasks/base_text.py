"""A base text: what documents have from a template, a hand-out, a licence, and does not count."""

from __future__ import annotations

import os
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.base.errors import NothingRead
from ilk.base.run_options import Running
from ilk.fingerprints.digest import digest_of_pieces
from ilk.read import Collection, Reading, ReadReport, named_paths
from ilk.search.counting import BaseText, Counting
from ilk.search.evidence import evidence_builder


def read_base_text(source: Any, reading: Reading, counting: Counting, jobs: int) -> BaseText:
    """Read a base text: files, folders, rows, a table, or texts.

    Args:
        source: as for ``ilk.find``.
        reading: how to read it.
        counting: what counts of a text; the shingles of the base are made in the same way.
        jobs: threads.

    Raises:
        NothingRead: a path gives no text.
        SourceNotFound: a path does not exist.
    """
    paths = named_paths(source)
    names = () if paths is None else tuple(map(os.fsdecode, paths))
    hashes = [pa.array([], pa.uint64())]
    for part in [source] if paths is None else [[path] for path in paths]:
        found, tally = _read_hashes(part, reading, counting, jobs)
        if not len(found):
            name = "the base text" if paths is None else os.fsdecode(part[0])
            why = "".join(f" {one['source']}: {one['reason']}." for one in tally.reasons()[:1])
            raise NothingRead(
                f"no text was read of {name} (`ignore_text`), so nothing would be ignored.{why}"
            )
        hashes.append(found)
    every = pc.unique(pa.concat_arrays(hashes)).sort()
    digest = digest_of_pieces([str(counting).encode(), memoryview(every.buffers()[1])]).hex()
    return BaseText(every, digest, names)


def _read_hashes(
    source: Any, reading: Reading, counting: Counting, jobs: int
) -> tuple[pa.Array, ReadReport]:
    """Return the hashes of the shingles of all texts of a source, and what happened meanwhile."""
    tally = ReadReport()
    documents = Collection.of(source, reading.without_file_filters(), Running.of(jobs), tally)
    hashes = [pa.array([], pa.uint64())]
    for batch in documents.batches():
        builder = evidence_builder(counting, jobs, large=0)
        for piece in arrow.kernel_chunks(arrow.texts(batch.column("text"))):
            builder.add(piece)
        hashes.append(pc.unique(builder.finish().field("word_hashes").flatten()))
    return pa.concat_arrays(hashes), tally
