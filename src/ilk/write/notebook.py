"""Results in notebooks: numbers and the largest families, as tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

from ilk.search.measures import percent
from ilk.write.markup import table

#: Members of a cluster to show.
_MEMBERS = 20


def summary(report: Mapping[str, Any]) -> str:
    """Return the numbers of a deduplication, as a table."""
    rows = [("rows read", report["documents"]), ("kept", report["kept"])]
    rows += [(f"dropped: {verdict}", count) for verdict, count in report["dropped"].items()]
    if report["like_dropped"]:
        rows.append(("kept, but like a dropped row", report["like_dropped"]))
    rows += [("clusters", report["clusters"]), ("could not be read", report["read"]["rejected"])]
    return table((), rows)


def numbers(report: Mapping[str, Any]) -> str:
    """Return the numbers of a search, as a table."""
    names = ("documents", "families", "in_families", "numbers_only")
    return table((), [(name.replace("_", " "), report[name]) for name in names])


def found(report: Mapping[str, Any], records: Iterable[Mapping[str, Any]]) -> str:
    """Return the result of a search.

    Args:
        report: of the search.
        records: its first clusters, as in JSON lines.
    """
    alarms = "".join(f"<p><b>{escape(reason)}</b></p>" for reason in report["alarms"])
    return alarms + numbers(report) + f"<p>{escape(report['promise'])}</p>" + _members(records)


def _members(records: Iterable[Mapping[str, Any]]) -> str:
    """Return the clusters as a table, one row per member, the keeper first."""
    rows: list[tuple[Any, ...]] = []
    for record in records:
        members, keeper = record["members"], record["keeper"]
        ordered = sorted(members, key=lambda member: member["source"] != keeper)
        for member in ordered[:_MEMBERS]:
            kept = member["source"] == keeper
            verdict = "keeper" if kept else member["verdict"]
            share = "" if kept or member["resemblance"] is None else percent(member["resemblance"])
            name = member["source"]
            name += f" ({member['id']})" if member.get("id") is not None else ""
            rows.append((record["family"], record["cluster"], verdict, share, name))
        if len(members) > _MEMBERS:
            more = f"and {len(members) - _MEMBERS:,} more"
            rows.append((record["family"], record["cluster"], "", "", more))
        if record["also_like"] is not None:
            also = record["also_like"]
            share = percent(also["resemblance"])
            rows.append((record["family"], record["cluster"], "also like", share, also["source"]))
    return table(("family", "cluster", "verdict", "resemblance", "source"), rows) if rows else ""
