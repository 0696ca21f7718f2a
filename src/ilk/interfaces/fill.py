"""``ilk fill``: the column of fingerprints of a table that is there, filled."""

from __future__ import annotations

import argparse
import time
from functools import partial

from ilk import sql
from ilk.interfaces import options
from ilk.interfaces.progress import Meter, counted, note
from ilk.recipes.recipe import Recipe
from ilk.sql.filling import BATCH, Filled
from ilk.system import resources

_EPILOG = """\
examples:
  ilk fill library.db --table docs --text body --column fp
  ilk fill postgresql://me@localhost/library --table docs --text body --column fp --watch-new 10

The column is a BIGINT that may be null; rows are filled where it is. Every batch is a transaction:
after a break, the same command goes on with the rest. No other column is touched. The table
ilk_recipes, made if missing, keeps the recipe of every column filled.

A password may stand in the URL; for PostgreSQL rather in ~/.pgpass."""


def parser() -> argparse.ArgumentParser:
    """The options of the verb."""
    made = options.parser(
        "fill", "Writes the fingerprint of every row of a table that has none yet.", _EPILOG
    )
    made.add_argument(
        "url",
        metavar="URL",
        help="postgresql:// or mysql://, or the path of an SQLite or DuckDB file",
    )
    made.add_argument("--table", required=True, help="as the connection finds it")
    made.add_argument("--text", required=True, metavar="COLUMN", help="its texts")
    made.add_argument("--column", required=True, help="its fingerprints")
    made.add_argument(
        "--watch-new",
        type=_seconds,
        nargs="?",
        const=5.0,
        metavar="SECONDS",
        help="stay, and look every so often for rows that have none (default: every %(const)g)",
    )
    made.add_argument(
        "--batch",
        type=int,
        default=BATCH,
        metavar="ROWS",
        help="rows per transaction (default: %(default)s)",
    )
    options.add_recipe(made)
    made.add_argument("--jobs", type=int, metavar="N", help="threads (default: one per processor)")
    made.add_argument("--quiet", action="store_true", help="no progress and no notes on stderr")
    return made


def run(args: argparse.Namespace) -> int:
    """Fill, say what was done, and return the exit code."""
    meter = Meter(args.quiet)
    fill = partial(
        sql.fill,
        args.url,
        table=args.table,
        text=args.text,
        column=args.column,
        recipe=options.recipe(args) or Recipe(),
        batch=args.batch,
        jobs=resources.threads(args.jobs),
        progress=meter,
    )
    found = fill()
    meter.clear()
    note(_told(found, args.column), args.quiet)
    while args.watch_new is not None:
        time.sleep(args.watch_new)
        found = fill()
        meter.clear()
        if found.filled:
            note(_told(found, args.column), args.quiet)
    return 0


def _told(found: Filled, column: str) -> str:
    line = f"{column}: {counted(found.filled, 'row')} filled"
    return f"{line}; {found.without:,} have too little text" if found.without else line


def _seconds(written: str) -> float:
    try:
        seconds = float(written)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(
            f"{written!r} is no number of seconds above 0; write --watch-new 10"
        )
    return seconds
