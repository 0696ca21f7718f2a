"""``ilk formats``: the supported formats besides plain text, and what is missing."""

from __future__ import annotations

import argparse

from ilk.base.errors import install_commands_from_index_and_clone
from ilk.cli import options, output
from ilk.cli.exit_codes import ExitCode
from ilk.read.formats.table import FORMATS


def parser() -> options.Parser:
    verb = options.make_parser_with_help_file("formats")
    options.add_options(verb, format=options.format_option_fields("table", "jsonl"))
    return verb


def run(args: argparse.Namespace) -> ExitCode:
    formats = [form for form in FORMATS.values() if form.extensions]
    width = max(len(form.title) for form in formats)
    for form in formats:
        read, extensions = "read" if form.is_readable else "-", " ".join(form.extensions)
        lines = [f"{'':<{width + 8}}{form.convert_option_or_empty}"] * bool(
            form.convert_option_or_empty and not form.is_readable
        )
        output.print_record_or_lines(
            args, form.plain(), [f"{read:<4}  {form.title:<{width}}  {extensions}", *lines]
        )
    for extra in sorted(
        {form.extra for form in formats if form.extra and form.missing_package_if_any}
    ):
        if args.format != "jsonl":
            commands = install_commands_from_index_and_clone(extra)
            names = ", ".join(
                sorted(
                    {
                        form.missing_package_if_any
                        for form in formats
                        if form.extra == extra and form.missing_package_if_any
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
