"""``ilk fingerprint``: the fingerprints of documents, one per line."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ilk import write
from ilk.base.kinds import Choice
from ilk.base.options import FORMS, Option
from ilk.cli import options, output
from ilk.cli.exit_codes import ExitCode
from ilk.cli.wording import printable_document_name
from ilk.fingerprints.recipe import Recipe
from ilk.fingerprints.recipe_options import OPTIONS

if TYPE_CHECKING:
    import pyarrow as pa


def parser() -> options.Parser:
    known = {
        name: f"{option.help.partition(';')[0]} ({option.default})"
        for name, option in OPTIONS.items()
    }
    verb = options.make_parser_with_help_file(
        "fingerprint", options=options.spell_names_with_meanings(known)
    )
    options.add_paths(verb)
    forms = Option(Choice(FORMS), "how bits are written, most significant first", "hex")
    own: dict[str, Any] = {"as": forms}
    options.add_options(verb, **own, **options.recipe_option_changes(Recipe()))
    options.add_options(verb, *options.DOCUMENTS, heading="input")
    options.add_options(verb, *options.OUTPUT, heading="output")
    options.add_options(verb, *options.RUNNING, heading="running")
    return verb


def run(args: argparse.Namespace) -> ExitCode:
    from ilk import arrow, read
    from ilk.base import resources
    from ilk.fingerprints.texts import fingerprint_documents

    recipe, tally = (
        options.read_recipe_weights_and_secret_if_given(args) or Recipe(),
        read.ReadReport(),
    )
    output.set_format_by_output_name_if_missing(args, *output.FORMS)
    with output.refuse_unwritable_output_and_show_progress(args) as meter:
        batches = options.read_documents(args, meter, tally)
        documents = fingerprint_documents(batches, recipe, jobs=resources.thread_count(args.jobs))
    declared_column = [] if args.extract in (None, "none") else ["declared"]
    names = ["source"] if args.id is None else ["source", "id"]
    table = documents.select([*names, "fingerprint", "reason", *declared_column]).flatten()
    if args.format == "parquet":
        table = arrow.with_signed_fingerprints_unless_wide(table)
    else:
        table = arrow.with_formatted_fingerprints(table, getattr(args, "as"), recipe.bits)
    report = {"recipe": str(recipe)} if args.format == "parquet" else None
    output.write_result(args, _fingerprint_lines(table), table, report=report)
    return output.note_unread_and_return_error_if_strict(args, tally)


def _fingerprint_lines(table: pa.Table) -> Iterator[str]:
    for row in write.plain_rows(table):
        value = row["fingerprint"]
        shown = f"({row['reason']})" if value is None else str(value)
        yield f"{shown}  {printable_document_name(row['source'], row.get('id'))}"
