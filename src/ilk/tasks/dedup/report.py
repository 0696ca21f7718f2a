"""The report of a deduplication: numbers that add up, and what a person should look at first."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.arrow import verdicts
from ilk.read.rows import DataSet
from ilk.search import alarms
from ilk.search.report import LARGEST, counted, head, histogram
from ilk.tasks.dedup.request import Request


def account(records: DataSet, named: pa.Table, request: Request, promise: str) -> dict[str, Any]:
    """Return what happened, as plain values; the numbers of rows add up."""
    read = records.statistics
    dropped = named.filter(pc.is_valid(named["policy"]))
    sizes = alarms.by_size(named)
    largest = sizes.slice(0, LARGEST)
    first = pc.index_in(largest["cluster"], value_set=arrow.flat(named["cluster"]))
    largest = largest.append_column("keeper_source", named["keeper_source"].take(first))
    per_source = _per_source(records, dropped)
    limits = request.limits
    return {
        **head(
            documents=read["rows"],
            failures=read["failures"],
            advice=records.tally.advice(),
            alarms=[*limits.of_clusters(sizes, read["rows"]), *limits.of_sources(per_source)],
            largest=[row | {"keeper": row.pop("keeper_source")} for row in largest.to_pylist()],
            promise=promise,
            options=request.plain(),
        ),
        "read": read,
        "kept": read["rows"] - len(dropped),
        "dropped": dict(sorted(arrow.counts(dropped["verdict"]).items())),
        "like_dropped": _like_dropped(named, dropped),
        "sources": per_source.to_pylist(),
        **counted(named),
        "resemblances": histogram(dropped["resemblance"], float(request.sought.resemblance or 0)),
        "dangling": _dangling(records, dropped),
    }


def _like_dropped(named: pa.Table, dropped: pa.Table) -> int:
    """Return how many rows stay although they are like a dropped row.

    No two rows that stay are alike.
    """
    stays = named.filter(pc.and_(named["policy"].is_null(), named["doc"].is_valid()))
    like = pc.is_in(stays["also_like"], value_set=arrow.flat(dropped["doc"]), skip_nulls=True)
    return pc.sum(like).as_py() or 0


def _per_source(records: DataSet, dropped: pa.Table) -> pa.Table:
    """Return for each source its rows, and how many are dropped as copies and as
    near-duplicates.
    """
    names = pa.array([source.name for source in records.sources], pa.string())
    encoded = arrow.flat(records.names())
    at = encoded.indices.take(arrow.flat(dropped["doc"]))
    near = pc.invert(pc.is_in(dropped["verdict"], pa.array(verdicts.COPIES)))

    def counted(sources: pa.Array) -> pa.Array:
        found = pc.value_counts(sources)
        place = pc.index_in(pa.arange(0, len(names)).cast(pa.int32()), value_set=found.field(0))
        return pc.fill_null(found.field(1).take(place), 0)

    return pa.table(
        {
            "source": names,
            "rows": counted(encoded.indices),
            "copies": counted(at.filter(pc.invert(arrow.flat(near)))),
            "near": counted(at.filter(arrow.flat(near))),
        }
    )


def _dangling(records: DataSet, dropped: pa.Table) -> list[dict[str, str]]:
    """Return the kept rows that only refer to dropped rows, as copies of them."""
    found, gone = list(records.references()), arrow.flat(dropped["doc"])
    docs, others = (pa.array([pair[side] for pair in found], pa.int64()) for side in (0, 1))
    stays = pc.and_not(pc.is_in(others, value_set=gone), pc.is_in(docs, value_set=gone))
    docs, others = docs.filter(stays), others.filter(stays)
    names = {"source": records.numbered(docs), "revisits": records.numbered(others)}
    return list(pa.table(names).to_pylist())
