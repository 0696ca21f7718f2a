"""``ilk formats``: the supported formats besides plain text, and what is missing."""

from __future__ import annotations

import argparse

from ilk.base.errors import install_commands
from ilk.cli import options, output
from ilk.cli.exit_codes import ExitCode
from ilk.read.formats.table import FORMATS


def parser() -> options.Parser:
    verb = options.make_parser("formats")
    options.add_options(verb, format=options.format_option_fields("table", "jsonl"))
    return verb


def run(args: argparse.Namespace) -> ExitCode:
    formats = [one for one in FORMATS.values() if one.extensions]
    width = max(len(one.title) for one in formats)
    for one in formats:
        read, extensions = "read" if one.is_readable else "-", " ".join(one.extensions)
        lines = [f"{'':<{width + 8}}{one.convert_option_or_empty}"] * bool(
            one.convert_option_or_empty and not one.is_readable
        )
        output.print_record_or_lines(
            args, one.plain(), [f"{read:<4}  {one.title:<{width}}  {extensions}", *lines]
        )
    for extra in sorted({one.extra for one in formats if one.extra and one.missing_package_if_any}):
        if args.format != "jsonl":
            commands = install_commands(extra)
            names = ", ".join(
                sorted(
                    {
                        o.missing_package_if_any
                        for o in formats
                        if o.extra == extra and o.missing_package_if_any
                    }
                )
            )
            output.print_record_or_lines(
                args,
                {},
                [
                    "",
                    f"Missing: {names}. To install it:",
                    commands.from_index,
                    f"in a clone of ilk: {commands.in_clone}",
                ],
            )
    return output.DONE
