"""The six steps as functions from Arrow tables to Arrow tables.

read -> fingerprint -> pair -> verify -> cluster -> write

A step never prints, never reads the environment and never changes its input; the same input gives
the same bytes out, whatever the batches and threads. Reading and writing have rooms of their own
(``readers``, ``writers``); the four steps between them are here, a module each. A document is named
by its row.
"""

from __future__ import annotations

from ilk.steps.clustering import best, cluster, copies, expand, numbered
from ilk.steps.fingerprinting import (
    distinct,
    fingerprint,
    fingerprint_texts,
    fingerprinted,
    represents,
    without_common,
)
from ilk.steps.pairing import (
    measured,
    pair,
    pair_contained,
    pair_containers,
    pair_groups,
    pair_sets,
)
from ilk.steps.verifying import (
    OneSite,
    contained_left,
    counted,
    first_verdict,
    same,
    turned,
    verify,
)

__all__ = [
    "OneSite",
    "best",
    "cluster",
    "contained_left",
    "copies",
    "counted",
    "distinct",
    "expand",
    "fingerprint",
    "fingerprint_texts",
    "fingerprinted",
    "first_verdict",
    "measured",
    "numbered",
    "pair",
    "pair_contained",
    "pair_containers",
    "pair_groups",
    "pair_sets",
    "represents",
    "same",
    "turned",
    "verify",
    "without_common",
]
