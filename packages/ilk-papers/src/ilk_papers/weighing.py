"""Tables of weights, of the document frequencies of a corpus (tf-idf) or of your own weights."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk import Recipe, Weights
from ilk.companions import (
    check_recipe,
    feature_sets_empty_for_null,
    make_fingerprint_way,
    resources,
)
from ilk.plugins import OptionError, Whole, arrow

#: Weights are written in eighths, in 16 bits.
UNIT = 8
MOST = (2**16 - 1) / UNIT


def document_weights(
    texts: Any, recipe: Recipe | str, *, least: int = 2, jobs: int | None = None
) -> Weights:
    """Return the table of inverse document frequencies of a corpus, for tf-idf.

    Give it to a recipe of the same features: ``dataclasses.replace(recipe, weights=table)``.

    Args:
        texts: n texts, as for ``ilk.fingerprint``; those without features do not count.
        recipe: defines the features. Its weights do not matter.
        least: the least number of documents with a feature for it to be in the table; other
            features weigh as much as unknown ones.
        jobs: threads; by default one per processor.

    Returns:
        Weights of ``1 + ln((n + 1) / (df + 1))`` for a feature of ``df`` texts, in eighths.

    Raises:
        ColumnTypeError: ``texts`` is not a column of texts.
        OptionError: the recipe is of MinHash, ``least`` is below 1, or no text has a feature.

    Source: Salton and Buckley 1988.
    """
    batches, threads = [arrow.import_texts(texts)], resources.thread_count(jobs)
    return document_weights_of_batches(batches, check_recipe(recipe), least=least, jobs=threads)


def document_weights_of_batches(
    batches: Iterable[Any], recipe: Recipe, *, least: int, jobs: int
) -> Weights:
    """Return the same table for texts that arrive in batches.

    Source: Spärck Jones 1972; Salton and Buckley 1988; smoothed as if one more document had every
    feature, so that unknown ones have a weight.
    """
    Whole(1).check("least", least)
    unweighted = _make_unweighted_simhash_way(recipe)
    documents, counts, waiting = 0, _count_ids(pa.array([], pa.uint32())), []
    for texts in batches:
        column = feature_sets_empty_for_null(texts, unweighted, jobs=jobs)
        documents += pc.sum(pc.greater(pc.list_value_length(column), 0)).as_py() or 0
        waiting.append(_count_ids(column.flatten()))
        # Adding up costs as much as the total: wait until the new part is as large as the old one.
        if sum(map(len, waiting)) >= len(counts):
            counts, waiting = _add_counts([counts, *waiting]), []
    if not documents:
        raise OptionError("no document has any features, so there is nothing to count.")
    counts = _add_counts([counts, *waiting])
    kept = counts.filter(pc.greater_equal(counts["df"], least)).sort_by("id")
    ratios = pc.divide(documents + 1.0, pc.add(kept["df"], 1.0))
    eighths = pc.round(pc.multiply(pc.add(pc.ln(ratios), 1.0), UNIT))
    default = round(UNIT * (1 + math.log(documents + 1)))
    ids, values = arrow.flat(kept["id"]), arrow.flat(eighths.cast(pa.uint16()))
    return Weights(recipe.basis, ids, values, default)


def _count_ids(ids: pa.Array) -> pa.Table:
    counts = arrow.flat(ids.value_counts())
    return pa.table({"id": counts.field("values"), "df": counts.field("counts")})


def _add_counts(tables: list[pa.Table]) -> pa.Table:
    """Return one row per feature, with the sum of its counts."""
    both = pa.concat_tables(tables).group_by("id", use_threads=False).aggregate([("df", "sum")])
    return both.rename_columns(["id", "df"])


def own_weights(
    weights: Mapping[str, float], recipe: Recipe | str, *, default: float = 1.0
) -> Weights:
    """Return a table of your own weights.

    Args:
        weights: the weight of each feature, written as a text of only that feature (one word, or as
            many as a shingle of the recipe has); from 0 to 8191.875, rounded to the nearest eighth.
        recipe: defines the features.
        default: the weight of every other feature.

    Raises:
        OptionError: the recipe is of MinHash, a weight is out of bounds, a text is not exactly one
            feature, or two texts are the same feature.

    >>> recipe = Recipe("simhash", 64, "words", 1, "log")
    >>> len(own_weights({"ilk": 4, "kind": 2.5}, recipe).ids)
    2
    """
    recipe = check_recipe(recipe)
    if not isinstance(weights, Mapping):
        raise OptionError(
            f"weights is {weights!r}; it must be a dict of features and their weights."
        )
    sets = feature_sets_empty_for_null(
        arrow.import_texts(list(weights)), _make_unweighted_simhash_way(recipe), jobs=1
    )
    counts = pc.list_value_length(sets).to_pylist()
    for feature, count in zip(weights, counts, strict=True):
        if count != 1:
            raise OptionError(
                f"{feature!r} is {count} features of {recipe.basis}; give a weight for a single "
                "one."
            )
    ids = sets.flatten()
    if pc.count_distinct(ids).as_py() < len(ids):
        raise OptionError("two of the features are the same once normalised; give one of them.")
    return make_weights(recipe.basis, ids, pa.array(weights.values(), pa.float64()), default)


def _make_unweighted_simhash_way(recipe: Recipe) -> Any:
    """Return the way from a text to its features."""
    if recipe.kind == "minhash":
        raise OptionError(
            "the recipe is of MinHash, which compares sets and ignores weights. Name one of "
            "SimHash, such as similarity-index."
        )
    return make_fingerprint_way(replace(recipe, table="none", weights=None))


def make_weights(basis: str, distinct_ids: pa.Array, weights: pa.Array, default: float) -> Weights:
    """Return the table of n features and their weights, as for ``own_weights``."""
    for weight in (default, *weights.to_pylist()):
        if not 0 <= weight <= MOST:
            raise OptionError(f"a weight is {weight}; it must be from 0 to {MOST}.")
    order = pc.sort_indices(distinct_ids)
    eighths = pc.round(pc.multiply(weights.cast(pa.float64()), UNIT)).cast(pa.uint16())
    return Weights(basis, distinct_ids.take(order), eighths.take(order), round(UNIT * default))
