"""``ilk fingerprint``: the fingerprints of documents, one a line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import IO, Any

from ilk import columns, writers
from ilk.interfaces import options
from ilk.interfaces.progress import Meter, note, printable
from ilk.recipes.recipe import Recipe
from ilk.system import resources

ERROR = 2


def parser() -> argparse.ArgumentParser:
    """The options of the verb."""
    made = options.parser(
        "fingerprint",
        "Prints the fingerprint of every document: similar texts differ in few bits.",
        "A document with too little text has none; the reason stands in its place.\n"
        "Parquet holds the same bits as signed integers (128 bits as 16 bytes), with the recipe\n"
        "in the metadata; in JSON integers of 128 bits are text. With --extract what a page says\n"
        "of itself stands beside it: page.title, page.link, page.language, page.date.",
    )
    options.paths(made)
    made.add_argument(
        "--as",
        dest="form",
        choices=columns.FORMS,
        default="hex",
        help="how the bits are written, most significant first (default: %(default)s)",
    )
    options.add_recipe(made)
    options.add_reading(made)
    options.add_output(made, writers.FORMATS)
    options.add_running(made)
    return made


def run(args: argparse.Namespace) -> int:
    """Fingerprint, print, and return the exit code."""
    from ilk import readers, steps

    writers.check(args.output)
    recipe = options.recipe(args) or Recipe()
    meter, tally = Meter(args.quiet), readers.Tally()
    batches = readers.read(
        options.sources(args.paths),
        **options.reading(args),
        jobs=resources.threads(args.jobs),
        tally=tally,
        progress=meter,
    )
    documents = steps.fingerprinted(batches, recipe, jobs=resources.threads(args.jobs))
    readers.check(documents, tally)
    page = ["page"] if args.extract != "none" else []
    found = documents.select(["source", "fingerprint", "reason", *page]).flatten()
    if args.format == "parquet":
        found = columns.stored(found)
    else:
        found = columns.formatted(found, args.form, recipe.bits)
    meter.clear()
    if args.output is None:
        _write(args, found, recipe, sys.stdout.buffer)
    else:
        with writers.whole_file(args.output) as out:
            _write(args, found, recipe, out)
    for failure in tally.failures:
        note(f"not read: {failure.source}: {failure.reason}", args.quiet)
    for line in tally.advice():
        note(line, args.quiet)
    return ERROR if tally.failures and args.strict else 0


def _write(args: argparse.Namespace, found: Any, recipe: Recipe, out: IO[bytes]) -> None:
    if args.format == "parquet":
        writers.write_parquet(found, out, {"recipe": str(recipe)})
    elif args.format == "csv":
        writers.write_csv(found, out)
    elif args.format == "jsonl":
        writers.write_jsonl(writers.records(found), out)
    else:
        writers.write_lines(_lines(found), out)


def _lines(found: Any) -> Iterator[str]:
    for row in writers.records(found):
        value = row["fingerprint"]
        shown = f"({row['reason']})" if value is None else str(value)
        yield f"{shown}  {printable(row['source'])}"
