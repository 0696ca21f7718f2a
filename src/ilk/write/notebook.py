"""Results in notebooks: numbers, families with the beginning of each text, plots, data frames.

The libraries of plots and data frames are imported when needed.
"""

from __future__ import annotations

import importlib
import importlib.util
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import ModuleType
from typing import Any

import pyarrow as pa

from ilk.arrow import verdicts
from ilk.base.errors import MissingExtra
from ilk.search.differences import differences
from ilk.write import pages, plots
from ilk.write.families import Families
from ilk.write.side_by_side import in_words

#: Families to show, and members of each.
_FAMILIES, _MEMBERS = 10, 5

#: Characters of two texts that are compared for a notebook.
_LONGEST = 200_000

#: Colours of bars; of strips, what stands here first and what stands elsewhere too; the threshold.
_BARS, _STRIPS, _LEAST = "#3546a8", ("#2b6cb0", "#b7500c"), "#ad5006"

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


def package(name: str, extra: str) -> ModuleType:
    """Import a package.

    Raises:
        MissingExtra: it is not installed.
    """
    if importlib.util.find_spec(name) is None:
        raise MissingExtra(name, extra)
    return importlib.import_module(name)


class Framed(ABC):
    """Something that can be converted to a table, and so to a data frame."""

    @abstractmethod
    def to_arrow(self) -> pa.Table:
        """Return the table."""

    def to_pandas(self) -> Any:
        """Return the table of ``to_arrow`` as a pandas data frame.

        Raises:
            MissingExtra: pandas is not installed.
        """
        package("pandas", "pandas")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """Return the table of ``to_arrow`` as a Polars data frame.

        Raises:
            MissingExtra: Polars is not installed.
        """
        return package("polars", "polars").from_arrow(self.to_arrow())


def axes(ax: Any = None) -> Any:
    """Return the axes to draw on: those given, or new ones.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    package("matplotlib", "plots")
    if ax is not None:
        return ax
    from matplotlib.figure import Figure

    # A figure of its own, without a window: a notebook shows what a cell returns.
    return Figure(figsize=(7, 3), layout="constrained").add_subplot()


def resemblances(values: Sequence[float], least: float, ax: Any) -> Any:
    """Draw how resemblances are distributed, with a line at the threshold; return the axes."""
    ax, bars = axes(ax), plots.histogram(values, least).columns
    begin = float(bars[0].name.split()[0]) / 100
    width = (1 - begin) / len(bars)
    places = [begin + width * (at + 0.5) for at in range(len(bars))]
    ax.bar(places, [bar.many for bar in bars], 0.88 * width, color=_BARS)
    ax.axvline(least, color=_LEAST, linestyle="--", label=f"threshold {least:.0%}")
    ax.legend(frameon=False)
    ax.set_xlabel("resemblance to the original")
    ax.set_ylabel("documents")
    return ax


def members(names: Sequence[str], shares: Sequence[float | None], ax: Any) -> Any:
    """Draw how alike the members of a family are to their originals; return the axes."""
    ax = axes(ax)
    ax.barh(names, [1.0 if share is None else share for share in shares], color=_BARS)
    ax.set_xlim(0, 1)
    ax.invert_yaxis()
    ax.set_xlabel("resemblance to the original")
    return ax


def strips(rows: Sequence[tuple[str, int, Sequence[tuple[int, int, bool]]]], ax: Any) -> Any:
    """Draw texts as strips, with stretches in their places; return the axes.

    A text is its name, its length, and stretches: begin, end, and whether of the second kind.
    """
    ax = axes(ax)
    for place, (_, length, stretches) in enumerate(rows):
        ax.broken_barh([(0, length)], (place - 0.35, 0.7), color="#e8e6e0")
        for kind, colour in enumerate(_STRIPS):
            found = [(begin, end - begin) for begin, end, other in stretches if other == bool(kind)]
            ax.broken_barh(found, (place - 0.35, 0.7), color=colour)
    ax.set_yticks(range(len(rows)), [name for name, _, _ in rows])
    ax.invert_yaxis()
    return ax
