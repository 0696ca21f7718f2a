"""ilk in Polars: the expressions ``pl.col("text").ilk``, and frames without their duplicates.

Importing it registers the expressions. Needs the extra ``polars``.
"""

from __future__ import annotations

from ilk.engines.polars import Texts, clusters, deduplicate, near_pairs

__all__ = ["Texts", "clusters", "deduplicate", "near_pairs"]
