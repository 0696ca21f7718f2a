"""Results in notebooks: the numbers, and the largest families with the beginning of each text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ilk.arrow import verdicts
from ilk.search.differences import differences
from ilk.write import pages
from ilk.write.families import Family
from ilk.write.side_by_side import in_words

#: Families to show, members of each, and characters of a text.
_FAMILIES, _MEMBERS, _BEGINS = 10, 5, 80

#: Characters of two texts that are compared for a notebook.
_LONGEST = 200_000

#: The heads of a table of documents.
HEADS = ("", "alike", "document", "begins, or differs")

Numbers = list[tuple[str, Any]]


def summary(report: Mapping[str, Any]) -> Numbers:
    """Return the numbers of a deduplication."""
    rows = [("rows read", report["documents"]), ("kept", report["kept"])]
    rows += [(f"dropped: {verdict}", count) for verdict, count in report["dropped"].items()]
    if report["like_dropped"]:
        rows.append(("kept, but like a dropped row", report["like_dropped"]))
    return [
        *rows,
        ("clusters", report["clusters"]),
        ("could not be read", report["read"]["rejected"]),
    ]


def numbers(report: Mapping[str, Any]) -> Numbers:
    """Return the numbers of a search."""
    names = ("documents", "families", "in_families", "numbers_only")
    return [(name.replace("_", " "), report[name]) for name in names]


def found(
    report: Mapping[str, Any],
    numbers: Numbers,
    every: Sequence[Family],
    read: Callable[[list[int]], Sequence[str | None]],
) -> str:
    """Return the numbers of a result and its largest families.

    Args:
        report: of a search or a deduplication.
        numbers: those to show.
        every: the families, the largest first.
        read: returns the texts of documents by row.
    """
    shown = every[:_FAMILIES]
    docs = sorted({member.doc for one in shown for member in _first(one) if member.doc is not None})
    texts: dict[int | None, str | None] = dict(zip(docs, read(docs), strict=True)) if docs else {}
    return pages.part(
        "notebook.html",
        title="",
        sentence=report["promise"],
        alarms=report["alarms"],
        numbers=numbers,
        heads=HEADS,
        groups=[
            {
                "rows": [
                    (
                        member.verdict,
                        member.alike if member.differs else None,
                        member.name,
                        said(member.verdict, texts.get(one.original.doc), texts.get(member.doc)),
                    )
                    for member in _first(one)
                ]
                + [("also like", share, name, "") for name, share in filter(None, one.also)],
                "more": max(0, len(one) - _MEMBERS),
            }
            for one in shown
        ],
        more=max(0, len(every) - _FAMILIES),
        what="family",
    )


def _first(family: Family) -> list[Any]:
    return list(family.members)[:_MEMBERS]


def said(verdict: str, original: str | None, text: str | None) -> str:
    """Return how an original begins, or what differs in another member of its cluster."""
    if verdict == "original":
        return begins(text)
    if verdict in verdicts.COPIES or original is None or text is None:
        return ""
    return in_words(differences(original, text)) if len(original) + len(text) < _LONGEST else ""


def begins(text: str | None) -> str:
    """Return the first words of a text, on one line."""
    short = " ".join((text or "")[: 2 * _BEGINS].split())
    return short if len(short) <= _BEGINS else short[:_BEGINS].rsplit(" ", 1)[0] + " …"


def table(
    title: str,
    sentence: str,
    numbers: Iterable[tuple[str, Any]],
    heads: Sequence[str] = (),
    rows: Sequence[Sequence[Any]] = (),
    more: int = 0,
    what: str = "row",
) -> str:
    """Return something else: a title, a sentence, its numbers, and rows of a table.

    Args:
        title, sentence: what it is.
        numbers: names and values.
        heads, rows: of the table.
        more, what: how many more there are than ``rows``, and what one of them is.
    """
    return pages.part(
        "notebook.html",
        title=title,
        sentence=sentence,
        alarms=(),
        numbers=list(numbers),
        heads=heads,
        groups=[{"rows": rows, "more": 0}] if rows else [],
        more=more,
        what=what,
    )
