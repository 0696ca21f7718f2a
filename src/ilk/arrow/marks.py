"""The recipe that a column of fingerprints carries."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from ilk.base.errors import RecipeMismatch

#: The metadata key under which a column carries its recipe.
RECIPE_KEY = b"ilk.recipe"


def recipe_of(field: pa.Field) -> str | None:
    """Return the recipe that a column carries, if it carries one."""
    marked = (field.metadata or {}).get(RECIPE_KEY)
    return None if marked is None else marked.decode()


def carried_recipe(values: Any) -> str | None:
    """Return the recipe of fingerprints that a caller passed: only a table carries one."""
    if isinstance(values, pa.Table | pa.RecordBatch) and "fingerprint" in values.schema.names:
        return recipe_of(values.schema.field("fingerprint"))
    return None


def same_recipe(left: str | None, right: str | None) -> None:
    """Refuse to compare fingerprints of two recipes.

    Raises:
        RecipeMismatch: both are known, and differ.
    """
    if left is not None and right is not None and left != right:
        raise RecipeMismatch(
            f"fingerprints of {left!r} cannot be compared with fingerprints of {right!r}. "
            "Fingerprint both sides with one recipe."
        )
