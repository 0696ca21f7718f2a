"""``ilk store VERB STORE ...``: the repository, "do we have something like this already?".

One module, one concept:

- ``documents``: check, add, update, remove, similar, list, clusters
- ``whole``: sync, stats, backup, export, import, validate, rebuild
- ``shared``: options, and how matches are told
"""

from __future__ import annotations

import argparse

from ilk.interfaces import options
from ilk.interfaces.store import documents, whole

_EPILOG = """\
examples:
  ilk store sync letters.ilk letters        keep a folder's documents in a store
  ilk store check letters.ilk draft.txt     what is like it there
  ilk store similar letters.ilk 17          what is like a stored document
  ilk store add letters.ilk new.txt --on-duplicate refuse

`ilk store VERB --help` explains a verb. Exit codes: 0 done, or for check and similar something was
found; 1 these two found nothing; 2 an error, such as damage that validate found."""


def parser() -> argparse.ArgumentParser:
    """The options of the verb: a parser for each of its own verbs."""
    made = options.parser(
        "store",
        "A file of documents that tells what a new one is like, verified, without the originals.",
        _EPILOG,
    )
    verbs = made.add_subparsers(metavar="VERB", required=True)
    for name, (what, verb) in (documents.VERBS | whole.VERBS).items():
        one = verbs.add_parser(name, help=what, description=what, allow_abbrev=False)
        one.add_argument("store", metavar="STORE", help="the file of the store")
        one.set_defaults(command=verb(one))
    return made


def run(args: argparse.Namespace) -> int:
    """Run one of its verbs, and return the exit code."""
    return int(args.command(args))
