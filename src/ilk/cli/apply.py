"""``ilk apply``: carries out a plan that ``ilk scan`` or ``ilk dedup`` wrote."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ilk.base.errors import OptionError
from ilk.cli import options, output
from ilk.cli.wording import counted, note, printable, refused, spelled

if TYPE_CHECKING:
    from ilk.tasks.apply.carry import Outcome, Way
    from ilk.tasks.apply.plan import Plan

_WAYS = ("move_to", "trash", "hardlink", "symlink")
_FILES = (*_WAYS, "script", "only", "yes", "labels")

#: Files to list.
_LISTED = 20

_EPILOG = """\
examples:
  ilk dedup big.jsonl --plan plan          rows: decide, look, write
  ilk apply plan -o clean.jsonl
  ilk scan reports --plan plan.jsonl       files: decide, look, and move
  ilk apply plan.jsonl --move-to aside
  ilk apply plan.jsonl --move-to aside --yes
  ilk apply plan.jsonl --trash --yes       or move to the desktop's trash
  ilk undo plan.jsonl.log.jsonl --yes      and undo it

You may edit a plan of files: in each line, `action` is keep or drop. You may add a `label`, same or
different; members labelled different are left alone. Nothing is deleted, and nothing is done
without --yes. A file is touched only if it and its keeper are still as the plan describes them. Run
an interrupted command again to resume it."""


def parser() -> options.Parser:
    """Return the parser of the verb."""
    verb = options.parser(
        "apply", "Carries out a plan, as long as its files have not changed.", _EPILOG
    )
    verb.add_argument(
        "plan",
        metavar="PLAN",
        help="the folder that `ilk dedup --plan` wrote, or the file that `ilk scan --plan` wrote",
    )
    kept = options.changed("output", help="the kept rows; - for standard output", metavar="OUT")
    options.add(verb, "accept_alarm", "force", heading="a plan of rows", output=kept)
    labels = options.changed(
        "labels",
        help='add the labels in the plan (`"label": "same"` or `"different"`) to this file, for '
        "`scan`, `dedup` and `calibrate`",
    )
    options.add(verb, *_FILES, heading="a plan of files", labels=labels)
    options.add(verb, "quiet", heading="running")
    return verb


def run(args: argparse.Namespace) -> int:
    """Apply the plan and return the exit code."""
    if Path(args.plan).is_dir():
        _without(args, _FILES, "files")
        return _rows(args)
    _without(args, ("output", "accept_alarm", "force"), "rows")
    return _files(args)


def _without(args: argparse.Namespace, names: tuple[str, ...], of: str) -> None:
    """Refuse options of the other kind of plan.

    Raises:
        OptionError: one is given.
    """
    for name in names:
        if getattr(args, name, None):
            raise OptionError(f"{args.plan} is not a plan of {of}, which `{name}` is for.")


def _rows(args: argparse.Namespace) -> int:
    """Write the rows that a plan keeps."""
    from ilk.base.errors import AlarmRaised
    from ilk.tasks import plans

    if args.output is None:
        raise OptionError("name the file for the kept rows: `output`.")
    chosen = options.given(args, "accept_alarm", "force")
    to = sys.stdout.buffer if args.output == output.STDOUT else args.output
    try:
        with output.progress(args) as meter:
            count = plans.apply(args.plan, to, **chosen, progress=meter)
    except AlarmRaised as alarm:
        return refused("ilk apply", printable(spelled(str(alarm))), output.ALARM)
    written = f"{counted(count, 'row')} written"
    if args.output == output.STDOUT:
        note(f"{written}.", args.quiet)
    else:
        print(f"{written} to {printable(args.output)}.")
    return output.DONE


def _files(args: argparse.Namespace) -> int:
    """Move or link the files to drop, or show what would be done."""
    from ilk.tasks.apply import carry
    from ilk.tasks.apply import plan as plans

    plan = plans.read(args.plan)
    if args.labels is not None:
        _keep_labels(args, plan)
        if not any(getattr(args, name, None) for name in _WAYS):
            return output.DONE
    way = _way(args)
    only = tuple(filter(None, (args.only or "").split(",")))
    if args.script:
        for line in carry.script(plan, way, only):
            sys.stdout.buffer.write(line + b"\n")
        return output.DONE
    log = Path(f"{args.plan}.log.jsonl")
    outcome = carry.apply(plan, way, log, only=only, dry=not args.yes)
    verbs = {carry.MOVE: "moved", carry.TRASH: "moved to the trash"}
    verb = verbs.get(way.kind, f"replaced by a {way.kind}")
    return shown(args, outcome, verb, f"to undo this: ilk undo {log} --yes")


def _keep_labels(args: argparse.Namespace, plan: Plan) -> None:
    """Add the labels of a plan to a file of labels."""
    from ilk.tasks.labels import add_labels

    new = add_labels(args.labels, plan.labels)
    note(f"{counted(new, 'label')} added to {printable(args.labels)}", args.quiet)


def _way(args: argparse.Namespace) -> Way:
    """Return what to do with the files to drop.

    Raises:
        OptionError: no way was given, or two.
    """
    from ilk.tasks.apply.carry import MOVE, Way

    said = [name for name in _WAYS if getattr(args, name, None)]
    if len(said) != 1:
        listed = ", ".join(f"`{name}`" for name in _WAYS)
        raise OptionError(f"choose what to do with the files to drop: {listed}.")
    return Way(MOVE, args.move_to) if said == ["move_to"] else Way(said[0])


def shown(args: argparse.Namespace, outcome: Outcome, verb: str, back: str) -> int:
    """Print what was done, or would be; return the exit code."""
    for line in _lines(args, outcome, verb):
        print(line)
    for path, reason in outcome.left:
        note(f"left alone: {path}: {reason}", args.quiet)
    for line in outcome.notes:
        note(line, args.quiet)
    if args.yes:
        note(back, args.quiet or not outcome.done)
    else:
        note("nothing was touched; to do it, add --yes", args.quiet)
    return output.ERROR if outcome.left and args.yes else output.DONE


def _lines(args: argparse.Namespace, outcome: Outcome, verb: str) -> Iterator[str]:
    if not args.yes:
        for source, to in outcome.acts[:_LISTED]:
            yield f"{printable(source)}  ->  {printable(to)}"
        if len(outcome.acts) > _LISTED:
            yield f"and {len(outcome.acts) - _LISTED:,} more"
    would = "" if args.yes else "would be "
    files = counted(outcome.done, "file")
    yield f"{files} {would}{verb}, {counted(outcome.size, 'byte')}."
    if outcome.before:
        yield f"{counted(outcome.before, 'file')} done before."
    if outcome.left:
        yield f"{counted(len(outcome.left), 'file')} left alone."
