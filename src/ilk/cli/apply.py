"""``ilk apply`` carries out a plan of ``ilk scan`` or ``ilk dedup``; ``ilk undo`` takes it back."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ilk.base.errors import OptionError
from ilk.base.sizes import spell_size
from ilk.base.terminal import printable, printable_if_stdout_terminal, shorten_middle
from ilk.cli import options, output, styling
from ilk.cli.exit_codes import ExitCode
from ilk.cli.wording import note
from ilk.search.measures import count_noun

if TYPE_CHECKING:
    from ilk.tasks.apply.carry import ApplyOutcome

_WAYS = ("move_to", "trash", "hardlink", "symlink")
_FILES = (*_WAYS, "any_owner", "drop", "script", "yes", "labels")
_ROWS = ("output", "accept_alarm", "force")
#: Files that the preview lists on a terminal.
_LISTED = 20


def parser() -> options.Parser:
    verb = options.make_parser_with_help_file("apply")
    verb.add_argument(
        "plan",
        metavar="PLAN",
        help="the folder that `ilk dedup --plan` wrote, or the file that `ilk scan --plan` wrote",
    )
    kept = {"help": "the kept rows; - for standard output", "metavar": "OUT"}
    options.add_options(verb, *_ROWS[1:], heading="a plan of rows", output=kept)
    labels = (
        'add the labels in the plan (`"label": "same"` or `"different"`) to this file, for `scan`, '
        "`dedup` and `calibrate`"
    )
    options.add_options(verb, *_FILES, heading="a plan of files", labels=labels)
    options.add_options(verb, "quiet", heading="running")
    return verb


def run(args: argparse.Namespace) -> ExitCode:
    rows = Path(args.plan).is_dir()
    for name in _FILES if rows else _ROWS:
        if getattr(args, name, None):
            of = "files" if rows else "rows"
            raise OptionError(f"{args.plan} is not a plan of {of}, which `{name}` is for.")
    return _apply_plan_of_rows(args) if rows else _add_labels_then_script_or_apply_plan(args)


def _apply_plan_of_rows(args: argparse.Namespace) -> ExitCode:
    from ilk.tasks import row_plan

    if args.output is None:
        raise OptionError("name the file for the kept rows: `output`.")
    arguments = options.given_library_arguments(args, "accept_alarm", "force")
    to = (
        printable_if_stdout_terminal(sys.stdout.buffer)
        if args.output == output.STDOUT
        else args.output
    )
    with output.show_progress(args) as meter:
        count = row_plan.apply_rows_only_plan_and_count_rows(
            args.plan, to, **arguments, progress=meter
        )
    written = f"{count_noun(count, 'row')} written"
    if args.output == output.STDOUT:
        note(f"{written}.", args.quiet)
    else:
        print(f"{written} to {printable(args.output)}.")
    return output.DONE


def _add_labels_then_script_or_apply_plan(args: argparse.Namespace) -> ExitCode:
    from ilk.tasks.apply import carry
    from ilk.tasks.apply import file_plan as plans
    from ilk.tasks.apply.staying import check_drop_words
    from ilk.tasks.labels import merge_labels_and_count_changes

    plan = plans.read_plan(args.plan, check_drop_words(args.drop or ()))
    ways = [name for name in _WAYS if getattr(args, name, None)]
    if args.labels is not None:
        new = merge_labels_and_count_changes(args.labels, plan.labels)
        note(f"{count_noun(new, 'label')} added to {printable(args.labels)}", args.quiet)
        if not ways:
            return output.DONE
    if len(ways) != 1:
        listed = ", ".join(f"`{name}`" for name in _WAYS)
        raise OptionError(f"choose what to do with the files to drop: {listed}.")
    way = (
        carry.DropMethod(carry.MOVE, args.move_to)
        if ways == ["move_to"]
        else carry.DropMethod(ways[0])
    )
    if args.any_owner:
        way = way._replace(any_owner=True)
    if args.script:
        for line in carry.script_lines_for_unchanged_files(plan, way):
            sys.stdout.buffer.write(line + b"\n")
        return output.DONE
    log = Path(f"{args.plan}.log.jsonl")
    for message in plan.notes:
        note(message, args.quiet)
    outcome = carry.apply(plan, way, log, dry=not args.yes)
    actions = {carry.MOVE: "moved", carry.TRASH: "moved to the trash"}
    action = actions.get(way.kind, f"replaced by a {way.kind}")
    return _print_preview_or_outcome_and_choose_code(
        args, outcome, action=action, closing_note=f"to undo this: ilk undo {log} --yes"
    )


def undo_parser() -> options.Parser:
    """Return the parser of ``ilk undo``."""
    verb = options.make_parser_with_help_file("undo")
    verb.add_argument("log", metavar="LOG", help="the log that `ilk apply` wrote")
    options.add_options(verb, "yes", heading="files")
    options.add_options(verb, "quiet", heading="running")
    return verb


def undo(args: argparse.Namespace) -> ExitCode:
    """Undo it and return the exit code."""
    from ilk.tasks.apply import carry

    outcome = carry.undo(Path(args.log), dry=not args.yes)
    return _print_preview_or_outcome_and_choose_code(
        args, outcome, action="put back", closing_note="the log records what was done"
    )


def _preview_lines(acts: Sequence[tuple[str, str]], *, terminal_cells: int | None) -> Iterator[str]:
    """Yield what would be done, each path on a line of its own, as seen from the current folder.

    acts: a file, and where it would go. On a terminal, only the first ones are shown.
    """
    acts_shown = acts if terminal_cells is None else acts[:_LISTED]
    for source, to in acts_shown:
        for begin, path in (("", source), ("    -> ", to)):
            name = printable(_shorten_path_below_current_folder(path))
            if terminal_cells is not None:
                name = shorten_middle(
                    name, max(styling.LEAST_NAME_CELLS, terminal_cells - len(begin))
                )
            yield begin + name
    if len(acts) > len(acts_shown):
        yield f"and {len(acts) - len(acts_shown):,} more; the output of a pipe has them all: | less"


def _shorten_path_below_current_folder(path: str) -> str:
    """Return a path as seen from the current folder, if it is below it."""
    here = os.path.join(os.getcwd(), "")
    return path.removeprefix(here) if path != here else path


def _print_preview_or_outcome_and_choose_code(
    args: argparse.Namespace, outcome: ApplyOutcome, *, action: str, closing_note: str
) -> ExitCode:
    if not args.yes:
        cells = output.stdout_terminal_cells_or_none()
        for line in _preview_lines(outcome.acts, terminal_cells=cells):
            print(line)
    would = "" if args.yes else "would be "
    print(f"{count_noun(outcome.act_count, 'file')} {would}{action}, {spell_size(outcome.size)}.")
    if outcome.before:
        print(f"{count_noun(outcome.before, 'file')} done before.")
    if outcome.left:
        print(f"{count_noun(len(outcome.left), 'file')} left alone.")
    for path, reason in outcome.left:
        note(f"left alone: {path}: {reason}", args.quiet)
    if outcome.incomplete:
        print(f"{count_noun(len(outcome.incomplete), 'file')} put back, but not as before.")
    for path, what in outcome.incomplete:
        note(f"{path} {what}", args.quiet)
    for line in outcome.notes:
        note(line, args.quiet)
    if args.yes:
        note(closing_note, args.quiet or not outcome.act_count)
    else:
        note("nothing was touched; to do it, add --yes", args.quiet)
    failed = outcome.left or outcome.incomplete
    return output.ERROR if failed and args.yes else output.DONE
