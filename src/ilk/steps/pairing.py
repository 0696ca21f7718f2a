"""Step 3: candidates, by fingerprint or by shingle sets."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pyarrow as pa
import pyarrow.compute as pc

from ilk import columns
from ilk.pairing import hamming
from ilk.pairing.measured import Measured
from ilk.pairing.verify import Counts
from ilk.steps.fingerprinting import represents


def pair(
    documents: pa.Table, representatives: pa.Array, radius: int, *, max_pairs: int, jobs: int
) -> pa.Table:
    """Step 3 by fingerprint: every pair of representatives within the radius, as ``CANDIDATES``.

    Raises:
        TooManyPairs: there are more than ``max_pairs``.
    """
    values = once_fingerprinted(documents, representatives)
    found = hamming.pairs(values, radius, max_pairs=max_pairs, jobs=jobs)
    return columns.padded(found, columns.CANDIDATES)


def pair_groups(
    documents: pa.Table,
    representatives: pa.Array,
    ranking: pa.Array,
    radius: int,
    *,
    max_pairs: int,
    jobs: int,
) -> tuple[pa.Array, pa.Table]:
    """Step 3 by fingerprint, where every pair within the radius counts.

    Documents of one fingerprint are within the radius of the same others, so that the best of them
    stands for all.

    Returns:
        Per document the one that stands for it (``int64``), and every pair of such ones within the
        radius, as ``CANDIDATES``.

    Raises:
        TooManyPairs: there are more than ``max_pairs``.
    """
    # In the order of the ranking, the first of a group is its best.
    values = once_fingerprinted(documents, representatives).take(ranking)
    firsts, edges = hamming.pair_groups(values, radius, max_pairs=max_pairs, jobs=jobs)
    best = pc.scatter(pc.coalesce(ranking.take(firsts), ranking), ranking)
    left, right = (ranking.take(columns.flat(edges[side])) for side in ("left", "right"))
    found = pa.table({"left": left, "right": right, "distance": edges["distance"]})
    candidates = _ascending(columns.padded(found, columns.CANDIDATES))
    return best.take(representatives), candidates


def measured(
    texts: columns.Texts,
    representatives: pa.Array,
    *,
    shingle: int,
    jobs: int,
    progress: Callable[[float], object] | None = None,
) -> Measured:
    """The shingle sets of the representatives, ready to be joined; all others are empty."""
    once = columns.only(texts, represents(representatives))
    return Measured.of(once, shingle, jobs, progress)


def pair_sets(
    sets: Measured, resemblance: Fraction, containment: Fraction | None, *, max_pairs: int
) -> pa.Table:
    """Step 3 by shingle sets: every pair at the resemblance or containment, as ``CANDIDATES``.

    Raises:
        TooManyPairs: there are more than ``max_pairs`` of either.
    """
    found = [_counted(*sets.resembling(resemblance, max_pairs))]
    if containment is not None:
        left, right, counts = sets.contained(containment, max_pairs)
        alike = counts.resembling(resemblance)
        both = counts.contained(containment)[1]
        # Found already, or found from its other side too.
        again = pc.or_(alike, pc.and_(both, pc.greater(left, right)))
        table = _counted(left, right, counts).filter(pc.invert(again))
        found.append(_ascending(table))
    order = [("left", "ascending"), ("right", "ascending")]
    return pa.concat_tables(found).sort_by(order)


def pair_containers(sets: Measured, containment: Fraction) -> pa.Table:
    """Per contained document one larger one in which it stands, as ``CANDIDATES``."""
    found = sets.containers(containment)
    rows = pa.table({"left": pa.arange(0, len(found)), "right": found})
    return columns.padded(rows.filter(found.is_valid()), columns.CANDIDATES)


def pair_contained(
    sets: Measured,
    containment: Fraction,
    inner: pa.ChunkedArray,
    without: pa.ChunkedArray,
    *,
    max_pairs: int,
) -> pa.Table:
    """Every pair of one of the documents ``inner`` and one in which it stands, as ``CANDIDATES``.

    Documents ``without`` are no containers: their keepers stand for them.

    Raises:
        TooManyPairs: there are more than ``max_pairs``.
    """
    left, right = sets.contained_among(
        containment, columns.flat(inner), columns.flat(without), max_pairs
    )
    return columns.padded(pa.table({"left": left, "right": right}), columns.CANDIDATES)


def once_fingerprinted(documents: pa.Table, representatives: pa.Array) -> pa.Array:
    """The fingerprints of the representatives; null for all others."""
    values = columns.flat(documents["fingerprint"])
    return pc.if_else(represents(representatives), values, pa.scalar(None, values.type))


def _counted(left: pa.Array, right: pa.Array, counts: Counts) -> pa.Table:
    names = ("left", "right", "shared", "left_shingles", "right_shingles")
    table = pa.table([left, right, *counts.arrays], names=list(names))
    return columns.padded(table, columns.CANDIDATES)


def _ascending(candidates: pa.Table) -> pa.Table:
    """The candidates with the lower row on the left."""
    turned = pc.greater(candidates["left"], candidates["right"])
    other = {"left": "right", "right": "left", "left_shingles": "right_shingles"}
    other["right_shingles"] = "left_shingles"
    return pa.table(
        [
            pc.if_else(turned, candidates[other.get(name, name)], candidates[name])
            for name in candidates.column_names
        ],
        schema=candidates.schema,
    )
