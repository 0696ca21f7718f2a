"""Tables of notebooks: a title, a sentence, numbers, and groups of rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ilk.write import pages

Numbers = Iterable[tuple[str, Any]]


def named_numbers_for_notebook(report: Mapping[str, Any]) -> Numbers:
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


class TableGroup(NamedTuple):
    """Rows of a table, how many more it has that are not shown, and a name; "" without one."""

    rows: Sequence[Sequence[Any]]
    hidden_rows: int
    name: str


def render_notebook_table(
    title: str,
    sentence: str,
    *,
    numbers: Numbers,
    heads: Sequence[str] = (),
    groups: Sequence[TableGroup] = (),
    more_families: int = 0,
    alarms: Sequence[str] = (),
) -> str:
    """Return a title, a sentence, numbers, and groups of rows below the heads of a table.

    ``alarms`` stand before all of it, and after it how many ``more_families`` are not in it.
    """
    return pages.render_part("notebook.html", **{**locals(), "numbers": list(numbers)})
