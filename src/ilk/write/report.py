"""The page of a search or a deduplication: what could go, a picture of it, and every family.

The largest families are written out, with what every member shares with its original and where it
differs. All others are in the page as data, which its script draws as one scrolls.
"""

from __future__ import annotations

import datetime
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

import pyarrow as pa
import pyarrow.compute as pc

from ilk.arrow import verdicts
from ilk.base.options import OPTIONS, ORIGINAL, default
from ilk.fingerprints.recipe import Recipe
from ilk.read.files.names import path_of
from ilk.search.differences import differences
from ilk.search.measures import percent
from ilk.write import pages, plots, side_by_side, words
from ilk.write.families import ORDER, Families, Family, Member
from ilk.write.pages import counted

#: Characters of a text to show: at the head of a family, and to search in.
_BEGINS, _SEARCHED = 300, 160

#: Families whose first words can be searched; each is read again.
_READ = 1_000

#: Characters of the differences of a member to show, and of a text that is compared here.
_DIFFERENCE, _LONGEST = 4_000, 500_000

#: Characters of the names that the data of a page may hold, and of a brief one; and members of a
#: family that are only named.
_NAMES, _FEW_NAMES, _NAMED = 4_000_000, 400_000, 200

#: Boxes of the picture, folders of the table, and columns of the plot of times.
_BOXES, _FOLDERS, _MONTHS = 240, 50, 48

#: The day from which the data counts days.
_DAY = datetime.date(1970, 1, 1).toordinal()


def html(
    report: Mapping[str, Any],
    every: Families,
    read: Callable[[list[int]], Sequence[str | None]],
    about: pa.Table | None,
    *,
    losses: Sequence[tuple[str, int, int]] = (),
    unit: str = "document",
    shown: int | None = None,
    members: int | None = None,
    more: tuple[str, str] | None = None,
    brief: bool = False,
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
        brief: whether the page holds fewer of the other families, and no texts of them.
    """
    first = every[: default("report_families") if shown is None else shown]
    most = default("report_members") if members is None else members
    begun = len(first) if brief or not first else _READ
    begins = [family.original.doc for family in every[:begun]]
    docs = sorted({doc for doc in begins if doc is not None} | _compared(first, most))
    texts = dict(zip(docs, read(docs), strict=True)) if docs else {}
    sources = [name for name, _, _ in losses] if about is None else about["source"].to_pylist()
    size = [] if about is None else about["size"].to_pylist()
    spare, near = every.spare, every.unlike
    lost = pc.sum(spare["size"]).as_py() or 0
    copies = pc.sum(pc.is_in(spare["verdict"], pa.array(verdicts.COPIES))).as_py() or 0
    least = float(report["options"].get("resemblance") or 0.8)
    inside, held = _data(every, texts, _FEW_NAMES if brief else _NAMES)
    return pages.page(
        "report.html",
        "report.js",
        report=report,
        unit=unit,
        common=common(sources),
        looked=(report["documents"], sum(one or 0 for one in size) if any(size) else None),
        gone=(len(spare), lost, copies),
        every=every,
        shown=[_view(family, most, texts) for family in first],
        maps=list(_maps(every)),
        kinds=Counter(every.kinds).most_common(),
        alike=plots.histogram(near, least) if near else None,
        unlike=len(near),
        least=percent(least, digits=0),
        sizes=list(plots.classes(every.counts.to_pylist())),
        folders=_places(losses or _folders(sources, spare), bool(any(size))),
        times=_times(spare),
        options=_options(report["options"], unit),
        seconds=list(report["seconds"].items()),
        data=inside,
        held=held,
        more=more,
    )


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


def _maps(every: Families) -> Iterator[tuple[str, list[Any]]]:
    """Yield the pictures, by bytes if they are known and by members, with their boxes."""
    for name, weights in (("bytes", every.sizes), ("members", every.counts)):
        heavy_first = pc.array_sort_indices(weights, order="descending")
        heavy = [one for one in weights.take(heavy_first).to_pylist() if one > 0]
        if not heavy:
            continue
        largest = heavy_first[:_BOXES].to_pylist()
        boxed = [_box(every[at], name) for at, _ in zip(largest, heavy, strict=False)]
        rest = heavy[_BOXES:]
        if rest:
            heavy[_BOXES:] = [sum(rest)]
            much = pages.size(sum(rest)) if name == "bytes" else counted(sum(rest), "document")
            said = f"{counted(len(rest), 'smaller family', 'smaller families')}: {much}"
            boxed.append(Shown("", said, "other", said, ""))
        yield name, list(zip(plots.treemap(heavy, across=2.2), boxed, strict=True))


def _box(family: Family, way: str) -> Shown:
    name = family.original.name.rpartition("/")[2] or family.original.name
    much = [counted(len(family), "document")] + ([pages.size(family.size)] if family.size else [])
    kind = family.kind
    said = f"{name}: {', '.join(much)}, {pages.WORDS.get(kind, kind)}"
    return Shown(f"#f{family.number}", said, kind, name, much[0 if way == "members" else -1])


def _folders(sources: Sequence[str], spare: pa.Table) -> Iterator[tuple[str, int, int, int]]:
    """Yield per folder how many documents it has, how many could go, and their bytes."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for source in sources:
        counts[_folder(source)][0] += 1
    for source, size in zip(spare["source"].to_pylist(), spare["size"].to_pylist(), strict=True):
        count = counts[_folder(source)]
        count[1] += 1
        count[2] += size or 0
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


def _times(spare: pa.Table) -> dict[str, Any] | None:
    """Return when the documents that could go were changed, by month or by year."""
    moments = sorted(spare["modified"].drop_null().to_pylist())
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


def _data(every: Families, texts: Mapping[int, str | None], room: int) -> tuple[str, int]:
    """Return the families as data for the script, and how many of them there is room for.

    A family is ``[first words, sums of bytes, members]``, a member ``[folder, name, verdict,
    resemblance in thousandths, bytes, day since 1970]``, with ``verdict`` -1 for an original.
    """
    folders: dict[str, int] = {}
    kinds = dict(ORDER)
    rows = []
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
