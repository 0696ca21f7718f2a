"""ilk on Apache Spark: the same steps, in the shuffle of a cluster, with the same results.

Needs the extra ``spark``, and Java from the system.
"""

from __future__ import annotations

from ilk.engines.spark.frames import evidence, near_pairs
from ilk.engines.spark.functions import fingerprint, hamming_distance, register
from ilk.engines.spark.incremental import Incremental
from ilk.engines.spark.result import Deduplicated
from ilk.engines.spark.run import deduplicate

__all__ = [
    "Deduplicated",
    "Incremental",
    "deduplicate",
    "evidence",
    "fingerprint",
    "hamming_distance",
    "near_pairs",
    "register",
]
