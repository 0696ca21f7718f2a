"""``ilk fill``: fills the column of fingerprints of an existing table."""

from __future__ import annotations

import argparse
import itertools
import time

import ilk_sources
from ilk import Recipe
from ilk.plugins import (
    Flag,
    Option,
    Seconds,
    Text,
    count_noun,
    note,
    options,
    output,
)
from ilk_sources.databases.options import FILLING

#: What the verb does.
SUMMARY = "fill a column of fingerprints from the texts of a table"

_EPILOG = """\
examples:
  ilk fill library.db --table docs --text body --column fp --add-column
  ilk fill postgresql://me@localhost/db --table docs --text body --column fp

The column is a nullable BIGINT, which --add-column adds if the table has none of that name. Rows
where it is null are filled. Every batch is a transaction: if
the command is interrupted, run it again to fill the rest. No other column is touched. The table
ilk_recipes, created if missing, keeps the recipe of every filled column.

The URL may contain a password; for PostgreSQL, ~/.pgpass is better."""


def parser() -> options.Parser:
    """Return the parser of the verb."""
    verb = options.make_parser(
        "fill",
        "Fills a column with fingerprints of a table's texts, in every row that does not have one "
        "yet.",
        _EPILOG,
    )
    where = "postgresql:// or mysql://, or the path of an SQLite or DuckDB file"
    verb.add_argument("url", metavar="URL", help=where)
    for name, what in (
        ("table", "its name, as the connection finds it"),
        ("text", "its texts"),
        ("column", "its fingerprints"),
    ):
        metavar = "TABLE" if name == "table" else "COLUMN"
        # What is written, and where: nobody else may choose it.
        verb.add_option(
            name,
            Option(
                Text(),
                what,
                metavar=metavar,
                required=True,
                refused_in_default_config=name != "text",
            ),
        )
    adds = Option(Flag(), "add the column if the table has none of that name", default=False)
    watch = Option(
        Seconds(),
        "keep running, and look for rows without a fingerprint every SECONDS",
        metavar="SECONDS",
        const=5.0,
        default_phrase="every 5 if no value is given",
    )
    options.add_options(
        verb,
        "jobs",
        "quiet",
        batch=FILLING["batch"],
        add_column=adds,
        **options.recipe_option_changes(Recipe()),
        watch_new=watch,
    )
    return verb


def run(args: argparse.Namespace) -> int:
    """Fill the column, and return the exit code."""
    recipe = options.read_recipe_weights_and_secret_if_given(args) or Recipe()
    names = options.given_library_arguments(
        args, "table", "text", "column", "add_column", "batch", "jobs"
    )
    for again in itertools.count() if args.watch_new is not None else range(1):
        if again:
            time.sleep(args.watch_new)
        with output.show_progress(args) as meter:
            done = ilk_sources.fill(args.url, **names, recipe=recipe, progress=meter)
        if done.filled or not again:
            little = f"; {done.without:,} have too little text" if done.without else ""
            note(f"{args.column}: {count_noun(done.filled, 'row')} filled{little}", args.quiet)
    return output.DONE
