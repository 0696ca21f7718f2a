"""Families as lines of text, and as a page: the same for every verb."""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ilk import write
from ilk.base.errors import OptionError
from ilk.cli import options, output
from ilk.cli.progress import counted, named, printable
from ilk.search.measures import percent

#: Which of the families to print, and in which order.
LISTED = ("sort", "top")

#: The page, and how much of the families it shows.
REPORT = ("report", "report_families", "report_members")


if TYPE_CHECKING:
    from ilk.tasks.apply.staying import Fate


class _Paged(Protocol):
    @property
    def page(self) -> Callable[..., str]:
        """Return the page, for ``families`` and ``members``."""


def check(args: argparse.Namespace) -> None:
    """Refuse, before any work, a page that cannot be written, and a summary that would be empty.

    Raises:
        OptionError: only the summary is requested, in a format that holds only rows.
        OutputError: the page cannot be written.
    """
    if args.summary and args.format in ("csv", "parquet"):
        raise OptionError(
            f"a summary has no rows, but {args.format} holds only rows; leave out one of them, or "
            "give --format summary,jsonl."
        )
    if args.report is not None:
        output.check(args, Path(args.report))


def listed(args: argparse.Namespace) -> dict[str, Any]:
    """Return which families to list, in which order: as text, the largest come first."""
    said = options.given(args, *LISTED)
    if args.top is not None or args.format in (None, "table"):
        said.setdefault("sort", "size")
    return said


def write_page(args: argparse.Namespace, result: _Paged, **more: Any) -> None:
    """Write the page if requested; ``more`` are its other arguments."""
    if args.report is not None:
        page = result.page(args.report_families, args.report_members, **more)
        with write.whole_file(Path(args.report)) as out:
            out.write(page.encode("utf-8", "backslashreplace"))


def family_lines(
    table: Any, *, ids: bool = False, fates: Mapping[str, Fate] | None = None
) -> Iterator[str]:
    """Yield families: for each cluster the keeper first, then members with how alike they are.

    Args:
        table: named clusters.
        ids: whether to show ids.
        fates: of files, by name: why one stays although it is like its keeper is shown.
    """
    clusters = write.cluster_records(table)
    for _, group in itertools.groupby(clusters, key=lambda cluster: cluster["family"]):
        family = list(group)
        if len(family) > 1:
            documents = sum(len(cluster["members"]) for cluster in family)
            yield f"family: {counted(documents, 'document')} in {len(family):,} clusters"
        for cluster in family:
            indent = "  " if len(family) > 1 else ""
            yield from _cluster_lines(cluster, indent, ids, fates or {})
        yield ""


def _cluster_lines(
    cluster: dict[str, Any], indent: str, ids: bool, fates: Mapping[str, Fate]
) -> Iterator[str]:
    members, also = cluster["members"], cluster["also_like"]
    alone = len(members) == 1
    size = "alone" if alone else f"{cluster['kind']}: {counted(len(members), 'document')}"
    going = [each for each in members if each["source"] in fates and not fates[each["source"]].why]
    gain = sum(each.get("size") or 0 for each in going)
    yield f"{indent}{size}" + (f", {counted(gain, 'byte')} could go" if gain else "")
    names = [member["source"] for member in members]
    keeper = members.pop(names.index(cluster["keeper"]))
    yield f"{indent}     keep  {named(keeper['source'], keeper.get('id') if ids else None)}"
    if also is not None:
        share = percent(also["resemblance"])
        yield f"{indent}           also {share} like {printable(also['source'])}"
    for member in members:
        name = named(member["source"], member.get("id") if ids else None)
        yield f"{indent}{alike(member)}  {name}"
        fate = fates.get(member["source"])
        if fate is not None and fate.why:
            yield f"{indent}{'':10}stays: {printable(fate.why)}"


def alike(row: Mapping[str, Any]) -> str:
    """Return how alike two documents are, in words for a column.

    Args:
        row: with ``verdict``, ``resemblance`` and, for noisy copies, ``agreement``.
    """
    verdict, resemblance = row["verdict"], row["resemblance"]
    from ilk.arrow import verdicts

    if verdict == verdicts.NOISY:
        resemblance = row["agreement"]
    if verdict == verdicts.NEAR and resemblance == 1:
        return f"{'':8}  same shingles, in another order or number"
    share = "" if resemblance is None else percent(resemblance)
    return f"{share:>8}  {verdict:<12}"
