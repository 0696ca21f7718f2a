"""``ilk formats``: the supported formats besides plain text, and what is missing."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from ilk.cli import options, output
from ilk.read.formats.table import EXTRA, FORMATS, Format

_EPILOG = f"""\
Plain text is read in any encoding, including source code, Markdown and LaTeX. Files of rows (JSON
lines, CSV, Parquet) and web archives are read if you name them. HTML pages are read with their
tags, or by their text with --extract. A format is recognised by the content of a file, whatever its
name. To install what is missing: pip install 'ilk[{EXTRA}]', or in a clone of ilk: pip install
'.[{EXTRA}]'"""


def parser() -> options.Parser:
    """Return the parser of the verb."""
    verb = options.parser(
        "formats", "Lists the formats that ilk reads, and what each one needs.", _EPILOG
    )
    options.add(verb, format=options.formats("table", "jsonl"))
    return verb


def run(args: argparse.Namespace) -> int:
    """Print the table, and return the exit code."""
    known = [one for one in FORMATS.values() if one.extensions]
    width = max(len(one.title) for one in known)
    for one in known:
        output.show(args, _record(one), list(_lines(one, width)))
    return output.DONE


def _lines(one: Format, width: int) -> Iterator[str]:
    """Yield a format as lines of text, with a second line if something must be done."""
    yield f"{'read' if one.readable else '-':<4}  {one.title:<{width}}  {' '.join(one.extensions)}"
    if not one.readable:
        if one.module:
            yield f"{'':<{width + 8}}{one.package} is missing:"
        for way in one.advice.split(" or "):
            yield f"{'':<{width + 8}}{way}"


def _record(one: Format) -> dict[str, Any]:
    return {
        "format": one.name,
        "title": one.title,
        "extensions": list(one.extensions),
        "read": one.readable,
        "package": one.package,
        "documents": "many" if one.many else "one",
        "advice": None if one.readable else one.advice,
    }
