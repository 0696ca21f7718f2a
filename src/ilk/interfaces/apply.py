"""``ilk apply``: carries out what ``ilk dedup --plan`` has decided."""

from __future__ import annotations

import argparse
import sys

from ilk.interfaces import options
from ilk.interfaces.progress import Meter, counted, printable

ALARM = 3


def parser() -> argparse.ArgumentParser:
    """The options of the verb."""
    made = options.parser(
        "apply",
        "Writes the rows that a plan keeps, if the input is still what it was.",
        "example:\n  ilk dedup big.jsonl --plan plan\n  ilk apply plan -o clean.jsonl",
    )
    made.add_argument("plan", metavar="PLAN", help="the folder that `ilk dedup --plan` has written")
    made.add_argument("-o", "--output", metavar="OUT", required=True, help="the kept rows")
    made.add_argument("--accept-alarm", action="store_true", help="write in spite of an alarm")
    made.add_argument("--force", action="store_true", help="replace what is there")
    made.add_argument("--quiet", action="store_true", help="no progress on stderr")
    return made


def run(args: argparse.Namespace) -> int:
    """Apply the plan and return the exit code."""
    from ilk.dedup import plans
    from ilk.errors import AlarmRaised

    meter = Meter(args.quiet)
    try:
        count = plans.apply(
            args.plan,
            args.output,
            accept_alarm=args.accept_alarm,
            force=args.force,
            progress=meter,
        )
    except AlarmRaised as alarm:
        print(f"ilk apply: {printable(str(alarm))}", file=sys.stderr)
        return ALARM
    finally:
        meter.clear()
    print(f"{counted(count, 'row')} written to {printable(args.output)}.")
    return 0
