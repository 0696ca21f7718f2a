"""Common blocks: paragraphs and lines that recur in many documents and say nothing about any.

A template, a licence or a signature in every document of a source makes all of them look alike
(Henzinger 2006 saw it in pages of one site). Such blocks are found by counting, and left out of the
features.
"""

from __future__ import annotations

from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels, arrow

#: Blocks that many texts have: their hashes, ascending, in how many they are, and as in the first.
COMMON_BLOCKS = pa.schema({"hash": pa.uint64(), "documents": pa.int64(), "text": pa.large_string()})

#: A table of ``COMMON_BLOCKS``.
CommonBlockTable: TypeAlias = pa.Table


class CountedBlocks:
    """The paragraphs and lines of texts that come piece by piece; 8 bytes of each are held."""

    def __init__(self, *, jobs: int) -> None:
        self._jobs = jobs
        self._hashes: list[pa.Array] = []

    def add_block_hashes_of(self, texts: arrow.Chunks) -> None:
        """Add the hashes of the blocks of more texts; null ones have none."""
        self._hashes += [
            _kernels.make_block_hash_sets(chunk, "fold", self._jobs)
            for chunk in arrow.kernel_chunks(texts)
        ]

    def find_common_blocks(
        self,
        max_documents_of_block: int,
        texts: arrow.Texts | pa.ChunkedArray,
        counted_mask: pa.BooleanArray | None = None,
    ) -> CommonBlockTable:
        """Return the blocks that are in more texts than ``max_documents_of_block``.

        Two blocks are the same if they are equal except for case, width and white space. A text
        counts once for each of its blocks.

        Args:
            max_documents_of_block: in how many texts a block may be without being common.
            texts: all texts, to read some of them again.
            counted_mask: which of them count; None counts all.

        Returns:
            ``COMMON_BLOCKS``.
        """
        hashes = arrow.join_pieces(self._hashes, arrow.WIDE_SETS)
        if counted_mask is not None:
            hashes = pc.if_else(counted_mask, hashes, pa.scalar(None, hashes.type))
        values = hashes.flatten()
        counts = arrow.flat(values.value_counts())
        common = counts.filter(pc.greater(counts.field("counts"), max_documents_of_block))
        recurring = pa.table(
            [common.field("values"), common.field("counts")], COMMON_BLOCKS.names[:2]
        )
        recurring = recurring.sort_by("hash")
        first = pc.index_in(recurring["hash"], value_set=values)
        rows = arrow.flat(pc.list_parent_indices(hashes).take(first))
        docs = pc.unique(rows).sort()
        text_of_row = dict(
            zip(docs.to_pylist(), arrow.take_texts(texts, docs).to_pylist(), strict=True)
        )
        blocks = [
            _kernels.find_block(text_of_row[row], "fold", block)
            for row, block in zip(rows.to_pylist(), recurring["hash"].to_pylist(), strict=True)
        ]
        return recurring.append_column("text", pa.array(blocks, pa.large_string()))


def without_blocks(
    texts: pa.ChunkedArray, blocks: CommonBlockTable, *, jobs: int
) -> pa.ChunkedArray:
    """Return the texts without some ``COMMON_BLOCKS``."""
    hashes = arrow.flat(blocks["hash"])
    chunks = [
        _kernels.drop_blocks_by_hash(chunk, "fold", hashes, jobs).view(pa.large_string())
        for chunk in arrow.kernel_chunks(texts)
    ]
    return pa.chunked_array(chunks, pa.large_string())


def rank_blocks_without_inner_lines(blocks: CommonBlockTable) -> CommonBlockTable:
    """Return ``COMMON_BLOCKS``, most common first, without lines that are only in one of them.

    Such a line is in as many documents as a paragraph that it is a part of.
    """
    texts = arrow.import_texts(blocks["text"])
    pieces = (_kernels.make_block_hash_sets(c, "fold", 1) for c in arrow.kernel_chunks(texts))
    inside = arrow.join_pieces(pieces, arrow.WIDE_SETS)
    rows = pc.list_parent_indices(inside)
    parts = pa.table(
        {
            "hash": inside.flatten(),
            "paragraph": blocks["hash"].take(rows),
            "documents": blocks["documents"].take(rows),
        }
    )
    lines = parts.filter(pc.not_equal(parts["hash"], parts["paragraph"]))
    greatest = lines.group_by("hash", use_threads=False).aggregate([("documents", "max")])
    at = pc.index_in(blocks["hash"], value_set=arrow.flat(greatest["hash"]))
    within = pc.equal(arrow.flat(greatest["documents_max"]).take(at), blocks["documents"])
    outer = blocks.filter(pc.invert(pc.fill_null(within, False)))
    return outer.sort_by([("documents", "descending"), ("text", "ascending")])
