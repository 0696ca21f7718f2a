"""``ilk dedup``: a data set without its duplicates, and an account of every row."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ilk import writers
from ilk.interfaces import options
from ilk.interfaces.progress import Meter, counted, note, printable
from ilk.search import alarms, planning
from ilk.steps import ranking

if TYPE_CHECKING:
    from ilk.dedup.result import Deduplicated

ERROR, ALARM = 2, 3

FORMATS = ("table", "jsonl")

_EPILOG = """\
examples:
  ilk dedup crawl/*.jsonl.gz -o clean.jsonl.gz
  ilk dedup news.parquet -o clean.parquet --keep longest --resemblance 0.9
  ilk dedup train.jsonl --against test.jsonl -o train-clean.jsonl
  ilk dedup pages.csv --key url -o pages-once.csv
  ilk dedup crawl.warc.gz -o once.warc.gz --extract fast      an archive, by the text of its pages
  ilk dedup big.jsonl --plan plan        decide; later: ilk apply plan -o clean.jsonl

The kept rows are written as they were read; the input is never changed. OUT.ilk/ holds what was
found and dropped, and why: clusters, pairs, dropped rows, report.json, report.html. Without -o and
--plan nothing is written. Exit codes: 0 done, 2 an error, 3 an alarm (nothing was written)."""


def parser() -> argparse.ArgumentParser:
    """The options of the verb."""
    made = options.parser(
        "dedup",
        "Keeps one row of every group of duplicates in JSON lines, CSV, Parquet, WARC or ARC:\n"
        "exact copies, and rows that share most of their text.",
        _EPILOG,
    )
    made.add_argument(
        "paths",
        nargs="+",
        metavar="INPUT",
        help="a file (.jsonl, .csv, .tsv, .parquet, .warc or .arc; .gz and .zst too), a glob, or "
        "a folder",
    )
    group = made.add_argument_group("what is read")
    options.add_rows(group)
    options.add_extraction(group)
    group = made.add_argument_group("what counts as a duplicate")
    group.add_argument(
        "--resemblance",
        type=options.share,
        default=planning.RESEMBLANCE,
        metavar="SHARE",
        help="the part of all their shingles that two rows share (default: %(default)s)",
    )
    options.add_shingle(group)
    options.add_same_site(group)
    group.add_argument(
        "--exact", action="store_true", help="only equal texts, but for case and white space"
    )
    group.add_argument("--key", metavar="COLUMN", help="only equal values in this column")
    group.add_argument(
        "--against",
        action="append",
        metavar="OTHER",
        help="also drop what is like a row of this data set; repeatable",
    )
    options.add_pairing(group)
    group = made.add_argument_group("what is kept")
    policies = ranking.POLICIES | ranking.COLUMN_POLICIES
    told = "; ".join(
        f"{name}: {what}" for name, what in policies.items() if name not in ranking.TIMES
    )
    group.add_argument(
        "--keep",
        action="append",
        metavar="POLICY",
        help=f"which row of a group stays ({told}); repeatable, the weightiest first "
        "(default: first)",
    )
    options.add_linkage(group)
    group = made.add_argument_group("the alarm")
    group.add_argument(
        "--alarm-documents",
        type=int,
        default=alarms.DOCUMENTS,
        metavar="N",
        help="a near cluster of more rows than this, and of more than --alarm-share, raises it "
        "(default: %(default)s)",
    )
    group.add_argument(
        "--alarm-share",
        type=options.share,
        default=alarms.SHARE,
        metavar="SHARE",
        help="of all rows (default: %(default)s)",
    )
    group.add_argument(
        "--alarm-loss",
        type=options.share,
        default=alarms.LOSS,
        metavar="SHARE",
        help="a source that loses more of its rows to near-duplicates raises it too "
        "(default: %(default)s)",
    )
    group.add_argument("--accept-alarm", action="store_true", help="write all the same")
    group = made.add_argument_group("output")
    group.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        help="the kept rows: a file of the format that is read, or a folder for a file each; of an "
        "archive also their texts: .jsonl or .parquet",
    )
    group.add_argument(
        "--plan", type=Path, metavar="DIR", help="write what would happen, for `ilk apply`"
    )
    group.add_argument(
        "--annotate",
        action="store_true",
        help="write all rows, with columns that tell the cluster and the verdict",
    )
    group.add_argument("--force", action="store_true", help="replace what is there")
    group.add_argument(
        "--format",
        choices=FORMATS,
        default=FORMATS[0],
        help="what stands on stdout: a summary, or every cluster a line (default: %(default)s)",
    )
    group = options.add_running(made)
    group.add_argument(
        "--memory",
        metavar="SIZE",
        help="what may be used, such as 2GB (default: half of what is free)",
    )
    group.add_argument(
        "--work",
        metavar="DIR",
        help="working files, from which an interrupted run goes on (default: in OUT.ilk)",
    )
    options.add_max_pairs(group)
    return made


def run(args: argparse.Namespace) -> int:
    """Deduplicate, print, and return the exit code."""
    from ilk.dedup.run import deduplicate
    from ilk.errors import AlarmRaised, OptionError

    if args.plan is not None and args.output is not None:
        raise OptionError("--plan only tells what would happen; leave out --output.")
    meter = Meter(args.quiet)
    try:
        result = deduplicate(
            args.paths,
            args.output,
            text=args.text or "text",
            id=args.id,
            resemblance=float(args.resemblance),
            shingle=args.shingle,
            same_site=args.same_site,
            exact=args.exact,
            key=args.key,
            against=args.against,
            keep=args.keep or "first",
            linkage=args.linkage,
            pairing=args.pairing,
            recall=args.recall,
            alarm_documents=args.alarm_documents,
            alarm_share=float(args.alarm_share),
            alarm_loss=float(args.alarm_loss),
            include=args.include,
            exclude=args.exclude,
            extract=args.extract,
            convert_timeout=args.convert_timeout,
            memory=args.memory,
            work=args.work,
            max_pairs=args.max_pairs,
            annotate=args.annotate,
            accept_alarm=args.accept_alarm,
            force=args.force,
            jobs=args.jobs,
            progress=meter,
        )
    except AlarmRaised as alarm:
        meter.clear()
        _tell(args, cast("Deduplicated", alarm.result))
        print(f"ilk dedup: {printable(str(alarm))}", file=sys.stderr)
        return ALARM
    meter.clear()
    if args.plan is not None:
        from ilk.dedup import plans

        plans.save(result, args.plan, force=args.force)
    _tell(args, result)
    return ALARM if result.alarm and not args.accept_alarm else 0


def _tell(args: argparse.Namespace, result: Deduplicated) -> None:
    """What was found, on stdout, and what a person should know, on stderr."""
    report = result.report
    if args.format == "jsonl":
        named = writers.named_rows(result.clusters)
        writers.write_jsonl(writers.cluster_records(named), sys.stdout.buffer)
        writers.write_jsonl(iter([{"summary": report}]), sys.stdout.buffer)
    else:
        writers.write_lines(_summary(report), sys.stdout.buffer)
    for failure in report["read"]["failures"]:
        note(f"{failure['source']} {failure['reason']}", args.quiet)
    if report["dangling"]:
        note(_dangling(report["dangling"]), args.quiet)
    for reason in report["alarm"]:
        note(f"alarm: {reason}", args.quiet)


def _dangling(revisits: list[dict[str, str]]) -> str:
    """That what some of the kept rows are copies of is dropped."""
    first = revisits[0]
    return (
        f"{counted(len(revisits), 'revisit')} kept of captures that are dropped, first "
        f"{printable(first['source'])} of {printable(first['revisits'])}; --keep first keeps those"
    )


def _summary(report: dict[str, Any]) -> Iterator[str]:
    """The numbers, and the largest clusters."""
    read = report["read"]
    yield f"{counted(report['rows'], 'row')} read, {report['kept']:,} kept."
    for verdict, count in report["dropped"].items():
        yield f"  dropped as {verdict:<14}{count:>12,}"
    without = report["rows"] - read["with_text"]
    if without:
        yield f"  kept without text       {without:>12,}"
    if read["rejected"]:
        yield f"  could not be read       {read['rejected']:>12,}"
    if read["same_ids"]:
        yield f"  have the id of another  {read['same_ids']:>12,}"
    yield report["promise"]
    if report["largest"]:
        yield ""
        yield f"{counted(report['clusters'], 'cluster')}; the largest:"
    for row in report["largest"]:
        kind = "near  " if row["near"] else "copies"
        yield f"  {row['documents']:>8,} {kind}  {printable(row['keeper_source'])}"
