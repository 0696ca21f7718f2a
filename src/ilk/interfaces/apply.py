"""``ilk apply``: carries out what ``ilk dedup --plan`` has decided."""

from __future__ import annotations

import argparse
import sys

from ilk.interfaces import options, output
from ilk.interfaces.progress import counted, printable


def parser() -> options.Parser:
    """Return the parser of the verb."""
    verb = options.parser(
        "apply",
        "Writes the rows that a plan keeps, if the input is still what it was.",
        "example:\n  ilk dedup big.jsonl --plan plan\n  ilk apply plan -o clean.jsonl",
    )
    verb.add_argument("plan", metavar="PLAN", help="the folder that `ilk dedup --plan` has written")
    verb.add_argument("-o", "--output", metavar="OUT", required=True, help="the kept rows")
    options.add(verb, "accept_alarm", "force", "quiet")
    return verb


def run(args: argparse.Namespace) -> int:
    """Apply the plan and return the exit code."""
    from ilk.dedup import plans
    from ilk.errors import AlarmRaised

    chosen = options.given(args, "accept_alarm", "force")
    try:
        with output.progress(args) as meter:
            count = plans.apply(args.plan, args.output, **chosen, progress=meter)
    except AlarmRaised as alarm:
        print(f"ilk apply: {printable(str(alarm))}", file=sys.stderr)
        return output.ALARM
    print(f"{counted(count, 'row')} written to {printable(args.output)}.")
    return output.DONE
