"""``ilk undo``: takes back what ``ilk apply`` did to files."""

from __future__ import annotations

import argparse
from pathlib import Path

from ilk.interfaces import options
from ilk.interfaces.apply import shown


def parser() -> options.Parser:
    """Return the parser of the verb."""
    verb = options.parser(
        "undo",
        "Puts every file back where it was, the last one first, if it is still what it was.",
        "example:\n  ilk undo plan.jsonl.log.jsonl\n  ilk undo plan.jsonl.log.jsonl --yes",
    )
    verb.add_argument("log", metavar="LOG", help="the log that `ilk apply` has written")
    options.add(verb, "yes", "quiet")
    return verb


def run(args: argparse.Namespace) -> int:
    """Take it back and return the exit code."""
    from ilk.actions import carry

    outcome = carry.undo(Path(args.log), dry=not args.yes)
    return shown(args, outcome, "put back", "the log keeps what was done")
