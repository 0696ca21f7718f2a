"""Exact joins of fingerprints within a Hamming radius: every pair, and no other."""

from __future__ import annotations

from ilk.fingerprints.hamming import components, distance, groups, join, pairs
from ilk.fingerprints.index import Index
from ilk.fingerprints.join_plan import JoinPlan, plan

__all__ = ["Index", "JoinPlan", "components", "distance", "groups", "join", "pairs", "plan"]
