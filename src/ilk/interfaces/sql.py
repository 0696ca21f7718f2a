"""``ilk sql``: the SQL of a database, written for one of its tables."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ilk import writers
from ilk.interfaces import options
from ilk.sql import dialects

_EPILOG = """\
examples:
  ilk sql postgresql --table docs | psql mydatabase
  ilk sql sqlite --table docs --column fp --id id      to be read, and pasted in parts

The script has the functions hamming_distance, bit_agreement, ham_dist and the conversions between
numbers, 64 binary digits and 16 hexadecimal ones; the blocks of the column with their indexes; and
the exact searches: near, near_many and near_pairs. SQLite has functions by registration only
(ilk.sql.register); its searches need none. `ilk fill` fills the column."""


def parser() -> argparse.ArgumentParser:
    """The options of the verb."""
    titles = "\n".join(
        f"  {name:<12} {dialect.title}" for name, dialect in dialects.DIALECTS.items()
    )
    made = options.parser(
        "sql",
        "Prints the SQL that finds, exactly, the rows of a table whose fingerprints differ in few\n"
        f"bits:\n\n{titles}",
        _EPILOG,
    )
    made.add_argument(
        "dialect", choices=dialects.DIALECTS, metavar="DIALECT", help="the database: see above"
    )
    made.add_argument(
        "--table", default="docs", help="as the connection finds it (default: %(default)s)"
    )
    made.add_argument(
        "--column",
        default="fp",
        help="of fingerprints, 64 bits in a BIGINT (default: %(default)s)",
    )
    made.add_argument("--id", default="id", help="identifies a row (default: %(default)s)")
    made.add_argument(
        "--name",
        default="near",
        help="what the search is called, so that every table has its own (default: %(default)s)",
    )
    made.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="write there, not on stdout"
    )
    return made


def run(args: argparse.Namespace) -> int:
    """Print the script, and return the exit code."""
    writers.check(args.output)
    script = dialects.script(
        args.dialect, table=args.table, column=args.column, key=args.id, name=args.name
    )
    if args.output is None:
        sys.stdout.write(script)
    else:
        with writers.whole_file(args.output) as out:
            out.write(script.encode())
    return 0
