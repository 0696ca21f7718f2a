"""Functions of columns, for data frames and for SQL."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ilk import Recipe
from ilk.companions import check_recipe, fingerprint_texts
from ilk.plugins import MissingExtra, arrow
from ilk_spark.spelling import check_unicode_name

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession

#: Bits of a fingerprint that is a number.
_NUMBER = 64


def fingerprint(column: Column | str, recipe: Recipe | str | None = None) -> Column:
    """Return the fingerprints of a column of texts, as ``ilk.fingerprint`` makes them.

    Args:
        column: of strings, or its name.
        recipe: the way from text to fingerprint, or its name; ``Recipe()`` by default.

    Returns:
        ``bigint``, the 64 bits as a signed number, or 16 bytes for 128 bits. Null if a text is too
        short.

    Raises:
        MissingExtra: pyspark is older than 4.1, the first with functions of Arrow columns.
        OptionError, RecipeError: it is not a recipe, or the name is not Unicode.
    """
    if isinstance(column, str):
        check_unicode_name(column)
    return _make_fingerprint_udf(check_recipe(recipe))(column)


def hamming_distance(left: Column | str, right: Column | str) -> Column:
    """Return in how many bits (``int``) two columns of fingerprints (``bigint``) differ.

    Spark computes it by itself. Null where a fingerprint is null.

    Raises:
        OptionError: a name is not Unicode.
        TypeError: one of them is neither a column nor a name.
    """
    from pyspark.sql import functions as sf

    for side in (left, right):
        if not isinstance(side, str) and not hasattr(side, "bitwiseXOR"):
            raise TypeError(f"{side!r:.60} is neither a column of Spark nor the name of one.")
    one, other = (
        sf.col(check_unicode_name(side)) if isinstance(side, str) else side
        for side in (left, right)
    )
    return sf.bit_count(one.bitwiseXOR(other))


def register(session: SparkSession, recipe: Recipe | str | None = None) -> None:
    """Register ``ilk_fingerprint(text)`` and ``hamming_distance(a, b)`` for SQL in a session.

    Raises:
        MissingExtra, OptionError, RecipeError: as for ``fingerprint``.
        TypeError: it is not a session.
    """
    if not hasattr(session, "udf"):
        raise TypeError(f"{session!r:.60} is not a session of Spark.")
    session.udf.register("ilk_fingerprint", _make_fingerprint_udf(check_recipe(recipe)))
    session.sql(
        "CREATE OR REPLACE TEMPORARY FUNCTION hamming_distance(a BIGINT, b BIGINT) RETURNS INT "
        "RETURN bit_count(a ^ b)"
    )


@dataclass(frozen=True)
class _Fingerprints:
    """The task that makes fingerprints of texts."""

    recipe: Recipe

    def __call__(self, pieces: Iterator[pa.Array]) -> Iterator[pa.Array]:
        for texts in pieces:
            made = fingerprint_texts(texts, self.recipe, jobs=1)
            yield (
                arrow.reinterpret_as_signed(made)
                if self.recipe.bits <= _NUMBER
                else made.cast(pa.binary())
            )


def _make_fingerprint_udf(recipe: Recipe) -> Any:
    """Return the function of Spark."""
    from pyspark.sql import functions as sf

    if not hasattr(sf, "arrow_udf"):
        raise MissingExtra("pyspark 4.1 or newer", "spark")
    kind = "bigint" if recipe.bits <= _NUMBER else "binary"
    made = _Fingerprints(recipe)

    def ilk_fingerprint(pieces: Iterator[pa.Array]) -> Iterator[pa.Array]:
        return made(pieces)

    # Spark sees from the type hints that batches come one after the other.
    ilk_fingerprint.__annotations__ = {
        "pieces": Iterator[pa.Array],
        "return": Iterator[pa.Array],
    }
    return sf.arrow_udf(ilk_fingerprint, kind)
