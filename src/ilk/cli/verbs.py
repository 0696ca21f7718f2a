"""The verbs: those of the core, and those of packages.

A verb has ``parser()``, which parses its words, and ``run(args)``, which carries it out and returns
the exit code. It is a module here, or one of a package, which also has its ``SUMMARY`` in a line.
"""

from __future__ import annotations

import importlib
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import argparse

    from ilk.cli.exit_codes import ExitCode
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


class Verb(Protocol):
    """What parses the words of a verb, and carries it out."""

    def parser(self) -> Any:
        """Return a new ``Parser`` of its words."""

    def run(self, args: argparse.Namespace) -> ExitCode:
        """Carry it out."""


def load_verb_or_none(name: str) -> Verb | None:
    """Import a verb; None if no package has one of this name.

    Raises:
        MissingExtra: a package that is not installed has it.
    """
    if name == "undo":
        apply = importlib.import_module("ilk.cli.apply")
        undo: Verb = SimpleNamespace(parser=apply.undo_parser, run=apply.undo)
        return undo
    if name in VERBS:
        verb: Verb = importlib.import_module(f"ilk.cli.{name}")
        return verb
    from ilk.base import packages

    point = packages.entry_points_in_ilk_group("verbs").get(name)
    if point is not None:
        loaded: Verb = packages.load_entry_point(point)
        return loaded
    package = packages.companion_extra_or_none(verb=name)
    if package is not None:
        raise packages.make_missing_extra_error(package)
    return None
