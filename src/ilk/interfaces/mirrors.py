"""``ilk mirrors``: hosts and folders that mirror one another."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import IO, Any

from ilk import mirrors, writers
from ilk.interfaces import options
from ilk.interfaces.progress import Meter, counted, note, printable
from ilk.search import planning

ERROR = 2

_EPILOG = """\
examples:
  ilk mirrors crawl.jsonl                        the columns url and text
  ilk mirrors crawl.parquet --url link --text body --format csv
  ilk mirrors crawl.jsonl --alternatives https://example.org/pub/readme
                                                 where else that page should be

Nothing is fetched."""


def parser() -> argparse.ArgumentParser:
    """The options of the verb."""
    levels = "\n".join(f"  {level}  {what}" for level, what in mirrors.LEVELS.items())
    made = options.parser(
        "mirrors",
        "Finds hosts, and folders of hosts, that have the same pages under the same paths.\n\n"
        f"levels:\n{levels}",
        _EPILOG,
    )
    made.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="files of rows (.jsonl, .csv, .parquet), or with --extract folders of pages that "
        "declare their canonical link",
    )
    group = made.add_argument_group("what is read")
    options.add_captures(group)
    group = made.add_argument_group("what counts as a mirror")
    group.add_argument(
        "--resemblance",
        type=options.share,
        default=str(planning.RESEMBLANCE),
        metavar="SHARE",
        help="the least resemblance of near-identical pages (default: %(default)s)",
    )
    group.add_argument(
        "--least",
        type=int,
        default=mirrors.LEAST,
        metavar="N",
        help="the least number of different pages that make a mirror (default: %(default)s)",
    )
    group.add_argument(
        "--max-hosts",
        type=int,
        default=mirrors.MAX_HOSTS,
        metavar="N",
        help="contents and paths on more hosts nominate none of them; they are counted (default: "
        "%(default)s)",
    )
    made.add_argument(
        "--alternatives", metavar="URL", help="print where else this page should be, one URL a line"
    )
    options.add_output(made, writers.FORMATS)
    options.add_running(made)
    return made


def run(args: argparse.Namespace) -> int:
    """Find, print, and return the exit code."""
    writers.check(args.output)
    meter = Meter(args.quiet)
    result = mirrors.find(
        options.sources(args.paths),
        url=args.url,
        text=args.text,
        resemblance=args.resemblance,
        least=args.least,
        max_hosts=args.max_hosts,
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
    for line in _notes(result.report):
        note(line, args.quiet)
    return ERROR if result.report["failures"] and args.strict else 0


def _write(args: argparse.Namespace, result: mirrors.Mirrors, out: IO[bytes]) -> None:
    if args.alternatives is not None:
        writers.write_lines(iter(result.alternatives(args.alternatives)), out)
    elif args.format == "parquet":
        writers.write_parquet(result.table, out, result.report)
    elif args.format == "csv":
        writers.write_csv(result.table, out)
    elif args.format == "jsonl":
        writers.write_jsonl(writers.records(result.table), out)
        writers.write_jsonl(iter([{"summary": result.report}]), out)
    else:
        writers.write_lines(_lines(result), out)


def _lines(result: mirrors.Mirrors) -> Iterator[str]:
    """The mirrors to be read."""
    for mirror in result.found:
        yield f"level {mirror.level}: {mirrors.LEVELS[mirror.level]}"
        for name, pages in ((mirror.left, mirror.left_pages), (mirror.right, mirror.right_pages)):
            yield f"  {printable(name)}  ({counted(pages, 'page')})"
        yield (
            f"  {counted(mirror.common, 'path')} in both: {mirror.identical:,} identical, "
            f"{mirror.near:,} near-identical, {mirror.similar:,} similar"
        )
        yield ""
    yield (
        f"{counted(result.report['pages'], 'page')} of {counted(result.report['hosts'], 'host')}; "
        f"{counted(len(result.found), 'mirror')}."
    )


def _notes(report: dict[str, Any]) -> Iterator[str]:
    """What a person should know beside the result."""
    if report["ubiquitous"]:
        yield (
            f"{report['ubiquitous']:,} contents or paths are on more than {report['max_hosts']} "
            "hosts, or too often on one; they nominated no mirror (--max-hosts)"
        )
    if report["without_url"]:
        yield f"{counted(report['without_url'], 'row')} without a URL of the web"
    if report["again"]:
        yield f"{counted(report['again'], 'row')} of a page that was there before; the first counts"
    for failure in report["failures"]:
        yield f"not read: {failure['source']}: {failure['reason']}"
    yield from report["advice"]
