"""Common blocks: paragraphs and lines that recur in many documents and say nothing about any.

A template, a licence or a signature in every document of a source makes all of them look alike
(Henzinger 2006 saw it in pages of one site). Such blocks are found by counting, and left out of the
features.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels, arrow


def find_common_blocks(texts: pa.ChunkedArray, more_than: int, *, jobs: int) -> pa.Table:
    """Return the paragraphs and lines that recur in more texts than ``more_than``.

    Two blocks are the same if they are equal except for case, width and white space. A text counts
    once for each of its blocks.

    Args:
        texts: n texts; null ones count for nothing.
        more_than: in how many texts a block may be without being common.
        jobs: threads.

    Returns:
        ``hash`` (``uint64``, ascending), ``documents`` (``int64``, how many texts have the block)
        and ``text`` (the block as in the first of them).
    """
    pieces = (_kernels.block_hashes(c, "fold", jobs) for c in arrow.kernel_chunks(texts))
    hashes = arrow.join_pieces(pieces, arrow.WIDE_SETS)
    values = hashes.flatten()
    counts = arrow.flat(values.value_counts())
    many = counts.filter(pc.greater(counts.field("counts"), more_than))
    recurring = pa.table({"hash": many.field("values"), "documents": many.field("counts")})
    recurring = recurring.sort_by("hash")
    first = pc.index_in(recurring["hash"], value_set=values)
    rows = arrow.flat(pc.list_parent_indices(hashes).take(first)).to_pylist()
    blocks = [
        _kernels.find_block(texts[row].as_py(), "fold", block)
        for row, block in zip(rows, recurring["hash"].to_pylist(), strict=True)
    ]
    return recurring.append_column("text", pa.array(blocks, pa.large_string()))


def without_blocks(texts: pa.ChunkedArray, blocks: pa.Table, *, jobs: int) -> pa.ChunkedArray:
    """Return the texts without the blocks from ``find_common_blocks``."""
    hashes = arrow.flat(blocks["hash"])
    chunks = [
        _kernels.without_blocks(chunk, "fold", hashes, jobs).view(pa.large_string())
        for chunk in arrow.kernel_chunks(texts)
    ]
    return pa.chunked_array(chunks, pa.large_string())


def rank_outermost_blocks(blocks: pa.Table) -> pa.Table:
    """Return the blocks, most common first, without lines that are only within their paragraphs."""
    texts = arrow.texts(blocks["text"])
    pieces = (_kernels.block_hashes(c, "fold", 1) for c in arrow.kernel_chunks(texts))
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
    most = lines.group_by("hash", use_threads=False).aggregate([("documents", "max")])
    at = pc.index_in(blocks["hash"], value_set=arrow.flat(most["hash"]))
    within = pc.equal(arrow.flat(most["documents_max"]).take(at), blocks["documents"])
    shown = blocks.filter(pc.invert(pc.fill_null(within, False)))
    return shown.sort_by([("documents", "descending"), ("text", "ascending")])
