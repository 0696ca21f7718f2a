"""``ilk store VERB STORE ...``: a store, "do we have something like this already?".

One module, one concept:

- ``documents``: check, add, update, remove, similar, list, clusters
- ``whole``: sync, stats, backup, export, import, validate, rebuild
- ``shared``: the named store, and how matches are shown
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ilk.base.errors import NothingRead
from ilk.base.kinds import Choice, Flag, Whole
from ilk.base.options import Option
from ilk.cli import options, output
from ilk.cli.options import Adder, argument, group
from ilk.cli.store import documents, shared, whole

if TYPE_CHECKING:
    from ilk.store import Store

_EPILOG = """\
examples:
  ilk store sync letters.ilk letters      keep the documents of a folder
  ilk store check letters.ilk draft.txt   show which are like the draft
  ilk store similar letters.ilk 17        show what document 17 is like
  ilk store add letters.ilk new.txt --on-duplicate refuse

`ilk store VERB --help` explains a verb. Exit codes: 0 done, or check or similar found something;
1 check or similar found nothing; 2 an error, such as damage that validate found."""

#: The options of a new store.
CREATING = group(
    "resemblance",
    "shingle",
    "noise",
    heading="options of a new store",
    recipe=options.changed(
        "recipe",
        help="how fingerprints are made; refuses an existing store with another recipe",
        said="MinHash of 128 bits",
        part=None,
    ),
    texts=Option(Flag(), "also keep the texts", False),
    exact=Option(
        Flag(),
        "find every near-duplicate, by shingles, which takes more memory; refuses an existing "
        "store that finds them by fingerprint",
    ),
)
_SEARCHING = group(
    "radius",
    "similarity",
    heading="what counts as like",
    resemblance=options.changed("resemblance", default=None, said="the store's own"),
    containment=options.contained(),
)
_READ = group(*options.DOCUMENTS, heading="input")
_FORM = group(format=options.formats("table", "jsonl"))
_RUNNING = group(*options.RUNNING, heading="running")
_ID = argument("id", type=int, metavar="ID", help="the number of the document")


def _file(what: str) -> Adder:
    return argument("file", metavar="FILE", help=what)


class Verb(NamedTuple):
    """A verb of a store: what it does, its function, its options, and how to open the store."""

    help: str
    run: Callable[[argparse.Namespace, Store], int | None]
    takes: tuple[Adder, ...]
    opens: Callable[[argparse.Namespace], Store] = shared.opened


#: Every verb by its name.
VERBS = {
    "check": Verb(
        "show what documents are like, without storing them",
        documents.check,
        (options.paths, _SEARCHING, _READ, _FORM, _RUNNING),
    ),
    "add": Verb(
        "add documents, and show what each is like",
        documents.add,
        (
            options.paths,
            CREATING,
            group(
                on_duplicate=Option(
                    Choice(("report", "refuse", "link")),
                    "what to do with a document that is like a stored one (report: add it, and "
                    "report the match; refuse: do not add it, and report the match; link: add it, "
                    "linked to the stored one)",
                    "report",
                )
            ),
            _READ,
            _FORM,
            _RUNNING,
        ),
        shared.made,
    ),
    "update": Verb(
        "change the text or the names of a document",
        documents.update,
        (
            _ID,
            argument(
                "path", nargs="?", metavar="PATH", help="a file with its text, or - for stdin"
            ),
            group(
                source=options.named(None, "its source", "NAME"),
                title=options.named(None, "its title", "NAME"),
                metadata=options.named(None, 'plain values, such as {"year": 2011}', "JSON"),
            ),
            _FORM,
        ),
    ),
    "remove": Verb(
        "remove documents",
        documents.remove,
        (argument("ids", nargs="+", type=int, metavar="ID", help="the number of a document"),),
    ),
    "similar": Verb(
        "show what a stored document is like", documents.similar, (_ID, _SEARCHING, _FORM)
    ),
    "list": Verb("list all documents", documents.list_all, (_FORM,)),
    "clusters": Verb("list the clusters of two or more documents", documents.clusters, (_FORM,)),
    "sync": Verb(
        "update the store from a folder, and show what is new and what it is like",
        whole.sync,
        (
            argument("folder", metavar="DIR", help="a folder, which is read recursively"),
            CREATING,
            group(*options.FILES, heading="input"),
            _FORM,
            _RUNNING,
        ),
        shared.made,
    ),
    "export": Verb(
        "write every document to a Parquet file, with its text if the store keeps texts",
        whole.export,
        (_file("ends in .parquet"), group("force")),
    ),
    "import": Verb(
        "add the documents of an exported file, whose store kept texts",
        whole.import_file,
        (_file("what export wrote"), CREATING, group("jobs")),
        shared.made,
    ),
    "backup": Verb(
        "copy the store, even while it is in use",
        whole.backup,
        (_file("a file that does not exist yet"),),
    ),
    "validate": Verb(
        "look for damage",
        whole.validate,
        (
            group(
                sample=Option(
                    Whole(unit="documents"),
                    "how many members of clusters to measure again, and texts to fingerprint again",
                    1000,
                    "N",
                )
            ),
            _FORM,
        ),
    ),
    "rebuild": Verb("rebuild the packed fingerprints from the documents", whole.rebuild, ()),
    "stats": Verb("show how much is stored, and how it is compared", whole.stats, (_FORM,)),
}


def parser() -> options.Parser:
    """Return the parser of the verb, with one for each of its own verbs."""
    store = options.parser(
        "store",
        "Keep documents in a file, and ask what a new one is like. The originals are not needed.",
        _EPILOG,
    )
    store.set_defaults(command=None)
    verbs = store.add_subparsers(metavar="VERB")
    for name, (what, command, takes, opens) in VERBS.items():
        verb = verbs.add_parser(name, help=what, description=what)
        verb.add_argument("store", metavar="STORE", help="the file of the store")
        verb.set_defaults(command=command, opens=opens)
        for adder in takes:
            adder(verb)
    return store


def run(args: argparse.Namespace) -> int:
    """Run one of its verbs, and return the exit code."""
    if args.command is None:
        parser().print_help(sys.stderr)
        return output.ERROR
    missing = not Path(args.store).exists()
    try:
        with args.opens(args) as store:
            code: int | None = args.command(args, store)
    except NothingRead:
        if missing:
            shared.leave_none(args)
        raise
    return output.DONE if code is None else code
