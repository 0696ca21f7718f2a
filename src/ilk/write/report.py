"""The page of a search or a deduplication: what could go, a picture of it, and every family.

The largest families are written out, with what every member shares with its original and where it
differs. All others are in the page as data, which its script draws as one scrolls.
"""

from __future__ import annotations

import datetime
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, NamedTuple
from urllib.parse import quote

import pyarrow as pa
import pyarrow.compute as pc

from ilk.arrow import flat, verdicts
from ilk.base.options import OPTIONS, ORIGINAL, default
from ilk.fingerprints.recipe import Recipe
from ilk.read.files.names import path_of
from ilk.search.differences import differences
from ilk.search.measures import percent
from ilk.write import pages, plots, side_by_side, words
from ilk.write.pages import counted

#: Characters of a text to show: at the head of a family, and to search in.
_BEGINS, _SEARCHED = 300, 160

#: Families whose first words can be searched; each is read again.
_READ = 1_000

#: Characters of the differences of a member to show, and of a text that is compared here.
_DIFFERENCE, _LONGEST = 4_000, 500_000

#: Characters of the names that the data of a page may hold, and members of a family that are only
#: named.
_NAMES, _NAMED = 4_000_000, 200

#: Boxes of the picture, folders of the table, and columns of the plot of times.
_BOXES, _FOLDERS, _MONTHS = 240, 50, 48

#: Verdicts in the order of the page's data.
_VERDICTS = [*verdicts.SAME, verdicts.CONTAINED, verdicts.CONTAINS, verdicts.KEY]
_ORDER = {word: at for at, word in enumerate(_VERDICTS)}

#: The day from which the data counts days.
_DAY = datetime.date(1970, 1, 1).toordinal()


class Member(NamedTuple):
    """A document of a family.

    Attributes:
        doc: its row; None if its text cannot be read again.
        source: its name.
        own: its own id, if it has one.
        verdict: what it is to the original of its cluster; ``original`` for that one.
        alike: its resemblance to it.
        size, modified: bytes, and when it was changed; None if unknown.
    """

    doc: int | None
    source: str
    own: str | None
    verdict: str
    alike: float | None
    size: int | None
    modified: Any

    @property
    def name(self) -> str:
        """Return the name for people."""
        return self.source if self.own is None else f"{self.source} ({self.own})"

    @property
    def differs(self) -> bool:
        """Return whether there is something to show beside the original."""
        return self.verdict not in (*verdicts.COPIES, "original")


@dataclass
class Family:
    """Documents that belong together.

    Attributes:
        number: from 1, the largest first.
        clusters: each with its original first.
        also: per cluster the document outside that its original is most like, and how much.
        kind: the weakest verdict in it.
        size, spare: bytes of all documents, and of those that are like an original.
        count: how many documents it has.
    """

    number: int
    clusters: list[list[Member]]
    also: list[tuple[str, float] | None]
    kind: str = verdicts.NEAR
    size: int = 0
    spare: int = 0
    count: int = 0

    @property
    def members(self) -> Iterator[Member]:
        """Return all documents in it."""
        return (member for cluster in self.clusters for member in cluster)

    @property
    def original(self) -> Member:
        """Return the original of the first cluster."""
        return self.clusters[0][0]

    def __len__(self) -> int:
        """Return how many documents it has."""
        return self.count


def families(named: pa.Table, about: pa.Table, first: int = 0) -> list[Family]:
    """Return the families of named members, those with the most bytes that could go first.

    Where no bytes are known, those with the most documents come first.

    Args:
        named: of ``named_clusters`` or ``named_rows``, numbered.
        about: per document ``size``, and perhaps ``modified``.
        first: the row of ``about`` for the document that is numbered 0.
    """
    docs = pc.add(flat(named["doc"]), first)
    size = flat(about["size"]).take(docs)
    modified = pa.nulls(len(named))
    if "modified" in about.column_names:
        modified = flat(about["modified"]).take(docs)
    names = ("family", "cluster", "doc", "source", "id", "verdict", "resemblance", "stays")
    lists = [named[name].to_pylist() for name in (*names, "also_like", "also_resemblance")]
    found: list[Family] = []
    weakest: list[int] = []
    last: tuple[Any, Any] = (None, None)
    for family, cluster, doc, source, own, verdict, alike, stays, other, share, many, when in zip(
        *lists, size.to_pylist(), modified.to_pylist(), strict=True
    ):
        if family != last[0]:
            found.append(Family(0, [], []))
            weakest.append(-1)
        one = found[-1]
        if (family, cluster) != last:
            one.clusters.append([])
            one.also.append(None if other is None else (other, share))
        last = family, cluster
        member = Member(
            doc, source or "the table", own, "original" if stays else verdict, alike, many, when
        )
        one.count += 1
        one.size += many or 0
        if stays:
            one.clusters[-1].insert(0, member)
            continue
        one.clusters[-1].append(member)
        one.spare += many or 0
        order = _ORDER.get(verdict, len(_ORDER))
        if order > weakest[-1]:
            weakest[-1], one.kind = order, verdict
    found.sort(key=lambda one: (-one.spare, -one.count))
    for number, one in enumerate(found, 1):
        one.number = number
    return found


def html(
    report: Mapping[str, Any],
    every: Sequence[Family],
    read: Callable[[list[int]], Sequence[str | None]],
    about: pa.Table | None,
    *,
    losses: Sequence[tuple[str, int, int]] = (),
    unit: str = "document",
    shown: int | None = None,
    members: int | None = None,
    more: tuple[str, str] | None = None,
) -> str:
    """Return the whole page.

    Args:
        report: of a search or a deduplication.
        every: the families, the largest first.
        read: returns the texts of documents by row.
        about: per document that was looked at its ``source`` and ``size``; None for rows.
        losses: if there is no ``about``, sources, how many rows each has, and how many could go.
        unit: what a document is called.
        shown: how many families to write out; None for the default of the option.
        members: how many members of a family to show with their differences, likewise.
        more: a headline and a part of ``ilk.write.plagiarism``, to put before the families.
    """
    first = every[: default("report_families") if shown is None else shown]
    most = default("report_members") if members is None else members
    begins = [family.original.doc for family in every[: _READ if first else 0]]
    docs = sorted({doc for doc in begins if doc is not None} | _compared(first, most))
    texts = dict(zip(docs, read(docs), strict=True)) if docs else {}
    sources = [name for name, _, _ in losses] if about is None else about["source"].to_pylist()
    size = [] if about is None else about["size"].to_pylist()
    spare = [member for family in every for member in family.members if _spare(member)]
    near = unlike(every)
    least = float(report["options"].get("resemblance") or 0.8)
    inside, held = _data(every, texts)
    return pages.page(
        "report.html",
        "report.js",
        report=report,
        unit=unit,
        common=common(sources),
        looked=(report["documents"], sum(one or 0 for one in size) if any(size) else None),
        gone=(len(spare), sum(m.size or 0 for m in spare), sum(map(_copy, spare))),
        every=every,
        shown=[_view(family, most, texts) for family in first],
        maps=list(_maps(every)),
        kinds=Counter(family.kind for family in every).most_common(),
        alike=plots.histogram(near, least) if near else None,
        unlike=len(near),
        least=percent(least, digits=0),
        sizes=list(plots.classes([len(family) for family in every])),
        folders=_places(losses or _folders(sources, spare), bool(any(size))),
        times=_times(spare),
        options=_options(report["options"], unit),
        seconds=list(report["seconds"].items()),
        data=inside,
        held=held,
        more=more,
    )


def unlike(every: Sequence[Family]) -> list[float]:
    """Return the resemblances of all members that are no exact copies."""
    members = (member for family in every for member in family.members if member.differs)
    return [member.alike for member in members if member.alike is not None]


def _spare(member: Member) -> bool:
    return member.verdict != "original"


def _copy(member: Member) -> bool:
    return member.verdict in verdicts.COPIES


def _compared(families: Sequence[Family], most: int) -> set[int]:
    """Return the documents that are shown beside their originals, and those originals."""
    found: set[int] = set()
    for family in families:
        for _, cluster, shown in _written_out(family, most):
            differing = [member for member in cluster[1:shown] if member.differs]
            found.update(m.doc for m in (cluster[0], *differing) if m.doc is not None)
    return found


def _written_out(family: Family, most: int) -> Iterator[tuple[int, list[Member], int]]:
    """Yield the first clusters with as many members beside originals in all: number, cluster, and
    how many of it to show.
    """
    for number, cluster in enumerate(family.clusters):
        if number and most <= 0:
            return
        yield number, cluster, max(most, 0) + 1
        most -= len(cluster) - 1


def common(names: Sequence[str]) -> str:
    """Return the folder that all names have in common, with a slash, or an empty text.

    >>> common(["a/b/c.txt", "a/b/d/e.txt"]), common(["a.txt", "b.txt"]), common(["a/b.txt"])
    ('a/b/', '', 'a/')
    """
    if not names:
        return ""
    least, most = min(names), max(names)
    pairs = zip(least, most, strict=False)
    same = next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(least), len(most)))
    return least[: least.rfind("/", 0, same) + 1]


def _view(family: Family, most: int, texts: Mapping[int, str | None]) -> dict[str, Any]:
    """Return what the template shows of a family."""
    folder = common([member.source for member in family.members])
    text = _text(texts, family.original)
    written = list(_written_out(family, most))
    rest = [member for cluster in family.clusters[len(written) :] for member in cluster]

    def named(members: list[Member]) -> dict[str, Any]:
        names = [(member, member.name[len(folder) :]) for member in members[:_NAMED]]
        return {"count": len(members), "named": names}

    return {
        "family": family,
        "folder": folder,
        "title": family.original.name[len(folder) :],
        "begins": " ".join((text or "")[:_BEGINS].split()),
        "rest": named(rest),
        "clusters": [
            {
                "also": None if also is None else (also[0].removeprefix(folder), also[1]),
                "members": [
                    {
                        "it": member,
                        "name": member.name[len(folder) :],
                        "href": _href(member.source),
                        "text": (text or "")[:_BEGINS] if at == 0 else "",
                        "compared": _difference(
                            _text(texts, cluster[0]),
                            _text(texts, member),
                            f"f{family.number}x{number}m{at}",
                        )
                        if at and member.differs
                        else None,
                    }
                    for at, member in enumerate(cluster[:shown])
                ],
                "rest": named(cluster[shown:]),
            }
            for number, cluster, shown in written
            for also in (family.also[number],)
        ],
    }


def _text(texts: Mapping[int, str | None], member: Member) -> str | None:
    return None if member.doc is None else texts.get(member.doc)


def _href(source: str) -> str | None:
    """Return a link to a file; None for what is no file, such as a row or a part of an archive."""
    try:
        name = path_of(source)
        if not os.path.isfile(name):
            return None
    except ValueError:
        return None
    path = quote(os.fsencode(name))
    return f"file://{path}" if os.path.isabs(name) else f"./{path}"


def _difference(ours: str | None, theirs: str | None, place: str) -> dict[str, Any]:
    """Return what differs between an original and a member, in words and in rows.

    Args:
        ours, theirs: the texts.
        place: a prefix for link targets.
    """
    if ours is None or theirs is None:
        return {"said": "", "why": "One of the two texts is not available.", "rows": ()}
    if max(len(ours), len(theirs)) > _LONGEST:
        return {"said": "", "why": "Too long to compare here; use ilk compare --html.", "rows": ()}
    found = differences(ours, theirs)
    rows, room = [], _DIFFERENCE
    for row in side_by_side.rows(ours, theirs, found, place):
        if room <= 0:
            break
        if row.folded:  # Nobody opens a long equal stretch here.
            rows.append(side_by_side.Row(["…\n"], ["…\n"]))
            continue
        room -= len(row)
        rows.append(row)
    why = "There is more: ilk compare --html." if room <= 0 else ""
    return {"said": side_by_side.in_words(found), "why": why, "rows": rows, "place": place}


class Shown(NamedTuple):
    """A box of the picture of all families."""

    href: str
    said: str
    kind: str
    label: str
    more: str


def _maps(every: Sequence[Family]) -> Iterator[tuple[str, list[Any]]]:
    """Yield the pictures, by bytes if they are known and by members, with their boxes."""
    for name, weight in (("bytes", "size"), ("members", "count")):
        heavy_first = sorted(every, key=attrgetter(weight), reverse=True)
        weighed = [(heavy, one) for one in heavy_first if (heavy := getattr(one, weight)) > 0]
        if not weighed:
            continue
        first, rest = weighed[:_BOXES], weighed[_BOXES:]
        shown = [(heavy, _box(one, name)) for heavy, one in first]
        if rest:
            heavy = sum(row[0] for row in rest)
            much = pages.size(heavy) if name == "bytes" else counted(heavy, "document")
            said = f"{counted(len(rest), 'smaller family', 'smaller families')}: {much}"
            shown.append((heavy, Shown("", said, "other", said, "")))
        boxes = plots.treemap([heavy for heavy, _ in shown], across=2.2)
        yield name, [(box, one) for box, (_, one) in zip(boxes, shown, strict=True)]


def _box(family: Family, way: str) -> Shown:
    name = family.original.name.rpartition("/")[2] or family.original.name
    much = [counted(len(family), "document")] + ([pages.size(family.size)] if family.size else [])
    kind = family.kind
    said = f"{name}: {', '.join(much)}, {pages.WORDS.get(kind, kind)}"
    return Shown(f"#f{family.number}", said, kind, name, much[0 if way == "members" else -1])


def _folders(
    sources: Sequence[str], spare: Sequence[Member]
) -> Iterator[tuple[str, int, int, int]]:
    """Yield per folder how many documents it has, how many could go, and their bytes."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for source in sources:
        counts[_folder(source)][0] += 1
    for member in spare:
        count = counts[_folder(member.source)]
        count[1] += 1
        count[2] += member.size or 0
    for name, (every, gone, size) in counts.items():
        yield name, every, gone, size


def _places(counts: Iterable[tuple[Any, ...]], sized: bool) -> dict[str, Any]:
    """Return the rows of the table of folders or sources, the greatest loss first."""
    rows = sorted(counts, key=lambda row: (*(-count for count in row[:1:-1]), -row[1], row[0]))
    return {"rows": rows[:_FOLDERS], "more": len(rows) - _FOLDERS, "bytes": sized}


def _folder(source: str) -> str:
    """Return the folder of a document: of a part of a file, the file."""
    file, inside, _ = source.partition("!/")
    return file if inside else source.rpartition("/")[0] or "here"


def _times(spare: Sequence[Member]) -> dict[str, Any] | None:
    """Return when the documents that could go were changed, by month or by year."""
    moments = sorted(member.modified for member in spare if member.modified is not None)
    if not moments or moments[0].year < 1900:
        return None
    first, last = moments[0], moments[-1]
    months = (last.year - first.year) * 12 + last.month - first.month + 1
    if months <= _MONTHS:
        counts = Counter((one.year, one.month) for one in moments)
        at = [divmod(first.year * 12 + first.month - 1 + n, 12) for n in range(months)]
        rows = [(f"{year}-{month + 1:02}", counts[year, month + 1]) for year, month in at]
    else:
        years = Counter(one.year for one in moments)
        rows = [(str(year), years[year]) for year in range(first.year, last.year + 1)]
    return {"plot": plots.columns(rows, 12), "first": rows[0][0], "last": rows[-1][0]}


def _options(asked: Mapping[str, Any], unit: str) -> dict[str, Any]:
    """Return the options that differ from their defaults, and all of them, in words."""
    usual = {"recipe": str(Recipe())} | ({"keep": ORIGINAL} if unit == "document" else {})
    named = {
        name: value
        for name, value in asked.items()
        if name in OPTIONS and not _usual(value, usual.get(name, OPTIONS[name].default))
    }
    return {"chosen": words.options(named), "every": words.options(asked)}


def _usual(value: Any, usual: Any) -> bool:
    """Return whether a value is the default, in whatever form that is written."""
    if usual is None or value == usual or value in (None, False, [], {}):
        return value in (None, False, [], {}) or value == usual
    if isinstance(value, list | tuple):
        several = usual if isinstance(usual, list | tuple) else [usual]
        return list(map(str, value)) == list(map(str, several))
    try:
        return float(value) == float(str(usual).rstrip("%")) / (100 if "%" in str(usual) else 1)
    except (TypeError, ValueError):
        return str(value) == str(usual)


def _data(every: Sequence[Family], texts: Mapping[int, str | None]) -> tuple[str, int]:
    """Return the families as data for the script, and how many of them there is room for.

    A family is ``[first words, sums of bytes, members]``, a member ``[folder, name, verdict,
    resemblance in thousandths, bytes, day since 1970]``, with ``verdict`` -1 for an original.
    """
    folders: dict[str, int] = {}
    kinds = dict(_ORDER)
    rows, room = [], _NAMES
    for family in every:
        members = []
        for member in family.members:
            folder, slash, name = member.name.rpartition("/")
            at = folders.setdefault(folder + slash, len(folders))
            verdict = member.verdict
            number = -1 if verdict == "original" else kinds.setdefault(verdict, len(kinds))
            share = None if member.alike is None else int(1000 * member.alike)
            when = None if member.modified is None else member.modified.toordinal() - _DAY
            members.append([at, name, number, share, member.size, when])
            room -= len(name.encode("utf-8", "surrogatepass")) + 28
        if room < 0:
            break
        begins = " ".join((_text(texts, family.original) or "")[:_SEARCHED].split())
        rows.append([begins, family.size, family.spare, kinds.get(family.kind, 0), members])
    values = {
        "folders": list(folders),
        "verdicts": [
            [word, pages.WORDS.get(word, word), pages.SIGNS.get(word, "◦")] for word in kinds
        ],
        "families": rows,
    }
    return pages.data(values), len(rows)
