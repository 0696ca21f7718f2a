"""``ilk changes``: one URL fetched several times, and what has changed in between."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import IO, Any

from ilk import changes, writers
from ilk.interfaces import options
from ilk.interfaces.progress import Meter, counted, note, printable
from ilk.search import planning

ERROR = 2

_EPILOG = """\
examples:
  ilk changes crawl.warc.gz --extract fast            by the main text of the pages
  ilk changes monday.warc.gz tuesday.warc.gz --format csv
  ilk changes crawl.jsonl --url link --date fetched --text body

URLs are one where they are spelled alike; nothing is fetched."""


def parser() -> argparse.ArgumentParser:
    """The options of the verb."""
    verdicts = "\n".join(f"  {name:<17} {what}" for name, what in changes.VERDICTS.items())
    made = options.parser(
        "changes",
        "Tells what became of every URL that was fetched more than once, from each time to the "
        f"next.\n\nverdicts:\n{verdicts}",
        _EPILOG,
    )
    made.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="archives (WARC, ARC) or files of rows, globs, or folders of such files",
    )
    group = made.add_argument_group("what is read")
    options.add_captures(group)
    group.add_argument(
        "--date",
        metavar="NAME",
        help=f"the column of times (default: {changes.DATE}, where there is one; else they are in "
        "the order in which they are read)",
    )
    group = made.add_argument_group("what counts as little")
    group.add_argument(
        "--resemblance",
        type=options.share,
        default=str(planning.RESEMBLANCE),
        metavar="SHARE",
        help="the part of all their shingles that both texts share (default: %(default)s)",
    )
    options.add_shingle(group)
    options.add_output(made, writers.FORMATS)
    options.add_running(made)
    return made


def run(args: argparse.Namespace) -> int:
    """Find, print, and return the exit code."""
    writers.check(args.output)
    meter = Meter(args.quiet)
    result = changes.find(
        args.paths,
        url=args.url,
        date=args.date,
        text=args.text,
        resemblance=args.resemblance,
        shingle=args.shingle,
        extract=args.extract,
        convert_timeout=args.convert_timeout,
        jobs=args.jobs,
        progress=meter,
    )
    meter.clear()
    if args.output is None:
        _write(args, result, sys.stdout.buffer)
    else:
        with writers.whole_file(args.output) as out:
            _write(args, result, out)
    for failure in result.report["failures"]:
        note(f"not read: {printable(failure['source'])}: {failure['reason']}", args.quiet)
    return ERROR if result.report["failures"] and args.strict else 0


def _write(args: argparse.Namespace, result: changes.Changes, out: IO[bytes]) -> None:
    if args.format == "parquet":
        writers.write_parquet(result.table, out, result.report)
    elif args.format == "csv":
        writers.write_csv(result.table, out)
    elif args.format == "jsonl":
        writers.write_jsonl(_records(result), out)
        writers.write_jsonl(iter([{"summary": result.report}]), out)
    else:
        writers.write_lines(_lines(result), out)


def _records(result: changes.Changes) -> Iterator[dict[str, Any]]:
    """The rows, their times spelled."""
    for row in writers.records(result.table):
        yield {**row, "from": _spelled(row["from"]), "to": _spelled(row["to"])}


def _spelled(time: Any) -> str | None:
    """A time, whatever it is, as ISO 8601 has it."""
    if time is None:
        return None
    written: str = time.isoformat() if hasattr(time, "isoformat") else str(time)
    return written.replace("+00:00", "Z")


def _lines(result: changes.Changes) -> Iterator[str]:
    """What has changed, to be read, and how much has not."""
    for row in _records(result):
        if row["verdict"] == "unchanged":
            continue
        share = "" if row["resemblance"] is None else f"{row['resemblance']:.1%}"
        yield f"{row['verdict']:<16} {share:>6}  {printable(row['url'])}"
        for side, time in (("before", "from"), ("after", "to")):
            yield f"  {row[time] or '':<25}  {printable(row[side])}"
    report = result.report
    told = ", ".join(f"{verdict} {count:,}" for verdict, count in report["pairs"].items())
    yield (
        f"{counted(report['captures'], 'capture')} read; {counted(report['urls'], 'URL')} fetched "
        f"more than once: {told}."
    )
