"""``ilk passages``: every passage that occurs at two places in a collection."""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

from ilk import write
from ilk.base.errors import NothingRead, OptionError
from ilk.base.kinds import Whole
from ilk.base.options import Option, check_option, default, spell_keep_policies_of_passages
from ilk.base.progress import Step
from ilk.base.terminal import printable, shorten_end
from ilk.cli import options, output
from ilk.cli.exit_codes import ExitCode
from ilk.cli.families import lines_about_left_out_blocks
from ilk.cli.wording import note
from ilk.search.measures import count_noun, format_percent

if TYPE_CHECKING:
    from ilk.tasks.passages.result import Passages

_SOUGHT = ("words", "unit", "as_", "across", "ignore_text", "common_blocks")
_WRITTEN = ("cut", "mid_sentence", "every_place", "emptied", "drop_above", "keep")

#: Places of a passage to show in the table.
_PLACES = 5

#: The least number of words in a passage on a page about files, if not said otherwise: that of the
#: shares of a scan.
_LEAST_WORDS_ON_PAGE = default("min_words")


def parser() -> options.Parser:
    verb = options.make_parser_with_help_file("passages")
    options.add_paths(verb, metavar="SOURCE")
    against = "only passages that are in this other collection too; repeatable"
    containment = {
        "needs": ("against",),
        "help": "in the table of --against, and with --items, also count a row of --against if at "
        "least this share of its shingles is in one document",
        "default_phrase": "only runs of words count; 0.95 if no value is given",
    }
    show = Option(Whole(), "how many passages the table shows; other formats list all", 20, "N")
    # A page of files is for reading, and short runs tell a reader something.
    least = {"default_phrase": "50; 5 with another --unit than words, and for a --report on files"}
    options.add_options(
        verb,
        *_SOUGHT,
        "against_text",
        "containment",
        heading="what counts",
        against=against,
        containment=containment,
        show=show,
        words=least,
    )
    options.add_options(verb, *options.DOCUMENTS, heading="input")
    keep = {
        "needs": ("cut", "drop_above"),
        "idle_with": ("every_place", "against"),
        "usual": False,
        "help": "of the rows or files that share words, which one stays, or keeps them in a cut "
        f"({spell_keep_policies_of_passages()}); if repeated, the first one that decides",
    }
    written = "what is written in place of the passages (with --output)"
    options.add_options(verb, *_WRITTEN, heading=written, keep=keep)
    forms = options.format_option_fields(*output.FORMS, output.SARIF)
    ends = ("expect_none", "fail_above")
    options.add_options(
        verb, *options.OUTPUT, "report", "items", *ends, heading="output", format=forms
    )
    options.add_options(
        verb, *options.RUNNING, "memory", heading="running", work={"default_phrase": "none"}
    )
    return verb


def run(args: argparse.Namespace) -> ExitCode:
    from ilk.tasks.passages.finding import passages
    from ilk.tasks.passages.result import refuse_cut_of_programs

    names = [*_SOUGHT, *options.DOCUMENTS, "against", "against_text", "containment"]
    names += ["memory", "work", "jobs"]
    given_values = options.given_library_arguments(args, *names)
    if args.report is not None and not args.rows and not any(map(_is_file_of_rows, args.paths)):
        given_values.setdefault("words", _LEAST_WORDS_ON_PAGE)
    writes = args.cut or args.drop_above is not None
    if args.cut:
        refuse_cut_of_programs(args.as_)
    if writes and output.output_path_unless_stdout(args) is None:
        raise OptionError("`cut` and `drop_above` write rows; name a file: --output.")
    if not writes:
        output.set_format_by_output_name_if_missing(args, *output.FORMS, output.SARIF)
    with output.refuse_unwritable_output_and_show_progress(args) as meter:
        output.refuse_same_file_for_two_outputs(args.output, args.report, args.items)
        output.refuse_unwritable_file(args, args.report)
        output.refuse_unwritable_file(args, args.items)
        output.check_rows_file_format(args.items or "items.jsonl")
        if args.containment is not None and not _shows_evaluation_items(args, writes=writes):
            raise OptionError(
                "`containment` decides which rows of the other collection are listed, and they are "
                "not listed here; add --items or --report, or leave it out."
            )
        meter.expect_steps_after_run(_progress_steps_after_search(args))
        result = passages(options.source_paths(args), **given_values, progress=meter)
        if args.report is not None:
            output.write_page(args.report, result.page())
        if args.items is not None:
            output.write_table(result.contamination().items, args.items)
        written_files, findings = dict[str, Any](), dict[str, Any]()
        lines, rows = list[str](), None
        if writes:
            how = options.given_library_arguments(args, *_WRITTEN)
            written_files = result.write(args.output, force=args.force, **how)
        elif args.format == output.SARIF:
            findings = result.sarif()
        elif args.format in (None, "table"):
            lines = list(_lines_of_passages_and_summary(result, args.show))
            if output.output_path_unless_stdout(args) is None:
                lines += chain.from_iterable(
                    map(output.wrap_line_for_terminal, _lines_about_page_and_items(args))
                )
        else:
            rows = result.with_sources()
    if writes:
        wrapped_lines = chain.from_iterable(
            map(
                output.wrap_line_for_terminal,
                _lines_about_written_output(args, result, written_files),
            )
        )
        write.write_lines(wrapped_lines, sys.stdout.buffer)
    elif args.format == output.SARIF:
        with output.open_output(args) as out:
            write.write_jsonl(iter([findings]), out)
    else:
        report = result.report | output.report_part_of_configured_options(args)
        if args.format == "jsonl" and (sets := result.plain_evaluation_sets()):
            report["sets"] = sets
        output.write_result(args, lines, rows, report=report)
    _note_nothing_read_or_refuse_under_limit(args, result.report)
    code = output.note_failures_and_return_error_if_strict(args, result.report)
    if result.report["unread_sets"]:
        code = output.ERROR  # Else it would say that none of their items was found.
    if code or not _has_too_many_passages(args, result.report):
        return code
    if not args.expect_none:
        share = format_percent(
            _count_repeated_or_reference_words(result.report) / result.report["words"]
        )
        note(f"{share} of the words are in passages (--fail-above).", args.quiet)
    return output.NOTHING


def _progress_steps_after_search(args: argparse.Namespace) -> list[Step]:
    """Return the steps that follow a search: texts are read again for what is shown of them."""
    reads = options.progress_steps_of_reading(args, with_reference=False)
    passes = {"table": 1, output.SARIF: 2}.get(args.format or "table", 0)
    return reads * (passes + 4 * (args.report is not None))


def _lines_about_written_output(
    args: argparse.Namespace, result: Passages, counts: Mapping[str, Any]
) -> Iterator[str]:
    """Yield what was written: ``counts``, as ``Passages.write`` returns them."""
    from ilk.tasks.passages.contamination import all_sources_name_rows
    from ilk.write import accounts

    place = printable(args.output)
    beside = (
        f"; the account is in {place}.ilk"
        if accounts.account_folder_beside_output_or_none(args.output)
        else ""
    )
    yield from _summary_lines(
        result.report, shown_passages=result.report["passages"], max_passages=0
    )
    yield f"{count_noun(counts['documents'], 'document')} written to {place}."
    for name, what in (("cuts", "cut"), ("dropped", "dropped document")):
        if name in counts:
            yield f"{count_noun(counts[name], what)}{beside}."
    if counts.get("stayed"):
        phrase = f"{count_noun(counts['stayed'], 'word')} of passages stay"
        yield f"{phrase}, since their sentences have other words (--mid-sentence)."
    if counts.get("emptied"):
        fate = "dropped" if args.emptied == "drop" else "kept, without text (--emptied drop)"
        yield f"{count_noun(counts['emptied'], 'document')} without a word left: {fate}."
    if result.against is not None and all_sources_name_rows(result.against):
        yield f"To see which items of the reference are still in {place}, look for them in it."
    yield from _lines_about_page_and_items(args)


def _lines_about_page_and_items(args: argparse.Namespace) -> Iterator[str]:
    """Yield what was written besides the output."""
    for name, what in ((args.report, "The page"), (args.items, "The table of items")):
        if name is not None:
            yield f"{what} is in {printable(name)}."


def _shows_evaluation_items(args: argparse.Namespace, *, writes: bool) -> bool:
    """Return whether the items of evaluation sets, or how many of them are found, is shown."""
    in_result = not writes and args.format in (None, "table", "jsonl")
    return in_result or args.items is not None or args.report is not None


def _is_file_of_rows(path: str) -> bool:
    from ilk.read import Reading
    from ilk.read.documents import is_file_of_rows

    return is_file_of_rows(path, Reading.of().text)


def _note_nothing_read_or_refuse_under_limit(
    args: argparse.Namespace, report: dict[str, Any]
) -> None:
    """Say that no document was read.

    Raises:
        NothingRead: none was, and the exit code would say that there are few passages.
    """
    if report["documents"]:
        return
    if args.expect_none or args.fail_above is not None:
        raise NothingRead(
            "no document was read, so nothing can be said of passages; give a path that has some."
        )
    note("warning: nothing to compare: no document was read", args.quiet)


def _has_too_many_passages(args: argparse.Namespace, report: dict[str, Any]) -> bool:
    """Return whether there are passages where none are expected, or more than are allowed."""
    if args.expect_none:
        return bool(report["passages"])
    if args.fail_above is None:
        return False
    limit = check_option("fail_above", args.fail_above)
    return bool(_count_repeated_or_reference_words(report) > limit * report["words"])


def _count_repeated_or_reference_words(report: dict[str, Any]) -> int:
    """Return how many words are in passages: with a reference, only in those that it has too."""
    inside = 0 if report["against"] is not None else report["itself"]
    return int(report["elsewhere"] + inside)


def _lines_of_passages_and_summary(result: Passages, max_passages: int) -> Iterator[str]:
    """Yield the passages that cover the most words, with their places, and a summary."""
    frequent = result.frequent_passages(max_passages)
    for row in frequent:
        yield f"{count_noun(row['words'], 'word')}, {count_noun(row['occurrences'], 'place')}"
        yield f"  {_one_line_excerpt(row['excerpt'])}"
        for place in result.places(row["row"]).slice(0, _PLACES).to_pylist():
            others = None if place["doc"] >= 0 else result.against
            names = result.coverage if others is None else others
            source = printable(names["source"][place["doc"]].as_py())
            # A reader counts from 1, and includes the last.
            words = f", words {place['start'] + 1:,} to {place['start'] + row['words']:,}"
            yield output.line_with_shortened_name(source, "    ", words)
        if row["occurrences"] > _PLACES:
            yield f"    ... and {row['occurrences'] - _PLACES:,} more"
        yield ""
    for line in _summary_lines(
        result.report, shown_passages=len(frequent), max_passages=max_passages
    ):
        yield from output.wrap_line_for_terminal(line)
    for line in _lines_of_evaluation_sets(result):
        yield from output.wrap_line_for_terminal(line)


def _lines_of_evaluation_sets(result: Passages) -> Iterator[str]:
    """Yield how much of each evaluation set is in each source, if the reference has rows."""
    for row in result.plain_evaluation_sets():
        share = format_percent(row["found"] / row["items"])
        longest = f"; longest run: {count_noun(row['longest'], 'word')}" if row["longest"] else ""
        if row["short"]:
            has = "has" if row["short"] == 1 else "have"
            least = count_noun(result.report["options"]["words"], "word")
            longest += f"; {row['short']:,} {has} fewer than {least}"
        yield (
            f"  {row['found']:>7,} of {count_noun(row['items'], 'item')} ({share}) of "
            f"{printable(row['set'])} in {printable(row['source'])}{longest}"
        )
    for name in result.report["unread_sets"]:
        yield f"  not read: {printable(name)}"


def _one_line_excerpt(text: str) -> str:
    """Return the begin of a passage in one line, which fits into a terminal."""
    short = printable(textwrap.shorten(text, output.EXCERPT_CHARACTERS, placeholder=" ..."))
    # Wide characters take more room than letters.
    cells = output.stdout_terminal_cells_or_none()
    return short if cells is None else shorten_end(short, cells - 2)


def _spell_shown_count(*, all_passages: int, shown_passages: int, max_passages: int) -> str:
    """Return how many passages are shown, and what shows the others, as the end of a sentence."""
    if shown_passages == all_passages:
        return "."
    if shown_passages == max_passages:
        return f", {shown_passages:,} shown (--show)."
    return f", {shown_passages:,} shown, since others overlap with these; --format csv lists all."


def _summary_lines(
    report: dict[str, Any], *, shown_passages: int, max_passages: int
) -> Iterator[str]:
    from ilk.tasks.passages.result import ReportPhrases

    words = report["words"]
    yield (
        f"{count_noun(report['documents'], 'document')} of {count_noun(words, 'word')} read; "
        f"{count_noun(report['passages'], 'passage')} in {report['in_documents']:,} of them"
        + _spell_shown_count(
            all_passages=report["passages"],
            shown_passages=shown_passages,
            max_passages=max_passages,
        )
    )
    say = ReportPhrases.of_report(report)
    for name in ("elsewhere", "before", "itself"):
        what = getattr(say, name)
        if not what:
            continue
        share = report[name] / words if words else 0.0
        yield f"  {report[name]:>14,} words ({share:6.1%}) {what}"
    yield report["promise"]
    yield from lines_about_left_out_blocks(report)
