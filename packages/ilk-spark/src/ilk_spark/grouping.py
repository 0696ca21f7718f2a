"""Components from edges, and tasks from components, each clustered as on one machine."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from ilk.companions import kernels as _kernels
from ilk.plugins import arrow

#: Bytes of evidence per shingle: its id, the data of a join, and columns besides sets.
BYTES, HEAD = 16, 400


@dataclass(frozen=True, kw_only=True)
class Components:
    """Documents that edges connect.

    Attributes:
        docs: the number of each (``int64``).
        buckets: for each document the number of its task (``int64``).
        task_count: the number of tasks.
        largest: documents of the largest component.
        largest_task_bytes: about how many bytes the largest task needs.
    """

    docs: pa.Array
    buckets: pa.Array
    task_count: int
    largest: int
    largest_task_bytes: int


def assign_components_to_tasks_in_driver(
    edges: pa.Table, most_task_bytes: int, least_tasks: int
) -> Components:
    """Return the components of edges, packed whole into tasks.

    Args:
        edges: ``left``, ``right``, and the sizes of their sets.
        most_task_bytes: bytes that a task may need; a larger component gets its own task.
        least_tasks: the least number of tasks.
    """
    left, right = arrow.flat(edges["left"]), arrow.flat(edges["right"])
    sizes = pa.concat_arrays([arrow.flat(edges["left_size"]), arrow.flat(edges["right_size"])])
    nodes = pa.table({"doc": pa.concat_arrays([left, right]), "size": sizes})
    # A document is the same whichever of its sets an edge came from; ascending, so that the order
    # of edges does not matter.
    nodes = nodes.group_by("doc").aggregate([("size", "max")]).sort_by("doc")
    docs = arrow.flat(nodes["doc"])
    if not len(docs):
        return Components(docs=docs, buckets=docs, task_count=0, largest=0, largest_task_bytes=0)
    left_at, right_at = (
        pc.index_in(side, value_set=docs).cast(pa.int64()) for side in (left, right)
    )
    roots = _kernels.cluster_connected(pa.arange(0, len(docs)), left_at, right_at)
    weights = pc.add(pc.multiply(arrow.flat(nodes["size_max"]), BYTES), HEAD)
    table = pa.table({"root": roots, "weight": weights})
    sums = table.group_by("root").aggregate([("weight", "sum"), ([], "count_all")])
    sums = sums.sort_by("root")
    weights = arrow.flat(sums["weight_sum"])
    most_task_bytes = max(1, min(most_task_bytes, -(-pc.sum(weights).as_py() // least_tasks)))
    before = pc.subtract(pc.cumulative_sum(weights), weights)
    numbers = pc.unique(pc.divide(before, most_task_bytes))
    bucket = pc.index_in(pc.divide(before, most_task_bytes), value_set=numbers).cast(pa.int64())
    heavy = pa.table({"bucket": bucket, "weight": weights}).group_by("bucket")
    return Components(
        docs=docs,
        buckets=bucket.take(pc.index_in(roots, value_set=arrow.flat(sums["root"]))),
        task_count=len(numbers),
        largest=pc.max(sums["count_all"]).as_py(),
        largest_task_bytes=pc.max(heavy.aggregate([("weight", "sum")])["weight_sum"]).as_py(),
    )
