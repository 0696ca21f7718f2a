"""Clusters of verified pairs: anchored on a keeper, or connected."""

from __future__ import annotations

from fractions import Fraction

import pyarrow as pa

from ilk import _kernels
from ilk.pairing import evidence_joins
from ilk.pairing.evidence import Evidence


def linked(left: pa.Array, right: pa.Array, ranking: pa.Array, linkage: str) -> pa.Array:
    """The keeper of every row: itself where nothing better is like it.

    Anchored: rows are taken best first; a row that no better row has taken becomes a keeper and
    takes every row it is paired with. So each member was verified against its keeper, and no chain
    of strangers makes a cluster. Connected: the best row of everything that pairs connect.

    Args:
        left, right: m verified pairs of rows (``int64``).
        ranking: all n rows, best first.
        linkage: ``anchored`` or ``connected``.

    Returns:
        n rows (``int64``).
    """
    kernel = _kernels.anchored if linkage == "anchored" else _kernels.connected
    return kernel(ranking, left, right)


def linked_sets(
    evidence: Evidence, least: Fraction, ranking: pa.Array, linkage: str, *, max_pairs: int
) -> pa.Array:
    """The same from shingle sets, without listing the pairs: their number may be quadratic.

    Args:
        evidence: of n texts.
        least: the least resemblance.
        ranking: all n rows, best first.
        linkage: ``anchored`` or ``connected``.
        max_pairs: the largest number of pairs of a short and a longer text; those alone are
            listed.

        TooManyPairs: there are more such pairs than ``max_pairs``.
    """
    left, right = evidence_joins.bridges(evidence, least, max_pairs)
    ordinary, ratio = evidence_joins.ordinary(evidence, least)
    if linkage == "anchored":
        return _kernels.sets_anchored(ordinary, ranking, *ratio, left, right, evidence.progress)
    roots = _kernels.sets_connected(ordinary, *ratio, evidence.progress)
    rows = pa.arange(0, len(roots))
    return _kernels.connected(
        ranking, pa.concat_arrays([rows, left]), pa.concat_arrays([roots, right])
    )
