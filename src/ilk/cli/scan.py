"""``ilk scan``: groups of exact and near duplicates in folders of documents."""

from __future__ import annotations

import argparse
import itertools
import os
import shlex
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ilk import write
from ilk.base.errors import OptionError, reason_of_error
from ilk.base.options import CONTAINMENT, OF_TEXTS, ORIGINAL, default
from ilk.base.progress import Step
from ilk.base.sizes import spell_size
from ilk.base.terminal import printable
from ilk.cli import families, options, output, styling
from ilk.cli.exit_codes import ExitCode
from ilk.cli.wording import note
from ilk.search.measures import count_noun, format_percent

if TYPE_CHECKING:
    import pyarrow as pa

    from ilk.tasks.apply.file_plan import PlanFiles
    from ilk.tasks.result import SearchResult
    from ilk.write.folder_lines import TwinFolder
    from ilk.write.gains import FileFate

#: The options of ``find`` for the search, which rows meet, and those for the output.
_SOUGHT = (
    "resemblance",
    "containment",
    "noise",
    "shingle",
    "by",
    "as_",
    "ignore",
    "ignore_text",
    "common_blocks",
    "same_site",
    "labels",
)
_MEETING = ("within", "window", "date", "only_against")
_SHOWN = ("keep", "linkage", "max_pairs")

#: Those that are about the whole run.
_WHOLE = ("against", "identical", "memory", "jobs")

#: Forms of the results besides families.
_FORMED = ("pairs", "flat", "print0", "summary")

#: Documents in others that a terminal shows.
_INSIDE = 20

#: The fewest and the most documents of a folder that may be a school class, and the least share of
#: them that must have runs of words in common.
_SCHOOL_CLASS_SIZES, _SCHOOL_CLASS_SHARE = (3, 1_000), 0.05


def parser() -> options.Parser:
    verb = options.make_parser_with_help_file("scan")
    options.add_paths(verb, nargs="*")
    against = (
        "also find documents that are like, or part of, a document of this collection; its own "
        "duplicates are not reported; repeatable"
    )
    options.add_options(verb, *_SOUGHT, *_MEETING, heading="what counts as near", against=against)
    options.add_options(verb, "identical")
    options.add_options(
        verb,
        *(*options.PAIRING, *options.RECIPE),
        heading="by fingerprint",
        recall=options.IMPLYING,
        recipe={"needs": options.PAIRING[:4]},
    )
    forms = ("format", *_FORMED, *families.LISTED, "expect_none", *_SHOWN)
    options.add_options(
        verb, *forms, heading="display", keep={"default": None, "default_phrase": ORIGINAL}
    )
    options.add_options(verb, "files_from", *options.DOCUMENTS, heading="input")
    plan = "also write a plan for `ilk apply`: one line per cluster, with an action for each file"
    options.add_options(
        verb,
        *("output", "force", *families.REPORT),
        heading="output",
        plan={"help": plan, "metavar": "FILE"},
        min_words={
            "help": "the least number of words in the runs that count as copied",
            "needs": ("containment", "among"),
        },
    )
    options.add_options(verb, "drop", "among")
    options.add_options(verb, "memory", *options.RUNNING, heading="running")
    for name in OF_TEXTS.keys() & verb.entries.keys():
        idle = verb.entries[name].idle_with
        verb.entries[name] = replace(verb.entries[name], idle_with=(*idle, "identical"))
    return verb


def _refuse_contradictory_options_and_choose_format(args: argparse.Namespace) -> None:
    """Refuse options that cannot be combined; set ``args.format`` where others imply it.

    Raises:
        OptionError: two of them contradict each other.
    """
    limit = "within" if args.within else "window" if args.window else None
    if limit and (args.among or (args.against and args.containment is not None)):
        raise OptionError(
            f"shares of words are counted in all documents, whatever `{limit}` says; leave out "
            f"`{limit}`, or `among`, or one of `against` and `containment`."
        )
    if args.window and (args.plan or args.drop):
        raise OptionError(
            "a plan lets files go whose bytes stay, whenever they were modified; leave out "
            f"`window`, or `{'plan' if args.plan else 'drop'}`."
        )
    if args.folder_as_document and (args.plan or args.drop):
        raise OptionError(
            "a plan lets files go, and no file is a folder that is one document; leave out "
            f"`folder_as_document`, or `{'plan' if args.plan else 'drop'}`."
        )
    forms = [form for form in _FORMED if getattr(args, form)]
    if len(forms) > 1:
        raise OptionError(f"--format has one of {', '.join(_FORMED)}; leave out {forms[-1]}.")
    if args.flat and args.format is None:
        args.format = "jsonl"
    if args.format is not None and (args.print0 or (args.flat and args.format != "jsonl")):
        raise OptionError(f"--format {forms[0]} is a format by itself; leave out {args.format}.")
    if args.pairs and options.given_library_arguments(args, *families.LISTED):
        message = "--sort and --top are for families; leave them out, or leave out --format pairs."
        raise OptionError(message)
    if not args.print0:
        output.set_format_by_output_name_if_missing(args, *output.FORMS)


def run(args: argparse.Namespace) -> ExitCode:
    from ilk.tasks.pipeline import find

    if args.among and args.containment is None:
        args.containment = CONTAINMENT
    names = (*_SOUGHT, *_MEETING, *options.PAIRING, *_SHOWN, *options.DOCUMENTS, *_WHOLE)
    _read_and_add_listed_paths(args)
    _refuse_contradictory_options_and_choose_format(args)
    with output.refuse_unwritable_output_and_show_progress(args) as meter:
        families.refuse_contradictory_or_unwritable_outputs(args)
        output.refuse_unwritable_file(args, args.plan)
        arguments = options.given_library_arguments(args, *names)
        counts_copied = args.among or (args.against is not None and args.containment is not None)
        meter.expect_steps_after_run(
            _progress_steps_after_search(args, counts_copied=counts_copied)
        )
        result = find(
            options.source_paths(args),
            recipe=options.read_recipe_weights_and_secret_if_given(args),
            **arguments,
            progress=meter,
        )
        files = result.files(drop=args.drop or ())
        if args.plan is not None:
            with write.whole_file(Path(args.plan)) as out:
                write.write_jsonl(files.lines(), out)
        families.write_page_if_asked(
            args, result, **options.given_library_arguments(args, "min_words", "among"), files=files
        )
        listing, fates = families.sort_and_top_options_or_defaults(args), files.file_fates()
        if listing.get("sort") == "bytes":
            listing["gains"] = {
                name: one.size_or_zero_for_extra_hard_link
                for name, one in fates.items()
                if not one.why
            }
        if args.pairs:
            table = write.pairs_with_sources(result.documents, result.pairs)
        else:
            table = write.clusters_with_sources(result.documents, result.clusters, **listing)
        word_counts = list[dict[str, Any]]()
        if counts_copied:
            least = options.given_library_arguments(args, "min_words")
            word_counts = result.shares(**least, among=args.among)
    rows = table
    report = result.report | output.report_part_of_configured_options(args)
    if counts_copied:
        report["copied"] = word_counts
        rows = table if args.pairs else write.table_of_copied_words_by_source(word_counts)
    report["could_go"] = write.plain_gains_and_total_dropped(fates)
    report["twin_folders"] = write.plain_folders(files.twin_folders)
    summary = [*_summary_lines(report, args, fates, listing.get("top"))]
    summary += [
        *_twin_folder_lines(files.twin_folders, args),
        *_hint_lines_about_shared_runs(args, result),
    ]
    if args.print0:
        _write_dropped_names_each_ended_by_null_byte(args, files)
    else:
        lines, records = _lines_and_records(
            args, result, table=table, report=report, files=files, fates=fates, listing=listing
        )
        output.write_result(
            args,
            output.lines_then_summary_wrapped_for_terminal(args, lines, summary),
            rows,
            report=report,
            records=records,
        )
    code = output.note_failures_and_return_error_if_strict(
        args,
        report,
        *families.alarm_and_nothing_to_compare_lines(report, report["alarms"], "document"),
    )
    for line in summary if args.print0 or args.format in ("csv", "parquet") else ():
        note(line, args.quiet)
    if code or result.alarms:
        return code or output.ALARM
    found = len(result.pairs) if args.pairs else len(result.clusters)
    found = bool(found or report["contained"] or report.get("copied")) is not args.expect_none
    return output.DONE if found else output.NOTHING


def _write_dropped_names_each_ended_by_null_byte(
    args: argparse.Namespace, files: PlanFiles
) -> None:
    from ilk.read.files.content import unescape_source_name

    with output.open_output(args) as out:
        for name in files.size_by_dropped_file():
            out.write(os.fsencode(unescape_source_name(name)) + b"\0")


def _lines_and_records(
    args: argparse.Namespace,
    result: SearchResult,
    *,
    table: pa.Table,
    report: Mapping[str, Any],
    files: PlanFiles,
    fates: Mapping[str, FileFate],
    listing: Mapping[str, Any],
) -> tuple[Iterator[str], Iterator[Any]]:
    """Return the result as lines to read, and as records of ``--format jsonl``.

    Args:
        args: which form of the result is asked for; with ``--summary``, neither has any.
        result: of the search.
        table: its clusters or its pairs, with their sources.
        report: what happened, whose containments, shares and twin folders are records too.
        files, fates: what could go, and what happens to each file.
        listing: the order of families, and how many of them.
    """
    lines: Iterator[str] = iter(())
    records: Iterator[Any] = iter(())
    if args.flat:
        records = write.duplicate_records(result.documents, result.clusters, **listing)
    elif args.pairs:
        lines, records = _pair_lines(table), write.plain_rows(table)
    elif not args.summary:
        lines = families.family_lines(
            table,
            show_ids=args.id is not None,
            fates=fates,
            keeper_reasons=files.preferred,
            max_members=families.member_limit_or_none(args),
        )
        contained = ({"contained": row} for row in report["contained"])
        shares = ({"copied": row} for row in report.get("copied", ()))
        twins = ({"twin_folder": row} for row in report["twin_folders"])
        records = itertools.chain(write.cluster_records(table), contained, shares, twins)
    if output.output_path_unless_stdout(args) is None and not args.pairs and not args.flat:
        lines = styling.style_and_fit_family_lines(
            lines, sys.stdout, output.stdout_terminal_cells_or_none()
        )
    return lines, records


def _progress_steps_after_search(args: argparse.Namespace, *, counts_copied: bool) -> list[Step]:
    """Return the steps that follow a search: what it has read is read again for what is shown."""
    reads = options.progress_steps_of_reading(args)
    steps = list[Step]()
    if counts_copied:
        steps += [*reads, Step("find what was copied", sum(each.share for each in reads) / 4)]
        steps += reads
    if args.report is not None:
        steps += reads * (2 if counts_copied else 1)
    return steps


def _hint_lines_about_shared_runs(args: argparse.Namespace, result: SearchResult) -> Iterator[str]:
    """Yield what to type where many documents of a folder share runs of words with a few."""
    asked = args.against or args.among or args.containment is not None or args.identical
    documents, (smallest, largest) = result.report["documents"], _SCHOOL_CLASS_SIZES
    if asked or not result.roots or not smallest <= documents <= largest:
        return
    sharing = result.count_documents_sharing_runs()
    if sharing >= max(smallest, _SCHOOL_CLASS_SHARE * documents):
        more = [] if args.as_ is None else ["--as", args.as_]
        for path in args.ignore_text or ():
            more += ["--ignore-text", path]
        named = " ".join(map(shlex.quote, [*args.paths, *more]))
        yield (
            f"{count_noun(sharing, 'document')} in no family share a fifth of their runs of "
            f"{args.shingle or default('shingle')} words with a few others. To see which words: "
            f"ilk passages {named} --report page.html"
        )


def _read_and_add_listed_paths(args: argparse.Namespace) -> None:
    """Add the paths in the file ``files_from`` to the given paths."""
    if args.files_from is not None:
        standard = args.files_from == "-"
        try:
            listed = sys.stdin.buffer.read() if standard else Path(args.files_from).read_bytes()
        except OSError as error:
            reason = reason_of_error(error)
            raise OptionError(f"--files-from {args.files_from} cannot be read: {reason}.") from None
        # No path holds a NUL.
        names = listed.split(b"\0" if b"\0" in listed else b"\n")
        args.paths += [os.fsdecode(name) for name in names if name]
    elif not args.paths:
        raise OptionError("PATH is missing. See: ilk scan --help")


def _pair_lines(pairs: pa.Table) -> Iterator[str]:
    for row in write.plain_rows(pairs):
        distance = "" if row["distance"] is None else count_noun(row["distance"], "bit")
        begin = f"{families.spell_share_then_verdict(row)}  {distance:>7}  "
        line, right = begin + printable(row["left"]), printable(row["right"])
        if output.overflows_terminal(f"{line}  {right}"):
            yield line
            yield f"{'':{len(begin)}}{right}"
        else:
            yield f"{line}  {right}"
    if len(pairs):
        yield ""


def _summary_lines(
    report: dict[str, Any],
    args: argparse.Namespace,
    fates: Mapping[str, FileFate],
    shown_families: int | None,
) -> Iterator[str]:
    in_all = count_noun(report["families"], "family", "families")
    max_listed = _INSIDE if families.lists_families_on_terminal(args) else None
    members = f"{report['in_families']:,} of them in {in_all}"
    if args.identical:
        whose = "its" if report["documents"] == 1 else "their"
        compared = f"{count_noun(report['documents'], 'file')} compared by {whose} bytes"
        yield f"{compared}, {members}."
    else:
        yield f"{count_noun(report['documents'], 'document')} read, {members}."
    if alone := report["without_copy"]:
        were, whose, have = ("was", "its", "has") if alone == 1 else ("were", "their", "have")
        yield (
            f"{count_noun(alone, 'other file' if report['documents'] else 'file')} {were} compared "
            f"only by {whose} bytes, and {have} no copy here."
        )
    elif not args.identical and not report["documents"] and (files := report["compared_by_bytes"]):
        were, whose = ("was", "its") if files == 1 else ("were", "their")
        yield f"{count_noun(files, 'file')} without a text {were} compared by {whose} bytes."
    if alone := report["alone"]:
        are = "is" if alone == 1 else "are"
        yield f"{alone:,} of these {are} like another member, but like no keeper."
    if not (args.summary or args.pairs):
        yield from families.lines_about_unlisted_families(
            shown_families=shown_families, all_families=report["families"]
        )
    for sentence in write.spell_gains(fates, report["options"]["shingle"]):
        yield from textwrap.wrap(sentence, output.SENTENCE_COLUMNS)
    if args.drop:
        from ilk.arrow.verdicts import IDENTICAL
        from ilk.tasks.apply.staying import check_drop_words

        could, words = report["could_go"], ",".join(check_drop_words(args.drop)) or IDENTICAL
        much = f"{count_noun(could['files'], 'file')}, {spell_size(could['bytes'])}"
        yield f"With --drop {words}, a plan drops {much}."
    yield report["promise_of_pairs"] if args.pairs else report["promise"]
    if report["numbers_only"]:
        yield f"Differ from their keeper only in numbers: {report['numbers_only']:,}"
    if "noise" in report:
        count = f"{report['noise']['members']:,}"
        yield f"Noisy copies of their keeper: {count} (the share is the agreement of characters)"
    if report["kept_apart"]:
        yield f"Kept apart as labelled: {count_noun(report['kept_apart'], 'pair')}"
    if report["within_bits"]:
        members, bits = report["in_clusters"] - report["clusters"], report["within_bits"]
        reaching = members - bits
        yield (
            f"Of {count_noun(members, 'member')}, {reaching:,} "
            f"{'reaches' if reaching == 1 else 'reach'} the resemblance of "
            f"{report['options']['resemblance']}; {bits:,} {'was' if bits == 1 else 'were'} found "
            "by bits alone."
        )
    yield from families.lines_about_left_out_blocks(report)
    if report["contained"]:
        yield from ("", f"Contained in another document: {len(report['contained']):,}")
        for row in report["contained"][:max_listed]:
            names = f"{printable(row['source'])}  in  {printable(row['container'])}"
            yield f"  {format_percent(row['containment']):>6}  {names}"
        yield from _lines_about_unlisted(len(report["contained"]), max_listed)
    if copies := report.get("copied"):
        yield from ("", f"Found elsewhere, word for word: {count_noun(len(copies), 'document')}")
        for row in copies[:max_listed]:
            sources = ", ".join(
                f"{printable(s['source'])} {s['words']:,}" for s in row["sources"][:3]
            )
            quoted = f", {row['quoted']:,} quoted" if row["quoted"] else ""
            quoted += f", {row['cited']:,} in references" if row["cited"] else ""
            share = f"  {format_percent(row['share']):>6}  {printable(row['source'])}"
            yield f"{share}: {row['elsewhere']:,} of {row['words']:,} words{quoted}; {sources}"
        yield from _lines_about_unlisted(len(copies), max_listed)
    yield from report["not_compared"]


def _twin_folder_lines(folders: Sequence[TwinFolder], args: argparse.Namespace) -> Iterator[str]:
    """Yield the folders that stand in other folders, a line each."""
    if not folders:
        return
    stand = (
        "Folder that stands in another one" if len(folders) == 1 else "Folders that stand in others"
    )
    yield from ("", f"{stand}: {len(folders):,}")
    max_listed = _INSIDE if families.lists_families_on_terminal(args) else None
    yield from (f"  {printable(line)}" for line in write.spell_folders(folders[:max_listed]))
    yield from _lines_about_unlisted(len(folders), max_listed)


def _lines_about_unlisted(total_count: int, max_listed: int | None) -> Iterator[str]:
    if max_listed is not None and total_count > max_listed:
        yield f"  and {total_count - max_listed:,} more; --format jsonl has them all"
