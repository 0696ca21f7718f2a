"""ilk in datatrove: steps of a pipeline.

Needs the extra ``datatrove``.
"""

from __future__ import annotations

from ilk.engines.datatrove import IlkDedup, IlkFilter

__all__ = ["IlkDedup", "IlkFilter"]
