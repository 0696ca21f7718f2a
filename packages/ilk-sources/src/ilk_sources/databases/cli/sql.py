"""``ilk sql``: the SQL of a database, written for one of its tables."""

from __future__ import annotations

import argparse
from typing import Any

from ilk.plugins import options, output
from ilk_sources.databases import dialects

#: What the verb does.
SUMMARY = "print the SQL to search a column of fingerprints"

_EPILOG = """\
examples:
  ilk sql postgresql --table docs | psql mydatabase
  ilk sql sqlite --table docs --column fp --id id

The script has the functions hamming_distance, bit_agreement (also as similarity) and ham_dist (also
as HamDist); conversions between numbers, 64 binary digits and 16 hexadecimal digits; the blocks of
the column with their indexes; and the exact searches near, near_many and near_pairs. In SQLite,
ilk_sources.register adds the functions; its searches need none. `ilk fill` fills the column."""


def parser() -> options.Parser:
    """Return the parser of the verb."""
    titles = {name: dialect.title for name, dialect in dialects.DIALECTS.items()}
    verb = options.make_parser(
        "sql",
        "Prints the SQL that finds exactly the rows of a table whose fingerprints differ in few\n"
        f"bits:\n\n{options.spell_names_with_meanings(titles)}",
        _EPILOG,
    )
    verb.add_argument(
        "dialect",
        choices=[*dialects.DIALECTS, *dialects.ALIASES],
        metavar="DIALECT",
        help="the database: see above",
    )
    own: dict[str, Any] = {
        name: options.make_text_option(
            default, what, name.upper(), refused_in_default_config=name in ("table", "column")
        )
        for name, default, what in (
            ("table", "docs", "its name, as the connection finds it"),
            ("column", "fp", "of fingerprints, 64 bits in a BIGINT"),
            ("id", "id", "identifies a row"),
            ("name", "near", "a name for the search, so that every table has its own"),
        )
    }
    options.add_options(
        verb, "output", "force", output="write to this file instead of standard output", **own
    )
    return verb


def run(args: argparse.Namespace) -> int:
    """Print the SQL, and return the exit code."""
    output.refuse_unwritable_file(args, output.output_path_unless_stdout(args))
    names = {"table": args.table, "column": args.column, "key": args.id, "name": args.name}
    with output.open_output(args) as out:
        out.write(dialects.script(args.dialect, **names).encode())
    return output.DONE
