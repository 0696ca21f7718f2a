"""ilk for Hugging Face data sets: whole ones, and streams through a store.

Needs the extra ``datasets``.
"""

from __future__ import annotations

from ilk.engines.datasets import card, deduplicate, unseen

__all__ = ["card", "deduplicate", "unseen"]
