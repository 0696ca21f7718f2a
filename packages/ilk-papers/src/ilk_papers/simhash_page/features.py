"""The features of a text, and what they weigh."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping

from ilk_papers.stopwords import STOP_WORDS

#: How many times the features of a document count, by feature.
Weights = Mapping[str, float]

_WORD = re.compile(r"\w+")


def words_but_stop_words(text: str) -> list[str]:
    """Return the words of a text: lower-cased, without punctuation and stop words.

    >>> words_but_stop_words("The earth is moving.")
    ['earth', 'moving']
    """
    return [word for word in _WORD.findall(text.lower()) if word not in STOP_WORDS]


def character_shingles(text: str, k: int) -> list[str]:
    """Return all runs of k characters, white space written as an underscore.

    >>> character_shingles("The earth is moving.", 5)[:4]
    ['The_e', 'he_ea', 'e_ear', '_eart']
    """
    joined = "_".join(text.split())
    return [joined[at : at + k] for at in range(len(joined) - k + 1)]


def tf(features: Iterable[str]) -> dict[str, float]:
    """Return how often each feature occurs, in the order in which they are first seen."""
    return {feature: float(count) for feature, count in Counter(features).items()}


def cosine(left: Weights, right: Weights) -> float:
    """Return the cosine of two weighted feature vectors; 0 if either has no weight.

    >>> cosine({"a": 3.0, "b": 4.0}, {"a": 3.0, "b": 4.0})
    1.0
    """
    norms = math.hypot(*left.values()) * math.hypot(*right.values())
    product = sum(weight * right.get(feature, 0.0) for feature, weight in left.items())
    return product / norms if norms else 0.0


def idf(documents: Iterable[Iterable[str]]) -> dict[str, float]:
    """Return how rare each feature is in a collection: ln(documents / documents that have it).

    >>> idf([["a", "b"], ["a"]])["a"]
    0.0
    """
    sets = [{*features} for features in documents]
    having = Counter(feature for each in sets for feature in each)
    return {feature: math.log(len(sets) / count) for feature, count in having.items()}


def tf_idf(features: Iterable[str], idf_of_all_features: Weights) -> dict[str, float]:
    """Return how often each feature occurs, times how rare it is in that collection."""
    return {
        feature: count * idf_of_all_features[feature] for feature, count in tf(features).items()
    }
