"""What the verbs of a store share: options, and how matches are told."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ilk.interfaces import options
from ilk.interfaces.progress import note, printable
from ilk.search import planning

if TYPE_CHECKING:
    from ilk.readers import Tally
    from ilk.store import Added, Match, Store

#: Runs a verb with its arguments, and gives the exit code.
Command = Callable[[argparse.Namespace], int]


def add_creating(to: argparse.ArgumentParser) -> None:
    """What a store is to be that does not exist yet."""
    group = to.add_argument_group("a store that is made")
    group.add_argument(
        "--recipe",
        type=options.named,
        help="how fingerprints are made (default: MinHash of 128 bits); a store that is there and "
        "has another one is refused",
    )
    group.add_argument(
        "--resemblance",
        type=options.share,
        metavar="SHARE",
        help=f"the least resemblance of near-duplicates (default: {planning.RESEMBLANCE})",
    )
    group.add_argument(
        "--shingle", type=int, metavar="WORDS", help="words per shingle (default: 3)"
    )
    group.add_argument("--texts", action="store_true", help="keep the texts too")
    group.add_argument(
        "--exact",
        action="store_const",
        const=True,
        help="find every near-duplicate, by their shingles, which takes more memory; a store that "
        "is there and finds what fingerprints nominate is refused",
    )


def add_searching(to: argparse.ArgumentParser) -> None:
    """What counts as like."""
    group = to.add_argument_group("what counts as like")
    group.add_argument(
        "--resemblance",
        type=options.share,
        metavar="SHARE",
        help="the least resemblance of near-duplicates (default: that of the store)",
    )
    options.add_containment(group)
    group.add_argument(
        "--radius",
        type=int,
        metavar="BITS",
        help="take what is within so many bits, whatever it resembles",
    )
    group.add_argument(
        "--similarity", metavar="SHARE", help="the same as a share of equal bits, such as 90%%"
    )


def searching(args: argparse.Namespace) -> dict[str, Any]:
    """Those options as the library takes them."""
    names = ("resemblance", "containment", "radius", "similarity")
    return {name: getattr(args, name) for name in names}


def add_format(to: argparse.ArgumentParser) -> None:
    """How results are printed."""
    to.add_argument(
        "--format",
        choices=("table", "jsonl"),
        default="table",
        help="how results are printed (default: %(default)s)",
    )


def made(args: argparse.Namespace) -> Store:
    """The store that is named, which is made if it is missing."""
    from ilk.store import Store

    return Store(
        args.store,
        recipe=args.recipe,
        resemblance=args.resemblance,
        shingle=args.shingle,
        texts=args.texts,
        exact=args.exact,
        jobs=args.jobs,
    )


def opened(args: argparse.Namespace) -> Store:
    """The store that is named, which must be there."""
    from ilk.store import Store

    return Store(args.store, create=False, jobs=getattr(args, "jobs", None))


def emit(args: argparse.Namespace, record: Mapping[str, Any], lines: Iterable[str]) -> None:
    """Print a result: the record as JSON, or the lines to be read."""
    if args.format == "jsonl":
        print(json.dumps(record, ensure_ascii=False, default=str))
    else:
        for line in lines:
            print(line)


def tell_added(
    args: argparse.Namespace, source: str | None, one: Added, file: str | None = None
) -> None:
    """Tell what became of a document, and what it is like."""
    record = {"id": one.id, "source": source, "matches": match_records(one.matches)}
    name = named(one.id, source) + (" was refused" if one.id is None else "")
    if file is not None:
        record, name = {"file": file, **record}, f"{file}: {name}"
    emit(args, record, [name, *match_lines(one.matches)])


def told_of_reading(args: argparse.Namespace, tally: Tally) -> bool:
    """Say what could not be read; whether that is an error."""
    for failure in tally.failures:
        note(f"not read: {failure.source}: {failure.reason}", args.quiet)
    for line in tally.advice():
        note(line, args.quiet)
    return bool(tally.failures and args.strict)


def match_records(matches: Iterable[Match]) -> list[dict[str, Any]]:
    """Matches as plain values."""
    return [asdict(match) for match in matches]


def match_lines(matches: Iterable[Match]) -> Iterator[str]:
    """Matches to be read."""
    for match in matches:
        share = "      " if match.resemblance is None else f"{match.resemblance:6.1%}"
        bits = "" if match.distance is None else f"{match.distance} bits"
        yield f"  {match.verdict:<12}  {share}  {bits:>8}  {named(match.id, match.source)}"


def named(id_: int | None, source: str | None) -> str:
    """A document by its id, and its source where it has one."""
    name = "" if id_ is None else f"#{id_}"
    return f"{name} {printable(source or '')}".strip()
