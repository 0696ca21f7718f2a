"""The ways to write the bits of a fingerprint, for the help of ``ilk fingerprint``."""

from __future__ import annotations

#: The ways to write them, most significant first.
FORMS = ("hex", "bits", "unsigned", "signed")
