"""Signs that something went wrong: clusters so large, or losses so heavy, that a person must look.

One boilerplate cluster that wipes out a corpus is this field's best-known accident.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk.columns import verdicts

#: A near cluster larger than both raises the alarm: such clusters are mostly boilerplate.
DOCUMENTS = 1_000
SHARE = 0.05

#: A source that loses more than this to near-duplicates raises it too.
LOSS = 0.5


def by_size(members: pa.Table) -> pa.Table:
    """Per cluster ``cluster``, ``keeper``, ``documents`` and whether it is ``near``, largest first.

    Args:
        members: of clusters, each with its ``cluster``, ``keeper`` and ``verdict``.
    """
    near = pc.invert(pc.is_in(members["verdict"], pa.array(verdicts.COPIES)))
    table = members.select(["cluster", "keeper"]).append_column("near", near)
    sizes = table.group_by(["cluster", "keeper"]).aggregate([([], "count_all"), ("near", "any")])
    sizes = sizes.rename_columns(["cluster", "keeper", "documents", "near"])
    return sizes.sort_by([("documents", "descending"), ("cluster", "ascending")])


def clusters(sizes: pa.Table, total: int, documents: int, share: float) -> list[dict[str, Any]]:
    """The near clusters of more than so many documents and more than that share of them all.

    Args:
        sizes: as ``by_size`` gives them.
        total: how many documents there are.
        documents, share: what a cluster must exceed.
    """
    large = pc.and_(
        pc.greater(sizes["documents"], documents),
        pc.greater(sizes["documents"], share * total),
    )
    found = sizes.filter(pc.and_(sizes["near"], large)).select(["cluster", "documents"])
    return list(found.to_pylist())


def losses(rows: pa.Array, near: pa.Array, share: float) -> pa.Array:
    """Per source whether it loses more than that share of its rows to near-duplicates.

    Args:
        rows, near: per source how many rows it has, and how many of them are dropped as near.
        share: what the loss must exceed.
    """
    return pc.greater(near, pc.multiply(rows, share))
