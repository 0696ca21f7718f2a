"""How the bits of a fingerprint are written, which the help of ``ilk fingerprint`` shows."""

from __future__ import annotations

#: The ways to write them, most significant first.
FORMS = ("hex", "bits", "unsigned", "signed")
