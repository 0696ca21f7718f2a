"""What the verbs of a store share: the named store, and how matches are shown."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ilk.cli import options, output
from ilk.cli.wording import counted, printable
from ilk.fingerprints.recipe import Recipe
from ilk.search.measures import percent

if TYPE_CHECKING:
    from ilk.store import Added, Match, Store

#: Options of ``Store`` for a new store.
_CREATED = ("resemblance", "shingle", "noise", "jobs")


def made(args: argparse.Namespace) -> Store:
    """Return the named store, created if missing."""
    from ilk.store import Store

    return Store(args.store, **created(args))


def created(args: argparse.Namespace) -> dict[str, Any]:
    """Return the options of a new store, for ``Store``."""
    chosen = options.given(args, *_CREATED)
    if args.recipe is not None:
        chosen["recipe"] = Recipe.parse(args.recipe)
    # An existing store may be of either kind, unless one is requested.
    return chosen | {"texts": args.texts or None, "exact": args.exact or None}


def opened(args: argparse.Namespace) -> Store:
    """Return the named store, which must exist."""
    from ilk.store import Store

    return Store(args.store, create=False, jobs=getattr(args, "jobs", None))


def leave_none(args: argparse.Namespace) -> None:
    """Remove a newly created store if none of its documents could be read."""
    with opened(args) as store:
        empty = not len(store)
    if empty:
        Path(args.store).unlink()


def show_added(
    args: argparse.Namespace, source: str | None, added: Added, file: str | None = None
) -> None:
    """Print what happened to a document, and what it is like.

    Args:
        args: ``format``.
        source: the source of the document.
        added: the result from the store.
        file: the state of its file from ``sync``; None without a file.
    """
    if args.format == "jsonl":
        record = {"id": added.id, "source": source, "matches": match_records(added.matches)}
        output.show(args, record if file is None else {"file": file, **record}, ())
        return
    name = named(added.id, source) + (" was refused" if added.id is None else "")
    if file is not None:
        name = f"{file}: {name}"
    output.show(args, {}, [name, *match_lines(added.matches)])


def match_records(matches: Iterable[Match]) -> list[dict[str, Any]]:
    """Return matches as plain values."""
    return [match.to_dict() for match in matches]


def match_lines(matches: Iterable[Match]) -> Iterator[str]:
    """Yield matches as lines of text."""
    from ilk.arrow import verdicts

    for match in matches:
        measure = match.resemblance if match.agreement is None else match.agreement
        share = "      " if measure is None else f"{percent(measure):>6}"
        if match.verdict == verdicts.NEAR and match.resemblance == 1:
            share = "same shingles, in another order or number"
        bits = "" if match.distance is None else counted(match.distance, "bit")
        yield f"  {match.verdict:<12}  {share}  {bits:>8}  {named(match.id, match.source)}"


def named(id_: int | None, source: str | None) -> str:
    """Return a document's id, and its source if it has one."""
    name = "" if id_ is None else f"#{id_}"
    return f"{name} {printable(source or '')}".strip()
