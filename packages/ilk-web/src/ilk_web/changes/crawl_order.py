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


class AddressSummary(NamedTuple):
    """The captures of an address: the last one, and the last one with a change.

    fetched, changed: when it was fetched last, and when a change was seen last; None if unknown.
    last_capture: the number of the last capture in the order of time.
    last_change: that of the last capture that had changed; -1 without one.
    """

    fetched: Any
    changed: Any
    last_capture: int
    last_change: int


def summarise_addresses(
    captures: pa.Table, pairs: pa.Table, verdicts: pa.Array
) -> dict[str, AddressSummary]:
    """Return when each address was fetched last, and when a change of it was seen last.

    Args:
        captures: ``url``, ``time`` and ``doc``.
        pairs: consecutive captures of one address: ``url``, ``after``, ``to``.
        verdicts: of the pairs.
    """
    in_time = captures.sort_by([("time", "ascending"), ("doc", "ascending")]).to_pylist()
    places = {capture["doc"]: place for place, capture in enumerate(in_time)}
    summaries = {
        capture["url"]: AddressSummary(capture["time"], None, place, -1)
        for place, capture in enumerate(in_time)
    }
    for pair in pairs.filter(pc.is_in(verdicts, pa.array(CHANGED))).to_pylist():
        summary, place = summaries[pair["url"]], places[pair["after"]]
        if place > summary.last_change:
            summaries[pair["url"]] = summary._replace(changed=pair["to"], last_change=place)
    return summaries


def rows_in_crawl_order(
    urls: Iterable[str], summaries: dict[str, AddressSummary]
) -> list[dict[str, Any]]:
    """Return addresses in the order in which to fetch them, each once.

    Addresses that were never fetched come first, as they are listed; then those that changed, the
    latest change first; then the others, the longest not fetched first.

    Returns:
        ``url``; ``group``, a key of ``GROUPS``; ``fetched`` and ``changed``, as in
        ``AddressSummary``.
    """
    groups: dict[str, list[tuple[int, str]]] = {group: [] for group in GROUPS}
    for url in dict.fromkeys(urls):
        summary = summaries.get(url)
        if summary is None:
            groups[_NEW].append((0, url))
        elif summary.last_change >= 0:
            groups[_LATELY].append((-summary.last_change, url))
        else:
            groups[_REST].append((summary.last_capture, url))
    rows = []
    for group, members in groups.items():
        for _, url in sorted(members, key=lambda member: member[0]):
            summary = summaries.get(url)
            fetched, changed = (summary.fetched, summary.changed) if summary else (None, None)
            rows.append({"url": url, "group": group, "fetched": fetched, "changed": changed})
    return rows
