"""What people see: results on stdout or in a file, progress and notes on stderr, exit codes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from ilk import writers
from ilk.interfaces.progress import EVERY, Meter, note

if TYPE_CHECKING:
    import pyarrow as pa

    from ilk.readers import Tally

#: Exit codes: something was found, or done; nothing was found; an error; an alarm.
DONE, NOTHING, ERROR, ALARM = 0, 1, 2, 3


@contextmanager
def progress(args: argparse.Namespace, every: float = EVERY) -> Iterator[Meter]:
    """Own the line of progress, and wipe it on every way out."""
    meter = Meter(args.quiet, every)
    try:
        yield meter
    finally:
        meter.clear()


@contextmanager
def working(args: argparse.Namespace) -> Iterator[Meter]:
    """Refuse an output that cannot be written before any work, then own the line of progress.

    Raises:
        OutputError: the output cannot be written.
    """
    writers.check(place(args))
    with progress(args) as meter:
        yield meter


def place(args: argparse.Namespace) -> Path | None:
    """Return the file to write; None where it is stdout."""
    return None if args.output is None else Path(args.output)


@contextmanager
def opened(args: argparse.Namespace) -> Iterator[IO[bytes]]:
    """Open the file to write, which appears whole or not at all; or stdout."""
    path = place(args)
    if path is None:
        yield sys.stdout.buffer
    else:
        with writers.whole_file(path) as out:
            yield out


def write(
    args: argparse.Namespace,
    lines: Iterable[str],
    table: pa.Table | None = None,
    report: Mapping[str, Any] | None = None,
    records: Iterator[Mapping[str, Any]] | None = None,
) -> None:
    """Write a result in the form that was asked for.

    Args:
        args: ``format`` and ``output``.
        lines: the result to be read.
        table: the result as rows, for CSV and Parquet.
        report: what happened; JSON lines end with it, and Parquet holds it.
        records: the result as JSON lines; None takes the rows.
    """
    form = args.format or "table"
    with opened(args) as out:
        if form == "table":
            writers.write_lines(iter(lines), out)
        elif form == "jsonl":
            writers.write_jsonl(writers.plain_rows(table) if records is None else records, out)
            if report is not None:
                writers.write_jsonl(iter([{"summary": report}]), out)
        elif form == "csv":
            writers.write_csv(table, out)
        else:
            writers.write_parquet(table, out, dict(report or {}))


def show(args: argparse.Namespace, record: Mapping[str, Any], lines: Iterable[str]) -> None:
    """Print a result: the record as a line of JSON, or the lines to be read."""
    if args.format == "jsonl":
        writers.write_jsonl(iter([record]), sys.stdout.buffer)
    else:
        writers.write_lines(iter(lines), sys.stdout.buffer)
    sys.stdout.flush()


def unread(args: argparse.Namespace, tally: Tally) -> int:
    """Note what could not be read; return the exit code."""
    return noted(args, {"failures": tally.reasons(), "advice": tally.advice()})


def noted(args: argparse.Namespace, report: Mapping[str, Any], *more: str) -> int:
    """Note what a report says of files and rows that were not read; return the exit code.

    Args:
        args: ``strict`` and ``quiet``.
        report: with its head.
        more: other notes, which come last.
    """
    for failure in report["failures"]:
        note(f"not read: {failure['source']}: {failure['reason']}", args.quiet)
    for line in (*report["advice"], *more):
        note(line, args.quiet)
    return ERROR if report["failures"] and args.strict else DONE
