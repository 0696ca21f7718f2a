"""``ilk scan``: groups of exact and near duplicates in folders of documents."""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator
from typing import Any

from ilk import writers
from ilk.interfaces import options, output
from ilk.interfaces.progress import counted, note, printable
from ilk.recipes.recipe import Recipe

#: What is looked for, and what is shown of it, as ``find`` takes it.
_SOUGHT = (
    "resemblance",
    "containment",
    "radius",
    "similarity",
    "shingle",
    "common_blocks",
    "same_site",
    "pairing",
    "recall",
    "calibration",
)
_SHOWN = ("keep", "linkage", "max_pairs", "probe")

#: Characters of a common block that are shown.
_WIDTH = 60

_EPILOG = """\
examples:
  ilk scan reports                        groups of documents of one kind
  ilk scan reports --resemblance 0.9      only those that share 90 % of their shingles
  ilk scan reports --pairs --format csv   every pair, for a spreadsheet
  ilk scan mail --convert 'pdf=pdftotext {} -'
  ilk scan news.jsonl.gz --text body      the rows of a file
  ilk scan crawl.warc.gz --extract fast   the pages in an archive of the web
  ilk scan reports --radius 6 --probe 500 what such a scan finds of edited copies

Nothing is deleted or changed. Exit codes: 0 duplicates were found, 1 none, 2 an error, 3 an alarm
(a cluster so large that it is probably boilerplate)."""


def parser() -> options.Parser:
    """Return the parser of the verb."""
    verb = options.parser(
        "scan",
        "Finds groups of documents of the same kind: identical, equal but for case and white "
        "space,\nor sharing most of their text.",
        _EPILOG,
    )
    options.paths(verb)
    options.add(
        verb,
        *_SOUGHT,
        *options.RECIPE,
        heading="what counts as near",
        recipe=options.recipes(Recipe()),
    )
    options.add(verb, "pairs", *_SHOWN, heading="what is shown")
    options.add(verb, *options.DOCUMENTS, heading="what is read")
    options.add(verb, "format", "output", heading="output")
    options.add(verb, "memory", *options.RUNNING, heading="running")
    return verb


def run(args: argparse.Namespace) -> int:
    """Scan, print, and return the exit code."""
    from ilk.pipeline import find

    names = (*_SOUGHT, *_SHOWN, *options.DOCUMENTS, "memory", "jobs")
    with output.working(args) as meter:
        result = find(
            options.sources(args),
            recipe=options.recipe(args),
            **options.given(args, *names),
            progress=meter,
        )
        if args.pairs:
            table = writers.named_pairs(result.documents, result.pairs)
        else:
            table = writers.named_clusters(result.documents, result.clusters)
    report = result.report
    lines = _pair_lines(table) if args.pairs else _cluster_lines(table)
    records = None if args.pairs else writers.cluster_records(table)
    output.write(args, itertools.chain(lines, _summary(report)), table, report, records)
    code = output.noted(args, report, *(f"alarm: {reason}" for reason in report["alarms"]))
    if args.format in ("csv", "parquet"):
        for line in _summary(report):
            note(line, args.quiet)
    if code or result.alarms:
        return code or output.ALARM
    return output.DONE if len(table) or report["contained"] else output.NOTHING


def _cluster_lines(named: Any) -> Iterator[str]:
    """Yield clusters: the keeper first, then its members with how alike they are."""
    for cluster in writers.cluster_records(named):
        members = cluster["members"]
        yield f"{cluster['kind']}: {counted(len(members), 'document')}"
        yield f"   keep   {printable(cluster['keeper'])}"
        names = [member["source"] for member in members]
        del members[names.index(cluster["keeper"])]
        for member in members:
            yield f"  {member['resemblance']:6.1%}  {printable(member['source'])}"
        yield ""


def _pair_lines(named: Any) -> Iterator[str]:
    """Yield pairs as lines to be read."""
    for row in writers.plain_rows(named):
        distance = "" if row["distance"] is None else f"{row['distance']:2} bits"
        names = f"{printable(row['left'])}  {printable(row['right'])}"
        yield f"{row['verdict']:<12}  {row['resemblance']:6.1%}  {distance:>7}  {names}"
    yield ""


def _summary(report: dict[str, Any]) -> Iterator[str]:
    members, clusters = report["in_clusters"], counted(report["clusters"], "cluster")
    yield f"{counted(report['documents'], 'document')} read, {members:,} of them in {clusters}."
    yield report["promise"]
    if report["numbers_only"]:
        yield f"Differ from their keeper in numbers alone: {report['numbers_only']:,}"
    if report["common_blocks"] is not None:
        yield from _common_blocks(report["common_blocks"])
    if report["contained"]:
        yield ""
        yield f"Contained in another document: {len(report['contained']):,}"
        for row in report["contained"]:
            names = f"{printable(row['source'])}  in  {printable(row['container'])}"
            yield f"  {row['containment']:6.1%}  {names}"
    if "probe" in report:
        yield ""
        yield from _probe(report)


def _probe(report: dict[str, Any]) -> Iterator[str]:
    """Yield what was found of edited copies."""
    probe, least = report["probe"], report["options"]["resemblance"]
    kept = "" if least is None else f" that resemble their original to at least {least}"
    yield (
        f"probe: {counted(probe['drawn_from'], 'document')} could be drawn, and "
        f"{probe['copies']:,} edited copies were looked for."
    )
    if probe["alike"]:
        low, high = probe["recall_interval"]
        yield (
            f"Of the {probe['alike']:,}{kept}, {probe['found']:,} were found: "
            f"{probe['recall']:.1%} (95 % interval {low:.1%} to {high:.1%})."
        )
    shares = {f"{float(share):.0%} of the words": row for share, row in probe["shares"].items()}
    yield f"  {'edit':<16}{'copies':>8}{'alike':>8}{'found':>8}"
    for name, row in (probe["kinds"] | shares).items():
        yield f"  {name:<16}{row['copies']:>8,}{row['alike']:>8,}{row['found']:>8,}"


def _common_blocks(blocks: list[dict[str, Any]]) -> Iterator[str]:
    """Yield what was left out, a line each."""
    yield ""
    yield f"Left out: {counted(len(blocks), 'common block')}"
    for block in blocks:
        text = " ".join(block["text"].split())
        shown = text if len(text) <= _WIDTH else f"{text[:_WIDTH]}..."
        yield f"  in {counted(block['documents'], 'document')}: {printable(shown)}"
