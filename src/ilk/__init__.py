"""ilk finds documents of the same kind: exact and near-duplicate texts, exactly.

The names below are loaded when they are first used, so that ``import ilk`` costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ilk.client import Client
    from ilk.comparison import Comparison, compare
    from ilk.dedup.result import Deduplicated
    from ilk.dedup.run import deduplicate
    from ilk.errors import IlkError, RecipeMismatch, TooManyPairs
    from ilk.evaluate.calibration import Calibration
    from ilk.evaluate.measure import calibrate
    from ilk.features.weights import Weights
    from ilk.pairing.hamming import connected, distance, join, pair_groups, pairs
    from ilk.pairing.index import Index
    from ilk.pairing.join_plan import JoinPlan, plan
    from ilk.pairing.overlap import containment_pairs, resemblance_join, resemblance_pairs
    from ilk.pipeline import find
    from ilk.readers.formats.limits import Limits
    from ilk.recipes.recipe import Recipe
    from ilk.recipes.weighting import document_weights, own_weights
    from ilk.recurring.result import Passages
    from ilk.recurring.run import passages
    from ilk.search.result import Result
    from ilk.steps import fingerprint
    from ilk.steps.sketching import signature_resemblance, signatures, sketches
    from ilk.store import Store

__version__ = "0.1.0"

__all__ = [
    "Calibration",
    "Client",
    "Comparison",
    "Deduplicated",
    "IlkError",
    "Index",
    "JoinPlan",
    "Limits",
    "Passages",
    "Recipe",
    "RecipeMismatch",
    "Result",
    "Store",
    "TooManyPairs",
    "Weights",
    "calibrate",
    "compare",
    "connected",
    "containment_pairs",
    "deduplicate",
    "distance",
    "document_weights",
    "find",
    "fingerprint",
    "join",
    "own_weights",
    "pair_groups",
    "pairs",
    "passages",
    "plan",
    "resemblance_join",
    "resemblance_pairs",
    "signature_resemblance",
    "signatures",
    "sketches",
]

#: Where each public name lives, and under which name.
_HOMES = {
    "Calibration": ("ilk.evaluate.calibration", "Calibration"),
    "Client": ("ilk.client", "Client"),
    "Comparison": ("ilk.comparison", "Comparison"),
    "Deduplicated": ("ilk.dedup.result", "Deduplicated"),
    "deduplicate": ("ilk.dedup.run", "deduplicate"),
    "IlkError": ("ilk.errors", "IlkError"),
    "Index": ("ilk.pairing.index", "Index"),
    "JoinPlan": ("ilk.pairing.join_plan", "JoinPlan"),
    "Limits": ("ilk.readers.formats.limits", "Limits"),
    "Passages": ("ilk.recurring.result", "Passages"),
    "Recipe": ("ilk.recipes.recipe", "Recipe"),
    "RecipeMismatch": ("ilk.errors", "RecipeMismatch"),
    "Result": ("ilk.search.result", "Result"),
    "Store": ("ilk.store", "Store"),
    "TooManyPairs": ("ilk.errors", "TooManyPairs"),
    "Weights": ("ilk.features.weights", "Weights"),
    "connected": ("ilk.pairing.hamming", "connected"),
    "containment_pairs": ("ilk.pairing.overlap", "containment_pairs"),
    "calibrate": ("ilk.evaluate.measure", "calibrate"),
    "compare": ("ilk.comparison", "compare"),
    "distance": ("ilk.pairing.hamming", "distance"),
    "document_weights": ("ilk.recipes.weighting", "document_weights"),
    "find": ("ilk.pipeline", "find"),
    "fingerprint": ("ilk.steps", "fingerprint"),
    "join": ("ilk.pairing.hamming", "join"),
    "own_weights": ("ilk.recipes.weighting", "own_weights"),
    "pair_groups": ("ilk.pairing.hamming", "pair_groups"),
    "pairs": ("ilk.pairing.hamming", "pairs"),
    "passages": ("ilk.recurring.run", "passages"),
    "plan": ("ilk.pairing.join_plan", "plan"),
    "resemblance_join": ("ilk.pairing.overlap", "resemblance_join"),
    "resemblance_pairs": ("ilk.pairing.overlap", "resemblance_pairs"),
    "signature_resemblance": ("ilk.steps.sketching", "signature_resemblance"),
    "signatures": ("ilk.steps.sketching", "signatures"),
    "sketches": ("ilk.steps.sketching", "sketches"),
}


def __getattr__(name: str) -> Any:
    """Load a public name at its first use."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'ilk' has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(home[0]), home[1])
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names."""
    return sorted([*__all__, "__version__"])
