"""``ilk changes``: what changed at URLs that were fetched several times."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from ilk.companions import percent, write
from ilk.plugins import count_noun, options, output, printable
from ilk_web import changes

#: What the verb does.
SUMMARY = "show what changed at URLs that were fetched more than once"

_EPILOG = """\
examples:
  ilk changes crawl.warc.gz --extract fast            by the main text of the pages
  ilk changes monday.warc.gz tuesday.warc.gz --format csv
  ilk changes crawl.jsonl --url link --date fetched --text body

Two URLs are the same if they are spelled the same. Nothing is fetched."""


def parser() -> options.Parser:
    """Return the parser of the verb."""
    verb = options.parser(
        "changes",
        "Shows how each URL that was fetched more than once changed between "
        f"fetches.\n\nverdicts:\n{options.lines_of(changes.VERDICTS)}",
        _EPILOG,
    )
    options.paths(
        verb, "archives (WARC, ARC, WACZ) or files of rows, globs, or folders of such files"
    )
    options.add(
        verb,
        *options.CAPTURES,
        "date",
        heading="input",
        text={"repeated": False, "help": "the column of the pages' texts"},
    )
    options.add(verb, "resemblance", "shingle", heading="what counts as a small change")
    options.add(verb, *options.OUTPUT, heading="output")
    options.add(verb, *options.RUNNING, heading="running")
    return verb


def run(args: argparse.Namespace) -> int:
    """Find, print, and return the exit code."""
    names = (*options.CAPTURES, "date", "resemblance", "shingle", "jobs")
    with output.working(args, *output.FORMS) as meter:
        result = changes.find(
            options.sources(args), **options.given_options(args, *names), progress=meter
        )
    output.write(
        args, _result_lines(result), result.table, result.report, _rows_with_written_times(result)
    )
    return output.note_failures(args, result.report)


def _rows_with_written_times(result: changes.Changes) -> Iterator[dict[str, Any]]:
    """Yield the rows, with their times as strings."""
    for row in write.plain_rows(result.table):
        yield {**row, "from": _format_time(row["from"]), "to": _format_time(row["to"])}


def _format_time(time: Any) -> str | None:
    """Return a time of any type in ISO 8601."""
    if time is None:
        return None
    written: str = time.isoformat() if hasattr(time, "isoformat") else str(time)
    return written.replace("+00:00", "Z")


def _result_lines(result: changes.Changes) -> Iterator[str]:
    """Yield what has changed, as lines of text, and how much has not."""
    for row in _rows_with_written_times(result):
        if row["verdict"] == "unchanged":
            continue
        share = "" if row["resemblance"] is None else percent(row["resemblance"])
        yield f"{row['verdict']:<16} {share:>6}  {printable(row['url'])}"
        for side, time in (("before", "from"), ("after", "to")):
            yield f"  {row[time] or '':<25}  {printable(row[side])}"
    report = result.report
    counts = ", ".join(f"{verdict} {count:,}" for verdict, count in report["pairs"].items())
    captures = count_noun(report["documents"], "capture")
    urls = count_noun(report["urls"], "URL")
    yield f"{captures} read; {urls} fetched more than once: {counts}."
