"""Tables of notebooks: a title, a sentence, numbers, and groups of rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ilk.write import pages

Numbers = Iterable[tuple[str, Any]]


def report_numbers(report: Mapping[str, Any]) -> Numbers:
    """Return the numbers of a report that a notebook shows, with their names."""
    if "kept" not in report:
        names = {
            "documents": "documents read",
            "families": "families",
            "in_families": "documents in families",
            "numbers_only": "differ only in numbers",
        }
        return [(said, report[name]) for name, said in names.items()]
    like = [("kept, but like a dropped row", report["like_dropped"])]
    return [
        ("rows read", report["documents"]),
        ("kept", report["kept"]),
        *((f"dropped: {verdict}", count) for verdict, count in report["dropped"].items()),
        *(like if report["like_dropped"] else ()),
        ("clusters", report["clusters"]),
        ("could not be read", report["read"]["rejected"]),
    ]


def table_html(
    title: str,
    sentence: str,
    numbers: Numbers,
    heads: Sequence[str] = (),
    groups: Sequence[tuple[Sequence[Sequence[Any]], int, str]] = (),
    more: int = 0,
    alarms: Sequence[str] = (),
) -> str:
    """Return a title, a sentence, numbers, and groups of rows below the heads of a table.

    With each group is how many more rows it has, and its name, "" without one; ``more`` is how many
    more families there are.
    """
    return pages.render_part("notebook.html", **{**locals(), "numbers": list(numbers)})
