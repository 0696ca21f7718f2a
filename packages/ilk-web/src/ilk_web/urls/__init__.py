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
    _PLACES = {
        # Names, by scripts/make-signatures.
        "Fired": "ilk_web.urls.canonicalising:Fired",
        "canonical": "ilk_web.urls.canonicalising:canonical",
        "canonical_many": "ilk_web.urls.canonicalising:canonical_many",
        "explain": "ilk_web.urls.canonicalising:explain",
        "same_page": "ilk_web.urls.canonicalising:same_page",
        "surt": "ilk_web.urls.canonicalising:surt",
        "Evidence": "ilk_web.urls.learned:Evidence",
        "Learned": "ilk_web.urls.learned:Learned",
        "learn": "ilk_web.urls.learned:learn",
        "PROFILE": "ilk_web.urls.rules:PROFILE",
        "PROFILES": "ilk_web.urls.rules:PROFILES",
        "RULES": "ilk_web.urls.rules:RULES",
        "VERSION": "ilk_web.urls.rules:VERSION",
        # End of what is written.
    }
    __getattr__ = lazy_attributes(__name__, _PLACES)
