"""Documents on their way in: cut, hashed and named, before anything is compared or written."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk import columns, readers
from ilk.errors import OptionError
from ilk.readers.reading import PLAINLY
from ilk.readers.rows.documents import read_table
from ilk.readers.rows.memory import is_table, to_table
from ilk.readers.tally import Tally
from ilk.recipes.recipe import Recipe
from ilk.search.gathered import gather
from ilk.store import records
from ilk.store.db.evidence import packed
from ilk.store.matching import Subjects
from ilk.store.opened import Opened
from ilk.system.running import ALONE

#: What is known of documents that were read.
_READ = ("bytes_digest", "digest", "fingerprint", "reason")

#: A batch of documents is never too large for memory.
_ALL = 1 << 62


@dataclass(frozen=True, slots=True)
class Incoming:
    """n documents that come in.

    Attributes:
        subjects: as they are compared.
        sources, titles, metadata: as they are stored.
        reasons: why a document has no fingerprint.
        texts: None where they are not kept.
        added: when, in microseconds since 1970.
        links: the documents whose duplicates they were said to be.
    """

    subjects: Subjects
    sources: Sequence[str | None]
    titles: Sequence[str | None]
    metadata: Sequence[str | None]
    reasons: Sequence[str | None]
    texts: Sequence[str | None]
    added: Sequence[int]
    links: Sequence[int | None]

    def __len__(self) -> int:
        """How many documents."""
        return len(self.subjects)

    def take(self, rows: Sequence[int]) -> Incoming:
        """Some of them."""
        names = ("sources", "titles", "metadata", "reasons", "texts", "added", "links")
        parts = {name: [getattr(self, name)[row] for row in rows] for name in names}
        return self.named(subjects=self.subjects.take(rows), **parts)

    def named(self, **columns_: Any) -> Incoming:
        """The same texts under other names."""
        return replace(self, **columns_)


def prepared(
    opened: Opened,
    documents: pa.RecordBatch | pa.Table,
    titles: Sequence[str | None] | None = None,
    metadata: Sequence[str | None] | None = None,
) -> Incoming:
    """Documents as a reader gives them (``DOCUMENTS``), ready to come in."""
    settings, nothing = opened.settings, [None] * len(documents)
    texts, running = columns.texts(documents["text"]), replace(ALONE, jobs=opened.jobs, memory=_ALL)
    gathered = gather([documents], texts, settings.recipe, settings.shingle, running)
    read = {name: columns.flat(gathered.documents[name]) for name in _READ}
    raw, digests = read["bytes_digest"], read["digest"]
    subjects = Subjects(
        read["fingerprint"],
        digests,
        # A text that is null or blank is like no other, not even like its own copy.
        pc.if_else(digests.is_valid(), raw, pa.scalar(None, raw.type)),
        packed(gathered.evidence()),
    )
    return Incoming(
        subjects,
        documents["source"].to_pylist(),
        titles or nothing,
        metadata or nothing,
        read["reason"].to_pylist(),
        texts.to_pylist() if settings.texts else nothing,
        [records.now()] * len(documents),
        nothing,
    )


def document(text: str | os.PathLike[str], source: str | None) -> pa.Table:
    """The one document that a text is, or the path of a file, as ``DOCUMENTS``.

    Raises:
        OptionError: it is neither.
        SourceNotFound, NothingRead: the file is missing, or cannot be read.
    """
    if not isinstance(text, str | os.PathLike):
        raise OptionError(
            f"the text is {type(text).__name__}; give a str, or a pathlib.Path to a file."
        )
    if isinstance(text, str):
        held = pa.table({"doc": pa.array([0]), "text": columns.texts([text])})
        table = columns.padded(held, columns.DOCUMENTS)
    else:
        table = readers.read_one(text)
    if isinstance(text, str) or source is not None:
        at = table.schema.get_field_index("source")
        named = pa.array([records.written_name(source, "source")], pa.string())
        table = table.set_column(at, table.schema.field(at).with_nullable(True), named)
    return table


def of_table(opened: Opened, documents: Any) -> Incoming:
    """Texts in memory, ready to come in; ``Store.add_many`` explains them.

    Raises:
        ColumnTypeError: there is no column of texts.
        OptionError: a value is not what it must be.
    """
    held = to_table(documents) if is_table(documents) else None
    read = read_table(documents if held is None else held, PLAINLY, Tally())
    given = pa.table({}) if held is None else held
    sources, titles, metadata = (
        names(given[name].to_pylist() if name in given.column_names else None, name, len(read))
        for name in ("source", "title", "metadata")
    )
    for one in metadata:
        records.check_metadata(one)
    if "bytes_digest" in given.column_names:
        digests = columns.flat(given["bytes_digest"]).cast(columns.DIGEST)
        at = read.schema.get_field_index("bytes_digest")
        read = read.set_column(at, read.schema.field(at), digests)
    at = read.schema.get_field_index("source")
    named = read.set_column(
        at, read.schema.field(at).with_nullable(True), pa.array(sources, pa.string())
    )
    return prepared(opened, named, titles, metadata)


def names(values: Sequence[object] | None, what: str, rows: int) -> list[str | None]:
    """Names of n documents as they are stored; none where nothing is given.

    Raises:
        OptionError: one is no string, or they are not as many as the documents.
    """
    given = [None] * rows if values is None else list(values)
    if len(given) != rows:
        raise OptionError(f"{rows} documents have {len(given)} of {what}; give one each.")
    return [records.written_name(value, what) for value in given]


def of_recipe(fingerprints: Any, recipe: Recipe) -> pa.Array:
    """A column of fingerprints, as a store of this recipe has them.

    Raises:
        ColumnTypeError: they are no fingerprints, or one is null.
        RecipeMismatch: they carry another recipe, or have another width.
    """
    columns.same_recipe(str(recipe), columns.carried_recipe(fingerprints))
    values = columns.fingerprints_of(fingerprints, recipe.bits)
    if values.null_count:
        raise OptionError("a fingerprint is null; leave out what has none.")
    return values
