"""``ilk dedup``: a data set without its duplicates, and an account of every row."""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ilk import write
from ilk.base.options import OF_NEAR, OF_ROWS, spell_keep_policies
from ilk.base.progress import Step
from ilk.base.terminal import printable, printable_if_stdout_terminal
from ilk.cli import families, options, output, styling
from ilk.cli.exit_codes import ExitCode
from ilk.cli.wording import note, printable_document_name
from ilk.search.measures import count_noun

if TYPE_CHECKING:
    from ilk.tasks.result import DeduplicationResult

#: The options of ``deduplicate``: what rows have in common, the alarm, what is kept and written,
#: and how it runs.
_SOUGHT = (
    "resemblance",
    "shingle",
    "by",
    "as_",
    "ignore",
    "ignore_text",
    "common_blocks",
    "same_site",
    "noise",
    "exact",
    "key",
    "within",
    "window",
    "date",
    "against",
    "only_against",
    "add",
    "labels",
)
_ALARMS = ("alarm_documents", "alarm_share", "alarm_loss")
_KEPT = (
    "keep",
    "keep_numbers_only",
    "keep_up_to",
    "count",
    "linkage",
    "annotate",
    "revisits",
    "accept_alarm",
    "force",
)
#: What is read: rows, and how to get the texts of the files that they name.
_READ = (*options.ROWS, "files_in", *options.FILES)
_RUN = ("memory", "work", "max_pairs", "jobs")


def parser() -> options.Parser:
    verb = options.make_parser_with_help_file("dedup")
    options.add_paths(
        verb,
        "a file (.jsonl, .csv or .tsv, also with .gz, .zst, .bz2 or .xz after that; .warc, .arc or "
        ".wet, also with .gz, .zst or .lz4; .parquet or .wacz), a glob, or a folder",
        "INPUT",
    )
    options.add_options(verb, *_READ, heading="input")
    # These have entries of their own: they are idle with `exact` and `key`, and a recall alone asks
    # for fingerprints.
    near = {**OF_NEAR, "recall": replace(OF_NEAR["recall"], **options.IMPLYING)}
    keep_numbers_only = near.pop("keep_numbers_only")
    options.add_options(verb, *_SOUGHT, heading="what counts as a duplicate", **near, **OF_ROWS)
    policies = spell_keep_policies(for_rows=True)
    keep = f"which row of a group stays ({policies}); if repeated, the first decides"
    options.add_options(
        verb,
        *("linkage", "keep_up_to", "count"),
        heading="which row stays",
        keep=keep,
        keep_numbers_only=keep_numbers_only,
    )
    options.add_options(verb, *_ALARMS, "accept_alarm", heading="the alarm")
    to = (
        "the kept rows: a file in the same format as the input, or a folder (an existing one, or a "
        "name that ends in /) for one file per input; - for standard output; for an archive, "
        ".jsonl or .parquet writes their texts"
    )
    options.add_options(
        verb,
        *("output", "plan", "annotate", "revisits", "force", "format", "summary", *families.REPORT),
        heading="output",
        output={"metavar": "OUT", "help": to},
        format="what to print on stdout: a summary, one line per cluster, or members as rows",
    )
    options.add_options(verb, *families.LISTED, heading="display", top={"usual": False})
    options.add_options(verb, *options.RUNNING, "memory", "work", "max_pairs", heading="running")
    options.add_options(verb, "engine", "master", "partitions", "order_by")
    return verb


def run(args: argparse.Namespace) -> ExitCode:
    if args.engine == "spark":  # The only engine that a package may add so far.
        from ilk.base import packages

        engine = packages.entry_points_in_ilk_group("engines").get(args.engine)
        if engine is None:
            raise packages.make_missing_extra_error(args.engine)
        return int(packages.load_entry_point(engine)(args))
    from ilk.base.errors import AlarmRaised, OptionError
    from ilk.tasks import row_plan
    from ilk.tasks.pipeline import deduplicate

    to_stdout = args.output == output.STDOUT
    if args.plan is not None and args.output is not None:
        raise OptionError("`plan` only shows what would happen; leave out `output`.")
    if args.plan is not None and args.add:
        raise OptionError("`plan` only shows what would happen; leave out `add`.")
    if to_stdout and args.format not in (None, "table"):
        raise OptionError(f"the kept rows go to standard output; leave out `format={args.format}`.")
    names = (*_READ, *_SOUGHT, "pairing", "recall", *_ALARMS, *_KEPT, *_RUN)
    try:
        with output.show_progress(args) as meter:
            arguments = options.given_library_arguments(args, *names)
            families.refuse_contradictory_or_unwritable_outputs(args)
            if args.report is not None:
                reads = options.progress_steps_of_reading(args, with_reference=False)
                meter.expect_steps_after_run(
                    [Step("read again", sum(each.share for each in reads))]
                )
            to = None if to_stdout else args.output
            result = deduplicate(options.source_paths(args), to, **arguments, progress=meter)
            if to_stdout:
                how = options.given_library_arguments(args, "annotate", "revisits", "accept_alarm")
                result.write(printable_if_stdout_terminal(sys.stdout.buffer), **how)
            if args.plan is not None:
                row_plan.save_plan(result, Path(args.plan), force=args.force)
            families.write_page_if_asked(args, result)
    except AlarmRaised as alarm:
        result = cast("DeduplicationResult", alarm.result)
        families.write_page_if_asked(args, result)
        _print_result_and_notes(args, result, refused_for_alarm=True)
        raise
    code = _print_result_and_notes(args, result)
    # Without an output, an alarm is not raised.
    return code or (output.ALARM if result.alarms and not args.accept_alarm else output.DONE)


def _print_result_and_notes(
    args: argparse.Namespace, result: DeduplicationResult, *, refused_for_alarm: bool = False
) -> ExitCode:
    """Print what was found on stdout, and notes on stderr; return the exit code.

    ``refused_for_alarm``: an error tells the alarm.
    """
    report, ids = result.report | output.report_part_of_configured_options(args), {}
    if args.id is not None:
        found = (result.clusters[name].to_pylist() for name in ("source", "id"))
        ids = dict(zip(*found, strict=True))
    lines: Iterator[str]
    lines = (
        part for line in _summary_lines(report) for part in output.wrap_line_for_terminal(line)
    )
    cluster_lines = _largest_cluster_lines(report, ids)
    listing = families.sort_and_top_options_or_defaults(args)
    if args.format not in (None, "table"):
        table = write.clusters_with_sources(result.documents, result.clusters, **listing)
        records = iter(()) if args.summary else write.cluster_records(table)
        output.write_result(args, (), table, report=report, records=records, out=sys.stdout.buffer)
    elif options.given_library_arguments(args, *families.LISTED):
        table = write.clusters_with_sources(result.documents, result.clusters, **listing)
        cluster_lines = families.family_lines(
            table, show_ids=bool(ids), max_members=families.member_limit_or_none(args)
        )
        if args.output != output.STDOUT:  # Else they are notes, beside the rows.
            cluster_lines = styling.style_and_fit_family_lines(
                cluster_lines, sys.stdout, output.stdout_terminal_cells_or_none()
            )
    if not args.summary:
        lines = itertools.chain(lines, cluster_lines)
    if not refused_for_alarm:
        lines = itertools.chain(lines, _lines_about_written_files(args, report))
    if args.output == output.STDOUT or args.format in ("csv", "parquet"):
        for line in filter(None, lines):
            note(line, args.quiet)
    elif args.format != "jsonl":
        write.write_lines(lines, sys.stdout.buffer)
    notes = []
    if report["dangling"]:
        count, first = count_noun(len(report["dangling"]), "revisit"), report["dangling"][0]
        notes.append(
            f"{count} kept although the captures are dropped, first {printable(first['source'])} "
            f"of {printable(first['revisits'])}; --keep first keeps both"
        )
    alarms = [] if refused_for_alarm else report["alarms"]
    # The account names them, and no note. What is wrong with captures is not among the counts.
    has_rejected_rows = bool(
        report["read"]["rejected"] or next(result.rows.read_rejected_rows(), None)
    )
    return output.note_failures_and_return_error_if_strict(
        args,
        report,
        *notes,
        *families.alarm_and_nothing_to_compare_lines(report, alarms, "row"),
        has_rejected_rows=has_rejected_rows,
    )


def _summary_lines(report: dict[str, Any]) -> Iterator[str]:
    read = report["read"]
    yield f"{count_noun(report['documents'], 'row')} read, {report['kept']:,} kept."
    for verdict, count in report["dropped"].items():
        yield f"  dropped as {verdict:<14}{count:>12,}"
    if report["options"]["key"] is None:
        without, what = read["missing"] + read["null"] + read["other"], "text"
    else:
        without, what = report["without_key"], "key"
    if without:
        yield f"  kept without {what:<12}{without:>12,}"
    if report["ignored_alone"]:
        yield f"  kept without other text  {report['ignored_alone']:>12,}"
    if read["rejected"]:
        yield f"  could not be read        {read['rejected']:>12,}"
    if read["same_ids"]:
        yield f"  have another's id        {read['same_ids']:>12,}"
    yield report["promise"]
    yield from families.lines_about_left_out_blocks(report)
    if report["stand_for"] is not None:
        column = printable(report["options"]["count"])
        yield f"The kept rows stand for {report['stand_for']:,} rows ({column})."
    if report["like_dropped"]:
        one = report["like_dropped"] == 1
        stay = "row stays although it is" if one else "rows stay although they are"
        yield f"{report['like_dropped']:,} {stay} like a dropped one."
    if numbers := report["numbers_only_kept"]:
        stay = "row stays although it differs" if numbers == 1 else "rows stay although they differ"
        yield f"{numbers:,} {stay} from another that stays only in numbers."


def _lines_about_written_files(args: argparse.Namespace, report: dict[str, Any]) -> Iterator[str]:
    """Yield what was written where, and where it says why the other rows went."""
    from ilk.write import accounts

    if args.add:
        yield ""
    if args.add and "added" not in report:
        yield f"Nothing was added to {printable(args.against[0])}, because of the alarm."
    elif args.add and report["added"] is None:
        yield f"{printable(args.against[0])} has this batch already; nothing was added to it."
    elif args.add:
        yield f"{count_noun(report['added'], 'row')} added to {printable(args.against[0])}."
    beside = accounts.account_folder_beside_output_or_none(
        args.output if args.output != output.STDOUT else None
    )
    if beside is None:
        return
    yield ""
    rows = report["documents"] if args.annotate else report["kept"]
    yield f"{printable(args.output)}: {count_noun(rows, 'row')}."
    if "revisits" in report:
        captures = count_noun(report["revisits"], "dropped capture")
        yield f"  and {captures} as revisits, which name what stays"
    if report.get("whole"):
        captures = count_noun(report["whole"], "dropped capture")
        yield f"  and {captures} as they were: revisits, or what a revisit names"
    if report["dropped"]:
        why = "each row has its verdict" if args.annotate else "each other row went"
        page, table = beside / accounts.PAGE, accounts.DROPPED
        yield f"Why {why}: {printable(str(page))} (and {table})"
    if report["read"]["rejected"]:
        yield f"Rows that could not be read: {printable(str(beside / accounts.REJECTED))}"


def _largest_cluster_lines(report: dict[str, Any], id_of_source: dict[str, str]) -> Iterator[str]:
    if report["largest"]:
        yield ""
        yield f"{count_noun(report['clusters'], 'cluster')}; the largest:"
    for row in report["largest"]:
        name = printable_document_name(row["keeper"], id_of_source.get(row["keeper"]))
        yield f"  {row['documents']:>8,} {row['kind']:<12}  {name}"
