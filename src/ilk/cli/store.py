"""``ilk store VERB STORE ...``: a store, "do we have something like this already?"."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ilk.base.errors import NothingRead
from ilk.base.kinds import Choice, Flag, Whole
from ilk.base.options import Option
from ilk.cli import options, output, storing
from ilk.cli.options import Adder, argument, group
from ilk.fingerprints.recipe import Recipe

if TYPE_CHECKING:
    from ilk.store import Store


#: The options of a new store.
CREATING = group(
    *("resemblance", "shingle", "noise"),
    heading="options of a new store",
    recipe={
        "help": "how fingerprints are made; refuses an existing store with another recipe",
        "said": "MinHash of 128 bits",
        "part": None,
    },
    texts=Option(Flag(), "also keep the texts", False),
    exact=Option(
        Flag(),
        "find every near-duplicate, by shingles, which takes more memory; refuses an existing "
        "store that finds them by fingerprint",
    ),
)
_SEARCHING = group(
    *("radius", "similarity"),
    heading="what counts as like",
    resemblance={"default": None, "said": "the store's own"},
    containment=options.CONTAINED,
)
_READ = group(*options.DOCUMENTS, heading="input")
_FORM = group(format=options.formats("table", "jsonl"))
_RUNNING = group(*options.RUNNING, heading="running")
_ID = argument("id", type=int, metavar="ID", help="the number of the document")


def _file(what: str) -> Adder:
    return argument("file", metavar="FILE", help=what)


def created(args: argparse.Namespace) -> dict[str, Any]:
    """Return the options of a new store, for ``Store``."""
    chosen = options.given(args, "resemblance", "shingle", "noise", "jobs")
    if args.recipe is not None:
        chosen["recipe"] = Recipe.parse(args.recipe)
    # An existing store may be of either kind, unless one is requested.
    return chosen | {"texts": args.texts or None, "exact": args.exact or None}


def opened(args: argparse.Namespace) -> Store:
    """Return the named store; created if missing, by a verb that adds to it."""
    from ilk.store import Store

    if args.makes:
        return Store(args.store, **created(args))
    return Store(args.store, create=False, jobs=getattr(args, "jobs", None))


class Verb(NamedTuple):
    """A verb of a store: what it does, its function, its options, whether it makes a store."""

    help: str
    run: Callable[[argparse.Namespace, Store], int | None]
    takes: tuple[Adder, ...]
    makes: bool = False


_ON_DUPLICATE = Option(
    Choice(("report", "refuse", "link")),
    "what to do with a document that is like a stored one (report: add it, and report the match; "
    "refuse: do not add it, and report the match; link: add it, linked to the stored one)",
    "report",
)
_SAMPLE = Option(
    Whole(unit="documents"),
    "how many members of clusters to measure again, and texts to fingerprint again",
    1000,
    "N",
)
_NAMES = group(
    source=options.named(None, "its source", "NAME"),
    title=options.named(None, "its title", "NAME"),
    metadata=options.named(None, 'plain values, such as {"year": 2011}', "JSON"),
)
_NEW_TEXT = argument("path", nargs="?", metavar="PATH", help="a file with its text, or - for stdin")
_IDS = argument("ids", nargs="+", type=int, metavar="ID", help="the number of a document")
_FOLDER = argument("folder", metavar="DIR", help="a folder, which is read recursively")

#: Every verb by its name.
VERBS = {
    "check": Verb(
        "show what documents are like, without storing them",
        storing.check,
        (options.paths, _SEARCHING, _READ, _FORM, _RUNNING),
    ),
    "add": Verb(
        "add documents, and show what each is like",
        storing.add,
        (options.paths, CREATING, group(on_duplicate=_ON_DUPLICATE), _READ, _FORM, _RUNNING),
        makes=True,
    ),
    "update": Verb(
        "change the text or the names of a document",
        storing.update,
        (_ID, _NEW_TEXT, _NAMES, _FORM),
    ),
    "remove": Verb("remove documents", lambda args, store: store.remove(args.ids), (_IDS,)),
    "similar": Verb(
        "show what a stored document is like", storing.similar, (_ID, _SEARCHING, _FORM)
    ),
    "list": Verb("list all documents", storing.list_all, (_FORM,)),
    "clusters": Verb("list the clusters of two or more documents", storing.clusters, (_FORM,)),
    "sync": Verb(
        "update the store from a folder, and show what is new and what it is like",
        storing.sync,
        (_FOLDER, CREATING, group(*options.FILES, heading="input"), _FORM, _RUNNING),
        makes=True,
    ),
    "export": Verb(
        "write every document to a Parquet file, with its text if the store keeps texts",
        storing.export,
        (_file("ends in .parquet"), group("force")),
    ),
    "import": Verb(
        "add the documents of an exported file, whose store kept texts",
        storing.import_file,
        (_file("what export wrote"), CREATING, group("jobs")),
        makes=True,
    ),
    "backup": Verb(
        "copy the store, even while it is in use",
        lambda args, store: store.backup(args.file),
        (_file("a file that does not exist yet"),),
    ),
    "validate": Verb("look for damage", storing.validate, (group(sample=_SAMPLE), _FORM)),
    "rebuild": Verb(
        "rebuild the packed fingerprints from the documents", lambda _, store: store.rebuild(), ()
    ),
    "stats": Verb("show how much is stored, and how it is compared", storing.stats, (_FORM,)),
}


def parser() -> options.Parser:
    store = options.parser("store")
    store.set_defaults(command=None)
    verbs = store.add_subparsers(metavar="VERB")
    for name, (what, command, takes, makes) in VERBS.items():
        verb = verbs.add_parser(name, help=what, description=what)
        verb.add_argument("store", metavar="STORE", help="the file of the store")
        verb.set_defaults(command=command, makes=makes)
        for adder in takes:
            adder(verb)
    return store


def run(args: argparse.Namespace) -> int:
    if args.command is None:
        parser().print_help(sys.stderr)
        return output.ERROR
    missing = not Path(args.store).exists()
    try:
        with opened(args) as store:
            code: int | None = args.command(args, store)
    except NothingRead:
        if missing:
            args.makes = False
            with opened(args) as store:  # None of its documents could be read.
                empty = not len(store)
            if empty:
                Path(args.store).unlink()
        raise
    return output.DONE if code is None else code
