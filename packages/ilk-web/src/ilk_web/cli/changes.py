"""``ilk changes``: what changed at URLs that were fetched several times."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from ilk.companions import errors, format_percent
from ilk.plugins import OptionError, count_noun, options, output, printable
from ilk_web import changes
from ilk_web.cli.iso_times import rows_with_iso_times

#: What the verb does.
SUMMARY = "show what changed at URLs that were fetched more than once"

_EPILOG = """\
examples:
  ilk changes crawl.warc.gz --extract fast            by the main text of the pages
  ilk changes monday.warc.gz tuesday.warc.gz --format csv
  ilk changes crawl.jsonl --url link --date fetched --text body
  ilk changes crawl.warc.gz --order links.txt         these URLs, in the order to fetch them

Two URLs are the same if they are spelled the same. Nothing is fetched."""


_ORDER = options.make_text_option(
    None,
    "a file with one URL per line: print them in the order to fetch them, new ones first, then "
    "those that changed lately, then the others",
    "FILE",
    refused_in_default_config=True,
)


def parser() -> options.Parser:
    """Return the parser of the verb."""
    verb = options.make_parser(
        "changes",
        "Shows how each URL that was fetched more than once changed between "
        f"fetches.\n\nverdicts:\n{options.spell_names_with_meanings(changes.VERDICTS)}",
        _EPILOG,
    )
    options.add_paths(
        verb, "archives (WARC, ARC, WACZ) or files of rows, globs, or folders of such files"
    )
    options.add_options(
        verb,
        *options.CAPTURES,
        heading="input",
        date={
            "help": "the column of times",
            "default_phrase": "date, if there is one; else the order of reading",
        },
        text={"repeated": False, "help": "the column of the pages' texts"},
    )
    options.add_options(verb, "resemblance", "shingle", heading="what counts as a small change")
    options.add_options(verb, *options.OUTPUT, heading="output", order=_ORDER)
    options.add_options(verb, *options.RUNNING, heading="running")
    return verb


def run(args: argparse.Namespace) -> int:
    """Find, print, and return the exit code."""
    urls = None if args.order is None else _read_urls(args.order)
    names = (*options.CAPTURES, "date", "resemblance", "shingle", "jobs")
    output.set_format_by_output_name_if_missing(args, *output.FORMS)
    with output.refuse_unwritable_output_and_show_progress(args) as meter:
        result = changes.find(
            options.source_paths(args),
            **options.given_library_arguments(args, *names),
            progress=meter,
        )
    if urls is None:
        output.write_result(
            args,
            _result_lines(result),
            result.table,
            report=result.report,
            records=rows_with_iso_times(result.table),
        )
    else:
        table = result.crawl_order(urls)
        lines = map(printable, table["url"].to_pylist())
        output.write_result(
            args, lines, table, report=result.report, records=rows_with_iso_times(table)
        )
    return output.note_failures_and_return_error_if_strict(args, result.report)


def _read_urls(path: str) -> list[str]:
    """Return the URLs of a file; OptionError if it cannot be read, or has no URL."""
    try:
        lines = Path(path).read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        is_unreadable = isinstance(error, OSError)
        why = errors.reason_of_error(error) if is_unreadable else "it is not UTF-8"
        raise OptionError(
            f"cannot read {path}: {why}; name a file with one URL per line."
        ) from error
    urls = [line.strip() for line in lines if line.strip()]
    if not urls:
        raise OptionError(f"{path} has no URL; name a file with one URL per line.")
    return urls


def _result_lines(result: changes.Changes) -> Iterator[str]:
    """Yield what has changed, as lines of text, and how much has not."""
    for row in rows_with_iso_times(result.table):
        if row["verdict"] == "unchanged":
            continue
        share = "" if row["resemblance"] is None else format_percent(row["resemblance"])
        yield f"{row['verdict']:<16} {share:>6}  {printable(row['url'])}"
        for side, time in (("before", "from"), ("after", "to")):
            yield f"  {row[time] or '':<25}  {printable(row[side])}"
    report = result.report
    counts = ", ".join(f"{verdict} {count:,}" for verdict, count in report["pairs"].items())
    captures = count_noun(report["documents"], "capture")
    urls = count_noun(report["urls"], "URL")
    yield f"{captures} read; {urls} fetched more than once: {counts}."
