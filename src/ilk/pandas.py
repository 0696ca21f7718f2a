"""ilk in pandas: ``frame.ilk.deduplicate()``, ``frame.ilk.clusters()``, ``series.ilk``.

Importing it registers the accessors. Needs the extra ``pandas``.
"""

from __future__ import annotations

from ilk.engines.pandas import Frame, Texts

__all__ = ["Frame", "Texts"]
