"""``ilk urls``: canonical URLs, and what pages say of the addresses of their site."""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from ilk import readers, urls, writers
from ilk.errors import UrlError
from ilk.interfaces import options
from ilk.interfaces.progress import counted, note, printable

ERROR = 2

_EPILOG = """\
examples:
  ilk urls links.txt                          a line each: the canonical URL, a tab, the URL
  ilk urls links.txt --profile aggressive     also without www, scheme and last slash
  ilk urls crawl.jsonl --profile crawl-order  the column url; keep the order of parameters
  ilk urls links.txt --explain                which rules changed what
  ilk urls crawl.jsonl --learn --text body    which rules hold on each site, from its pages

Nothing is fetched. The URLs that were given stand beside the canonical ones."""


def parser() -> argparse.ArgumentParser:
    """The options of the verb."""
    rules = "\n".join(f"  {name:<10} {what}" for name, what in urls.RULES.items())
    profiles = "\n".join(f"  {name:<10} {', '.join(of)}" for name, of in urls.PROFILES.items())
    made = options.parser(
        "urls",
        "Writes URLs in the form that all spellings of a page's address have in common.\n\n"
        f"rules, in the order of their use:\n{rules}\n\nprofiles:\n{profiles}",
        _EPILOG,
    )
    made.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="a file of one URL a line, a file of rows (.jsonl, .csv, .parquet), or - for standard "
        "input",
    )
    made.add_argument(
        "--url", default="url", metavar="NAME", help="the column of URLs (default: %(default)s)"
    )
    made.add_argument(
        "--profile",
        default=urls.PROFILE,
        metavar="PROFILE",
        help="which rules are used; +RULE or -RULE behind it changes that (default: %(default)s)",
    )
    told = made.add_mutually_exclusive_group()
    told.add_argument("--surt", action="store_true", help="with the host's parts from the last one")
    told.add_argument("--explain", action="store_true", help="tell which rules changed what")
    told.add_argument(
        "--learn",
        action="store_true",
        help="tell instead which rules hold on each site: those that make only URLs equal whose "
        "pages are",
    )
    made.add_argument(
        "--text",
        default=readers.TEXT,
        metavar="NAME",
        help="with --learn the column of the pages' texts (default: %(default)s)",
    )
    options.add_output(made, ("table", "jsonl"))
    made.add_argument("--quiet", action="store_true", help="no notes on stderr")
    made.add_argument(
        "--strict", action="store_true", help="end with exit code 2 if anything could not be read"
    )
    return made


def run(args: argparse.Namespace) -> int:
    """Print the URLs, and return the exit code."""
    writers.check(args.output)
    urls.canonical("http://example.org/", args.profile)  # A wrong profile is refused before work.
    tally = readers.Tally()
    rows = _learned(args, tally) if args.learn else _told(args, tally)
    if args.output is None:
        _write(args, rows, sys.stdout.buffer)
    else:
        with writers.whole_file(args.output) as out:
            _write(args, rows, out)
    for failure in tally.failures:
        note(f"not read: {failure.source}: {failure.reason}", args.quiet)
    for line in tally.advice():
        note(line, args.quiet)
    return ERROR if tally.failures and args.strict else 0


def _told(args: argparse.Namespace, tally: readers.Tally) -> Iterator[dict[str, Any]]:
    """One record a URL; where there is none, why."""
    for source, text, _ in _rows(args, args.url, None, tally):
        for line in filter(None, map(str.strip, text.split("\n"))):
            try:
                yield _record(args, line)
            except UrlError as error:
                tally.fail(source, str(error))
                yield {"url": line, "canonical": None}


def _record(args: argparse.Namespace, url: str) -> dict[str, Any]:
    if args.surt:
        return {"url": url, "canonical": urls.surt(url, args.profile)}
    found: dict[str, Any] = {"url": url, "canonical": urls.canonical(url, args.profile)}
    if args.explain:
        found["rules"] = [fired._asdict() for fired in urls.explain(url, args.profile)]
    return found


def _learned(args: argparse.Namespace, tally: readers.Tally) -> Iterator[dict[str, Any]]:
    """One record a site and rule."""
    from ilk import columns
    from ilk.fingerprints.digest import digests

    pages, without = [], 0
    for _, text, url in _rows(args, args.text, args.url, tally):
        without += url is None
        if url is not None and text.strip():
            pages.append((url, text))
    contents = digests(columns.texts([text for _, text in pages])).to_pylist()
    if without:
        note(f"{counted(without, 'row')} without a URL in the column {args.url}", args.quiet)
    named = zip((url for url, _ in pages), contents, strict=True)
    for finding in urls.learn(named).findings:
        yield finding._asdict()


def _rows(
    args: argparse.Namespace, text: str, id: str | None, tally: readers.Tally
) -> Iterator[tuple[str, str, str | None]]:
    """Source, text and id of what is read."""
    batches = readers.read(
        [Path(path) for path in args.paths],
        text=text,
        id=id,
        convert={},
        tally=tally,
        progress=readers.silent,
    )
    for batch in batches:
        for row in batch.select(["source", "text", "id"]).to_pylist():
            yield row["source"], row["text"] or "", row["id"]


def _write(args: argparse.Namespace, rows: Iterator[dict[str, Any]], out: IO[bytes]) -> None:
    if args.format == "jsonl":
        writers.write_jsonl(rows, out)
    elif args.learn:
        writers.write_lines(_findings(rows), out)
    else:
        writers.write_lines(itertools.chain.from_iterable(map(_lines, rows)), out)


def _lines(row: dict[str, Any]) -> Iterator[str]:
    """A URL to be read, and what became of it."""
    yield f"{row['canonical'] or '(no URL)'}\t{printable(row['url'])}"
    for fired in row.get("rules", ()):
        yield f"  {fired['rule']:<10} {printable(fired['after'])}"


def _findings(rows: Iterator[dict[str, Any]]) -> Iterator[str]:
    """The rules of sites to be read."""
    yield f"{'same':>8}{'different':>11}  holds  site, rule"
    for row in rows:
        holds = "yes" if row["holds"] else "no"
        yield (
            f"{row['same']:>8,}{row['different']:>11,}  {holds:<5}  "
            f"{printable(row['site'])}  {printable(row['rule'])}"
        )
