"""Incoming documents: cut, hashed and named, before anything is compared or written."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from ilk import arrow
from ilk import read as readers
from ilk.base.errors import OptionError
from ilk.base.running import ALONE
from ilk.fingerprints.recipe import Recipe
from ilk.fingerprints.texts import fingerprints
from ilk.read.documents import read_table
from ilk.read.reading import PLAINLY
from ilk.read.report import ReadReport
from ilk.read.rows.tables import is_table, named_paths, names_files, to_table
from ilk.search import noise
from ilk.search.text_evidence import TextEvidence, kept_of
from ilk.store import records
from ilk.store.matching import Subject
from ilk.store.opened import Opened
from ilk.store.records import Entering


@dataclass(frozen=True, slots=True)
class Incoming:
    """n incoming documents.

    Attributes:
        subjects: in the form for comparison.
        sources, titles, metadata: in the form in which they are stored.
        reasons: why a document has no fingerprint.
        texts: None if they are not kept.
        added: when, in microseconds since 1970.
        links: the documents that they were linked to as duplicates.
    """

    subjects: Sequence[Subject]
    sources: Sequence[str | None]
    titles: Sequence[str | None]
    metadata: Sequence[str | None]
    reasons: Sequence[str | None]
    texts: Sequence[str | None]
    added: Sequence[int]
    links: Sequence[int | None]

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.subjects)

    def take(self, rows: Sequence[int]) -> Incoming:
        """Return some of them."""
        names = ("subjects", "sources", "titles", "metadata", "reasons", "texts", "added", "links")
        parts = {name: [getattr(self, name)[row] for row in rows] for name in names}
        return self.named(**parts)

    def named(self, **columns_: Any) -> Incoming:
        """Return the same texts under other names."""
        return replace(self, **columns_)


def prepared(
    opened: Opened,
    documents: pa.RecordBatch | pa.Table,
    titles: Sequence[str | None] | None = None,
    metadata: Sequence[str | None] | None = None,
) -> Incoming:
    """Prepare documents from a reader (``DOCUMENTS``).

    If no title or no metadata are given, those that the document declares are used.
    """
    nothing = [None] * len(documents)
    return _prepared(
        opened,
        arrow.texts(documents["text"]),
        documents["source"].to_pylist(),
        documents["bytes_digest"].to_pylist(),
        *_said(documents, titles or nothing, metadata or nothing),
    )


def _said(
    documents: pa.RecordBatch | pa.Table,
    titles: Sequence[str | None],
    metadata: Sequence[str | None],
) -> tuple[list[str | None], list[str | None]]:
    found, more = list(titles), list(metadata)
    if "declared" in documents.schema.names:
        for at, one in enumerate(documents["declared"].to_pylist()):
            said = {name: value for name, value in (one or {}).items() if value is not None}
            title = records.written_name(said.pop("title", None), "title")
            found[at] = title if found[at] is None else found[at]
            if said and more[at] is None:
                more[at] = records.written_metadata(said)
    return found, more


def one(
    opened: Opened,
    text: str | os.PathLike[str] | Sequence[str],
    source: str | None = None,
    title: str | None = None,
    metadata: str | None = None,
) -> Incoming:
    """Prepare one document: a text, by itself or in a list, or the path of a file."""
    if isinstance(text, list | tuple) and len(text) == 1 and isinstance(text[0], str):
        text = text[0]
    elif isinstance(text, str) and names_files(text):
        raise OptionError(
            f"{text!r} names a file. Write which you mean: Path({text!r}) for the file, or "
            f"[{text!r}] for these words as the text."
        )
    name = records.written_name(source, "source")
    if isinstance(text, str):
        return _prepared(opened, arrow.texts([text]), [name], [None], [title], [metadata])
    if not isinstance(text, os.PathLike):
        raise OptionError(
            f"the text is {type(text).__name__}; give a str, or a pathlib.Path to a file."
        )
    reading = PLAINLY.keeping(opened.cache)
    read = prepared(opened, readers.read_one(text, reading), [title], [metadata])
    return read if source is None else read.named(sources=[name])


def _prepared(
    opened: Opened,
    texts: pa.ChunkedArray,
    sources: Sequence[str | None],
    bytes_digests: Sequence[bytes | None],
    titles: Sequence[str | None] | None,
    metadata: Sequence[str | None] | None,
) -> Incoming:
    """Prepare texts with what is known of them; a bytes digest of None means that of their
    UTF-8.
    """
    settings, nothing = opened.settings, [None] * len(texts)
    kept = kept_of(texts, settings.shingle, opened.jobs)
    values, reasons = fingerprints(texts, opened.way, jobs=opened.jobs)
    prints = arrow.stored_values(values).to_pylist()
    written = texts.to_pylist() if settings.texts else nothing
    given = zip(prints, kept, bytes_digests, strict=True)
    subjects = [_subject(*one) for one in given]
    if settings.noise is not None:
        sets = noise.NoiseEvidence.of(texts, opened.jobs).singles()
        parts = zip(subjects, sets, written, strict=True)
        subjects = [
            one if text is None else one._replace(sets=own, text=text) for one, own, text in parts
        ]
    return Incoming(
        subjects,
        sources,
        titles or nothing,
        metadata or nothing,
        reasons.to_pylist(),
        written,
        [records.now()] * len(texts),
        nothing,
    )


def _subject(value: int | bytes | None, kept: TextEvidence, raw: bytes | None) -> Subject:
    """Return a text in the form for comparison; ``raw`` is the digest of its original bytes, if
    known.

    A null or blank text is like no other, not even like its own copy.
    """
    found = Subject(value, kept.digest, kept.bytes_digest, kept)
    if kept.digest is None:
        return found.of_bytes(None)
    return found if raw is None else found.of_bytes(raw)


def of_table(opened: Opened, documents: Any) -> Incoming:
    """Prepare texts in memory; ``Store.add_many`` explains them."""
    if named_paths(documents) is not None:
        tally, reading = ReadReport(), PLAINLY.keeping(opened.cache)
        batches = readers.read(documents, reading, replace(ALONE, jobs=opened.jobs), tally)
        files = pa.Table.from_batches(batches, schema=arrow.DOCUMENTS)
        readers.check(files, tally)
        return prepared(opened, files)
    held = to_table(documents) if is_table(documents) else None
    read = read_table(documents if held is None else held, PLAINLY, ReadReport())
    given = pa.table({}) if held is None else held
    if isinstance(documents, Mapping):
        given = pa.table({"source": read["id"]})
    sources, titles, metadata = (
        names(given[name].to_pylist() if name in given.column_names else None, name, len(read))
        for name in ("source", "title", "metadata")
    )
    for one in metadata:
        records.check_metadata(one)
    if "bytes_digest" in given.column_names:
        digests = arrow.flat(given["bytes_digest"]).cast(arrow.DIGEST)
        at = read.schema.get_field_index("bytes_digest")
        read = read.set_column(at, read.schema.field(at), digests)
    if "declared" in given.column_names and given.schema.field("declared").type == arrow.DECLARED:
        at = read.schema.get_field_index("declared")
        read = read.set_column(at, read.schema.field(at), arrow.flat(given["declared"]))
    at = read.schema.get_field_index("source")
    named = read.set_column(
        at, read.schema.field(at).with_nullable(True), pa.array(sources, pa.string())
    )
    return prepared(opened, named, titles, metadata)


def names(values: Sequence[object] | None, what: str, rows: int) -> list[str | None]:
    """Return names of n documents in the form in which they are stored; none if not given."""
    given = [None] * rows if values is None else list(values)
    if len(given) != rows:
        raise OptionError(f"{rows} documents, but {len(given)} {what}; give one for each.")
    return [records.written_name(value, what) for value in given]


def of_recipe(fingerprints: Any, recipe: Recipe) -> pa.Array:
    """Return a column of fingerprints, in the form for a store with this recipe."""
    arrow.same_recipe(str(recipe), arrow.carried_recipe(fingerprints))
    values = arrow.fingerprints_of(fingerprints, recipe.bits)
    if values.null_count:
        raise OptionError("a fingerprint is null; leave out documents without one.")
    return values


def of_clients(opened: Opened, documents: Sequence[Entering]) -> Incoming:
    """Prepare documents: one of any kind, or texts."""
    named = (records.named(each.metadata, each.id) for each in documents)
    metadata = list(map(records.written_metadata, named))
    titles = [records.written_name(each.title, "title") for each in documents]
    if len(documents) == 1:
        first = documents[0]
        text = [first.text] if isinstance(first.text, str) else first.text
        return one(opened, text, first.source, titles[0], metadata[0])
    sources = [records.written_name(each.source, "source") for each in documents]
    names = {"source": sources, "title": titles, "metadata": metadata}
    texts = arrow.texts([os.fspath(each.text) for each in documents])
    written = {name: pa.array(values, pa.string()) for name, values in names.items()}
    return of_table(opened, pa.table({"text": texts, **written}))
