"""The six steps as functions from Arrow tables to Arrow tables.

read -> fingerprint -> pair -> verify -> cluster -> write

A step never prints, never reads the environment and never changes its input; the same input gives
the same bytes out, whatever the batches and threads. Reading and writing have their own packages
(``readers``, ``writers``); the four steps between them are here, one module each. Documents are
named by row.
"""

from __future__ import annotations

from ilk.fingerprints.fingerprinting import (
    distinct,
    fingerprint_texts,
    fingerprinted,
    represents,
)
from ilk.search.clustering import assigned, by_first, cluster, copies, expand, numbered, several
from ilk.search.judging import contained_left, same, turned, verify
from ilk.search.linkage import best
from ilk.search.pairing import pair, pair_contained, pair_containers, pair_groups, pair_sets
from ilk.search.ranking import centrality

__all__ = [
    "assigned",
    "best",
    "by_first",
    "centrality",
    "cluster",
    "contained_left",
    "copies",
    "distinct",
    "expand",
    "fingerprint_texts",
    "fingerprinted",
    "numbered",
    "pair",
    "pair_contained",
    "pair_containers",
    "pair_groups",
    "pair_sets",
    "represents",
    "same",
    "several",
    "turned",
    "verify",
]
