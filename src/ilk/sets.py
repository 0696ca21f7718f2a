"""Exact joins of sets of anything, or of texts, at a resemblance or a containment."""

from __future__ import annotations

from ilk.search.overlap import containment, join, pairs

__all__ = ["containment", "join", "pairs"]
