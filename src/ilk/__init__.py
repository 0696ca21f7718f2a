"""ilk finds documents of the same kind: exact and near-duplicate texts, exactly.

The names below are loaded when they are first used, so that ``import ilk`` costs next to nothing.
"""

from __future__ import annotations

from ilk.system.lazy import loader

TYPE_CHECKING = False
if TYPE_CHECKING:  # Without ``typing``, whose import takes longer than that of ilk.
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

__version__ = "0.2.0"

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

if not TYPE_CHECKING:
    __getattr__ = loader(
        __name__,
        {
            ".client": ("Client",),
            ".comparison": ("Comparison", "compare"),
            ".dedup.result": ("Deduplicated",),
            ".dedup.run": ("deduplicate",),
            ".errors": ("IlkError", "RecipeMismatch", "TooManyPairs"),
            ".evaluate.calibration": ("Calibration",),
            ".evaluate.measure": ("calibrate",),
            ".features.weights": ("Weights",),
            ".pairing.hamming": ("connected", "distance", "join", "pair_groups", "pairs"),
            ".pairing.index": ("Index",),
            ".pairing.join_plan": ("JoinPlan", "plan"),
            ".pairing.overlap": ("containment_pairs", "resemblance_join", "resemblance_pairs"),
            ".pipeline": ("find",),
            ".readers.formats.limits": ("Limits",),
            ".recipes.recipe": ("Recipe",),
            ".recipes.weighting": ("document_weights", "own_weights"),
            ".recurring.result": ("Passages",),
            ".recurring.run": ("passages",),
            ".search.result": ("Result",),
            ".steps": ("fingerprint",),
            ".steps.sketching": ("signature_resemblance", "signatures", "sketches"),
            ".store": ("Store",),
        },
    )


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted([*__all__, "__version__"])
