"""``ilk review PLAN``: shows the families of a plan in a browser, to decide one at a time."""

from __future__ import annotations

import argparse
import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ilk.plugins import OptionError, count_noun, note, options, output, printable
from ilk_server.cli.serve import (
    ADDRESS,
    LIMITED,
    add_and_print_token_if_requested,
    announce_opening_at_terminal,
    check_extra_and_request_limits,
    read_or_create_tokens_and_print_new,
    serve_with_note_file_beside_path,
)
from ilk_server.options import choose_service_options

if TYPE_CHECKING:
    from ilk_server.decisions import Decisions

#: What the verb does.
SUMMARY = "decide in a browser which documents are duplicates"

#: How to read the documents again.
_READ = ("text", "convert", *options.PAGES, *options.LIMITS)

_EPILOG = """\
examples:
  ilk scan reports --plan plan.jsonl
  ilk review plan.jsonl                                 decide in a browser
  ilk review plan.jsonl -o decided.jsonl --labels labels.tsv
  ilk apply decided.jsonl --move-to aside

Each decision is saved in PLAN.review.jsonl before the next member is shown. Several people may
decide at the same time. The first start creates a token, which the browser asks for, and saves it
in PLAN.token. A plan of rows gives only labels: run `ilk dedup --labels` again with them, and use
`ilk dedup --keep` to choose which row stays."""


def parser() -> options.Parser:
    """Return the parser of the verb."""
    verb = options.make_parser(
        "review",
        "Shows the families of a plan in a browser, one at a time, with what differs: decide which "
        "documents are the same, which differ, and which to keep. Needs the extra `server`.",
        _EPILOG,
    )
    verb.add_argument(
        "plan",
        metavar="PLAN",
        help="the file of `ilk scan --plan`, or the folder of `ilk dedup --plan`",
    )
    options.add_options(verb, **ADDRESS, **choose_service_options("open"))
    options.add_options(
        verb,
        "force",
        heading="write the decisions, and end",
        output=options.option_with_fields(
            "output", help="the plan with the decisions", metavar="OUT"
        ),
        labels=options.option_with_fields(
            "labels", help="add the decisions to this file of labels"
        ),
    )
    options.add_options(verb, *_READ, heading="input")
    options.add_options(verb, heading="limits", **LIMITED)
    options.add_options(verb, "quiet", heading="running")
    return verb


def run(args: argparse.Namespace) -> int:
    """Serve the review, or write the decisions; return the exit code."""
    from ilk_server.decisions import Decisions, decisions_path

    if add_and_print_token_if_requested(args, args.plan):
        return output.DONE
    if args.output is not None or args.labels is not None:
        _write_requested_plan_and_labels(args, Decisions(decisions_path(args.plan)))
        return output.DONE
    announce_opening_at_terminal(args.plan)
    limits = check_extra_and_request_limits(args)
    from ilk.plugins import Reading
    from ilk_server.application import make_review_application
    from ilk_server.review import Review
    from ilk_server.review_sources import open_reviewed_plan

    reviewed = open_reviewed_plan(
        args.plan, Reading.of(**options.given_library_arguments(args, *_READ))
    )
    review = Review(reviewed, Decisions(decisions_path(args.plan)))
    make_app_for_hosts = partial(
        make_review_application, review, read_or_create_tokens_and_print_new(args.plan), limits
    )
    serve_with_note_file_beside_path(
        args, review.decisions.path, make_app_for_hosts, families=review.progress().families
    )
    return output.DONE


def _write_requested_plan_and_labels(args: argparse.Namespace, decisions: Decisions) -> None:
    """Write the decisions.

    Raises:
        OptionError: there are no decisions, or a plan of rows is requested.
        PlanError, OutputError, LabelsError: from reading and writing it.
    """
    from ilk.companions import merge_labels_and_count_changes, write
    from ilk_server import families

    if not decisions.decisions_in_force():
        raise OptionError(
            f"there are no decisions on {args.plan} yet; make them: ilk review {args.plan}"
        )
    if args.output is not None:
        if Path(args.plan).is_dir():
            raise OptionError(
                f"{args.plan} is a plan of rows; write the `labels`, and use them to deduplicate "
                "again: "
                "ilk dedup ... --labels FILE"
            )
        to = Path(args.output)
        output.refuse_unwritable_file(args, to)
        with write.whole_file(to) as out:
            for row in families.plan_lines_with_decisions(
                families.check_and_read_plan_lines(args.plan), decisions
            ):
                out.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
        note(f"written: {printable(args.output)}", args.quiet)
    if args.labels is not None:
        new = merge_labels_and_count_changes(args.labels, decisions.pair_labels())
        note(f"{count_noun(new, 'label')} added to {printable(args.labels)}", args.quiet)
