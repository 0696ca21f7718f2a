"""ilk finds documents of the same kind: exact and near-duplicate texts, exactly.

The names below are loaded when they are first used, so that ``import ilk`` costs next to nothing.
"""

from __future__ import annotations

from ilk.base._version import __version__ as __version__
from ilk.base.lazy import lazy_attributes

TYPE_CHECKING = False
if TYPE_CHECKING:  # Without ``typing``, whose import takes longer than that of ilk.
    from ilk import hamming, minhash, sets, tables
    from ilk.base.errors import IlkError, RecipeMismatch, TooManyPairs
    from ilk.fingerprints.recipe import Recipe
    from ilk.fingerprints.weights import Weights
    from ilk.read.formats.parts import Limits
    from ilk.store import Store
    from ilk.tasks.compare import Comparison, compare
    from ilk.tasks.fingerprint import fingerprint
    from ilk.tasks.passages.finding import passages
    from ilk.tasks.passages.result import Passages
    from ilk.tasks.pipeline import deduplicate, find
    from ilk.tasks.result import DeduplicationResult, Result, SearchResult

__all__ = [
    "Comparison",
    "DeduplicationResult",
    "IlkError",
    "Limits",
    "Passages",
    "Recipe",
    "RecipeMismatch",
    "Result",
    "SearchResult",
    "Store",
    "TooManyPairs",
    "Weights",
    "compare",
    "deduplicate",
    "find",
    "fingerprint",
    "hamming",
    "minhash",
    "passages",
    "sets",
    "tables",
]

if not TYPE_CHECKING:
    _PLACES = {
        # Names, by scripts/make-signatures.
        "hamming": "ilk.hamming",
        "minhash": "ilk.minhash",
        "sets": "ilk.sets",
        "tables": "ilk.tables",
        "IlkError": "ilk.base.errors:IlkError",
        "RecipeMismatch": "ilk.base.errors:RecipeMismatch",
        "TooManyPairs": "ilk.base.errors:TooManyPairs",
        "Recipe": "ilk.fingerprints.recipe:Recipe",
        "Weights": "ilk.fingerprints.weights:Weights",
        "Limits": "ilk.read.formats.parts:Limits",
        "Store": "ilk.store:Store",
        "Comparison": "ilk.tasks.compare:Comparison",
        "compare": "ilk.tasks.compare:compare",
        "fingerprint": "ilk.tasks.fingerprint:fingerprint",
        "passages": "ilk.tasks.passages.finding:passages",
        "Passages": "ilk.tasks.passages.result:Passages",
        "deduplicate": "ilk.tasks.pipeline:deduplicate",
        "find": "ilk.tasks.pipeline:find",
        "DeduplicationResult": "ilk.tasks.result:DeduplicationResult",
        "Result": "ilk.tasks.result:Result",
        "SearchResult": "ilk.tasks.result:SearchResult",
        # End of what is written.
    }
    __getattr__ = lazy_attributes(
        __name__,
        _PLACES,
        {
            "clusters": "ilk.tables.clusters",
            "dedup": "ilk.deduplicate",
            "near_pairs": "ilk.tables.near_pairs",
            "scan": "ilk.find",
        },
    )


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted([*__all__, "__version__"])
