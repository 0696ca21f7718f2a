"""The verbs for a whole store."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ilk.base.errors import OptionError, SourceNotFound, StoreFormatError
from ilk.cli import options, output
from ilk.cli.store import shared
from ilk.cli.wording import counted, printable
from ilk.read import Tally

if TYPE_CHECKING:
    from ilk.store import Store


def sync(args: argparse.Namespace, store: Store) -> int:
    """Synchronise the store with a folder, print what changed, and return the exit code."""
    tally = Tally()
    with output.progress(args) as meter:
        names = options.given(args, *options.FILES)
        synced = store.sync(args.folder, **names, tally=tally, progress=meter)
    for kind, files in (("new", synced.new), ("changed", synced.changed)):
        for file in files:
            shared.show_added(args, file.source, file.added, kind)
    for moved in synced.moved:
        line = f"moved: {printable(moved.was or '')} -> {printable(moved.source)}"
        output.show(args, {"file": "moved", **moved._asdict()}, [line])
    for source in synced.vanished:
        record = {"file": "vanished", "source": source}
        output.show(args, record, [f"vanished: {printable(source)}"])
    kinds = ("new", "changed", "moved", "vanished")
    counts = {kind: len(getattr(synced, kind)) for kind in kinds} | {"unchanged": synced.unchanged}
    line = ", ".join(f"{number:,} {name}" for name, number in counts.items())
    output.show(args, {"summary": counts}, [f"files: {line}"])
    return output.unread(args, tally)


def stats(args: argparse.Namespace, store: Store) -> None:
    """Print how much is stored."""
    numbers = store.stats()
    output.show(args, numbers, _lines(numbers))


def _lines(numbers: dict[str, Any]) -> Iterator[str]:
    for name, value in numbers.items():
        shown = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else value
        yield f"{name.replace('_', ' '):<20}{shown}"


def export(args: argparse.Namespace, store: Store) -> None:
    """Write every document to a Parquet file."""
    import pyarrow.parquet as pq

    from ilk.write import whole_file

    _check_name(args.file)
    output.check(args, Path(args.file))
    rows = 0
    with (
        store.to_arrow() as documents,
        whole_file(Path(args.file)) as out,
        pq.ParquetWriter(out, documents.schema, compression="zstd") as parquet,
    ):
        for batch in documents:
            parquet.write_batch(batch)
            rows += len(batch)
    print(f"{counted(rows, 'document')} written")


def import_file(args: argparse.Namespace, store: Store) -> None:
    """Add the documents of an exported file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    _check_name(args.file)
    if not Path(args.file).exists():
        raise SourceNotFound(f"there is no {args.file!r} (seen from {os.getcwd()!r}).")
    try:
        documents = pq.read_table(args.file, use_threads=False)
    except pa.ArrowException as error:
        raise StoreFormatError(f"{args.file} is not a Parquet file: {error}.") from error
    if "text" not in documents.column_names:
        raise OptionError(
            f"{args.file} has no texts: its store was made without --texts. Add the documents "
            "from where they are: ilk store add."
        )
    print(f"{counted(len(store.add_many(documents)), 'document')} added")


def _check_name(name: str) -> None:
    if Path(name).suffix != ".parquet":
        raise OptionError(f"the name {name!r} must end in .parquet.")


def backup(args: argparse.Namespace, store: Store) -> None:
    """Copy the store."""
    store.backup(args.file)


def validate(args: argparse.Namespace, store: Store) -> int:
    """Look for damage, print it, and return the exit code."""
    validated = store.validate(args.sample)
    record = asdict(validated)
    counts = (f"{n:,} {what.replace('_', ' ')}" for what, n in record.items() if what != "problems")
    output.show(args, record, [*validated.problems, f"looked at: {', '.join(counts)}"])
    return output.ERROR if validated.problems else output.DONE


def rebuild(_: argparse.Namespace, store: Store) -> None:
    """Make the packed fingerprints again."""
    store.rebuild()
