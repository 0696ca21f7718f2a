"""``ilk urls``: canonical URLs, and rules for sites learned from their pages."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any, NamedTuple

from ilk.companions import ALONE, default, read
from ilk.plugins import (
    Flag,
    NothingRead,
    Option,
    OptionError,
    Reading,
    ReadReport,
    count_noun,
    note,
    options,
    output,
    printable,
)
from ilk_web import urls
from ilk_web.errors import UrlError

#: What the verb does.
SUMMARY = "print canonical URLs, and which URLs name the same page"

_EPILOG = """\
examples:
  ilk urls links.txt                          per line: the canonical URL, a tab, the URL
  ilk urls links.txt --profile aggressive     also without www, scheme and last slash
  ilk urls crawl.jsonl --profile crawl-order  the column url; keep the order of parameters
  ilk urls links.txt --explain                which rules changed what
  ilk urls crawl.jsonl --learn --text body    which rules hold on each site, from its pages

Nothing is fetched. Each canonical URL is printed with the URL as it was given."""

#: How to write the URLs.
_FORMS = ("table", "jsonl")

#: What to show besides the canonical URL, or instead of it.
_SHOWN: dict[str, Any] = {
    "surt": Option(Flag(), "with the parts of the host in reverse order"),
    "explain": Option(Flag(), "show which rules changed what"),
    "learn": Option(
        Flag(),
        "show instead which rules are safe on each site: those that equate only URLs of equal "
        "pages",
    ),
}


class InputRow(NamedTuple):
    """A row of the input, with the values of the columns that were asked for."""

    source: str
    text: str
    id: str | None


def parser() -> options.Parser:
    """Return the parser of the verb."""
    rules = options.spell_names_with_meanings(urls.RULES)
    profiles = options.spell_names_with_meanings(
        {name: ", ".join(of) for name, of in urls.PROFILES.items()}
    )
    verb = options.make_parser(
        "urls",
        "Writes URLs in canonical form, which is the same for all spellings of an address.\n\n"
        f"rules, in the order in which they apply:\n{rules}\n\nprofiles:\n{profiles}",
        _EPILOG,
    )
    options.add_paths(
        verb,
        "a file with one URL per line, or of rows (.jsonl, .csv, .parquet), or - for standard "
        "input",
    )
    profile = options.make_text_option(
        urls.PROFILE,
        "the rules to use; +RULE or -RULE after the name adds or removes one",
        "PROFILE",
    )
    options.add_options(verb, "url", profile=profile, **_SHOWN)
    options.add_options(
        verb,
        "quiet",
        "strict",
        "output",
        "force",
        text={"repeated": False, "help": "with --learn, the column of page texts"},
        format=options.format_option_fields(*_FORMS),
    )
    return verb


def run(args: argparse.Namespace) -> int:
    """Print the URLs, and return the exit code."""
    chosen = [f"`{name}`" for name in _SHOWN if getattr(args, name)]
    if len(chosen) > 1:
        raise OptionError(f"give {' or '.join(chosen)}, not both.")
    urls.canonical("http://example.org/", args.profile)  # Refuse a wrong profile before any work.
    tally = ReadReport()
    output.set_format_by_output_name_if_missing(args, *_FORMS)
    with output.refuse_unwritable_output_and_show_progress(args):
        # What is learned is known only at the end, and no heading stands above an error.
        rows = (
            iter(list(_learn_finding_records(args, tally)))
            if args.learn
            else _canonicalise_lines_and_note_counts(args, tally)
        )
        output.write_result(
            args, _finding_lines(rows) if args.learn else _canonical_lines(rows), records=rows
        )
    return output.note_unread_and_return_error_if_strict(args, tally)


def _canonicalise_lines_and_note_counts(
    args: argparse.Namespace, tally: ReadReport
) -> Iterator[dict[str, Any]]:
    """Yield one record per line; note why a line is not a URL.

    Raises:
        NothingRead: no line is a URL.
    """
    lines = urls = same = 0
    for source, text, _ in _read_rows(args, args.url or default("url"), None, tally):
        for line in filter(None, map(str.strip, text.split("\n"))):
            lines += 1
            try:
                record = _record_of_url(args, line)
                urls += 1
                same += record["canonical"] == line
            except UrlError as error:
                tally.fail(source, str(error))
                record = {"url": line, "canonical": None}
            yield record
    if not urls:
        raise NothingRead(
            f"no line of {lines:,} is a URL; give a file with one URL per line, or rows with a "
            "column of URLs (`url`)."
        )
    if not args.surt:
        if urls == 1:
            how_many = "" if same else "not "
        else:
            how_many = f"{same:,} of them {'is' if same == 1 else 'are'} "
        note(f"{count_noun(urls, 'URL')}, {how_many}canonical as given", args.quiet)


def _record_of_url(args: argparse.Namespace, url: str) -> dict[str, Any]:
    if args.surt:
        return {"url": url, "canonical": urls.surt(url, args.profile)}
    record: dict[str, Any] = {"url": url, "canonical": urls.canonical(url, args.profile)}
    if args.explain:
        record["rules"] = [fired._asdict() for fired in urls.explain(url, args.profile)]
    return record


def _learn_finding_records(args: argparse.Namespace, tally: ReadReport) -> Iterator[dict[str, Any]]:
    """Yield one record per site and rule."""
    from ilk.companions import text_digests_null_if_blank
    from ilk.plugins import arrow

    column, pages, without = args.url or default("url"), [], 0
    for _, text, url in _read_rows(args, args.text or default("text"), column, tally):
        without += url is None
        if url is not None and text.strip():
            pages.append((url, text))
    if not pages:
        raise NothingRead(
            f"no page has both a URL and a text (`url` is {column!r}), so no rule can be learned; "
            "name rows with a column of URLs and one of texts (`text`)."
        )
    contents = text_digests_null_if_blank(
        arrow.import_texts([text for _, text in pages])
    ).to_pylist()
    if without:
        note(f"{count_noun(without, 'row')} without a URL in the column {column}", args.quiet)
    named = zip((url for url, _ in pages), contents, strict=True)
    for finding in urls.learn(named).findings:
        yield finding._asdict()


def _read_rows(
    args: argparse.Namespace, text_column: str, id_column: str | None, tally: ReadReport
) -> Iterator[InputRow]:
    reading = Reading.of(text=text_column, id=id_column)
    batches = read.read_documents(options.source_paths(args), reading, ALONE, tally)
    for batch in batches:
        for row in batch.select(["source", "text", "id"]).to_pylist():
            yield InputRow(row["source"], row["text"] or "", row["id"])
    read.refuse_if_all_files_unreadable(tally)


def _canonical_lines(rows: Iterator[dict[str, Any]]) -> Iterator[str]:
    """Yield the URLs as lines of text, and what changed each; a terminal gets one URL a line."""
    beside = "\t" if output.stdout_terminal_cells_or_none() is None else "\n    was "
    for row in rows:
        canonical, given = row["canonical"] or "(no URL)", printable(row["url"])
        is_shown = beside == "\t" or canonical != given
        yield canonical + (f"{beside}{given}" if is_shown else "")
        for fired in row.get("rules", ()):
            yield f"  {fired['rule']:<10} {printable(fired['after'])}"


def _finding_lines(rows: Iterator[dict[str, Any]]) -> Iterator[str]:
    """Yield the rules of sites as lines of text."""
    yield f"{'same':>8}{'different':>11}  holds  site, rule"
    for row in rows:
        holds = "yes" if row["holds"] else "no"
        yield (
            f"{row['same']:>8,}{row['different']:>11,}  {holds:<5}  "
            f"{printable(row['site'])}  {printable(row['rule'])}"
        )
