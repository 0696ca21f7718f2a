"""``ilk formats``: the supported formats besides plain text, and what is missing."""

from __future__ import annotations

import argparse

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
            "package": one.package,
            "documents": "many" if one.many else "one",
            "advice": None if one.readable else one.advice,
        }
        read, extensions = "read" if one.readable else "-", " ".join(one.extensions)
        missing = [] if one.readable else one.advice.split(" or ")
        missing = [f"{one.package} is missing:", *missing] if missing and one.module else missing
        below = [f"{'':<{width + 8}}{line}" for line in missing]
        output.show(args, record, [f"{read:<4}  {one.title:<{width}}  {extensions}", *below])
    return output.DONE
