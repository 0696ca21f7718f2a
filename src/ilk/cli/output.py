"""What people see: results on stdout or in a file, progress and notes on stderr, exit codes."""

from __future__ import annotations

import argparse
import itertools
import os
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal

from ilk import write as writers
from ilk.base.errors import OptionError
from ilk.base.progress import EVERY, Meter
from ilk.base.terminal import (
    count_cells,
    printable_if_stdout_terminal,
    shorten_middle,
    wrap_keeping_indent_shortening_words,
)
from ilk.cli import config, styling
from ilk.cli.exit_codes import ALARM as ALARM
from ilk.cli.exit_codes import DONE as DONE
from ilk.cli.exit_codes import ERROR as ERROR
from ilk.cli.exit_codes import NOTHING as NOTHING
from ilk.cli.exit_codes import ExitCode
from ilk.cli.wording import note
from ilk.read.formats.table import is_any_readable_once_package_installed

if TYPE_CHECKING:
    import pyarrow as pa

    from ilk.read import ReadReport

#: The name that means standard output; the formats of results, and their extensions.
STDOUT = "-"
FORMS = ("table", "jsonl", "csv", "parquet")
SARIF = "sarif"
_JSON = dict.fromkeys((".jsonl", ".ndjson", ".json"), "jsonl")
_NOT_WRITTEN = (".xlsx", ".xls", ".ods", ".docx", ".pdf", ".html", ".htm")
_FORMS = _JSON | {".csv": "csv", ".parquet": "parquet", ".pq": "parquet", ".sarif": SARIF}

#: How many unreadable sources to name; the options and arguments that name inputs.
_NOTES = 10

#: Columns of a terminal, beyond which sentences are wrapped; characters of a passage in a table.
SENTENCE_COLUMNS, EXCERPT_CHARACTERS = 80, 76

_BESIDE = ("against", "files_from", "config", "store", "weights", "secret", "labels")
_SOURCES = ("paths", "left", "right", *_BESIDE)


@contextmanager
def show_progress(args: argparse.Namespace, seconds_between: float = EVERY) -> Iterator[Meter]:
    """Show the line of progress on a terminal, and clear it at the end in any case."""
    quiet = getattr(args, "quiet", False)  # Not every verb can be quiet.
    meter = Meter(not quiet and sys.stderr.isatty(), seconds_between)
    try:
        yield meter
    finally:
        meter.clear_then_stop_drawing()


def set_format_by_output_name_if_missing(args: argparse.Namespace, *forms: str) -> None:
    """Set the format that the name of the output says, if none was given.

    Raises:
        OptionError: it is not among ``forms``, which the verb writes.
    """
    if args.format is None and args.output is not None:
        args.format = _check_format_named_by_output(args.output, forms)


@contextmanager
def refuse_unwritable_output_and_show_progress(args: argparse.Namespace) -> Iterator[Meter]:
    """Refuse an output that cannot be written, before any work, then show the line of progress.

    Raises:
        OutputError: the output cannot be written.
    """
    refuse_unwritable_file(args, output_path_unless_stdout(args))
    with show_progress(args) as meter:
        yield meter


def _check_format_named_by_output(file_name: str, forms: Sequence[str]) -> str:
    """Return the format of a result that the name of a file says; OptionError if it is not among
    ``forms``.
    """
    from ilk.read.rows.streams import split_codec_and_extension

    extension = split_codec_and_extension(file_name, writers.CODECS).extension
    if extension in _NOT_WRITTEN:
        raise OptionError(f"ilk writes no such file as {file_name}; choose a name such as out.csv.")
    form = _FORMS.get(extension, "table")
    if form not in forms:
        raise OptionError(
            f"{file_name} is the name of a file of {form}, which is not written here; choose "
            f"another name, or a format: --format {' or '.join(forms)}."
        )
    return form


def refuse_unwritable_file(args: argparse.Namespace, name: str | Path | None) -> None:
    """Refuse, before any work, a file that cannot be written, exists, or is read, if given."""

    def find_input_files() -> Iterator[str]:
        from ilk import read

        globs: dict[str, Any] = {it: getattr(args, it, None) or () for it in ("include", "exclude")}
        for given in filter(None, (getattr(args, name, None) for name in _SOURCES)):
            paths = given if isinstance(given, list) else [given]
            yield from read.find_existing_files(paths, read.Reading.of(**globs))

    path = None if name is None else Path(name)
    writers.refuse_unwritable(
        path, force=args.force, inputs=lambda: writers.identify_existing_files(find_input_files())
    )


def refuse_same_file_for_two_outputs(*names: str | None) -> None:
    """Refuse one name for two outputs: the second would replace the first."""
    named = [os.path.realpath(name) for name in names if name not in (None, STDOUT)]
    for name in named:
        if named.count(name) > 1 and (os.path.isfile(name) or not os.path.exists(name)):
            raise OptionError(f"two outputs would both be written to {name}; name two files.")


def output_path_unless_stdout(args: argparse.Namespace) -> Path | None:
    """Return the file to write; None if it is standard output."""
    return None if args.output in (None, STDOUT) else Path(args.output)


def open_output(args: argparse.Namespace) -> AbstractContextManager[IO[bytes]]:
    """Open the file to write, which appears complete or not at all; or standard output."""
    path = output_path_unless_stdout(args)
    return (
        nullcontext(sys.stdout.buffer)
        if path is None
        else writers.whole_file_compressed_by_name(path)
    )


def write_page(file_name: str, html: str) -> None:
    """Write a page to a file, which appears complete or not at all."""
    with writers.whole_file(Path(file_name)) as out:
        out.write(html.encode("utf-8", "backslashreplace"))


def write_result(
    args: argparse.Namespace,
    lines: Iterable[str],
    table: pa.Table | None = None,
    *,
    report: Mapping[str, Any] | None = None,
    records: Iterator[Mapping[str, Any]] | None = None,
    out: IO[bytes] | None = None,
) -> None:
    """Write a result in the requested format.

    Args:
        args: ``format`` and ``output``.
        lines: the result as text.
        table: the result as rows, for CSV and Parquet.
        report: what happened; JSON lines end with it, and Parquet contains it.
        records: the result as JSON lines; None for the rows.
        out: an open file; None for the output of the command.
    """
    if out is None:
        with open_output(args) as file:
            write_result(args, lines, table, report=report, records=records, out=file)
    elif args.format in (None, "table"):
        writers.write_lines(iter(lines), out)
    elif args.format == "jsonl":
        out = printable_if_stdout_terminal(out)
        writers.write_jsonl(writers.plain_rows(table) if records is None else records, out)
        writers.write_jsonl(iter([] if report is None else [{"summary": report}]), out)
    elif args.format == "csv":
        writers.write_csv(table, printable_if_stdout_terminal(out))
    else:
        writers.write_parquet(table, out, dict(report or {}))


def check_rows_file_format(file_name: str) -> Literal["jsonl", "csv", "parquet"]:
    """Return the format of rows that the name of a file says; an OptionError if it says none."""
    from ilk.read.rows.streams import split_codec_and_extension

    match _FORMS.get(split_codec_and_extension(file_name, writers.CODECS).extension):
        case "jsonl" | "csv" | "parquet" as form:
            return form
    raise OptionError(
        f"{file_name} does not name a format; choose a .jsonl, .csv or .parquet file."
    )


def write_table(table: pa.Table, file_name: str) -> None:
    """Write a table to a file of rows, in the format that its name says."""
    form = check_rows_file_format(file_name)
    with writers.whole_file_compressed_by_name(Path(file_name)) as out:
        if form == "jsonl":
            writers.write_jsonl(writers.plain_rows(table), out)
        elif form == "csv":
            writers.write_csv(table, out)
        else:
            writers.write_parquet(table, out, {})


def lines_then_summary_wrapped_for_terminal(
    args: argparse.Namespace, lines: Iterator[str], summary: Sequence[str]
) -> Iterator[str]:
    """Yield the lines, and then a summary, which is wrapped if it goes to a terminal."""
    if output_path_unless_stdout(args) is None:
        summary = [part for line in summary for part in wrap_line_for_terminal(line)]
    return itertools.chain(lines, summary)


def wrap_line_for_terminal(line: str) -> list[str]:
    """Return a line wrapped to the terminal, names that are too long shortened; elsewhere whole."""
    cells = stdout_terminal_cells_or_none()
    return [line] if cells is None else wrap_keeping_indent_shortening_words(line, cells)


def wrap_sentence_for_terminal(line: str) -> list[str]:
    """Return a sentence wrapped to the terminal; elsewhere in one line."""
    width = shutil.get_terminal_size().columns if overflows_terminal(line) else len(line) + 1
    return textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False)


def stdout_terminal_cells_or_none() -> int | None:
    """Return the width of the terminal that standard output is; None if it is something else."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def line_with_shortened_name(name: str, begin: str = "", end: str = "") -> str:
    """Return a line of a name between two texts; on a terminal, a long name lacks its middle."""
    cells = stdout_terminal_cells_or_none()
    if cells is not None:
        name = shorten_middle(name, max(styling.LEAST_NAME_CELLS, cells - count_cells(begin + end)))
    return begin + name + end


def overflows_terminal(line: str) -> bool:
    """Return whether standard output is a terminal, and a line is too wide for it."""
    return sys.stdout.isatty() and len(line) > shutil.get_terminal_size().columns


def print_record_or_lines(
    args: argparse.Namespace, record: Mapping[str, Any], lines: Iterable[str]
) -> None:
    """Print a result: the record as a line of JSON, or the lines of text."""
    if args.format == "jsonl":
        writers.write_jsonl(iter([record]), printable_if_stdout_terminal(sys.stdout.buffer))
    else:
        writers.write_lines(iter(lines), sys.stdout.buffer)


def report_part_of_configured_options(args: argparse.Namespace) -> dict[str, Any]:
    """Return the part of a report that says which options came from a file; empty if none did."""
    given = {name: str(value) for name, value in args.configured.items()}
    return {"configured": {"file": args.config or config.NAME, "options": given}} if given else {}


def note_unread_and_return_error_if_strict(args: argparse.Namespace, tally: ReadReport) -> ExitCode:
    """Note what could not be read, if no report does; return the exit code."""
    told = {
        "failures": tally.failures_as_dicts(),
        "advice": tally.advice(),
        "skipped": tally.every_skipped,
    }
    return note_failures_and_return_error_if_strict(args, told, reported=False)


def note_failures_and_return_error_if_strict(
    args: argparse.Namespace,
    report: Mapping[str, Any],
    *more_notes: str,
    reported: bool = True,
    has_rejected_rows: bool = False,
) -> ExitCode:
    """Note what in a report was not read, its advice and more notes; return the exit code.

    Args:
        args: whether to be strict, or quiet, and the format.
        report: its failures, its advice, and the files of unsupported types.
        more_notes: in sentences.
        reported: whether the JSON lines written contain the report.
        has_rejected_rows: whether rows could not be read that are not among the failures.
    """
    failures = report["failures"]
    for failure in failures[:_NOTES]:
        note(f"not read: {failure['source']}: {failure['reason']}", args.quiet)
    if len(failures) > _NOTES:
        elsewhere = reported and getattr(args, "format", None) != "jsonl"
        where = "; --format jsonl has them all" if elsewhere else ""
        note(f"not read: and {len(failures) - _NOTES:,} more{where}", args.quiet)
    for line in (*report["advice"], *more_notes):
        note(line, args.quiet)
    skipped = report.get("skipped", {}) if args.strict else {}
    return (
        ERROR
        if args.strict
        and (failures or has_rejected_rows or is_any_readable_once_package_installed(skipped))
        else DONE
    )
