"""Anchored clusters kept current: who keeps whom, after documents came, went or changed.

Documents are taken in the order of their ids; one that no earlier keeper is like becomes a keeper
and takes those that it is like. So the clusters are those of a scan of all documents
(``ilk.steps.linkage``), whatever the order in which they came and went. A change is settled where
it happened: what is undecided looks at the keepers before it, and only a document that becomes a
keeper, or ceases to be one, matters to others, and only to later ones. Of documents of one text,
the first stands for all.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc

from ilk import columns
from ilk.columns import verdicts
from ilk.options.table import CONTAINMENT, checked
from ilk.store import matching
from ilk.store.db import tables
from ilk.store.matching import FOUND, Thresholds
from ilk.store.opened import Opened

#: Documents that are decided together.
_AT_ONCE = 1024


def thresholds(opened: Opened) -> Thresholds:
    """Return what puts two documents in one cluster, and what is reported besides."""
    containment = checked("containment", CONTAINMENT)
    return Thresholds(opened.settings.resemblance, containment, opened.settings.within)


def settle(opened: Opened, undecided: Iterable[int]) -> tuple[pa.Table, set[int]]:
    """Give every document its keeper again.

    Args:
        opened: in a transaction.
        undecided: documents that stand for a text, and whose keeper is not known: they have come,
            or it has gone. Nobody is kept by them.

    Returns:
        What the undecided ones are like, as ``FOUND`` with their ids for ``query``: keepers, and
        earlier ones of those that were looked at together. And those of which this is not all,
        perhaps.
    """
    open_ = set(undecided)
    waiting = sorted(open_)
    told = [FOUND.empty_table()]
    partly: set[int] = set()
    while waiting:
        some = [heapq.heappop(waiting) for _ in range(min(len(waiting), _AT_ONCE))]
        found, left = _alike(opened, some, partial(_keeping, some, open_))
        told.append(found)
        partly |= left
        open_.difference_update(some)
        for one in _decided(opened, some, found):
            if one not in open_:
                open_.add(one)
                heapq.heappush(waiting, one)
    return pa.concat_tables(told), partly


def _decided(opened: Opened, ids: list[int], found: pa.Table) -> list[int]:
    """Give each of these documents its keeper; the others, which have lost theirs by it."""
    before: dict[int, list[int]] = defaultdict(list)
    after: dict[int, list[int]] = defaultdict(list)
    for query, other in _pairs(found):
        (before if other < query else after)[query].append(other)
    keepers: dict[int, int | None] = {}
    # Keepers that are like one which comes before them: they are kept by it.
    ceased: dict[int, int | None] = {}
    for one in ids:
        keeping = (k for k in before[one] if k not in ceased and keepers.get(k) is None)
        keepers[one] = min(keeping, default=None)
        if keepers[one] is None:
            for later in after[one]:
                ceased.setdefault(later, one)
    tables.set_keepers(opened.connection, keepers | ceased)
    _take(opened, [one for one in ids if keepers[one] is None])
    return tables.members(opened.connection, ceased)


def _take(opened: Opened, made: list[int]) -> None:
    """Give these, which have become keepers, those that they are like from later keepers."""
    last = tables.last_text(opened.connection, made)
    earlier = [one for one in made if one < last]
    taken: dict[int, int | None] = {}
    found, _ = _alike(opened, earlier, _kept_later)
    for query, other in _pairs(found):
        taken.setdefault(other, query)
    tables.set_keepers(opened.connection, taken)


def among_members(opened: Opened, ids: list[int], together: list[int]) -> pa.Table:
    """The documents that others keep which some are like, as ``FOUND`` with ids for ``query``.

    Args:
        opened: in a transaction.
        ids: documents that stand for a text.
        together: documents that came in with them; later ones of these are left out.
    """
    same_call = pa.array(together, pa.int64())

    def chosen(pairs: pa.Table) -> pa.Array:
        before = pc.invert(pc.is_in(pairs["id"], same_call))
        return pc.and_(
            pairs["keeper"].is_valid(), pc.or_(before, pc.less(pairs["id"], pairs["query"]))
        )

    found, _ = _alike(opened, ids, chosen)
    return found


#: Chooses pairs by their documents' ids and the keeper of the second one.
_Choice = Callable[[pa.Table], pa.Array]


def _keeping(together: list[int], undecided: set[int], pairs: pa.Table) -> pa.Array:
    """Pairs with a keeper, or with an earlier one of those that are decided together."""
    inside = pc.is_in(pairs["id"], pa.array(together, pa.int64()))
    earlier = pc.and_(inside, pc.less(pairs["id"], pairs["query"]))
    open_ = pc.is_in(pairs["id"], pa.array(list(undecided), pa.int64()))
    return pc.or_(earlier, pc.and_(pairs["keeper"].is_null(), pc.invert(open_)))


def _kept_later(pairs: pa.Table) -> pa.Array:
    """Pairs with a later document whose keeper is later too."""
    both = pc.min_element_wise(pairs["id"], pairs["keeper"], skip_nulls=False)
    return pc.greater(both, pairs["query"])


def _alike(opened: Opened, ids: list[int], chosen: _Choice) -> tuple[pa.Table, set[int]]:
    """What stored documents are like, as ``FOUND`` with their ids for ``query``.

    Args:
        opened: in a transaction.
        ids: documents that stand for a text.
        chosen: which of the candidates are looked at.

    Returns:
        Those, and the documents of which a candidate was not looked at.
    """
    found = [FOUND.empty_table()]
    left: set[int] = set()
    if not ids:
        return found[0], left
    own, limits = pa.array(ids, pa.int64()), thresholds(opened)
    subjects = matching.to_nominate(opened, ids, limits)
    for pairs in matching.nominated(opened, subjects, limits):
        pairs = pairs.set_column(0, FOUND.field("query"), own.take(columns.flat(pairs["query"])))
        pairs = pairs.filter(pc.not_equal(pairs["query"], pairs["id"]))
        looked_at = pc.fill_null(chosen(_with_keepers(opened, pairs)), False)
        left.update(pc.unique(pairs.filter(pc.invert(looked_at))["query"]).to_pylist())
        found.append(_verified(opened, pairs.filter(looked_at), limits))
    return pa.concat_tables(found), left


def _with_keepers(opened: Opened, pairs: pa.Table) -> pa.Table:
    """Pairs of documents with the keeper of the second one."""
    other = columns.flat(pairs["id"])
    ids = pc.unique(other)
    known = tables.keepers(opened.connection, ids.to_pylist())
    kept = pa.array([known[one] for one in ids.to_pylist()], pa.int64())
    return pairs.append_column("keeper", kept.take(pc.index_in(other, value_set=ids)))


def _verified(opened: Opened, pairs: pa.Table, limits: Thresholds) -> pa.Table:
    """The pairs of documents that are alike, as ``FOUND`` with ids for ``query``."""
    ids = pc.unique(columns.flat(pairs["query"]))
    if not len(ids):
        return FOUND.empty_table()
    rows = pc.index_in(columns.flat(pairs["query"]), value_set=ids).cast(pa.int64())
    subjects = matching.stored(opened, ids.to_pylist())
    numbered = pairs.set_column(0, FOUND.field("query"), rows)
    found = matching.verified(opened, subjects, numbered, limits)
    return found.set_column(0, FOUND.field("query"), ids.take(columns.flat(found["query"])))


def _pairs(found: pa.Table) -> Iterator[tuple[int, int]]:
    """The two documents of each pair of one kind, in the order of both."""
    same = found.filter(pc.is_in(found["verdict"], pa.array(verdicts.SAME)))
    ordered = same.sort_by([("query", "ascending"), ("id", "ascending")])
    yield from zip(ordered["query"].to_pylist(), ordered["id"].to_pylist(), strict=True)
