"""Tables of other tools: they move the data, and ilk makes every decision.

``deduplicate``, ``clusters`` and ``near_pairs`` take a table of any tool and return the same kind.
"""

from __future__ import annotations

from ilk.tables.frames import clusters, deduplicate, near_pairs

__all__ = ["clusters", "deduplicate", "near_pairs"]
