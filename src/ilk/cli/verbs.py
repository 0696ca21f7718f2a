"""The verbs: those of the core, and those of packages.

A verb has ``parser()``, which parses its words, and ``run(args)``, which carries it out and returns
the exit code. It is a module here, or one of a package, which also has its ``SUMMARY`` in a line.
"""

from __future__ import annotations

import importlib
from types import SimpleNamespace
from typing import Any

#: The verbs of the core by purpose, and what they do.
GROUPS = {
    "documents": {
        "scan": "find duplicates in folders of documents",
        "dedup": "write a data set without its duplicates",
        "apply": "carry out a plan of `ilk scan` or `ilk dedup`",
        "undo": "undo what `ilk apply` did to files",
        "compare": "compare two documents, and show what they share",
        "passages": "find every passage that occurs twice in a collection",
        "store": "keep documents in a file, and ask what a new one is like",
        "formats": "list the formats that can be read, and what is missing",
    },
    "columns of fingerprints": {"fingerprint": "print the fingerprints of documents, one per line"},
}

#: The verbs of the core, and what they do.
VERBS = {verb: what for verbs in GROUPS.values() for verb, what in verbs.items()}


def load_verb(name: str) -> Any | None:
    """Return a verb; None if no package has one of this name."""
    if name == "undo":
        apply = importlib.import_module("ilk.cli.apply")
        return SimpleNamespace(parser=apply.undo_parser, run=apply.undo)
    if name in VERBS:
        return importlib.import_module(f"ilk.cli.{name}")
    from ilk.base import packages

    point = packages.ilk_entry_points("verbs").get(name)
    if point is not None:
        return packages.load_entry_point(point)
    package = packages.extra_providing_or_none(verb=name)
    if package is not None:
        raise packages.missing_package_error(package)
    return None
