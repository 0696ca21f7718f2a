"""Canonical URLs: which addresses name one page (``import ilk.urls``)."""

from __future__ import annotations

from ilk.web.evidence import Evidence, learn
from ilk.web.rules import PROFILE, PROFILES, RULES, VERSION
from ilk.web.urls import Fired, canonical, canonical_many, explain, same_page, surt

__all__ = [
    "PROFILE",
    "PROFILES",
    "RULES",
    "VERSION",
    "Evidence",
    "Fired",
    "canonical",
    "canonical_many",
    "explain",
    "learn",
    "same_page",
    "surt",
]
