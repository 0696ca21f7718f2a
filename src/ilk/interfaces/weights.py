"""``ilk weights``: tables of weights for fingerprints."""

from __future__ import annotations

import argparse
from pathlib import Path

from ilk import columns, writers
from ilk.interfaces import options
from ilk.interfaces.progress import Meter, note
from ilk.recipes.recipe import SIMILARITY_INDEX
from ilk.system import resources

ERROR = 2


def parser() -> argparse.ArgumentParser:
    """The options of the verb."""
    made = options.parser(
        "weights",
        "Makes the table of inverse document frequencies of a corpus, for fingerprints weighted by "
        "tf-idf.",
        "ilk weights build corpus -o corpus.weights\n"
        "ilk fingerprint reports --recipe similarity-index --weights corpus.weights",
    )
    made.add_argument("action", choices=("build",), help="build: count, weigh, and write")
    options.paths(made)
    made.add_argument(
        "-o", "--output", type=Path, required=True, metavar="FILE", help="write the table there"
    )
    made.add_argument(
        "--least",
        type=int,
        default=2,
        metavar="N",
        help="leave out features of fewer documents, which then weigh what unknown ones do "
        "(default: %(default)s)",
    )
    options.add_features(made, SIMILARITY_INDEX)
    made.set_defaults(weights=None)
    options.add_reading(made)
    options.add_running(made)
    return made


def run(args: argparse.Namespace) -> int:
    """Build, write, and return the exit code."""
    from ilk import readers
    from ilk.recipes import weighting

    writers.check(args.output)
    recipe = options.recipe(args) or SIMILARITY_INDEX
    meter, tally = Meter(args.quiet), readers.Tally()
    batches = readers.read(
        options.sources(args.paths),
        **options.reading(args),
        tally=tally,
        progress=meter,
    )
    texts = (columns.texts(batch["text"]) for batch in batches)
    jobs = resources.threads(args.jobs)
    try:
        table = weighting.of_batches(texts, recipe, least=args.least, jobs=jobs)
    finally:
        # Where there is nothing to count, what was not read tells why.
        meter.clear()
        for failure in tally.failures:
            note(f"not read: {failure.source}: {failure.reason}", args.quiet)
        for line in tally.advice():
            note(line, args.quiet)
    with writers.whole_file(args.output) as out:
        table.write(out)
    print(f"{args.output}: {len(table.ids):,} features of {table.basis}, table={table.digest}")
    return ERROR if tally.failures and args.strict else 0
