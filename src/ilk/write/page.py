"""The report of a search or a deduplication as one page: numbers, families, differences.

The largest families are shown with what every member shares with its keeper and where it differs;
those after them as rows of a table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from ilk.arrow import flat, verdicts
from ilk.base.options import default
from ilk.search.differences import differences
from ilk.search.measures import percent
from ilk.write import copied, words
from ilk.write.markup import bars, document, table
from ilk.write.results import cluster_records
from ilk.write.side_by_side import pieces
from ilk.write.sizes import classes

#: Characters of a keeper to show, and of differences from it.
_EXCERPT, _DIFFERENCE = 600, 4_000

#: Characters of a text that is too long to compare for a page.
_LONGEST = 500_000

#: Rows of a table of folders.
_FOLDERS = 50

_STYLE = """
.tools { position: sticky; top: 0; background: var(--paper); padding: .5rem 0; z-index: 1;
  border-bottom: 1px solid var(--edge); display: flex; flex-wrap: wrap; gap: .8rem; }
.tools input { font: inherit; padding: .2rem .5rem; max-width: 100%; color: inherit;
  background: var(--paper); border: 1px solid var(--faint); border-radius: .3rem; }
section.family { border-bottom: 1px solid var(--edge); padding: .2rem 0 .8rem;
  content-visibility: auto; contain-intrinsic-size: auto 9rem; scroll-margin-top: 4rem; }
section.family:focus { outline: 2px solid; outline-offset: 2px; }
section.family p, section.family details { margin: .15rem 0; }
.cluster { padding-left: .8rem; border-left: .25rem solid var(--edge); margin: .6rem 0; }
.verdict { display: inline-block; min-width: 9.5rem; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; border: 1px dashed var(--edge);
  border-radius: .3rem; padding: .6rem; margin: .3rem 0; }
.pair td:first-child { white-space: nowrap; }
[hidden] { display: none; }
@media print { .tools { display: none; } section.family { content-visibility: visible;
  break-inside: avoid-page; } }
"""

_SCRIPT = """
"use strict";
(() => {
  const families = [...document.querySelectorAll("section.family")];
  const rest = [...document.querySelectorAll("#rest tr[data-row]")];
  const box = document.getElementById("filter");
  const status = document.getElementById("status");
  const all = status.textContent;
  const names = new Map();
  const name = (element) => {
    if (!names.has(element)) {
      const named = element.matches("tr") ? [element] : element.querySelectorAll(".name");
      names.set(element, [...named].map((each) => each.textContent).join("\\n").toLowerCase());
    }
    return names.get(element);
  };
  const filter = () => {
    const asked = box.value.trim().toLowerCase();
    let shown = 0;
    for (const each of [...families, ...rest]) {
      each.hidden = asked !== "" && !name(each).includes(asked);
      if (!each.hidden) shown += 1;
    }
    const of = (families.length + rest.length).toLocaleString("en");
    status.textContent = asked ? `${shown.toLocaleString("en")} of ${of} families` : all;
  };
  const go = (step) => {
    const shown = families.filter((each) => !each.hidden);
    if (!shown.length) return;
    const at = shown.indexOf(document.activeElement.closest("section.family"));
    const next = at < 0 ? (step > 0 ? 0 : shown.length - 1) : at + step;
    const to = shown[Math.max(0, Math.min(shown.length - 1, next))];
    to.focus();
    to.scrollIntoView({block: "start"});
  };
  box.addEventListener("input", filter);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && document.activeElement === box) {
      box.value = ""; filter(); box.blur();
    }
    if (document.activeElement === box) return;
    if (event.key === "/") { box.focus(); event.preventDefault(); }
    if (event.key === "n" || event.key === "j") go(1);
    if (event.key === "p" || event.key === "k") go(-1);
  });
  let closed = [];
  window.addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("section.family details:not([open])")];
    closed.forEach((each) => { each.open = true; });
  });
  window.addEventListener("afterprint", () => closed.forEach((each) => { each.open = false; }));
})();
"""

#: The element for each role of a piece of a difference.
_ELEMENTS = {
    "same": "",
    "faint": "span class='faint'",
    "gone": "del",
    "new": "ins",
    "away": "del",
    "moved": "span class='moved'",
}

#: A cluster as in JSON lines, whose members have ``doc`` and ``stays``.
Record: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Shown:
    """The part of a result to show.

    Attributes:
        families: the largest families, each a list of its clusters.
        members: how many members of a cluster to show with differences.
        rest: for the other families, kind and keeper of the first cluster.
        sizes: the number of documents in each family.
    """

    families: Sequence[Sequence[Record]]
    members: int
    rest: Sequence[tuple[str, str]]
    sizes: Sequence[int]

    @classmethod
    def of(cls, named: pa.Table, families: int | None, members: int | None) -> Shown:
        """Choose the families and members to show with their differences.

        Args:
            named: members with names, ``doc`` and ``stays``, the largest family first.
            families, members: how many; None for the defaults of the options.
        """
        most = default("report_families") if families is None else families
        shown = default("report_members") if members is None else members
        numbers = flat(named["family"])
        counts = pc.value_counts(numbers)
        first = pc.is_in(numbers, value_set=counts.field(0)[:most])
        records = groupby(cluster_records(named.filter(first)), lambda row: row["family"])
        begins = pc.index_in(counts.field(0)[most:], value_set=numbers)
        rest = (named[name].take(begins).to_pylist() for name in ("kind", "keeper"))
        return cls(
            [list(group) for _, group in records],
            shown,
            list(zip(*rest, strict=True)),
            counts.field(1).to_pylist(),
        )

    def docs(self) -> list[int]:
        """Return the documents whose texts are shown, or compared with a shown one, ascending."""
        found: set[int | None] = set()
        for cluster in (cluster for family in self.families for cluster in family):
            keeper, others = _sides(cluster)
            differing = [m for m in others[: self.members] if _differs(m)]
            found.update(member["doc"] for member in (keeper, *differing))
        return sorted(doc for doc in found if doc is not None)


def html(
    report: Mapping[str, Any],
    numbers: str,
    losses: tuple[Sequence[str], Sequence[Sequence[Any]]],
    shown: Shown,
    texts: Mapping[int, str | None],
    more: str = "",
) -> str:
    """Return the whole page.

    Args:
        report: of a search or a deduplication.
        numbers: the summary, as a table.
        losses: headings and rows of a table of what sources or folders lose, the greatest loss
            first.
        shown: the families.
        texts: those of ``shown.docs()``.
        more: from ``ilk.write.copied``, to put before the families.
    """
    parts = _parts(report, numbers, losses, shown, texts, more)
    return document("ilk: duplicates", _STYLE + copied.STYLE, parts, _SCRIPT)


def _parts(
    report: Mapping[str, Any],
    numbers: str,
    losses: tuple[Sequence[str], Sequence[Sequence[Any]]],
    shown: Shown,
    texts: Mapping[int, str | None],
    more: str,
) -> Iterator[str]:
    yield "<h1>Duplicates</h1>\n"
    for reason in report["alarms"]:
        yield f"<p class='alarm'>{escape(reason)}</p>\n"
    yield numbers
    yield f"<p>{escape(report['promise'])}</p>"
    yield "<h2>How much members resemble their keepers</h2>"
    yield bars([(f"{bar['from']:.3f}", bar["rows"]) for bar in report["resemblances"]])
    yield "<h2>Families by number of documents</h2>"
    yield bars(list(classes(shown.sizes)))
    heads, rows = losses
    yield f"<h2>By {escape(heads[0])}</h2>"
    yield table(heads, rows[:_FOLDERS])
    if len(rows) > _FOLDERS:
        yield f"<p class='faint'>and {len(rows) - _FOLDERS:,} more that lose fewer</p>"
    yield more
    yield "<h2 id='families'>Families</h2>"
    yield _tools(shown)
    for number, family in enumerate(shown.families, 1):
        yield from _family(number, family, shown, texts)
    if shown.rest:
        yield from _rest(shown)
    yield "<h2>How it was done</h2>"
    yield table(("option", "value", "meaning"), words.options(report["options"]))
    if report["failures"]:
        yield "<h2>Not read</h2>"
        unread = [(row["source"], row["reason"]) for row in report["failures"]]
        yield table(("source", "reason"), unread)
    yield "<h2>Seconds</h2>"
    yield table((), list(report["seconds"].items()))


def _tools(shown: Shown) -> str:
    count = f"{len(shown.families):,} families"
    if shown.rest:
        count = f"the {len(shown.families):,} largest of {len(shown.sizes):,} families"
    return (
        "<div class='tools'><label>Filter by name <input id='filter' type='search'></label>"
        f"<span id='status' role='status'>{count}</span>"
        "<span class='faint'>keys: / filter, n next, p previous</span></div>"
        "<p>Click a member to see what differs from its keeper: "
        "<del>only in the keeper</del>, <ins>only in the member</ins>, "
        "<span class='moved'>elsewhere in the keeper</span>.</p>\n"
    )


def _family(
    number: int, family: Sequence[Record], shown: Shown, texts: Mapping[int, str | None]
) -> Iterator[str]:
    documents = shown.sizes[number - 1]
    clusters = "" if len(family) == 1 else f" in {len(family):,} clusters"
    yield f"<section class='family' tabindex='-1' aria-labelledby='f{number}'>"
    yield f"<h3 id='f{number}'>Family {number:,}: {documents:,} documents{clusters}</h3>"
    for cluster in family:
        yield "<div class='cluster'>"
        yield from _cluster(cluster, shown.members, texts)
        yield "</div>"
    yield "</section>\n"


def _cluster(cluster: Record, most: int, texts: Mapping[int, str | None]) -> Iterator[str]:
    keeper, others = _sides(cluster)
    text = texts.get(keeper["doc"])
    stays = f"<span class='verdict'>keep</span>{_name(keeper)}"
    if text:
        more = " ..." if len(text) > _EXCERPT else ""
        begin = f"<div class='text'>{escape(text[:_EXCERPT])}{more}</div>"
        yield f"<details><summary>{stays}</summary>{begin}</details>"
    else:
        yield f"<p>{stays}</p>"
    also = cluster["also_like"]
    if also is not None:
        share = percent(also["resemblance"])
        yield f"<p class='faint'>also {share} like {escape(also['source'])}</p>"
    for member in others[:most]:
        said = f"<span class='verdict'>{_alike(member)}</span>{_name(member)}"
        if _differs(member):
            differing = _difference(text, texts.get(member["doc"]))
            yield f"<details class='member'><summary>{said}</summary>{differing}</details>"
        else:
            yield f"<p>{said}</p>"
    if len(others) > most:
        yield (
            f"<details><summary>and {len(others) - most:,} more, without their differences "
            "(--report-members)</summary><pre>"
        )
        yield "\n".join(f"{_alike(member)}  {_name(member)}" for member in others[most:])
        yield "</pre></details>"


def _sides(cluster: Record) -> tuple[Mapping[str, Any], list[Mapping[str, Any]]]:
    """Return the keeper of a cluster, and the other members."""
    members = cluster["members"]
    keeper = next(member for member in members if member["stays"])
    return keeper, [member for member in members if member is not keeper]


def _differs(member: Mapping[str, Any]) -> bool:
    return member["verdict"] not in verdicts.COPIES


def _alike(member: Mapping[str, Any]) -> str:
    share = member["resemblance"]
    measured = percent(share) if share is not None and _differs(member) else ""
    return escape(f"{member['verdict']} {measured}".strip())


def _name(member: Mapping[str, Any]) -> str:
    own = member.get("id")
    return f"<span class='name'>{escape(member['source'])}" + (
        f" ({escape(own)})</span>" if own is not None else "</span>"
    )


def _difference(ours: str | None, theirs: str | None) -> str:
    """Return the differences of a member from its keeper, as marked text."""
    if ours is None or theirs is None:
        return "<p class='faint'>One of the two texts is not available.</p>"
    if max(len(ours), len(theirs)) > _LONGEST:
        return "<p class='faint'>Too long to compare here; use ilk compare --html.</p>"
    marked, room = [], _DIFFERENCE
    for role, text in pieces(ours, theirs, differences(ours, theirs)):
        if room <= 0:
            marked.append(" <span class='faint'>[... and so on: ilk compare --diff]</span>")
            break
        cut = text[:room]
        room -= len(text)
        element = _ELEMENTS[role] if cut.strip() else ""
        marked.append(
            f"<{element}>{escape(cut)}</{element.split()[0]}>" if element else escape(cut)
        )
    return f"<div class='text'>{''.join(marked)}</div>"


def _rest(shown: Shown) -> Iterator[str]:
    yield (
        f"<details id='rest'><summary>{len(shown.rest):,} smaller families, without texts "
        "(--report-families)</summary><table><tr><th>documents</th><th>kind</th><th>keeper</th>"
        "</tr>\n"
    )
    for (kind, keeper), size in zip(shown.rest, shown.sizes[len(shown.families) :], strict=True):
        yield (
            f"<tr data-row><td class='n'>{size:,}</td><td>{escape(kind)}</td>"
            f"<td>{escape(keeper)}</td></tr>\n"
        )
    yield "</table></details>"


def lost(names: Iterable[str], gone: Iterable[str]) -> list[tuple[str, int, int]]:
    """Return for each name how many documents it has, and how many of them are like a keeper.

    Args:
        names: the folder or source of each document.
        gone: the folder or source of each member that is not a keeper.

    Returns:
        Rows with the greatest loss first.
    """
    counts: dict[str, list[int]] = {}
    for at, each in enumerate((names, gone)):
        for name in each:
            counts.setdefault(name, [0, 0])[at] += 1
    return sorted(
        ((name, every, like) for name, (every, like) in counts.items()),
        key=lambda row: (-row[2], -row[1], row[0]),
    )
