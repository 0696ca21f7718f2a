"""``ilk undo``: undoes what ``ilk apply`` did to files."""

from __future__ import annotations

import argparse
from pathlib import Path

from ilk.cli import options
from ilk.cli.apply import shown

_EPILOG = """\
examples:
  ilk undo plan.jsonl.log.jsonl                 what would be put back
  ilk undo plan.jsonl.log.jsonl --yes"""


def parser() -> options.Parser:
    """Return the parser of the verb."""
    verb = options.parser(
        "undo",
        "Puts every file that has not changed back where it was, the last one first.",
        _EPILOG,
    )
    verb.add_argument("log", metavar="LOG", help="the log that `ilk apply` wrote")
    options.add(verb, "yes", heading="files")
    options.add(verb, "quiet", heading="running")
    return verb


def run(args: argparse.Namespace) -> int:
    """Undo it and return the exit code."""
    from ilk.tasks.apply import carry

    outcome = carry.undo(Path(args.log), dry=not args.yes)
    return shown(args, outcome, "put back", "the log records what was done")
