"""ilk on Apache Spark: the same steps, in the shuffle of a cluster, with the same results.

Needs the extra ``spark``, and Java from the system.
"""

from __future__ import annotations

from ilk_spark.deduplicating import deduplicate
from ilk_spark.frames import evidence, near_pairs
from ilk_spark.functions import fingerprint, hamming_distance, register
from ilk_spark.incremental import Incremental
from ilk_spark.result import Deduplicated

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
