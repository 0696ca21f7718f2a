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
    portions,
)
from ilk.steps.verifying import (
    SAME,
    OneSite,
    contained_left,
    counted,
    same,
    turned,
    verdicts,
    verify,
)

__all__ = [
    "SAME",
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
    "measured",
    "numbered",
    "pair",
    "pair_contained",
    "pair_containers",
    "pair_groups",
    "pair_sets",
    "portions",
    "represents",
    "same",
    "turned",
    "verdicts",
    "verify",
    "without_common",
]
