"""Canonical URLs: which addresses name the same page (``import ilk_web.urls``).

The names are loaded when they are first used, so that a command line answers at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ilk.plugins import lazy_attributes

if TYPE_CHECKING:
    from ilk_web.urls.canonicalising import (
        Fired,
        canonical,
        canonical_many,
        explain,
        same_page,
        surt,
    )
    from ilk_web.urls.learned import Evidence, Learned, learn
    from ilk_web.urls.rules import PROFILE, PROFILES, RULES, VERSION

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

if not TYPE_CHECKING:
    __getattr__ = lazy_attributes(__name__)
