"""The front half of every request: documents are read once, and what is kept of each is enough."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels, columns
from ilk.features import blocks
from ilk.fingerprints.texts import fingerprints
from ilk.pairing import noise
from ilk.pairing.evidence import Evidence, evidence_builder
from ilk.recipes.recipe import Recipe
from ilk.search.sought import Sought
from ilk.steps.fingerprinting import represents
from ilk.system import resources
from ilk.system.mapped import Mapped
from ilk.system.running import Running

#: Bytes of sets that are always held in memory, and that go into files at a time.
PIECE = 8 << 20

#: The part of the memory that sets may take while documents are read is one of these: as much
#: again is taken by the join, and some by all else.
_SHARES = 3

#: The columns of sets, as they stand in files.
_SETS = (pa.uint32(), pa.uint64(), pa.uint32())

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
        evidence: what is kept of their texts, in memory or mapped.
        texts: their texts, as they were measured; read again when they are asked for.
        shingle: words per shingle.
        jobs: threads.
        noise: what is kept of them for their noisy copies; None where none are looked for.
    """

    documents: pa.Table
    evidence: Evidence
    texts: columns.Texts
    shingle: int
    jobs: int
    noise: noise.Kept | None = None


def gather(
    batches: Iterable[pa.RecordBatch | pa.Table],
    texts: columns.Texts,
    recipe: Recipe | None,
    shingle: int,
    running: Running,
    noisy: bool = False,
) -> Gathered:
    """Read documents once, and keep what is needed to pair and judge them.

    Args:
        batches: ``DOCUMENTS``, some at a time.
        texts: the same texts, as they can be had again.
        recipe: how fingerprints are made; None makes none.
        shingle: words per shingle.
        running: threads; and the memory, a part of which the sets may take before they go into
            files (``ilk.system.mapped``).
        noisy: whether noisy copies are looked for.

    Raises:
        OutputError: the disk is full.
    """
    schema, jobs = _schema(recipe), running.jobs
    read = pa.schema([field for field in schema if field.name not in ("length", "digest")])
    tables, builder = [read.empty_table()], evidence_builder(shingle, jobs)
    kept: list[noise.Kept] = []
    share, mapped = max(PIECE, (running.memory - resources.resident()) // _SHARES), None
    for batch in batches:
        found = dict(zip(batch.schema.names, map(columns.flat, batch.columns), strict=True))
        column = columns.texts(found.pop("text"))
        for piece in columns.kernel_chunks(column):
            builder.add(piece)
        if noisy:
            kept.append(noise.Kept.of(column, jobs))
        if running.memory and builder.nbytes > share:
            mapped = mapped or Mapped(_SETS, running.memory, running.folder)
            mapped.append(builder.hand_over())
            share = PIECE
        found.setdefault("bytes_digest", pa.nulls(len(column), columns.DIGEST))
        if recipe is not None:
            found["fingerprint"], found["reason"] = fingerprints(column, recipe.way(), jobs=jobs)
        tables.append(pa.table([found[name] for name in read.names], schema=read))
    table, evidence = pa.concat_tables(tables).combine_chunks(), _finished(builder, mapped)
    # The bytes digest is the reader's; where it gave none, that of the text's UTF-8.
    raw = pc.coalesce(columns.flat(table["bytes_digest"]), evidence.field("bytes_digest"))
    known = {name: columns.flat(table[name]) for name in read.names}
    known |= {name: evidence.field(name) for name in ("length", "digest")} | {"bytes_digest": raw}
    documents = pa.table([known[name] for name in schema.names], schema=schema)
    rest = noise.Kept.together(kept) if noisy else None
    return Gathered(documents, evidence.replaced(bytes_digest=raw), texts, shingle, jobs, rest)


def _finished(builder: _kernels.EvidenceBuilder, mapped: Mapped | None) -> Evidence:
    """Return what was kept, its sets mapped if some of them stand in files."""
    if mapped is None:
        return Evidence(builder.finish())
    mapped.append(builder.hand_over())
    words, hashes, characters = mapped.columns()
    return Evidence(builder.finish((words, hashes, characters)), mapped=mapped)


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
    kept = None if gathered.noise is None else noise.Kept.of(left, jobs)
    gathered = replace(gathered, documents=documents, evidence=rest, texts=left, noise=kept)
    return gathered, common
