"""Documents in portions whose sets fit in memory."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from ilk import columns
from ilk.pairing import hamming
from ilk.search import planning
from ilk.steps.fingerprinting import represents
from ilk.steps.pairing import once_fingerprinted


def portions_within(
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
    roots = hamming.connected(once_fingerprinted(documents, representatives), radius)
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
