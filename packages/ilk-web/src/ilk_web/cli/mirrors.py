"""``ilk mirrors``: hosts and folders that mirror one another."""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ilk.plugins import Flag, Option, count_noun, options, output, printable
from ilk_web import mirrors
from ilk_web.cli.iso_times import rows_with_iso_times
from ilk_web.options import MIRRORS

if TYPE_CHECKING:
    import pyarrow as pa

#: What the verb does.
SUMMARY = "find hosts and folders that mirror one another"

_SOUGHT = ("resemblance", *MIRRORS)
_OF_MIRRORS: dict[str, Any] = {**MIRRORS}
_EPILOG = """\
examples:
  ilk mirrors crawl.jsonl                        the columns url and text
  ilk mirrors crawl.parquet --url link --text body --format csv
  ilk mirrors crawl.jsonl --alternatives https://example.org/pub/readme
                                                 where else this page should be
  ilk mirrors crawl.jsonl --pages --link 'links[]' -o pages.csv
                                                 which page stands for its copies, and the in-links
                                                 of all of them

Nothing is fetched."""


def parser() -> options.Parser:
    """Return the parser of the verb."""
    levels = {str(level): what for level, what in mirrors.LEVELS.items()}
    verb = options.make_parser(
        "mirrors",
        "Finds hosts, and folders of hosts, that have the same pages under the same paths.\n\n"
        f"levels:\n{options.spell_names_with_meanings(levels)}",
        _EPILOG,
    )
    options.add_paths(
        verb,
        "files of rows (.jsonl, .csv, .parquet), archives, or with --extract folders of pages that "
        "declare their canonical link",
    )
    options.add_options(
        verb,
        *options.CAPTURES,
        heading="input",
        text={"repeated": False, "help": "the column of the pages' texts"},
        date={
            "help": "the column of times when pages were fetched",
            "default_phrase": "date, if there is one",
            "needs": ("pages",),
        },
        link=replace(
            options.make_text_option(
                None,
                "where the URLs are to which a page links, as for --text: links[], links[].href, "
                "or a column of texts, with spaces between URLs; they may be relative",
                "NAME",
            ),
            needs=("pages",),
        ),
    )
    options.add_options(verb, "resemblance", heading="what counts as a mirror", **_OF_MIRRORS)
    options.add_options(
        verb,
        *options.OUTPUT,
        heading="output",
        alternatives=replace(
            options.make_text_option(
                None,
                "print where else this page should be, one URL per line",
                "URL",
                refused_in_default_config=True,
            ),
            idle_with=("format", "pages"),
        ),
        pages=Option(
            Flag(),
            "list every page with the canonical page of its copies on mirrors, the copy that was "
            "fetched last, and how many pages link to any of them, instead of the mirrors",
        ),
    )
    options.add_options(verb, *options.RUNNING, heading="running")
    return verb


def run(args: argparse.Namespace) -> int:
    """Find, print, and return the exit code."""
    names = (*options.CAPTURES, *_SOUGHT, "jobs")
    output.set_format_by_output_name_if_missing(args, *output.FORMS)
    with output.refuse_unwritable_output_and_show_progress(args) as meter:
        result = mirrors.find(
            options.source_paths(args),
            **options.given_library_arguments(args, *names),
            progress=meter,
        )
    if args.alternatives is not None:
        args.format = "table"
        output.write_result(args, result.alternatives(args.alternatives))
    elif args.pages:
        table = result.pages(**options.given_library_arguments(args, "date", "link"))
        output.write_result(
            args,
            _lines_of_pages_with_copies(table),
            table,
            report=result.report,
            records=rows_with_iso_times(table),
        )
    else:
        output.write_result(args, _result_lines(result), result.table, report=result.report)
    return output.note_failures_and_return_error_if_strict(
        args, result.report, *_lines_about_what_was_ignored(result.report)
    )


def _result_lines(result: mirrors.Mirrors) -> Iterator[str]:
    """Yield the mirrors as lines of text."""
    groups, mirrors_in_groups = result.groups, set[mirrors.Mirror]()
    for group in groups:
        mirrors_in_groups.update(group.pairs)
        if len(group.mirrors) > 1:
            yield f"{printable(group.canonical)} and {count_noun(len(group.mirrors), 'mirror')}:"
            for name in group.mirrors:
                yield f"  {printable(name)}"
            yield ""
        yield from _mirror_pair_lines(group.pairs)
    yield from _mirror_pair_lines(
        mirror for mirror in result.found if mirror not in mirrors_in_groups
    )
    report = result.report
    pairs = count_noun(report["mirrors"], "mirror")
    yield (
        f"{count_noun(report['documents'], 'page')} of {count_noun(report['hosts'], 'host')}; "
        f"{pairs}, {count_noun(len(groups), 'group')} of the same pages."
    )
    if report["same_paths"]:
        pairs = count_noun(report["same_paths"], "pair")
        yield f"Not counted: {pairs} of hosts with the same paths but different content (level 5)."


def _lines_of_pages_with_copies(table: pa.Table) -> Iterator[str]:
    """Yield pages that have copies, as lines of text."""
    copies = defaultdict[str, list[dict[str, Any]]](list)
    for row in rows_with_iso_times(table):
        copies[row["canonical"]].append(row)
    more = {url: rows for url, rows in copies.items() if len(rows) > 1}
    for canonical, rows in more.items():
        links = rows[0]["in_links"]
        links_phrase = "" if links is None else f"  ({count_noun(links, 'page')} linking to it)"
        yield f"{printable(canonical)}{links_phrase}"
        for row in rows:
            if row["page"] != canonical:
                yield f"  {printable(row['page'])}"
        if rows[0]["freshest"] is not None:
            yield f"  fetched last, {rows[0]['fetched']}: {printable(rows[0]['freshest'])}"
        yield ""
    others = sum(map(len, more.values())) - len(more)
    yield (
        f"{count_noun(len(table), 'page')} read; {count_noun(len(more), 'page')} "
        f"{'has' if len(more) == 1 else 'have'} {count_noun(others, 'copy', 'copies')} on mirrors."
    )


def _mirror_pair_lines(pairs: Iterable[mirrors.Mirror]) -> Iterator[str]:
    """Yield pairs as lines of text."""
    for mirror in pairs:
        yield f"level {mirror.level}: {mirrors.LEVELS[mirror.level]}"
        for name, pages in ((mirror.left, mirror.left_pages), (mirror.right, mirror.right_pages)):
            yield f"  {printable(name)}  ({count_noun(pages, 'page')})"
        yield (
            f"  {count_noun(mirror.common, 'path')} in both: {mirror.identical:,} identical, "
            f"{mirror.near:,} near-identical, {mirror.similar:,} similar"
        )
        yield ""


def _lines_about_what_was_ignored(report: dict[str, Any]) -> Iterator[str]:
    """Yield what a person should know besides the result."""
    if report["ubiquitous"]:
        yield (
            f"contents and paths that are on more than {report['options']['max_hosts']} hosts: "
            f"{report['ubiquitous']:,}; they were ignored (--limit hosts)"
        )
    if report["without_url"]:
        yield f"{count_noun(report['without_url'], 'row')} without a web URL"
    if report["again"]:
        yield f"{count_noun(report['again'], 'row')} of a page already read"
