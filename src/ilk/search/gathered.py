"""The front half of every request: documents are read once, and what is kept of each is enough."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc

from ilk import columns
from ilk.features import blocks
from ilk.fingerprints.texts import fingerprints
from ilk.pairing.evidence import Evidence, Thresholds, evidence_builder
from ilk.recipes.recipe import Recipe
from ilk.search.sought import Sought
from ilk.steps.fingerprinting import represents
from ilk.system.running import Running

#: What a document is known by beside its evidence.
_KNOWN = [
    *(field for field in columns.DOCUMENTS if field.name not in ("text", "bytes_digest")),
    columns.EVIDENCE.field("length"),
    columns.EVIDENCE.field("digest"),
    columns.EVIDENCE.field("bytes_digest"),
]


@dataclass(frozen=True, slots=True)
class Gathered:
    """Documents that were read.

    Attributes:
        documents: what is known of each but its text: the columns of ``DOCUMENTS``, ``length``
            (bytes of text), ``digest``, and the ``fingerprint`` with the ``reason`` where there is
            none.
        kept: what is kept of their texts; None where it did not fit in memory.
        texts: their texts, as they were measured; read again when they are asked for.
        shingle: words per shingle.
        jobs: threads.
    """

    documents: pa.Table
    kept: Evidence | None
    texts: columns.Texts
    shingle: int
    jobs: int

    def evidence(self, rows: pa.Array | None = None) -> Evidence:
        """Return what is kept of some documents, or of all; where it has to be, read again.

        Args:
            rows: m different rows, ascending; None takes all.
        """
        if rows is None:
            return self.kept or self._read(self.texts, columns.flat(self.documents["bytes_digest"]))
        if self.kept is not None:
            return Evidence(self.kept.rows.take(rows))
        texts = columns.picked(self.texts, rows)
        return self._read(texts, columns.flat(self.documents["bytes_digest"].take(rows)))

    def judge(self, left: pa.Array, right: pa.Array, thresholds: Thresholds) -> pa.Table:
        """Judge pairs of documents, as ``Evidence.judge`` does; the columns are in their order."""
        if self.kept is not None:
            return self.kept.judge(left, right, thresholds)
        rows = pc.unique(pa.concat_arrays([left, right]))
        rows = rows.take(pc.sort_indices(rows))
        one, other = (pc.index_in(side, value_set=rows).cast(pa.int64()) for side in (left, right))
        judged = self.evidence(rows).judge(one, other, thresholds)
        return judged.set_column(0, "left", left).set_column(1, "right", right)

    def _read(self, texts: columns.Chunks, raw: pa.Array) -> Evidence:
        return Evidence.of(texts, self.shingle, self.jobs).replaced(bytes_digest=raw)


def gather(
    batches: Iterable[pa.RecordBatch | pa.Table],
    texts: columns.Texts,
    recipe: Recipe | None,
    shingle: int,
    running: Running,
) -> Gathered:
    """Read documents once, and keep what is needed to pair and judge them.

    Args:
        batches: ``DOCUMENTS``, some at a time.
        texts: the same texts, as they can be had again.
        recipe: how fingerprints are made; None makes none.
        shingle: words per shingle.
        running: threads, and the memory that what is kept may take; what does not fit is let go.
    """
    schema, jobs = _schema(recipe), running.jobs
    read = pa.schema([field for field in schema if field.name not in ("length", "digest")])
    tables, builder, fits = [read.empty_table()], evidence_builder(shingle, jobs), True
    for batch in batches:
        found = dict(zip(batch.schema.names, map(columns.flat, batch.columns), strict=True))
        column = columns.texts(found.pop("text"))
        for piece in columns.kernel_chunks(column):
            builder.add(piece)
        if fits and builder.nbytes > running.memory:
            builder.forget_sets()
            fits = False
        found.setdefault("bytes_digest", pa.nulls(len(column), columns.DIGEST))
        if recipe is not None:
            found["fingerprint"], found["reason"] = fingerprints(column, recipe.way(), jobs=jobs)
        tables.append(pa.table([found[name] for name in read.names], schema=read))
    table, evidence = pa.concat_tables(tables).combine_chunks(), Evidence(builder.finish())
    # The bytes digest is the reader's; where it gave none, that of the text's UTF-8.
    raw = pc.coalesce(columns.flat(table["bytes_digest"]), evidence.field("bytes_digest"))
    known = {name: columns.flat(table[name]) for name in read.names}
    known |= {name: evidence.field(name) for name in ("length", "digest")} | {"bytes_digest": raw}
    documents = pa.table([known[name] for name in schema.names], schema=schema)
    kept = evidence.replaced(bytes_digest=raw) if fits else None
    return Gathered(documents, kept, texts, shingle, jobs)


def _schema(recipe: Recipe | None) -> pa.Schema:
    """Return what is known of documents, with their fingerprints as the recipe makes them."""
    if recipe is None:
        return pa.schema(_KNOWN)
    fields = [columns.FINGERPRINTS.field(name) for name in ("fingerprint", "reason")]
    return columns.with_recipe(pa.schema([*_KNOWN, *fields]), str(recipe), recipe.bits)


def without_common(
    gathered: Gathered, representatives: pa.Array, sought: Sought
) -> tuple[Gathered, pa.Table]:
    """Leave blocks that recur in many documents out of what is kept of their texts.

    Copies of one text count once. Digests stay those of the whole texts, so that copies stay
    copies. All texts are read again, and held.

    Args:
        gathered: documents that were read.
        representatives: per document the one that stands for its copies.
        sought: how many texts a block may stand in without being common, and how what is left is
            fingerprinted.

    Returns:
        The documents, ``fingerprint`` and ``reason`` changed, with what is kept of what is left of
        their texts; and ``hash``, ``documents`` and ``text`` of every common block.
    """
    assert sought.common_blocks is not None, "there is a number of documents to exceed"
    documents, jobs, held = gathered.documents, gathered.jobs, columns.held(gathered.texts)
    once = columns.only(held, represents(representatives))
    common = blocks.common(once, sought.common_blocks, jobs=jobs)
    left = blocks.without(held, common, jobs=jobs)
    values, reasons = fingerprints(left, sought.recipe.way(), jobs=jobs)
    # Blank by its digest, a text was so before.
    emptied = pc.and_(pc.equal(reasons, "blank"), columns.flat(documents["digest"]).is_valid())
    reasons = pc.if_else(pc.fill_null(emptied, False), "nothing but common blocks", reasons)
    for name, column in (("fingerprint", values), ("reason", reasons)):
        at = documents.schema.get_field_index(name)
        documents = documents.set_column(at, documents.schema.field(at), column)
    digests = {name: columns.flat(documents[name]) for name in ("digest", "bytes_digest")}
    rest = Evidence.of(left, gathered.shingle, jobs).replaced(**digests)
    return replace(gathered, documents=documents, kept=rest, texts=left), common
