"""Exact joins of fingerprints within a Hamming radius: every pair, and no other."""

from __future__ import annotations

from ilk.fingerprints.hamming import components, distance, groups, join, pairs
from ilk.fingerprints.index import Index

__all__ = ["Index", "components", "distance", "groups", "join", "pairs"]
