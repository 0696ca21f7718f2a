"""Polars: expressions over columns of texts."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from ilk import arrow as columns
from ilk.base import resources
from ilk.base.arguments import suggest_arguments
from ilk.base.errors import MissingExtra
from ilk.fingerprints import digest
from ilk.fingerprints.recipe import Recipe, check_recipe
from ilk.fingerprints.texts import fingerprint_texts

try:
    import polars as pl
except ImportError as error:
    raise MissingExtra("polars", "polars") from error

__all__ = ["Texts"]


@pl.api.register_expr_namespace("ilk")
class Texts:
    """The expressions ``pl.col("text").ilk``."""

    def __init__(self, expression: pl.Expr) -> None:
        self._expression = expression

    @suggest_arguments
    def fingerprint(self, recipe: Recipe | str | None = None) -> pl.Expr:
        """Return one fingerprint per text, as ``ilk.fingerprint`` does.

        Args:
            recipe: the way from text to fingerprint; ``Recipe()`` by default.

        Returns:
            ``UInt64``, or ``Binary`` for 128 bits; null if a text is too short.
        """
        way = check_recipe(recipe)
        kind = pl.UInt64() if way.bits <= 64 else pl.Binary()

        def convert_batch(texts: pl.Series) -> pl.Series:
            return _series_named_like(texts, fingerprint_texts(texts, way), kind)

        return self._expression.map_batches(convert_batch, return_dtype=kind, is_elementwise=True)

    def digest(self) -> pl.Expr:
        """Return 128 bits per text (``Binary``), equal if texts are, except for case and white
        space.

        Null for a null or blank text, which is like no other.
        """
        kind = pl.Binary()

        def convert_batch(texts: pl.Series) -> pl.Series:
            threads = resources.thread_count(None)
            return _series_named_like(
                texts,
                digest.text_digests_null_if_blank(columns.import_texts(texts), jobs=threads),
                kind,
            )

        return self._expression.map_batches(convert_batch, return_dtype=kind, is_elementwise=True)

    def hamming_distance(self, other: Any) -> pl.Expr:
        """Return the bits in which two columns of fingerprints differ; null if one is null.

        Args:
            other: the other column, an expression or its name.
        """
        right = pl.col(other) if isinstance(other, str) else other
        return (self._expression ^ right).bitwise_count_ones()


def _series_named_like(texts: pl.Series, values: pa.Array, kind: Any) -> pl.Series:
    plain = values if pa.types.is_uint64(values.type) else values.cast(pa.large_binary())
    return pl.Series(texts.name, plain, dtype=kind)
