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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from ilk.options.table import CONTAINMENT, checked
from ilk.store import matching
from ilk.store.db import tables
from ilk.store.matching import Asked, Found, Subject
from ilk.store.opened import Opened
from ilk.store.thresholds import Thresholds

#: Documents that are decided together.
_AT_ONCE = 1024


def thresholds(opened: Opened) -> Thresholds:
    """Return what puts two documents in one cluster, and what is reported besides."""
    containment = checked("containment", CONTAINMENT)
    settings = opened.settings
    return Thresholds(settings.resemblance, containment, settings.within, settings.limits)


def settle(
    opened: Opened, undecided: Iterable[int], known: Mapping[int, Subject]
) -> tuple[list[Found], set[int]]:
    """Give every document its keeper again.

    Args:
        opened: in a transaction.
        undecided: documents that stand for a text, and whose keeper is not known: they have come,
            or it has gone. Nobody is kept by them.
        known: some of them, as they are compared.

    Returns:
        What the undecided ones are like, with their ids for ``query``: keepers, and earlier ones of
        those that were looked at together. And those for which this may not be all.
    """
    open_ = set(undecided)
    waiting = sorted(open_)
    told: list[Found] = []
    partly: set[int] = set()
    while waiting:
        some = [heapq.heappop(waiting) for _ in range(min(len(waiting), _AT_ONCE))]
        found, left = _alike(opened, some, partial(_keeping, frozenset(some), open_), known)
        told += found
        partly |= left
        open_.difference_update(some)
        for one in _decided(opened, some, found):
            if one not in open_:
                open_.add(one)
                heapq.heappush(waiting, one)
    return told, partly


def _decided(opened: Opened, ids: list[int], found: Sequence[Found]) -> list[int]:
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
    _take(opened, [one for one in ids if keepers[one] is None], ids)
    return tables.members(opened.connection, ceased)


def _take(opened: Opened, made: list[int], together: list[int]) -> None:
    """Give these, which have become keepers, those that they are like from later keepers.

    Those that were decided together with them have the earliest keeper already, so that nothing is
    asked of documents that come last.
    """
    last = tables.last_text(opened.connection, together)
    earlier = [one for one in made if one < last]
    taken: dict[int, int | None] = {}
    found, _ = _alike(opened, earlier, _kept_later, {})
    for query, other in _pairs(found):
        taken.setdefault(other, query)
    tables.set_keepers(opened.connection, taken)


def among_members(
    opened: Opened, ids: list[int], together: Iterable[int], known: Mapping[int, Subject]
) -> list[Found]:
    """Return the documents that others keep which some are like, with ids for ``query``.

    Args:
        opened: in a transaction.
        ids: documents that stand for a text.
        together: documents that came in with them; later ones of these are left out.
        known: some of them, as they are compared.
    """
    same_call = frozenset(together)

    def chosen(query: int, ids: Sequence[int], kept: Mapping[int, int]) -> list[int]:
        return [id_ for id_ in ids if id_ in kept and (id_ < query or id_ not in same_call)]

    found, _ = _alike(opened, ids, chosen, known)
    return found


#: Chooses candidates of a document; some of them are kept by others.
_Choice = Callable[[int, Sequence[int], Mapping[int, int]], list[int]]


def _keeping(
    together: frozenset[int],
    undecided: set[int],
    query: int,
    ids: Sequence[int],
    kept: Mapping[int, int],
) -> list[int]:
    """Return keepers, and earlier ones of those that are decided together."""
    return [
        id_
        for id_ in ids
        if (id_ not in kept and id_ not in undecided) or (id_ < query and id_ in together)
    ]


def _kept_later(query: int, ids: Sequence[int], kept: Mapping[int, int]) -> list[int]:
    """Return later documents whose keeper is later too."""
    return [id_ for id_ in ids if query < id_ and query < kept.get(id_, -1)]


def _alike(
    opened: Opened, ids: Sequence[int], chosen: _Choice, known: Mapping[int, Subject]
) -> tuple[list[Found], set[int]]:
    """Return what stored documents are like, with their ids for ``query``.

    Args:
        opened: in a transaction.
        ids: documents that stand for a text.
        chosen: which of the candidates are looked at.
        known: some of them, as they are compared.

    Returns:
        Those, and the documents with a candidate that was not looked at.
    """
    found: list[Found] = []
    left: set[int] = set()
    limits = thresholds(opened)
    missing = [one for one in ids if one not in known]
    subjects = {**known, **(matching.stored(opened, missing) if missing else {})}
    for some in _nominated(opened, [(one, subjects[one]) for one in ids], limits):
        kept = tables.keepers(opened.connection, {id_ for one in some for id_ in one.ids})
        looked_at = [one._replace(ids=chosen(one.query, one.ids, kept)) for one in some]
        pairs = zip(some, looked_at, strict=True)
        left.update(one.query for one, other in pairs if len(one.ids) > len(other.ids))
        found += matching.verified(opened, looked_at, limits)
    return found, left


def _nominated(
    opened: Opened, subjects: Iterable[tuple[int, Subject]], limits: Thresholds
) -> Iterator[list[Asked]]:
    """Return what each of these documents may be like, itself left out, as many as are held at
    once.
    """
    held: list[Asked] = []
    count = 0
    for id_, subject in subjects:
        ids = [one for one in matching.nominated(opened, subject, limits) if one != id_]
        if ids:
            held.append(Asked(id_, subject, ids))
            count += len(ids)
        if count > opened.nominator.sizes.held:
            yield held
            held, count = [], 0
    if held:
        yield held


def _pairs(found: Iterable[Found]) -> Iterator[tuple[int, int]]:
    """Return the two documents of each pair of one kind, in the order of both."""
    yield from sorted((one.query, one.id) for one in found if one.same)
