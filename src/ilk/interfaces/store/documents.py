"""The verbs of a store that are about some of its documents."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ilk.errors import OptionError
from ilk.interfaces import options
from ilk.interfaces.progress import Meter, counted
from ilk.interfaces.store import shared
from ilk.interfaces.store.shared import Command

if TYPE_CHECKING:
    import pyarrow as pa


NOTHING, ERROR = 1, 2


def _check(to: argparse.ArgumentParser) -> Command:
    options.paths(to)
    shared.add_searching(to)
    options.add_reading(to)
    shared.add_format(to)
    options.add_running(to)
    return _run_check


def _run_check(args: argparse.Namespace) -> int:
    from ilk.readers import Tally

    found, tally = False, Tally()
    with shared.opened(args) as store:
        for batch in _read(args, tally):
            matches = store.check_many(batch, **shared.searching(args))
            for source, some in zip(batch["source"].to_pylist(), matches, strict=True):
                found = found or bool(some)
                said = "like nothing" if not some else f"like {counted(len(some), 'document')}"
                shared.emit(
                    args,
                    {"source": source, "matches": shared.match_records(some)},
                    [f"{shared.named(None, source)}: {said}", *shared.match_lines(some)],
                )
    failed = shared.told_of_reading(args, tally)
    return ERROR if failed else 0 if found else NOTHING


def _add(to: argparse.ArgumentParser) -> Command:
    options.paths(to)
    shared.add_creating(to)
    to.add_argument(
        "--on-duplicate",
        choices=("report", "refuse", "link"),
        default="report",
        help="what becomes of a document of which a stored one is of one kind: report adds it and "
        "tells; refuse tells and does not add it; link adds it, linked to that one (default: "
        "%(default)s)",
    )
    options.add_reading(to)
    shared.add_format(to)
    options.add_running(to)
    return _run_add


def _run_add(args: argparse.Namespace) -> int:
    from ilk.readers import Tally

    tally = Tally()
    with shared.made(args) as store:
        for batch in _read(args, tally):
            added = store.add_many(batch, on_duplicate=args.on_duplicate)
            for source, one in zip(batch["source"].to_pylist(), added, strict=True):
                shared.tell_added(args, source, one)
    return ERROR if shared.told_of_reading(args, tally) else 0


def _update(to: argparse.ArgumentParser) -> Command:
    to.add_argument("id", type=int, metavar="ID", help="the number of the document")
    to.add_argument(
        "path", nargs="?", type=Path, metavar="PATH", help="a file with its text, or - for stdin"
    )
    for name in ("source", "title"):
        to.add_argument(f"--{name}", metavar="NAME", help=f"its {name}")
    to.add_argument("--metadata", metavar="JSON", help='plain values, such as {"year": 2011}')
    shared.add_format(to)
    return _run_update


def _run_update(args: argparse.Namespace) -> int:
    given = {name: getattr(args, name) for name in ("source", "title", "metadata")}
    names: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if "metadata" in names:
        try:
            names["metadata"] = json.loads(args.metadata)
        except ValueError as error:
            raise OptionError(f"--metadata is not JSON: {error}.") from error
    with shared.opened(args) as store:
        one = store.update(args.id, args.path, **names)
        shared.tell_added(args, store[args.id].source, one)
    return 0


def _remove(to: argparse.ArgumentParser) -> Command:
    to.add_argument("ids", nargs="+", type=int, metavar="ID", help="the number of a document")
    return _run_remove


def _run_remove(args: argparse.Namespace) -> int:
    with shared.opened(args) as store:
        store.remove(args.ids)
    return 0


def _similar(to: argparse.ArgumentParser) -> Command:
    to.add_argument("id", type=int, metavar="ID", help="the number of the document")
    shared.add_searching(to)
    shared.add_format(to)
    return _run_similar


def _run_similar(args: argparse.Namespace) -> int:
    with shared.opened(args) as store:
        found = store.similar(args.id, **shared.searching(args))
        for match in found:
            shared.emit(args, asdict(match), shared.match_lines([match]))
    return 0 if found else NOTHING


def _list(to: argparse.ArgumentParser) -> Command:
    shared.add_format(to)
    return _run_list


def _run_list(args: argparse.Namespace) -> int:
    with shared.opened(args) as store:
        for record in store:
            shared.emit(args, record.to_dict(), [shared.named(record.id, record.source)])
    return 0


def _clusters(to: argparse.ArgumentParser) -> Command:
    shared.add_format(to)
    return _run_clusters


def _run_clusters(args: argparse.Namespace) -> int:
    with shared.opened(args) as store:
        for number, ids in enumerate(store.clusters()):
            sources = store.sources(ids)
            members = [{"id": id_, "source": sources[id_]} for id_ in ids]
            named = [shared.named(id_, sources[id_]) for id_ in ids]
            shared.emit(
                args,
                {"cluster": number, "keeper": ids[0], "members": members},
                [
                    counted(len(ids), "document"),
                    f"   keep   {named[0]}",
                    *(f"          {name}" for name in named[1:]),
                    "",
                ],
            )
    return 0


def _read(args: argparse.Namespace, tally: Any) -> Iterator[pa.RecordBatch]:
    """The documents that are named."""
    from ilk import readers

    meter = Meter(args.quiet)
    yield from readers.read(
        options.sources(args.paths),
        **options.reading(args),
        tally=tally,
        progress=meter,
    )
    meter.clear()


#: Every verb: what it does, and its options.
VERBS: dict[str, tuple[str, Callable[[argparse.ArgumentParser], Command]]] = {
    "check": ("what documents are like; nothing is stored", _check),
    "add": ("add documents, and tell what each is like", _add),
    "update": ("change the text or the names of a document", _update),
    "remove": ("remove documents", _remove),
    "similar": ("what a stored document is like", _similar),
    "list": ("all documents", _list),
    "clusters": ("the clusters of two or more documents of one kind", _clusters),
}
