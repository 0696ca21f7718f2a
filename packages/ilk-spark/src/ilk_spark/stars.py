"""Components of more edges than the driver can hold: large stars and small stars, in turn.

Source: Kiveris, Lattanzi, Mirrokni, Rastogi and Vassilvitskii 2014, "Connected Components in
MapReduce and Beyond".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ilk_spark.grouping import BYTES, HEAD

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class EdgesSignature(NamedTuple):
    """The number of edges, and the sum of their hashes: equal edges have equal ones."""

    edges: int
    hash_sum: int


@dataclass(frozen=True, kw_only=True)
class ConnectedDocuments:
    """Connected documents, with whole components in a task.

    Attributes:
        members: ``doc``, and the ``bucket`` to shuffle it by.
        documents: their number.
        task_count: the number of tasks.
        largest: documents of the largest component.
        largest_task_bytes: about how many bytes the largest task needs.
    """

    members: DataFrame
    documents: int
    task_count: int
    largest: int
    largest_task_bytes: int


def find_roots(edges: DataFrame) -> DataFrame:
    """Return the components of edges: ``doc`` and ``root``, the least connected document.

    The number of rounds is of the order of the logarithm of the longest path. Each round is kept
    where the user chose (``SparkContext.setCheckpointDir``), or else by the executors.

    Args:
        edges: ``left`` and ``right``, in any order.
    """
    from pyspark.sql import functions as sf

    one, other = sf.col("left"), sf.col("right")
    star_edges = _checkpoint_edges(
        edges.select(sf.greatest(one, other).alias("doc"), sf.least(one, other).alias("root"))
        .where("doc != root")
        .distinct()
    )
    before = None
    while (now := _compute_edges_signature(star_edges)) != before:
        before, last = now, star_edges
        star_edges = _checkpoint_edges(
            _connect_smaller_neighbours_with_least(
                _connect_larger_neighbours_with_least(star_edges)
            )
        )
        last.unpersist()
    roots = star_edges.select("root").distinct().select(sf.col("root").alias("doc"), "root")
    return star_edges.unionByName(roots)


def _connect_larger_neighbours_with_least(edges: DataFrame) -> DataFrame:
    """Connect the larger neighbours of every document with the least of its neighbourhood."""
    from pyspark.sql import functions as sf

    turned = edges.select(sf.col("root").alias("doc"), sf.col("doc").alias("root"))
    both = edges.unionByName(turned)
    least = both.groupBy("doc").agg(sf.min("root").alias("least"))
    larger = both.where("root > doc").join(least, "doc")
    to = sf.least("least", "doc")
    return larger.select(sf.col("root").alias("doc"), to.alias("root")).distinct()


def _connect_smaller_neighbours_with_least(edges: DataFrame) -> DataFrame:
    """Connect the smaller neighbours of every document, and itself, with the least of them."""
    from pyspark.sql import functions as sf

    least = edges.groupBy("doc").agg(sf.min("root").alias("least"))
    smaller = edges.join(least, "doc").select(sf.col("root").alias("doc"), "least")
    found = smaller.unionByName(least).where("doc != least").distinct()
    return found.select("doc", sf.col("least").alias("root"))


def _checkpoint_edges(edges: DataFrame) -> DataFrame:
    """Cut the plan, which would grow with every round."""
    if edges.sparkSession.sparkContext.getCheckpointDir() is not None:
        return edges.checkpoint()
    return edges.localCheckpoint()


def _compute_edges_signature(edges: DataFrame) -> EdgesSignature:
    from pyspark.sql import functions as sf

    mixed = sf.xxhash64("doc", "root").cast("decimal(38, 0)")
    count, total = edges.agg(sf.count("*"), sf.coalesce(sf.sum(mixed), sf.lit(0))).first()
    return EdgesSignature(int(count), int(total))


def assign_components_to_tasks_in_cluster(
    edges: DataFrame, most_task_bytes: int, least_tasks: int
) -> ConnectedDocuments:
    """Return the components of edges, whole ones in a task, without using the driver.

    Args:
        edges: ``left``, ``right``, and the sizes of their sets; held by Spark.
        most_task_bytes: bytes that a task may need.
        least_tasks: the least number of tasks.
    """
    from pyspark.sql import functions as sf

    sides = [
        edges.select(sf.col(side).alias("doc"), sf.col(f"{side}_size").alias("size"))
        for side in ("left", "right")
    ]
    sizes = sides[0].unionByName(sides[1]).groupBy("doc").agg(sf.max("size").alias("size"))
    roots = find_roots(edges.select("left", "right"))
    weight = sf.sum(sf.col("size") * BYTES + HEAD).alias("weight")
    found = roots.join(sizes, "doc").groupBy("root").agg(weight, sf.count("*").alias("docs"))
    sums = found.agg(
        *(sf.coalesce(sf.sum(name), sf.lit(0)) for name in ("docs", "weight")),
        *(sf.coalesce(sf.max(name), sf.lit(0)) for name in ("docs", "weight")),
    ).first()
    documents, total, largest, largest_task_bytes = map(int, sums)
    most_task_bytes = max(1, min(most_task_bytes, -(-total // least_tasks)))
    # Whole components go where the hash of their root leads.
    members = roots.select("doc", sf.col("root").alias("bucket"))
    return ConnectedDocuments(
        members=members,
        documents=documents,
        task_count=-(-total // most_task_bytes),
        largest=largest,
        largest_task_bytes=max(largest_task_bytes, most_task_bytes),
    )
