"""Clusters scored against known families."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from benchmarks.accuracy.pairs import harmonic


def score(clusters: Iterable[Iterable[str]], families: Mapping[str, str]) -> dict[str, Any]:
    """B-cubed precision, recall and F1, adjusted Rand index, and the shares of pairs.

    B-cubed (Bagga and Baldwin 1998) asks every document which part of its cluster is of its family,
    and which part of its family is in its cluster. The adjusted Rand index (Hubert and Arabie 1985)
    is 1 for equal partitions and 0 on average for random ones.

    Args:
        clusters: documents by cluster, disjoint; a document in none is alone.
        families: the family of every document.
    """
    cluster = {name: f"alone: {name}" for name in families}
    for number, members in enumerate(clusters):
        for name in members:
            cluster[name] = str(number)
    common = Counter((cluster[name], family) for name, family in families.items())
    clustered = Counter(cluster.values())
    related = Counter(families.values())
    documents = len(families)
    precision = sum(n * n / clustered[c] for (c, _), n in common.items()) / documents
    recall = sum(n * n / related[f] for (_, f), n in common.items()) / documents
    both, together, kin = (_pairs(c.values()) for c in (common, clustered, related))
    return {
        "documents": documents,
        "families": len(related),
        "clusters": sum(n > 1 for n in clustered.values()),
        "b3_precision": precision,
        "b3_recall": recall,
        "b3_f1": harmonic(precision, recall),
        "adjusted_rand": _adjusted_rand(both, together, kin, _pairs([documents])),
        "family_pairs_together": both / kin if kin else 1.0,
        "cluster_pairs_of_one_family": both / together if together else 1.0,
    }


def _pairs(sizes: Iterable[int]) -> int:
    return sum(n * (n - 1) // 2 for n in sizes)


def _adjusted_rand(both: int, together: int, kin: int, every: int) -> float:
    """The index from counts of pairs: in both partitions, in the one, in the other, of all."""
    expected = together * kin / every if every else 0.0
    highest = (together + kin) / 2
    return (both - expected) / (highest - expected) if highest != expected else 1.0
