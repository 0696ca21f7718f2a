"""``ilk fill``: fills the column of fingerprints of an existing table."""

from __future__ import annotations

import argparse
import itertools
import time

from ilk import sql
from ilk.base.kinds import Seconds, Text
from ilk.base.options import Option
from ilk.cli import options, output
from ilk.cli.wording import counted, note
from ilk.fingerprints.recipe import Recipe


def parser() -> options.Parser:
    verb = options.parser("fill")
    where = "postgresql:// or mysql://, or the path of an SQLite or DuckDB file"
    verb.add_argument("url", metavar="URL", help=where)
    for name, what in (
        ("table", "its name, as the connection finds it"),
        ("text", "its texts"),
        ("column", "its fingerprints"),
    ):
        metavar = "TABLE" if name == "table" else "COLUMN"
        verb.option(name, Option(Text(), what, metavar=metavar, required=True))
    watch = Option(
        Seconds(),
        "keep running, and look for rows without a fingerprint every SECONDS",
        metavar="SECONDS",
        const=5.0,
        said="every 5 if no value is given",
    )
    options.add(verb, "jobs", "quiet", "batch", **options.recipes(Recipe()), watch_new=watch)
    return verb


def run(args: argparse.Namespace) -> int:
    recipe = options.recipe(args) or Recipe()
    names = options.given(args, "table", "text", "column", "batch", "jobs")
    for again in itertools.count() if args.watch_new is not None else range(1):
        if again:
            time.sleep(args.watch_new)
        with output.progress(args) as meter:
            done = sql.fill(args.url, **names, recipe=recipe, progress=meter)
        if done.filled or not again:
            little = f"; {done.without:,} have too little text" if done.without else ""
            note(f"{args.column}: {counted(done.filled, 'row')} filled{little}", args.quiet)
    return output.DONE
