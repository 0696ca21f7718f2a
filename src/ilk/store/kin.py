"""The verdicts of members of clusters against their keepers, from stored evidence."""

from __future__ import annotations

from collections.abc import Sequence

from ilk.arrow import verdicts
from ilk.store import keepers, matching
from ilk.store.db import tables
from ilk.store.matching import Asked
from ilk.store.opened import Opened


def measured(
    opened: Opened, clusters: Sequence[Sequence[int]]
) -> dict[int, tuple[str, float | None]]:
    """Return for each member its verdict and its resemblance to its keeper.

    Args:
        opened: in a transaction.
        clusters: documents, the keeper first, from ``tables.clusters``; those removed since are
            left out.
    """
    rows = tables.rows(opened.connection, (one for cluster in clusters for one in cluster))
    whole = [cluster for cluster in clusters if cluster[0] in rows]
    firsts = matching.stored(opened, {rows[cluster[0]].first for cluster in whole})
    asked = []
    for cluster in whole:
        first = rows[cluster[0]].first
        there = {rows[one].first for one in cluster[1:] if one in rows} - {first}
        asked.append(Asked(cluster[0], firsts[first], sorted(there)))
    found = matching.verified(opened, asked, keepers.thresholds(opened))
    shares = {(each.query, each.id): (each.verdict, each.resemblance) for each in found}
    known: dict[int, tuple[str, float | None]] = {}
    for cluster in whole:
        keeper = rows[cluster[0]]
        for one in (rows[id_] for id_ in cluster[1:] if id_ in rows):
            same_bytes = one.bytes_digest == keeper.bytes_digest
            copy = verdicts.IDENTICAL if same_bytes else verdicts.EXACT, 1.0
            other = shares.get((keeper.id, one.first), (verdicts.UNVERIFIED, None))
            known[one.id] = copy if one.first == keeper.first else other
    return known
