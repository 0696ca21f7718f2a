"""The order in which a crawler fetches addresses: unseen ones, lately changed ones, the others.

Source: Horowitz's lecture on web search, which asks a crawler to choose so.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk_web.changes.words import CHANGED, GROUPS

_NEW, _LATELY, _REST = GROUPS


class Address(NamedTuple):
    """What is known of an address.

    fetched, changed: when it was fetched last, and when a change was seen last; None if unknown.
    last, change: the numbers of these captures in the order of time; ``change`` is -1 without one.
    """

    fetched: Any
    changed: Any
    last: int
    change: int


def summarise_addresses(
    captures: pa.Table, pairs: pa.Table, verdicts: pa.Array
) -> dict[str, Address]:
    """Return what is known of each address.

    Args:
        captures: ``url``, ``time`` and ``doc``.
        pairs: consecutive captures of one address: ``url``, ``after``, ``to``.
        verdicts: of the pairs.
    """
    in_time = captures.sort_by([("time", "ascending"), ("doc", "ascending")]).to_pylist()
    places = {capture["doc"]: place for place, capture in enumerate(in_time)}
    known = {
        capture["url"]: Address(capture["time"], None, place, -1)
        for place, capture in enumerate(in_time)
    }
    for pair in pairs.filter(pc.is_in(verdicts, pa.array(CHANGED))).to_pylist():
        address, place = known[pair["url"]], places[pair["after"]]
        if place > address.change:
            known[pair["url"]] = address._replace(changed=pair["to"], change=place)
    return known


def rows_in_crawl_order(
    urls: Iterable[str], address_of: dict[str, Address]
) -> list[dict[str, Any]]:
    """Return addresses in the order in which to fetch them, each once.

    Addresses that were never fetched come first, as they are listed; then those that changed, the
    latest change first; then the others, the longest not fetched first.

    Returns:
        ``url``; ``group``, a key of ``GROUPS``; ``fetched`` and ``changed``, as in ``Address``.
    """
    groups: dict[str, list[tuple[int, str]]] = {group: [] for group in GROUPS}
    for url in dict.fromkeys(urls):
        address = address_of.get(url)
        if address is None:
            groups[_NEW].append((0, url))
        elif address.change >= 0:
            groups[_LATELY].append((-address.change, url))
        else:
            groups[_REST].append((address.last, url))
    rows = []
    for group, members in groups.items():
        for _, url in sorted(members, key=lambda member: member[0]):
            address = address_of.get(url)
            fetched, changed = (address.fetched, address.changed) if address else (None, None)
            rows.append({"url": url, "group": group, "fetched": fetched, "changed": changed})
    return rows
