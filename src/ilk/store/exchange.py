"""Export and import: every document with everything stored about it, as rows.

Parquet and JSON lines have everything, and can be imported. CSV is for people: it leaves out the
evidence and the texts.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from ilk import _kernels, arrow
from ilk import write as writers
from ilk.base.errors import OptionError, RecipeMismatch, SourceNotFound, StoreFormatError
from ilk.base.parsed import parsed
from ilk.search.text_evidence import TextEvidence
from ilk.store import checkin
from ilk.store.db import contents, tables
from ilk.store.incoming import Incoming, with_sets
from ilk.store.matching import Subject
from ilk.store.opened import Opened
from ilk.store.records import Row, check_metadata, written_name

#: The extensions of exported files, and whether they can be imported.
FORMATS = {".parquet": True, ".jsonl": True, ".csv": False}

#: The evidence of a text.
_EVIDENCE = ("length", "words", "wide", "word_shingles", "character_shingles", "masked_digest")

#: Columns that CSV leaves out.
_NOT_FOR_PEOPLE = ("text", *_EVIDENCE)

#: Bytes of a digest.
_DIGEST = 16

#: Rows to import together.
_AT_ONCE = 10_000


def _schema(bits: int) -> pa.Schema:
    return pa.schema(
        [
            pa.field("recipe", pa.string(), nullable=False),
            pa.field("measured_by", pa.int64(), nullable=False),
            pa.field("id", pa.int64(), nullable=False),
            pa.field("source", pa.string()),
            pa.field("title", pa.string()),
            pa.field("metadata", pa.string()),
            pa.field("text", pa.large_string()),
            pa.field("fingerprint", arrow.stored_values(arrow.fingerprints_of([], bits)).type),
            pa.field("reason", pa.string()),
            pa.field("digest", pa.binary()),
            pa.field("bytes_digest", pa.binary()),
            pa.field("copy_of", pa.int64()),
            pa.field("keeper", pa.int64()),
            pa.field("duplicate_of", pa.int64()),
            pa.field("added", pa.int64(), nullable=False),
            pa.field("updated", pa.int64(), nullable=False),
            pa.field("length", pa.int64()),
            pa.field("words", pa.int64()),
            pa.field("wide", pa.bool_()),
            pa.field("word_shingles", pa.large_binary()),
            pa.field("character_shingles", pa.large_binary()),
            pa.field("masked_digest", pa.binary()),
        ]
    )


def ending(path: str | os.PathLike[str]) -> str:
    """Return the format of a name.

    Raises:
        OptionError: it does not name one.
    """
    found = os.path.splitext(os.fspath(path))[1].lower()
    if found not in FORMATS:
        raise OptionError(
            f"the name {str(path)!r} does not name a format; it must end in {', '.join(FORMATS)}."
        )
    return found


def export(opened: Opened, path: str | os.PathLike[str]) -> int:
    """Write every document to a file; return how many. ``Store.export`` explains it."""
    form = ending(path)
    schema, count = _schema(opened.settings.recipe.bits), 0
    with opened.reading(), writers.whole_file(Path(path)) as out:
        write = _writer(form, schema, out)
        for rows in tables.every_row(opened.connection):
            write(pa.Table.from_pylist(_exported(opened, rows), schema))
            count += len(rows)
        write(None)
    return count


def _exported(opened: Opened, rows: Sequence[Row]) -> list[dict[str, Any]]:
    evidence = contents.evidence(opened.connection, [row.id for row in rows])
    settings = opened.settings
    return [
        {
            "recipe": str(settings.recipe),
            "measured_by": settings.shingle,
            **row._asdict(),
            "text": contents.text(opened.connection, row.id) if settings.texts else None,
            **_measured(evidence.get(row.id)),
        }
        for row in rows
    ]


def _measured(kept: TextEvidence | None) -> dict[str, Any]:
    return {} if kept is None else {name: getattr(kept, name) for name in _EVIDENCE}


def _writer(form: str, schema: pa.Schema, out: IO[bytes]) -> Any:
    """Receive tables one after the other, and None at the end."""
    if form == ".parquet":
        import pyarrow.parquet

        parquet = pyarrow.parquet.ParquetWriter(out, schema, compression="zstd")
        return lambda table: parquet.close() if table is None else parquet.write_table(table)
    if form == ".csv":
        import pyarrow.csv

        names = [name for name in schema.names if name not in _NOT_FOR_PEOPLE]
        small = pa.schema([_plain(schema.field(name)) for name in names])
        csv = pyarrow.csv.CSVWriter(out, small)
        return lambda table: csv.close() if table is None else csv.write(_small(table, small))
    return lambda table: None if table is None else writers.write_jsonl(_lines(table), out)


def _plain(field: pa.Field) -> pa.Field:
    binary = pa.types.is_binary(field.type) or pa.types.is_fixed_size_binary(field.type)
    return field.with_type(pa.string()) if binary else field


def _small(table: pa.Table, schema: pa.Schema) -> pa.Table:
    rows = ({name: _hexed(row[name]) for name in schema.names} for row in writers.plain_rows(table))
    return pa.Table.from_pylist(list(rows), schema)


def _lines(table: pa.Table) -> Iterator[dict[str, Any]]:
    for row in writers.plain_rows(table):
        plain = {name: _hexed(value) for name, value in row.items()}
        yield plain | {"metadata": parsed(row["metadata"] or "{}")}


def _hexed(value: Any) -> Any:
    return value.hex() if isinstance(value, bytes) else value


def import_(opened: Opened, path: str | os.PathLike[str]) -> int:
    """Add the documents of an exported file; return how many. ``Store.import_`` explains it."""
    form = ending(path)
    if not FORMATS[form]:
        raise OptionError(
            f"{path}: an exported {form[1:]} has no evidence; import .parquet or .jsonl."
        )
    if not os.path.exists(path):
        raise SourceNotFound(f"there is no {str(path)!r} (seen from {os.getcwd()!r}).")
    read = _parquet_rows if form == ".parquet" else _json_rows
    # The id of a document there, and here; and what it was linked to there.
    ids: dict[int, int] = {}
    links: dict[int, int] = {}
    with opened.writing():
        for rows in read(path):
            added = checkin.add(opened, _incoming(opened, path, rows), "report")
            here = {one.id: row for one, row in zip(added, rows, strict=True) if one.id is not None}
            ids |= {row["id"]: id_ for id_, row in here.items()}
            links |= {id_: row["duplicate_of"] for id_, row in here.items()}
        known = {id_: ids[other] for id_, other in links.items() if other in ids}
        tables.set_links(opened.connection, known)
    return len(links)


def _parquet_rows(path: str | os.PathLike[str]) -> Iterator[list[dict[str, Any]]]:
    import pyarrow.parquet

    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(_AT_ONCE):
                yield batch.to_pylist()
    except pa.ArrowException as error:
        raise _refused(path, error) from error


def _json_rows(path: str | os.PathLike[str]) -> Iterator[list[dict[str, Any]]]:
    with open(path, encoding="utf-8") as lines:
        held: list[dict[str, Any]] = []
        try:
            for line in lines:
                held.append(_unhexed(parsed(line)))
                if len(held) == _AT_ONCE:
                    yield held
                    held = []
        except (AttributeError, TypeError, ValueError) as error:
            raise _refused(path, error) from error
        if held:
            yield held


def _unhexed(row: dict[str, Any]) -> dict[str, Any]:
    names = ("digest", "bytes_digest", "word_shingles", "character_shingles", "masked_digest")
    found = row | {name: bytes.fromhex(row[name]) for name in names if row.get(name) is not None}
    if isinstance(row.get("fingerprint"), str):
        found["fingerprint"] = bytes.fromhex(row["fingerprint"])
    return found | {"metadata": json.dumps(row["metadata"]) if row.get("metadata") else None}


def _incoming(
    opened: Opened,
    path: str | os.PathLike[str],
    rows: Sequence[Mapping[str, Any]],
) -> Incoming:
    """Return rows of a file as incoming documents.

    Raises:
        StoreFormatError: a row was not exported by ilk.
        RecipeMismatch: the store has another recipe, or measures by other shingles.
        OptionError: the store aligns texts, and one is missing.
    """
    settings = opened.settings
    ways = {(str(row.get("recipe")), str(row.get("measured_by"))) for row in rows}
    for recipe, shingle in ways - {(str(settings.recipe), str(settings.shingle))}:
        raise RecipeMismatch(
            f"{path} is of {recipe!r}, measured by {shingle} words, but the store is of "
            f"{str(settings.recipe)!r}, by {settings.shingle}. Import it into another store."
        )
    if settings.noise is not None:
        _check_texts(path, rows)
    try:
        for row in rows:
            check_metadata(row["metadata"])
            # They are looked up when all rows have been added.
            pa.array(
                [row["id"], 0 if row["duplicate_of"] is None else row["duplicate_of"]], pa.int64()
            )
        values = arrow.fingerprints_of([row["fingerprint"] for row in rows], settings.recipe.bits)
        prints = arrow.stored_values(values).to_pylist()
        subjects = [
            Subject(value, _digest(row, "digest"), _digest(row, "bytes_digest"), _kept(row))
            for value, row in zip(prints, rows, strict=True)
        ]
        texts = [written_name(row["text"], "text") if settings.texts else None for row in rows]
        return Incoming(
            with_sets(opened, subjects, texts),
            [written_name(row["source"], "source") for row in rows],
            [written_name(row["title"], "title") for row in rows],
            [row["metadata"] for row in rows],
            [written_name(row["reason"], "reason") for row in rows],
            texts,
            [int(row["added"]) for row in rows],
            [None] * len(rows),
        )
    except (KeyError, TypeError, ValueError, OverflowError, pa.ArrowException) as error:
        raise _refused(path, error) from error


def _check_texts(path: str | os.PathLike[str], rows: Sequence[Mapping[str, Any]]) -> None:
    """Refuse documents that are measured but have no text.

    Raises:
        OptionError: a text is missing.
    """
    if any(row.get("words") is not None and row.get("text") is None for row in rows):
        raise OptionError(
            f"{path} has no texts, but a store made with noise needs them. Export from a store "
            "that keeps texts, or import into a store made without noise."
        )


def _digest(row: Mapping[str, Any], name: str) -> bytes | None:
    """Return a digest of a row.

    Raises:
        ValueError: it has another length.
    """
    found = None if row[name] is None else bytes(row[name])
    if found is not None and len(found) != _DIGEST:
        raise ValueError(f"the {name} is not of {_DIGEST} bytes")
    return found


def _kept(row: Mapping[str, Any]) -> TextEvidence | None:
    """Return what is kept of a row's text; None if only its fingerprint is known.

    Raises:
        ValueError: it is not what a store writes.
    """
    if row["words"] is None:
        return None
    digests = [_digest(row, name) for name in ("digest", "bytes_digest", "masked_digest")]
    one = TextEvidence._make(
        [
            *digests,
            # Files of the first version do not have it.
            None if row.get("length") is None else int(row["length"]),
            int(row["words"]),
            bool(row["wide"]),
            bytes(row["word_shingles"]),
            row["character_shingles"],
        ]
    )
    ascending = _kernels.is_set(one.word_shingles, one.wide)
    if not ascending or not _kernels.is_set(one.character_shingles or b"", False):
        raise ValueError("a set of shingles is not ascending")
    return one


def _refused(path: str | os.PathLike[str], error: Exception) -> StoreFormatError:
    return StoreFormatError(
        f"{path} is not what `ilk store export` writes: {error!r}. To add texts from rows, use "
        "`ilk store add`."
    )
