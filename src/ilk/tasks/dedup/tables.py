"""The tables of a deduplication: what is known of every row, and members of clusters by name."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.fingerprints import digest
from ilk.read.rows import DataSet
from ilk.search.ranking import reasons
from ilk.tasks.dedup.request import Request

#: What is known of every row once it has been read.
FACTS = pa.schema(
    [
        pa.field("doc", pa.int64()),
        pa.field("id", pa.string()),
        pa.field("length", pa.int64()),
        pa.field("digest", arrow.DIGEST),
        pa.field("bytes_digest", arrow.DIGEST),
    ]
)


def facts(data_set: DataSet, request: Request, jobs: int) -> pa.Table:
    """Return what is known of every row, as ``FACTS``."""
    parts = [FACTS.empty_table()]
    for batch in data_set.batches():
        texts = arrow.texts(batch.column("text"))
        raw = digest.bytes_digests(texts)
        # If keys are compared, the texts do not matter.
        same = digest.digests(texts, jobs=jobs) if request.key is None else raw
        lengths = pc.binary_length(batch.column("text")).cast(pa.int64())
        arrays = [batch.column("doc"), batch.column("id"), lengths, same, raw]
        parts.append(pa.table(arrays, schema=FACTS))
    found = pa.concat_tables(parts).combine_chunks()
    if request.key is None:
        return found
    # A key may be a number, which is not a text.
    keys = data_set.column(request.key)
    values = digest.bytes_digests(arrow.texts(keys.cast(pa.large_string())))
    return found.set_column(found.schema.get_field_index("digest"), "digest", values)


def named(
    documents: pa.Table,
    members: pa.Table,
    request: Request,
    data_set: DataSet,
    column: Callable[[str], pa.ChunkedArray],
    held: int,
) -> pa.Table:
    """Return the members of clusters with the names people know; ``policy`` is null for keepers.

    Held documents have no number: those of the data set are numbered from 0.
    """
    docs, keepers = arrow.flat(members["doc"]), arrow.flat(members["keeper"])
    policy = reasons(documents, request.sought.keep, docs, keepers, column, held)
    ids = arrow.flat(documents["id"])

    def number(of: pa.Array) -> pa.Array:
        return pc.if_else(pc.less(of, held), None, pc.subtract(of, held))

    also = arrow.flat(members["also_like"])
    named = pa.table(
        {
            "family": members["family"],
            "cluster": members["cluster"],
            "doc": number(docs),
            "source": data_set.numbered(docs),
            "id": ids.take(docs),
            "keeper": number(keepers),
            "keeper_source": data_set.numbered(keepers),
            "keeper_id": ids.take(keepers),
            "verdict": members["verdict"],
            "policy": policy,
            "distance": members["distance"],
            "resemblance": members["resemblance"],
            "contained_in_keeper": members["contained_in_keeper"],
            "contains_keeper": members["contains_keeper"],
            "also_like": number(also),
            "also_like_source": data_set.numbered(also),
            "also_resemblance": members["also_resemblance"],
            "also_verdict": members["also_verdict"],
        }
    )
    if "agreement" not in members.column_names:
        return named
    return named.append_column("agreement", members["agreement"])
