"""Exact joins of fingerprints within a Hamming radius: every pair, and no other."""

from __future__ import annotations

from ilk.fingerprints.hamming import JoinPlan, components, distance, groups, join, pairs, plan
from ilk.fingerprints.index import Index

__all__ = ["Index", "JoinPlan", "components", "distance", "groups", "join", "pairs", "plan"]
