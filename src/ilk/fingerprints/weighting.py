"""Tables of weights made for a recipe: from a corpus, or from weights of your own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.base import resources
from ilk.base.errors import OptionError
from ilk.fingerprints import weights
from ilk.fingerprints.recipe import Recipe, checked_recipe
from ilk.fingerprints.texts import Way, feature_sets
from ilk.fingerprints.weights import Weights


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

    Source: Salton and Buckley 1988, with the smoothing that ``features.weights`` explains.
    """
    batches, threads = [arrow.texts(texts)], resources.threads(jobs)
    return weights_of_batches(batches, checked_recipe(recipe), least=least, jobs=threads)


def weights_of_batches(
    batches: Iterable[arrow.Texts], recipe: Recipe, *, least: int, jobs: int
) -> Weights:
    """Return the same table for texts that arrive in batches."""
    if type(least) is not int or least < 1:
        raise OptionError(f"least is {least!r}; it must be a whole number of at least 1.")
    way = _unweighted(recipe)
    sets = (feature_sets(texts, way, jobs=jobs) for texts in batches)
    return weights.from_frequencies(recipe.basis, sets, least=least)


def own_weights(
    given: Mapping[str, float], recipe: Recipe | str, *, default: float = 1.0
) -> Weights:
    """Return a table of your own weights.

    Args:
        given: the weight of each feature, written as a text of only that feature (one word, or as
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
    recipe = checked_recipe(recipe)
    if not isinstance(given, Mapping):
        raise OptionError(f"given is {given!r}; it must be a dict of features and their weights.")
    sets = feature_sets(arrow.texts(list(given)), _unweighted(recipe), jobs=1)
    counts = pc.list_value_length(sets).to_pylist()
    for feature, count in zip(given, counts, strict=True):
        if count != 1:
            raise OptionError(
                f"{feature!r} is {count} features of {recipe.basis}; give a weight for a single "
                "one."
            )
    ids = sets.flatten()
    if pc.count_distinct(ids).as_py() < len(ids):
        raise OptionError("two of the features are the same once normalised; give one of them.")
    return weights.of_features(recipe.basis, ids, pa.array(given.values(), pa.float64()), default)


def _unweighted(recipe: Recipe) -> Way:
    """Return the way from a text to its features."""
    if recipe.kind == "minhash":
        raise OptionError(
            "the recipe is of MinHash, which compares sets and ignores weights. Name one of "
            "SimHash, such as similarity-index."
        )
    return replace(recipe, table="none", weights=None).way()
