"""Canonical URLs: which addresses name one page (``import ilk.urls``)."""

from __future__ import annotations

from ilk.urls.canonical import Fired, canonical, canonical_many, explain, same_page, surt
from ilk.urls.learned import Learned, learn
from ilk.urls.rules import PROFILE, PROFILES, RULES, VERSION

#: The former name of ``Learned``, for programs that import it.
Evidence = Learned

__all__ = [
    "PROFILE",
    "PROFILES",
    "RULES",
    "VERSION",
    "Evidence",
    "Fired",
    "Learned",
    "canonical",
    "canonical_many",
    "explain",
    "learn",
    "same_page",
    "surt",
]
