"""``ilk undo``: undoes what ``ilk apply`` did to files, and what ``ilk passages`` cut."""

from __future__ import annotations

import argparse
from pathlib import Path

from ilk.base.errors import OptionError
from ilk.cli import options, output
from ilk.cli.apply import shown
from ilk.cli.progress import counted, printable

_EPILOG = """\
examples:
  ilk undo plan.jsonl.log.jsonl                 what would be put back
  ilk undo plan.jsonl.log.jsonl --yes
  ilk undo clean.jsonl.ilk -o as-it-was.jsonl   the rows before their passages were cut"""


def parser() -> options.Parser:
    """Return the parser of the verb."""
    verb = options.parser(
        "undo",
        "Puts every file that has not changed back where it was, the last one first.\n"
        "For the folder of `ilk passages --cut`: writes the rows as they were.",
        _EPILOG,
    )
    verb.add_argument(
        "log",
        metavar="LOG",
        help="the log that `ilk apply` wrote, or the folder OUT.ilk of `ilk passages --cut`",
    )
    options.add(verb, "yes", heading="files")
    written = options.changed("output", help="where to write the rows, in the format of OUT")
    options.add(verb, "force", heading="rows", output=written)
    options.add(verb, "quiet", heading="running")
    return verb


def run(args: argparse.Namespace) -> int:
    """Undo it and return the exit code."""
    from ilk.tasks.apply import carry

    if Path(args.log).is_dir():
        return _cuts(args)
    if args.output is not None:
        raise OptionError(f"{args.log} is not an account of cuts, which `output` is for.")
    outcome = carry.undo(Path(args.log), dry=not args.yes)
    return shown(args, outcome, "put back", "the log records what was done")


def _cuts(args: argparse.Namespace) -> int:
    from ilk.tasks.passages import undoing

    if args.output is None or args.yes:
        raise OptionError(
            "rows are written to a new file; name it (`output`), and leave out `yes`."
        )
    count = undoing.undo(Path(args.log), Path(args.output), force=args.force)
    print(f"{counted(count, 'row')} put back; written to {printable(args.output)}.")
    return output.DONE
