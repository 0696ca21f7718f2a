"""The verbs of a store that are about all of it."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ilk.interfaces import options
from ilk.interfaces.progress import Meter, counted, printable
from ilk.interfaces.store import shared
from ilk.interfaces.store.shared import Command

if TYPE_CHECKING:
    from ilk.store.sync import Synced

ERROR = 2


def _sync(to: argparse.ArgumentParser) -> Command:
    to.add_argument("folder", metavar="DIR", help="a folder, which is read recursively")
    shared.add_creating(to)
    options.add_files(to.add_argument_group("what is read"))
    shared.add_format(to)
    options.add_running(to)
    return _run_sync


def _run_sync(args: argparse.Namespace) -> int:
    from ilk.readers import Tally

    meter, tally = Meter(args.quiet), Tally()
    with shared.made(args) as store:
        synced = store.sync(
            args.folder,
            **options.files(args),
            tally=tally,
            progress=meter,
        )
    meter.clear()
    for kind, some in (("new", synced.new), ("changed", synced.changed)):
        for told in some:
            shared.tell_added(args, told.source, told.added, kind)
    for moved in synced.moved:
        line = f"moved: {printable(moved.was or '')} -> {printable(moved.source)}"
        shared.emit(args, {"file": "moved", **moved._asdict()}, [line])
    for source in synced.vanished:
        line = f"vanished: {printable(source)}"
        shared.emit(args, {"file": "vanished", "source": source}, [line])
    counts = _counts(synced)
    line = ", ".join(f"{number:,} {name}" for name, number in counts.items())
    shared.emit(args, {"summary": counts}, [f"files: {line}"])
    return ERROR if shared.told_of_reading(args, tally) else 0


def _counts(synced: Synced) -> dict[str, int]:
    return {
        "new": len(synced.new),
        "changed": len(synced.changed),
        "moved": len(synced.moved),
        "vanished": len(synced.vanished),
        "unchanged": synced.unchanged,
    }


def _stats(to: argparse.ArgumentParser) -> Command:
    shared.add_format(to)
    return _run_stats


def _run_stats(args: argparse.Namespace) -> int:
    with shared.opened(args) as store:
        stats = store.stats()
    shared.emit(args, stats, _stat_lines(stats))
    return 0


def _stat_lines(stats: dict[str, Any]) -> Iterator[str]:
    for name, value in stats.items():
        shown = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else value
        yield f"{name.replace('_', ' '):<20}{shown}"


def _export(to: argparse.ArgumentParser) -> Command:
    to.add_argument("file", metavar="FILE", help="ends in .parquet, .jsonl or .csv")
    return _run_export


def _run_export(args: argparse.Namespace) -> int:
    with shared.opened(args) as store:
        print(f"{counted(store.export(args.file), 'document')} written")
    return 0


def _import(to: argparse.ArgumentParser) -> Command:
    to.add_argument("file", metavar="FILE", help="what export wrote: .parquet or .jsonl")
    shared.add_creating(to)
    options.add_jobs(to)
    return _run_import


def _run_import(args: argparse.Namespace) -> int:
    with shared.made(args) as store:
        print(f"{counted(store.import_(args.file), 'document')} added")
    return 0


def _backup(to: argparse.ArgumentParser) -> Command:
    to.add_argument("file", metavar="FILE", help="a file that is not there yet")
    return _run_backup


def _run_backup(args: argparse.Namespace) -> int:
    with shared.opened(args) as store:
        store.backup(args.file)
    return 0


def _validate(to: argparse.ArgumentParser) -> Command:
    to.add_argument(
        "--sample",
        type=int,
        default=1000,
        metavar="N",
        help="how many members of clusters are measured, and texts fingerprinted, again "
        "(default: %(default)s)",
    )
    shared.add_format(to)
    return _run_validate


def _run_validate(args: argparse.Namespace) -> int:
    with shared.opened(args) as store:
        found = store.validate(args.sample)
    looked = asdict(found)
    said = ", ".join(
        f"{number:,} {what.replace('_', ' ')}"
        for what, number in looked.items()
        if what != "problems"
    )
    shared.emit(args, looked, [*found.problems, f"looked at: {said}"])
    return ERROR if found.problems else 0


def _rebuild(to: argparse.ArgumentParser) -> Command:  # noqa: ARG001 - it has no options.
    return _run_rebuild


def _run_rebuild(args: argparse.Namespace) -> int:
    with shared.opened(args) as store:
        store.rebuild()
    return 0


#: Every verb: what it does, and its options.
VERBS: dict[str, tuple[str, Callable[[argparse.ArgumentParser], Command]]] = {
    "sync": ("bring the store in step with a folder, and tell what is new and like what", _sync),
    "export": ("write every document to a file", _export),
    "import": ("add the documents of an exported file", _import),
    "backup": ("copy the store, while others use it", _backup),
    "validate": ("look for damage", _validate),
    "rebuild": ("make the packed fingerprints again from the documents", _rebuild),
    "stats": ("how much there is, and how it is compared", _stats),
}
