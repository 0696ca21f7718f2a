"""``ilk formats``: the supported formats besides plain text, and what is missing."""

from __future__ import annotations

import argparse

from ilk.base.errors import installing
from ilk.cli import options, output
from ilk.read.formats.table import FORMATS


def parser() -> options.Parser:
    verb = options.parser("formats")
    options.add(verb, format=options.formats("table", "jsonl"))
    return verb


def run(args: argparse.Namespace) -> int:
    known = [one for one in FORMATS.values() if one.extensions]
    width = max(len(one.title) for one in known)
    for one in known:
        record = {
            "format": one.name,
            "title": one.title,
            "extensions": list(one.extensions),
            "read": one.readable,
            "package": one.missing or one.package,
            "documents": "many" if one.many else "one",
            "advice": None if one.readable else one.advice,
        }
        read, extensions = "read" if one.readable else "-", " ".join(one.extensions)
        missing = f"{one.missing} is missing" if one.missing else ""
        below = [] if one.readable else [*filter(None, (missing, one.conversion))]
        lines = [f"{read:<4}  {one.title:<{width}}  {extensions}"]
        output.show(args, record, lines + [f"{'':<{width + 8}}{line}" for line in below])
    extras = sorted({one.extra for one in known if one.extra and one.missing})
    if extras and args.format == "table":
        ways = [way for extra in extras for way in installing(extra)]
        output.show(args, {}, ["", "What is missing is installed by", *ways])
    return output.DONE
