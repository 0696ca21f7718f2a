"""``ilk weights``: tables of weights for fingerprints."""

from __future__ import annotations

import argparse

from ilk.companions import SIMILARITY_INDEX
from ilk.plugins import Option, OptionError, ReadReport, Whole, note, options, output

#: What the verb does.
SUMMARY = "build tables of weights for fingerprints from a corpus"


def parser() -> options.Parser:
    """Return the parser of the verb."""
    verb = options.make_parser(
        "weights",
        "Builds a table of inverse document frequencies from a corpus, for fingerprints weighted "
        "by tf-idf.",
        "examples:\n  ilk weights build corpus -o corpus.weights\n"
        "  ilk fingerprint reports --recipe similarity-index,weights=corpus.weights",
    )
    verb.add_argument(
        "action", choices=("build",), metavar="ACTION", help="build: count, weigh, and write"
    )
    options.add_paths(verb)
    options.add_options(
        verb,
        "output",
        "force",
        output=options.option_with_fields(
            "output", help="write the table there; - for standard output"
        ),
        **options.recipe_option_changes(SIMILARITY_INDEX, "secret"),
        least=Option(
            Whole(1, unit="documents"),
            "leave out features that fewer documents have; they then weigh as much as unknown ones",
            2,
            "N",
            default_phrase="2",
        ),
    )
    options.add_options(verb, *options.DOCUMENTS, heading="input")
    options.add_options(verb, *options.RUNNING, heading="running")
    return verb


def run(args: argparse.Namespace) -> int:
    """Build, write, and return the exit code."""
    from ilk.companions import resources
    from ilk.plugins import arrow
    from ilk_papers.weighing import document_weights_of_batches

    if args.output is None:
        raise OptionError("a table is written to a file; name it (`output`).")
    recipe = options.read_recipe_weights_and_secret_if_given(args) or SIMILARITY_INDEX
    tally, jobs = ReadReport(), resources.thread_count(args.jobs)
    try:
        with output.refuse_unwritable_output_and_show_progress(args) as meter:
            batches = options.read_documents(args, meter, tally)
            texts = (arrow.import_texts(batch["text"]) for batch in batches)
            table = document_weights_of_batches(texts, recipe, least=args.least, jobs=jobs)
    finally:
        # If there is nothing to count, the notes on unread files say why.
        code = output.note_unread_and_return_error_if_strict(args, tally)
    with output.open_output(args) as out:
        table.write(out)
    made = f"{args.output}: {len(table.ids):,} features of {table.basis}, table={table.digest}"
    if args.output == output.STDOUT:
        note(made, args.quiet)
    else:
        print(made)
    return code
