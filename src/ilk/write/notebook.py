"""Results in notebooks: the numbers, and the largest families with the beginning of each text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ilk.arrow import verdicts
from ilk.search.differences import differences
from ilk.write import pages
from ilk.write.families import Families
from ilk.write.side_by_side import in_words

#: Families to show, and members of each.
_FAMILIES, _MEMBERS = 10, 5

#: Characters of two texts that are compared for a notebook.
_LONGEST = 200_000

Numbers = Iterable[tuple[str, Any]]


def heads(folder: str) -> Sequence[str]:
    """Return the heads of a table of documents, with the folder that their names leave out."""
    return ("", "alike", f"document in {folder}" if folder else "document", "begins, or differs")


def _numbers(report: Mapping[str, Any]) -> Numbers:
    """Return the numbers of a search, or of a deduplication."""
    if "kept" not in report:
        names = ("documents", "families", "in_families", "numbers_only")
        return [(name.replace("_", " "), report[name]) for name in names]
    like = [("kept, but like a dropped row", report["like_dropped"])]
    return [
        ("rows read", report["documents"]),
        ("kept", report["kept"]),
        *((f"dropped: {verdict}", count) for verdict, count in report["dropped"].items()),
        *(like if report["like_dropped"] else ()),
        ("clusters", report["clusters"]),
        ("could not be read", report["read"]["rejected"]),
    ]


def found(
    report: Mapping[str, Any],
    every: Families,
    read: Callable[[list[int]], Sequence[str | None]],
) -> str:
    """Return the numbers of a result and its largest families.

    Args:
        report: of a search or a deduplication.
        every: the families, the largest first.
        read: returns the texts of documents by row.
    """
    shown = [(one, list(one.members)[:_MEMBERS]) for one in every[:_FAMILIES]]
    docs = sorted({one.doc for _, members in shown for one in members if one.doc is not None})
    texts: dict[int | None, str | None] = dict(zip(docs, read(docs), strict=True))
    folder = pages.common([one.source for _, members in shown for one in members])
    groups = []
    for family, members in shown:
        original = texts.get(family.original.doc)
        rows: list[Sequence[Any]] = [
            (
                one.verdict,
                one.alike if one.differs else None,
                one.name[len(folder) :],
                said(one.verdict, original, texts.get(one.doc)),
            )
            for one in members
        ]
        rows += [
            ("also like", share, name.removeprefix(folder), "")
            for name, share in filter(None, family.also)
        ]
        groups.append((rows, max(0, len(family) - _MEMBERS)))
    more = max(0, len(every) - _FAMILIES)
    known = (heads(folder), groups, more, "family", report["alarms"])
    return _part("", report["promise"], _numbers(report), *known)


def said(verdict: str, original: str | None, text: str | None) -> str:
    """Return how an original begins, or what differs in another member of its cluster."""
    if verdict == "original":
        return pages.begins(text)
    if verdict in verdicts.COPIES or original is None or text is None:
        return ""
    if len(original) + len(text) > _LONGEST:
        return "too long to compare here"
    return in_words(differences(original, text))


def table(
    title: str,
    sentence: str,
    numbers: Numbers,
    heads: Sequence[str] = (),
    rows: Sequence[Sequence[Any]] = (),
    more: int = 0,
    what: str = "row",
) -> str:
    """Return something else: a title, a sentence, numbers, and rows of a table below its heads.

    ``more`` is how many more there are than ``rows``, and ``what`` what one of them is.
    """
    return _part(title, sentence, numbers, heads, [(rows, 0)] if rows else [], more, what)


def _part(
    title: str,
    sentence: str,
    numbers: Numbers,
    heads: Sequence[str],
    groups: Sequence[tuple[Sequence[Sequence[Any]], int]],
    more: int,
    what: str,
    alarms: Sequence[str] = (),
) -> str:
    return pages.part("notebook.html", **{**locals(), "numbers": list(numbers)})
