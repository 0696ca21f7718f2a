"""MinHash signatures and other sketches of texts, and what they say about resemblance."""

from __future__ import annotations

from ilk.fingerprints.sketching import resemblance, signatures, sketches

__all__ = ["resemblance", "signatures", "sketches"]
