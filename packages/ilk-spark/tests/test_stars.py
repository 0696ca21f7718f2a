"""Components that are made in the cluster are those of the driver."""

from __future__ import annotations

import random
from contextlib import closing
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pytest
from spark_support import QUIET, rows

from ilk.search.query import NOMINATING, Query
from ilk_spark import flow
from ilk_spark.frame_request import FrameRequest
from ilk_spark.stars import assign_components_to_tasks_in_cluster, find_roots

pytestmark = QUIET


def naive(edges: list[tuple[int, int]]) -> dict[int, int]:
    """Per document the least one that it is connected with."""
    root = {doc: doc for edge in edges for doc in edge}
    for _ in root:
        for left, right in edges:
            root[left] = root[right] = min(root[left], root[right])
    return root


@pytest.mark.parametrize("chain", [8, pytest.param(40, marks=pytest.mark.long)])
def test_chains_stars_and_strangers(spark: Any, chain: int) -> None:
    draw = random.Random(5)
    names = [draw.randrange(-(2**62), 2**62) for _ in range(120)]
    edges = list(pairwise(names[:chain]))  # A chain, in no order.
    edges += [(names[50], other) for other in names[51:70]] + [(names[71], names[71])]
    edges += [(draw.choice(names[75:]), draw.choice(names[75:])) for _ in range(30)]
    edges += [(right, left) for left, right in edges[:5]]
    left, right = (pa.array([edge[side] for edge in edges]) for side in (0, 1))
    sizes = pa.array([100] * len(edges))
    table = pa.table({"left": left, "right": right, "left_size": sizes, "right_size": sizes})
    expected = naive([edge for edge in edges if edge[0] != edge[1]])
    frame = spark.createDataFrame(table)
    found = {row["doc"]: row["root"] for row in find_roots(frame).collect()}
    assert found == expected
    together = assign_components_to_tasks_in_cluster(frame, 1 << 20, 3)
    assert together.documents == len(expected)
    assert together.largest >= max(chain, 20)
    assert together.task_count >= 3
    assert {row["doc"]: row["bucket"] for row in together.members.collect()} == expected


@pytest.mark.long
def test_where_the_driver_takes_no_edges_components_are_the_same(spark: Any) -> None:
    """They stand in tasks of several components there, and here in one each."""
    asked = FrameRequest.check_options_and_read_base_text(
        Query.from_options(NOMINATING, of_rows=True), "text", id="id", order_by=None
    )
    frame = spark.createDataFrame(rows(300, 12))
    with closing(flow.read_frames([frame], asked, 3)) as read:
        here, there = read.find_components(), read.find_components(most_edges_in_driver=0)
        buckets = {row["doc"]: row["bucket"] for row in here.members.collect()}
        roots = {row["doc"]: row["bucket"] for row in there.members.collect()}
    assert (here.documents, here.largest) == (there.documents, there.largest)
    assert roots.keys() == buckets.keys()
    assert len(roots) > 50
    assert all(buckets[doc] == buckets[root] for doc, root in roots.items())
    assert len(set(roots.values())) > 20
