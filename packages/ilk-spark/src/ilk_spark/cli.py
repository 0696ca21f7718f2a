"""``ilk dedup --engine spark``: deduplication on Apache Spark."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import Any

from ilk.companions import (
    format_percent,
    write,
)
from ilk.plugins import OptionError, OutputError, count_noun, note, options, output

#: The options of ``ilk_spark.deduplicate``.
_TAKEN = (
    "text",
    "id",
    "order_by",
    "resemblance",
    "shingle",
    "by",
    "as_",
    "ignore",
    "ignore_text",
    "only_against",
    "keep",
    "keep_numbers_only",
    "linkage",
    "recall",
    "alarm_documents",
    "alarm_share",
    "alarm_loss",
    "max_pairs",
    "partitions",
)

#: What else this command heeds; any other option that is given is refused.
_OTHER_OPTIONS = (
    *("paths", "against", "output", "format", "force", "accept_alarm"),
    *("engine", "master", "pairing", "quiet", "color", "config", "configured"),
    # Each stands for its parts, which are above.
    *("fingerprint", "alarm", "limit"),
)


def deduplicate(args: argparse.Namespace) -> int:
    """Deduplicate on Spark, print, and return the exit code.

    Raises:
        OptionError: a given option is not supported on Spark.
    """
    from ilk_spark import files
    from ilk_spark.deduplicating import deduplicate
    from ilk_spark.spelling import check_unicode_name

    for name, value in vars(args).items():
        # Not `if value`: 0 is given too.
        if value is not None and value is not False and name not in (*_TAKEN, *_OTHER_OPTIONS):
            raise OptionError(f"`engine=spark` does not support `{name}`; leave it out.")
    to = args.output
    if (
        args.format == "jsonl"
        or to == output.STDOUT
        or (to is not None and write.is_stream_or_device(to))
    ):
        raise OptionError(
            "`engine=spark` writes folders; give `output`, and leave out `format=jsonl`."
        )
    if to is not None:
        check_unicode_name(to, OutputError)
    given_values = options.given_library_arguments(args, *_TAKEN)
    if args.pairing is not None:
        # One machine nominates by fingerprint, a cluster by bands.
        given_values["pairing"] = {"fingerprint": "bands"}.get(args.pairing, args.pairing)
    session = files.get_or_open_session(args.master)
    try:
        frame = files.read_and_unite_tables(session, args.paths)
        if args.against is not None:
            given_values["against"] = files.read_and_unite_tables(session, args.against)
        result = deduplicate(frame, **given_values)
        write.write_lines(_summary_lines(result.report), sys.stdout.buffer)
        if args.output is not None:
            files.write_result(
                result, args.output, accept_alarm=bool(args.accept_alarm), force=bool(args.force)
            )
        for line in result.report["advice"]:
            note(line, args.quiet)
        for reason in result.alarms:
            note(f"alarm: {reason}", args.quiet)
        return output.ALARM if result.alarms and not args.accept_alarm else output.DONE
    finally:
        session.stop()


def _summary_lines(report: dict[str, Any]) -> Iterator[str]:
    """Yield the numbers."""
    rows = report["documents"]
    kept = format_percent(report["kept"] / rows) if rows else "0 %"
    yield f"{count_noun(rows, 'row')} read, {report['kept']:,} kept ({kept})."
    for verdict, count in report["dropped"].items():
        yield f"  dropped as {verdict:<14}{count:>12,}"
    if report["without_text"]:
        yield f"  kept without text        {report['without_text']:>12,}"
    if report["rejected"]:
        yield f"  kept, not compared       {report['rejected']:>12,}"
    yield report["promise"]
