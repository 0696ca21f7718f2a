"""The verbs of a store for single documents."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ilk.base.errors import OptionError
from ilk.base.parsed import parsed
from ilk.cli import options, output
from ilk.cli.store import shared
from ilk.cli.wording import counted
from ilk.read import Tally

if TYPE_CHECKING:
    import pyarrow as pa

    from ilk.store import Store

#: Options of ``Store.check`` for what counts as like.
_SEARCHING = ("resemblance", "containment", "radius", "similarity")


def check(args: argparse.Namespace, store: Store) -> int:
    """Print what documents are like, and return the exit code."""
    alike, tally, chosen = False, Tally(), options.given(args, *_SEARCHING)
    with output.progress(args) as meter:
        for batch in options.documents(args, meter, tally, store.cache):
            sources = batch["source"].to_pylist()
            for source, matches in zip(sources, store.check_many(batch, **chosen), strict=True):
                alike = alike or bool(matches)
                like = counted(len(matches), "document") if matches else "nothing"
                output.show(
                    args,
                    {"source": source, "matches": shared.match_records(matches)},
                    [f"{shared.named(None, source)}: like {like}", *shared.match_lines(matches)],
                )
    return output.unread(args, tally) or (output.DONE if alike else output.NOTHING)


def add(args: argparse.Namespace, store: Store) -> int:
    """Add documents, print what each is like, and return the exit code."""
    tally = Tally()
    with output.progress(args) as meter:
        for batch in options.documents(args, meter, tally, store.cache):
            every = store.add_many(_with_ids(args, batch), on_duplicate=args.on_duplicate)
            for source, added in zip(batch["source"].to_pylist(), every, strict=True):
                shared.show_added(args, source, added)
    return output.unread(args, tally)


def _with_ids(args: argparse.Namespace, batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return documents with their ids in their metadata, if a column of ids was named."""
    if args.id is None:
        return batch
    import pyarrow as pa

    ids = (None if id_ is None else json.dumps({args.id: id_}) for id_ in batch["id"].to_pylist())
    return batch.append_column("metadata", pa.array(list(ids), pa.string()))


def update(args: argparse.Namespace, store: Store) -> None:
    """Change a document, and print what it is like now."""
    names: dict[str, Any] = options.given(args, "source", "title", "metadata")
    if "metadata" in names:
        try:
            names["metadata"] = parsed(args.metadata)
        except ValueError as error:
            raise OptionError(f"`metadata` is not JSON: {error}.") from error
    path = None if args.path is None else Path(args.path)
    updated = store.update(args.id, path, **names)
    shared.show_added(args, store[args.id].source, updated)


def remove(args: argparse.Namespace, store: Store) -> None:
    """Remove documents."""
    store.remove(args.ids)


def similar(args: argparse.Namespace, store: Store) -> int:
    """Print what a stored document is like, and return the exit code."""
    matches = store.similar(args.id, **options.given(args, *_SEARCHING))
    for match in matches:
        output.show(args, match.to_dict(), shared.match_lines([match]))
    return output.DONE if matches else output.NOTHING


def list_all(args: argparse.Namespace, store: Store) -> None:
    """Print all documents."""
    for record in store:
        output.show(args, record.to_dict(), [shared.named(record.id, record.source)])


def clusters(args: argparse.Namespace, store: Store) -> None:
    """Print the clusters."""
    for number, ids in enumerate(store.clusters()):
        sources = store.sources(ids)
        members = [{"id": id_, "source": sources[id_]} for id_ in ids]
        keeper, *others = [shared.named(id_, sources[id_]) for id_ in ids]
        output.show(
            args,
            {"cluster": number, "keeper": ids[0], "members": members},
            [
                counted(len(ids), "document"),
                f"   keep   {keeper}",
                *(f"          {name}" for name in others),
                "",
            ],
        )
