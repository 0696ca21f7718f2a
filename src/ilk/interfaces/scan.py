"""``ilk scan``: groups of exact and near duplicates in folders of documents."""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterator
from typing import IO, Any

from ilk import writers
from ilk.interfaces import options
from ilk.interfaces.progress import Meter, counted, note, printable
from ilk.search import planning
from ilk.steps import ranking

NOTHING, ERROR, ALARM = 1, 2, 3

#: Characters of a common block that are shown.
_SHOWN = 60

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


def parser() -> argparse.ArgumentParser:
    """The options of the verb."""
    made = options.parser(
        "scan",
        "Finds groups of documents of the same kind: identical, equal but for case and white "
        "space,\nor sharing most of their text.",
        _EPILOG,
    )
    options.paths(made)
    group = made.add_argument_group("what counts as near")
    group.add_argument(
        "--resemblance",
        type=options.share,
        metavar="SHARE",
        help=f"the part of all their shingles that two documents share, verified on the texts "
        f"(default: {planning.RESEMBLANCE})",
    )
    group.add_argument(
        "--containment",
        type=options.share,
        nargs="?",
        const=planning.CONTAINMENT,
        metavar="SHARE",
        help="also tell of documents of which this part stands in another "
        f"({planning.CONTAINMENT} where only the word is given)",
    )
    group.add_argument(
        "--radius",
        type=int,
        metavar="BITS",
        help="take pairs whose fingerprints differ in at most this many bits; without "
        "--resemblance, all of them",
    )
    group.add_argument(
        "--similarity", metavar="SHARE", help="the same as a share of equal bits, such as 90%%"
    )
    options.add_shingle(group)
    group.add_argument(
        "--common-blocks",
        type=int,
        metavar="N",
        help="leave out of the comparison the paragraphs and lines that recur in more than N "
        "documents, such as a template's; they are listed",
    )
    options.add_same_site(group)
    options.add_pairing(group)
    group.add_argument(
        "--calibration",
        metavar="NAME_OR_FILE",
        help="nominate by fingerprint, with the recipe and within the radius of this calibration: "
        "the file NAME.ilk-calibration.json in the working folder, or a path (see `ilk calibrate`)",
    )
    group.add_argument(
        "--memory",
        metavar="SIZE",
        help="what the shingle sets may take, such as 2GB (default: half of what is free)",
    )
    options.add_recipe(group)
    group = made.add_argument_group("what is told")
    group.add_argument(
        "--pairs", action="store_true", help="print every pair instead of the clusters"
    )
    policies = "; ".join(f"{name}: {what}" for name, what in ranking.POLICIES.items())
    group.add_argument(
        "--keep",
        action="append",
        metavar="POLICY",
        help=f"which document of a cluster stays ({policies}); repeatable, the weightiest first "
        "(default: first)",
    )
    options.add_linkage(group)
    options.add_max_pairs(group)
    group.add_argument(
        "--probe",
        type=int,
        metavar="N",
        help="look for N edited copies of the documents too, and tell which part of them was "
        "found, by kind and share of edit; nothing else knows of them",
    )
    options.add_reading(made)
    options.add_output(made, writers.FORMATS)
    options.add_running(made)
    return made


def run(args: argparse.Namespace) -> int:
    """Scan, print, and return the exit code."""
    from ilk.pipeline import find

    writers.check(args.output)
    meter = Meter(args.quiet)
    result = find(
        options.sources(args.paths),
        resemblance=args.resemblance,
        containment=args.containment,
        radius=args.radius,
        similarity=args.similarity,
        shingle=args.shingle,
        common_blocks=args.common_blocks,
        same_site=args.same_site,
        pairing=args.pairing,
        recall=args.recall,
        recipe=options.recipe(args),
        keep=args.keep or "first",
        linkage=args.linkage,
        **options.reading(args),
        max_pairs=args.max_pairs,
        memory=args.memory,
        calibration=args.calibration,
        probe=args.probe,
        jobs=args.jobs,
        progress=meter,
    )
    if args.pairs:
        found = writers.named_pairs(result.documents, result.pairs)
    else:
        found = writers.named_clusters(result.documents, result.clusters)
    meter.clear()
    if args.output is None:
        _write(args, found, result.report, sys.stdout.buffer)
    else:
        with writers.whole_file(args.output) as out:
            _write(args, found, result.report, out)
    for line in _notes(args, result.report):
        note(line, args.quiet)
    if result.report["failures"] and args.strict:
        return ERROR
    if result.alarm:
        return ALARM
    return 0 if len(found) or result.report["contained"] else NOTHING


def _write(args: argparse.Namespace, found: Any, report: dict[str, Any], out: IO[bytes]) -> None:
    if args.format == "parquet":
        writers.write_parquet(found, out, report)
    elif args.format == "csv":
        writers.write_csv(found, out)
    elif args.format == "jsonl":
        rows = writers.records(found) if args.pairs else writers.cluster_records(found)
        writers.write_jsonl(rows, out)
        writers.write_jsonl(iter([{"summary": report}]), out)
    else:
        lines = _pair_lines(found) if args.pairs else _cluster_lines(found)
        writers.write_lines(itertools.chain(lines, _summary(report)), out)


def _cluster_lines(found: Any) -> Iterator[str]:
    """Clusters to be read: the keeper first, then its members with how alike they are."""
    for cluster in writers.cluster_records(found):
        members = cluster["members"]
        yield f"{cluster['kind']}: {counted(len(members), 'document')}"
        yield f"   keep   {printable(cluster['keeper'])}"
        spared = False
        for member in members:
            if member["source"] == cluster["keeper"] and not spared:
                spared = True
                continue
            yield f"  {member['resemblance']:6.1%}  {printable(member['source'])}"
        yield ""


def _pair_lines(found: Any) -> Iterator[str]:
    """Pairs to be read."""
    for row in writers.records(found):
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
    """What was found of edited copies."""
    probe, least = report["probe"], report["resemblance"]
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
    """What was left out, a line each."""
    yield ""
    yield f"Left out: {counted(len(blocks), 'common block')}"
    for block in blocks:
        text = " ".join(block["text"].split())
        shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
        yield f"  in {counted(block['documents'], 'document')}: {printable(shown)}"


def _notes(args: argparse.Namespace, report: dict[str, Any]) -> Iterator[str]:
    """What a person should know beside the result."""
    for failure in report["failures"]:
        yield f"not read: {printable(failure['source'])}: {failure['reason']}"
    yield from report["advice"]
    for cluster in report["alarm"]:
        yield (
            f"alarm: cluster {cluster['cluster']} has {cluster['documents']:,} near-duplicates; "
            "such a cluster is mostly boilerplate. Look at it before you drop anything."
        )
    if args.format in ("csv", "parquet"):
        yield from _summary(report)
