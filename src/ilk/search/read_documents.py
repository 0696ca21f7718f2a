"""The first half of every request: documents are read once, and enough of each is kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels, arrow
from ilk.base import mapped, resources
from ilk.base.ahead import map_ahead
from ilk.base.checkpoints import UnwrittenTable
from ilk.base.mapped import MappedColumns
from ilk.base.run_options import Running
from ilk.fingerprints import blocks
from ilk.fingerprints.digest import mark_representatives
from ilk.fingerprints.recipe import Recipe
from ilk.fingerprints.texts import fingerprints_or_reasons, make_fingerprint_way
from ilk.read.rows.sources import ROOM
from ilk.search import noise_evidence
from ilk.search.counting import Counting
from ilk.search.evidence import Evidence, lengths_and_digests_as_written, make_evidence_builder

#: Sets may use one of this many parts of the memory while documents are read: the join uses as much
#: again, and everything else uses some.
_PARTS_OF_MEMORY = 3

#: Threads get pieces of texts that are smaller by this factor than those of a call: 4 MB.
_SMALLER = 16

#: A piece of more bytes is one long text, and has no place in a thread that cannot be stopped.
_LONG = 2 * mapped.PIECE

#: The columns of sets in files.
_SETS = (pa.uint32(), pa.uint64(), pa.uint32())

#: What is known of a document besides its evidence.
_MEASURED = [arrow.EVIDENCE.field(name) for name in ("length", "digest", "bytes_digest")]
_READ = [field for field in arrow.DOCUMENTS if field.name not in ("text", "bytes_digest")]
_KNOWN = pa.schema([*_READ, *_MEASURED])


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadDocuments:
    """What is kept of documents that were read.

    Attributes:
        documents: what is known of each, without its text: the columns of ``DOCUMENTS``, ``length``
            (bytes of text), ``digest``, and the ``fingerprint`` or the ``reason`` why there is
            none.
        evidence: the evidence of their texts, in memory or mapped.
        texts: their texts, as they were measured; read again when needed.
        noise: their noise evidence; None if noisy copies are not looked for.
        separates_groups: whether the sets of two groups have nothing in common, since the documents
            came with their groups.
    """

    documents: pa.Table
    evidence: Evidence
    texts: arrow.Texts
    counting: Counting
    jobs: int
    noise: noise_evidence.NoiseEvidence | None = None
    separates_groups: bool = False


#: Why a document has no fingerprint if all its text is that of a base text.
IGNORED_ALONE = "nothing but ignored text"


def read_documents_with_evidence(
    batches: Iterable[pa.RecordBatch | pa.Table],
    texts: arrow.Texts,
    *,
    recipe: Recipe | None,
    counting: Counting,
    running: Running,
    with_noise_evidence: bool = False,
    document_schema: pa.Schema = _KNOWN,
    separates_groups: bool = False,
) -> ReadDocuments:
    """Read documents once, and keep what is needed to pair and judge them.

    Args:
        batches: ``DOCUMENTS``, some at a time; with ``separates_groups``, also ``group``, a digest,
            and the sets of two groups then have nothing in common.
        texts: the same texts, to read again.
        recipe: None makes no fingerprints.
        counting: what counts of a text.
        running: sets may use part of its memory before they go to files (``ilk.base.mapped``).
        with_noise_evidence: whether to keep noise evidence too.
        document_schema: what is known of each document, besides its fingerprint; all, if it is not
            given.
    """
    jobs, schema = running.jobs, document_schema
    if recipe is not None:
        prints = [arrow.FINGERPRINTS.field(name) for name in ("fingerprint", "reason")]
        schema = arrow.with_fingerprint_field_of_recipe(
            pa.schema([*schema, *prints]), str(recipe), recipe.bits
        )
    read = [field for field in schema if field.name not in ("length", "digest")]
    columns = {field.name: [pa.array([], field.type)] for field in read}
    builder = make_evidence_builder(counting, jobs)
    noise_parts: list[noise_evidence.NoiseEvidence] = []
    facts_parts: list[dict[str, pa.Array]] = []
    mapped_sets: MappedColumns | None = None
    free_bytes = running.memory - resources.resident_memory_or_zero()
    max_bytes_in_memory = max(mapped.PIECE, free_bytes // _PARTS_OF_MEMORY)
    numbers = GroupNumbers() if separates_groups else None
    pieces = _cut_into_pieces(batches, counting, numbers)
    for piece in _add_evidence_ahead(builder, pieces, running):
        if running.memory and builder.nbytes_not_handed_over > max_bytes_in_memory:
            mapped_sets = mapped_sets or MappedColumns(_SETS, running.memory, running.folder)
            mapped_sets.append(builder.hand_over_set_values())
            # From now on the sets that are held are only what the next piece adds.
            max_bytes_in_memory = mapped.PIECE
        if piece.batch is None:
            continue
        column, counted_texts, columns_of_batch = piece.batch
        if counting.as_ is not None:
            facts_parts.append(
                lengths_and_digests_as_written(column, shingle_words=counting.shingle, jobs=jobs)
            )
        if with_noise_evidence:
            noise_parts.append(noise_evidence.NoiseEvidence.from_texts(column, jobs))
        columns_of_batch.setdefault("bytes_digest", pa.nulls(len(column), arrow.DIGEST))
        if recipe is not None:
            columns_of_batch["fingerprint"], columns_of_batch["reason"] = fingerprints_or_reasons(
                counted_texts, make_fingerprint_way(recipe), jobs=jobs
            )
        for name, arrays in columns.items():
            arrays.append(columns_of_batch[name])
    if mapped_sets is None:
        evidence = Evidence(builder.take_column(), jobs=jobs)
    else:
        mapped_sets.append(builder.hand_over_set_values())
        words, hashes, characters = mapped_sets.close_and_map_columns()
        sets = builder.take_column((words, hashes, characters))
        evidence = Evidence(sets, mapped=mapped_sets, jobs=jobs)
    if facts_parts:
        names = facts_parts[0].keys()
        evidence = evidence.with_lengths_and_unemptied_digests_of(
            {name: pa.concat_arrays([part[name] for part in facts_parts]) for name in names}
        )
    # The bytes digest is the reader's, or else that of the text in UTF-8.
    raw = pa.concat_arrays(columns.pop("bytes_digest"))
    raw = pc.coalesce(raw, evidence.field("bytes_digest"))
    fields = {name: evidence.field(name) for name in ("length", "digest")} | {"bytes_digest": raw}
    fields |= {name: pa.concat_arrays(columns.pop(name)) for name in [*columns]}
    if counting.base is not None and "reason" in fields:
        is_emptied = pc.and_(
            evidence.field("digest").is_null(), pc.greater(evidence.field("words"), 0)
        )
        fields["fingerprint"] = pc.if_else(is_emptied, None, fields["fingerprint"])
        fields["reason"] = pc.if_else(is_emptied, IGNORED_ALONE, fields["reason"])
    documents = pa.table([fields[name] for name in schema.names], schema=schema)
    rest = noise_evidence.NoiseEvidence.concatenate(noise_parts) if with_noise_evidence else None
    resources.release_freed_memory()
    return ReadDocuments(
        documents=documents,
        evidence=evidence.replace_fields(bytes_digest=raw),
        texts=texts,
        counting=counting,
        jobs=jobs,
        noise=rest,
        separates_groups=separates_groups,
    )


class GroupNumbers:
    """Numbers of groups, from 0 in the order in which they come."""

    def __init__(self) -> None:
        self._number_of_group: dict[bytes, int] = {}

    def number_adding_new(self, group_digests: pa.Array) -> pa.UInt32Array:
        """Return the number of each group; a new one gets the next number."""
        encoded = group_digests.dictionary_encode()
        numbers = (
            self._number_of_group.setdefault(group, len(self._number_of_group))
            for group in encoded.dictionary.to_pylist()
        )
        return pa.array(numbers, pa.uint32()).take(encoded.indices)


class _Piece(NamedTuple):
    """Consecutive texts.

    Attributes:
        texts: as the kernels take them.
        groups: the numbers of their groups; None if these do not count.
        batch: the texts, what counts of them, and the other columns of the batch that begins with
            them, if one does.
    """

    texts: pa.Array
    groups: pa.Array | None
    batch: tuple[pa.ChunkedArray, pa.ChunkedArray, dict[str, pa.Array]] | None


def _cut_into_pieces(
    batches: Iterable[pa.RecordBatch | pa.Table],
    counting: Counting,
    group_numbers: GroupNumbers | None,
) -> Iterator[_Piece]:
    for batch in batches:
        columns = dict(zip(batch.schema.names, map(arrow.flat, batch.columns), strict=True))
        column = arrow.import_texts(columns.pop("text"))
        counted_texts = counting.replace_programs_by_words_if_as_code(column, columns.get("source"))
        columns_to_add: tuple[pa.ChunkedArray, pa.ChunkedArray, dict[str, pa.Array]] | None
        columns_to_add = (column, counted_texts, columns)
        groups = (
            None if group_numbers is None else group_numbers.number_adding_new(columns.pop("group"))
        )
        begin = 0
        for texts in arrow.kernel_chunks(counted_texts, _SMALLER):
            own = None if groups is None else groups.slice(begin, len(texts))
            yield _Piece(texts, own, columns_to_add)
            # The columns go with the first piece of their batch, whose row they begin with.
            columns_to_add, begin = None, begin + len(texts)


def _add_evidence_ahead(
    builder: _kernels.EvidenceBuilder, pieces: Iterator[_Piece], running: Running
) -> Iterator[_Piece]:
    """Yield the pieces whose evidence the builder has."""
    jobs = running.thread_count_that_fits(bytes_per_helper=ROOM)
    if jobs == 1:
        for piece in pieces:
            builder.add(piece.texts, piece.groups)
            yield piece
        return
    gatherer = builder.make_gatherer_sharing_seen_digests()

    def gather_part(numbered_piece: tuple[int, _Piece]) -> tuple[_Piece, _kernels.EvidencePart]:
        number, piece = numbered_piece
        return piece, gatherer.gather_part(number, piece.texts, piece.groups)

    parts = map_ahead(
        gather_part, enumerate(pieces), jobs, lambda numbered: numbered[1].texts.nbytes > _LONG
    )
    # An error in the caller must stop the threads that gather ahead.
    with closing(parts):
        for piece, part in parts:
            builder.take_and_append_part(part, piece.texts, piece.groups)
            yield piece


class CommonBlocksRemoved(NamedTuple):
    """Documents with evidence of what is left of their texts, and the blocks that are not."""

    documents_read: ReadDocuments
    common: pa.Table


def without_common_blocks(
    documents_read: ReadDocuments,
    representatives: pa.Array,
    *,
    max_documents_of_block: int,
    recipe: Recipe,
) -> CommonBlocksRemoved:
    """Remove blocks that recur in many documents from the evidence of their texts.

    Copies of one text count once. Digests are still those of the whole texts, so that copies remain
    copies. All texts are read again and held.

    Args:
        documents_read: documents that were read.
        representatives: for each document, the one that represents its copies.
        max_documents_of_block: in how many texts a block may be without being common.
        recipe: how to fingerprint what is left.

    Returns:
        The documents, with new ``fingerprint`` and ``reason`` if they had one; evidence of what is
        left of their texts; and ``hash``, ``documents`` and ``text`` of every common block.
    """
    documents, jobs, texts = (
        documents_read.documents,
        documents_read.jobs,
        arrow.load_texts(documents_read.texts),
    )
    counted = blocks.CountedBlocks(jobs=jobs)
    counted.add_block_hashes_of(arrow.null_except(texts, mark_representatives(representatives)))
    common = counted.find_common_blocks(max_documents_of_block, texts)
    left = blocks.without_blocks(texts, common, jobs=jobs)
    sources = arrow.flat(documents["source"]) if "source" in documents.column_names else None
    if "fingerprint" in documents.column_names:
        counted_texts = documents_read.counting.replace_programs_by_words_if_as_code(left, sources)
        values, reasons = fingerprints_or_reasons(
            counted_texts, make_fingerprint_way(recipe), jobs=jobs
        )
        # A text that is blank by its digest was blank before.
        emptied = pc.and_(pc.equal(reasons, "blank"), arrow.flat(documents["digest"]).is_valid())
        reasons = pc.if_else(pc.fill_null(emptied, False), "nothing but common blocks", reasons)
        documents = arrow.replace_columns(documents, fingerprint=values, reason=reasons)
    digests = {name: arrow.flat(documents[name]) for name in ("digest", "bytes_digest")}
    rest = Evidence.from_texts(left, documents_read.counting, jobs, sources=sources).replace_fields(
        **digests
    )
    noise = (
        None
        if documents_read.noise is None
        else noise_evidence.NoiseEvidence.from_texts(left, jobs)
    )
    without_common = replace(
        documents_read,
        documents=documents,
        evidence=rest,
        texts=left,
        noise=noise,
        separates_groups=False,
    )
    return CommonBlocksRemoved(without_common, common)


#: The names of the tables that hold documents that were read, and their evidence.
CHECKPOINT_TABLES = ("rows", "evidence", "noise")


def checkpoint_tables_if_in_memory(
    documents_read: ReadDocuments,
) -> list[UnwrittenTable]:
    """Return what was read as tables, by the names of ``CHECKPOINT_TABLES``, to be made when
    needed.

    There is no table if the sets are in files without names: the next run has to make them again.
    """
    if documents_read.evidence.mapped is not None:
        return []
    tables: list[UnwrittenTable] = []
    if documents_read.noise is not None:
        columns = documents_read.noise._asdict()
        tables.append(UnwrittenTable("noise", lambda: pa.table(columns)))
    # With the last one, all are there.
    tables.append(
        UnwrittenTable("evidence", lambda: pa.Table.from_struct_array(documents_read.evidence.rows))
    )
    tables.append(UnwrittenTable("rows", lambda: documents_read.documents))
    return tables


def restore_from_tables_if_complete(
    tables: Sequence[pa.Table | None],
    texts: arrow.Texts,
    counting: Counting,
    running: Running,
    *,
    separates_groups: bool,
) -> ReadDocuments | None:
    """Return what was read, of the tables of an interrupted run; None if one is missing.

    Args:
        tables: in the order of ``CHECKPOINT_TABLES``; the last is there if noisy copies are looked
            for.
        texts, counting, running, separates_groups: as for ``read_documents_with_evidence``.
    """
    documents, evidence, kept = tables
    if documents is None or evidence is None:
        return None
    rows = arrow.flat(evidence.to_struct_array())
    rest = None if kept is None else noise_evidence.NoiseEvidence(*map(arrow.flat, kept.columns))
    return ReadDocuments(
        documents=documents,
        evidence=Evidence(rows, jobs=running.jobs),
        texts=texts,
        counting=counting,
        jobs=running.jobs,
        noise=rest,
        separates_groups=separates_groups,
    )
