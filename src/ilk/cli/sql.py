"""``ilk sql``: the SQL of a database, written for one of its tables."""

from __future__ import annotations

import argparse
from typing import Any

from ilk.cli import options, output
from ilk.sql import dialects


def parser() -> options.Parser:
    titles = {name: dialect.title for name, dialect in dialects.DIALECTS.items()}
    verb = options.parser("sql", dialects=options.lines_of(titles))
    verb.add_argument(
        "dialect",
        choices=[*dialects.DIALECTS, *dialects.ALIASES],
        metavar="DIALECT",
        help="the database: see above",
    )
    own: dict[str, Any] = {
        name: options.named(default, what, name.upper())
        for name, default, what in (
            ("table", "docs", "its name, as the connection finds it"),
            ("column", "fp", "of fingerprints, 64 bits in a BIGINT"),
            ("id", "id", "identifies a row"),
            ("name", "near", "a name for the search, so that every table has its own"),
        )
    }
    options.add(verb, "output", "force", **own)
    return verb


def run(args: argparse.Namespace) -> int:
    output.check(args, output.place(args))
    names = {"table": args.table, "column": args.column, "key": args.id, "name": args.name}
    with output.opened(args) as out:
        out.write(dialects.script(args.dialect, **names).encode())
    return output.DONE
