"""Results in notebooks: numbers, and families with the beginning of each text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ilk.arrow import verdicts
from ilk.search.differences import differences
from ilk.search.measures import count_noun
from ilk.write import pages
from ilk.write.side_by_side import in_words

if TYPE_CHECKING:
    from ilk.write.families import Families, Family

#: Families to show, members of each, and members of a family that is shown alone.
_FAMILIES, _MEMBERS, _ALONE = 10, 5, 20

#: Characters of two texts that are compared for a notebook.
_LONGEST = 200_000

Numbers = Iterable[tuple[str, Any]]


def result_html(report: Mapping[str, Any], every: Families) -> str:
    """Return the numbers of a result, and its largest families."""
    groups = _groups(every[:_FAMILIES], every, _MEMBERS)
    more = max(0, len(every) - _FAMILIES)
    known = {"more": more, "alarms": report["alarms"]}
    return table("", report["promise"], _numbers(report), **groups, **known)


def family(one: Family, every: Families) -> str:
    """Return a family, of all families of a result."""
    return table("Family", count_noun(len(one), "document"), (), **_groups([one], every, _ALONE))


def _groups(shown: Sequence[Family], every: Families, most: int) -> dict[str, Any]:
    """Return the heads and the groups of a table of families, with ``most`` members of each."""
    members = [list(one.members)[:most] for one in shown]
    docs = sorted({one.doc for some in members for one in some if one.doc is not None})
    texts: dict[int | None, str | None] = dict(zip(docs, every.read(docs), strict=True))
    folder = pages.common([one.source for some in members for one in some])
    groups = []
    for family, some in zip(shown, members, strict=True):
        rows, original = list[Sequence[Any]](), None
        for one in some:
            original = texts.get(one.doc) if one.keeps else original
            alike = one.resemblance if one.differs else None
            differs = _differs(one.verdict_in_words, original, texts.get(one.doc))
            rows.append((one.verdict_in_words, alike, one.name.removeprefix(folder), differs))
        for also in filter(None, (cluster.also_like for cluster in family.clusters)):
            rows.append(("also like", also.resemblance, also.source.removeprefix(folder), ""))
        groups.append((rows, max(0, len(family) - most)))
    where = f"document in {folder}" if folder else "document"
    return {"heads": ("", "alike", where, "begins, or differs"), "groups": groups}


def _differs(verdict: str, original: str | None, text: str | None) -> str:
    """Return how an original begins, or what differs in another member of its cluster."""
    if verdict == "original":
        return pages.begins(text)
    if verdict in verdicts.COPIES or original is None or text is None:
        return ""
    if len(original) + len(text) > _LONGEST:
        return "too long to compare here"
    return in_words(differences(original, text))


def _numbers(report: Mapping[str, Any]) -> Numbers:
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


def table(
    title: str,
    sentence: str,
    numbers: Numbers,
    heads: Sequence[str] = (),
    groups: Sequence[tuple[Sequence[Sequence[Any]], int]] = (),
    more: int = 0,
    alarms: Sequence[str] = (),
) -> str:
    """Return a title, a sentence, numbers, and groups of rows below the heads of a table.

    With each group is how many more rows it has, and ``more`` is how many more families there are.
    """
    return pages.part("notebook.html", **{**locals(), "numbers": list(numbers)})
