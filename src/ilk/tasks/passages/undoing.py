"""Undoing cuts: the account beside an output has the original of every row that was cut."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ilk import arrow, write
from ilk.base.errors import PlanError
from ilk.base.parsed import parsed
from ilk.base.running import ALONE
from ilk.fingerprints.digest import bytes_digests
from ilk.read import Reading
from ilk.read.rows import open_any
from ilk.read.rows.sources import Source
from ilk.tasks.passages.cutting import restored
from ilk.write import accounts

#: The files of an account.
CUTS, ROWS = "cuts.parquet", "rows.parquet"

#: Rows that were cut: their numbers, their original bytes, and the digest of what was written.
_ROWS = pa.schema({"doc": pa.int64(), "row": pa.large_binary(), "digest": arrow.DIGEST})

#: Rows written at a time.
_TOGETHER = 1_000


class Record:
    """Writes the rows that are cut into an account."""

    def __init__(self, writer: pq.ParquetWriter) -> None:
        """Start without rows."""
        self._writer = writer
        self._held: list[tuple[int, bytes, bytes]] = []

    def add(self, doc: int, before: bytes, after: bytes) -> None:
        """Add a row as it was, and as it is written."""
        self._held.append((doc, before, after))
        if len(self._held) == _TOGETHER:
            self.flush()

    def flush(self) -> None:
        """Write the rows held."""
        if self._held:
            docs, before, after = zip(*self._held, strict=True)
            self._writer.write_table(pa.table([docs, before, _digests(after)], schema=_ROWS))
            self._held.clear()


@contextmanager
def recorded(folder: Path) -> Iterator[Record]:
    """Open the record of an account, which appears complete or not at all.

    Raises:
        OutputError: it cannot be written.
    """
    with (
        write.whole_file(folder / ROWS) as out,
        pq.ParquetWriter(out, _ROWS, compression="zstd") as writer,
    ):
        record = Record(writer)
        yield record
        record.flush()


def undo(account: Path, output: Path, *, force: bool = False) -> int:
    """Write the documents of an output as they were before they were cut.

    Rows of JSON lines and CSV are restored byte for byte (in UTF-8); tables get the same values.

    Args:
        account: the folder beside the output, ``output.ilk``.
        output: the file to write, in the format of the one that was cut.
        force: replace existing output.

    Returns:
        How many rows had been cut.

    Raises:
        PlanError: the folder is not an account of cuts, or the rows are not those that were
            written.
        OutputError: it cannot be written.
    """
    try:
        asked = parsed((account / accounts.REPORT).read_bytes())["cut"]
        cuts = pq.read_table(account / CUTS, use_threads=False)
    except (OSError, ValueError, KeyError) as error:
        raise PlanError(
            f"{account} is not an account of cuts ({error}); `ilk passages --cut` writes one."
        ) from None
    cut = account.with_name(account.name.removesuffix(".ilk"))
    if not cut.is_file() or cut == account:
        raise PlanError(f"the cut rows are gone: there is no {cut} beside {account}.")
    write.check(output, force=force, read=lambda: write.files([cut]))
    if (account / ROWS).exists():
        return _rows(cut, account / ROWS, asked, output)
    return _table(cut, cuts, asked, output)


def _rows(cut: Path, record: Path, asked: dict[str, Any], output: Path) -> int:
    """Put the rows of a record back into a file of JSON lines or CSV."""
    rows = open_any([cut], Reading.of(text=asked["column"]), ALONE)
    known = pq.ParquetFile(record)
    left = (row for batch in known.iter_batches(_TOGETHER) for row in batch.to_pylist())
    following = next(left, None)

    def edit(source: Source, doc: int, row: bytes) -> bytes:
        nonlocal following
        del source
        if following is None or doc != following["doc"]:
            return row
        if _digests([row])[0].as_py() != following["digest"]:
            raise _changed(cut, doc)
        before: bytes = following["row"]
        following = next(left, None)
        return before

    _check_rows(cut, rows.rows(), asked["rows"])
    rows.write(pa.repeat(True, asked["rows"]), output, edit=edit, force=True)
    return int(known.metadata.num_rows)


def _table(cut: Path, cuts: pa.Table, asked: dict[str, Any], output: Path) -> int:
    """Put the cuts back into a Parquet table."""
    table, name = pq.read_table(cut, use_threads=False), asked["column"]
    _check_rows(cut, len(table), asked["rows"])
    texts = table[name].to_pylist()
    by_doc: dict[int, list[dict[str, Any]]] = {}
    for row in cuts.to_pylist():
        by_doc.setdefault(row["doc"], []).append(row)
    for doc, rows in by_doc.items():
        content = str(texts[doc]).encode()
        marks = [(row["at"], str(row["mark"]).encode()) for row in rows]
        if not all(content[at : at + len(mark)] == mark for at, mark in marks):
            raise _changed(cut, doc)
        texts[doc] = restored(texts[doc], rows)
    at = table.column_names.index(name)
    column = pa.chunked_array([pa.array(texts, table.schema.field(at).type)])
    with write.whole_file(output) as out:
        write.write_parquet(table.set_column(at, table.schema.field(at), column), out, {})
    return len(by_doc)


def _check_rows(cut: Path, there: int, written: int) -> None:
    """Refuse an output with more or fewer rows than were written.

    Raises:
        PlanError: the number differs.
    """
    if there != written:
        raise PlanError(f"{cut} has {there:,} rows, but {written:,} were written; it has changed.")


def _changed(cut: Path, doc: int) -> PlanError:
    return PlanError(f"row {doc:,} of {cut} is not the one that was written; nothing was undone.")


def _digests(rows: Iterable[bytes]) -> pa.Array:
    """Return digests of rows without the separators around them, which writers choose."""
    return bytes_digests([row.strip() for row in rows])
