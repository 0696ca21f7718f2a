"""Every step from a text to its number, by any of the papers' methods."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate
from typing import NamedTuple

import ilk
from ilk.companions import errors, kernels
from ilk.plugins import OptionError
from ilk_papers import rabin
from ilk_papers.frame import Exhibit, Value, make_exhibit
from ilk_papers.hashes import lookup3
from ilk_papers.holub import method as holub
from ilk_papers.lecture import phrases
from ilk_papers.lecture.published import SEEDS
from ilk_papers.roth2011.index import exclusive_int64_bounds_of_similar
from ilk_papers.roth2011.methods import Combination, Parameters, compute_number, sketch_document
from ilk_papers.roth2011.scoring import is_similar
from ilk_papers.roth2011.steps import quote_beginning, steps_of
from ilk_papers.simhash import Votes, add_votes, distance, simhash

#: k and the window where a method names none: a text to explain is short.
_SHORT = "4 5"

METHOD_NAMES = (
    "43B or another tracking number with a variation, 2013, lecture, holub, holub-super, or a "
    "recipe of words such as default"
)


def explain_text(text: str, method: str) -> list[Exhibit]:
    """Return the steps as tables; V feature by feature.

    Args:
        text: any.
        method: a combination of 2011 such as ``43B`` or ``43B 40 100``, ``2013``, ``lecture``,
            ``holub``, ``holub-super``, or the name or string of a recipe of words.

    Raises:
        OptionError: there is no such method, or the text is too short for it.
    """
    features = _find_feature_function_or_none(method)
    if features is not None:
        return _feature_tables_or_refuse(features(text), text)
    combination = _parse_combination_of_2011_with_short_defaults(method)
    steps = steps_of(text, combination)
    return [
        make_exhibit(
            "explain", f"{combination} of {quote_beginning(text)}", ("step", "value"), steps
        )
    ]


def explain_pair(first: str, second: str, method: str) -> list[Exhibit]:
    """Return the steps of two texts, and then their numbers beside each other.

    Args:
        first, second, method: as of ``explain_text``.

    Raises:
        OptionError: there is no such method, or a text is too short for it.
    """
    steps = [*explain_text(first, method), *explain_text(second, method)]
    features = _find_feature_function_or_none(method)
    if features is not None:
        return [*steps, _comparison_table(features(first), features(second))]
    combination = _parse_combination_of_2011_with_short_defaults(method)
    for text in (first, second):
        if not len(sketch_document(text, combination, Parameters()).counted):
            raise OptionError(
                f"{quote_beginning(text)} is too short for {combination}: it has no number. Give a "
                "longer text, or a method with a smaller k."
            )
    left, right = (compute_number(text, combination, Parameters()) for text in (first, second))
    rows = [
        ("first", str(left)),
        ("its bounds", "{}, {}".format(*exclusive_int64_bounds_of_similar(left))),
        ("second", str(right)),
        ("within 30 %", "yes" if is_similar(left, right) else "no"),
    ]
    return [*steps, make_exhibit("compared", "Both numbers", ("what", "value"), rows)]


def _parse_combination_of_2011_with_short_defaults(method: str) -> Combination:
    """Return a combination of 2011; the method alone has a small k and window."""
    written = method if " " in method else f"{method} {_SHORT}"
    try:
        return Combination.parse(written)
    except OptionError:
        if re.fullmatch(r"\d+[A-D]( .*)?", method):
            raise  # It is a tracking number, and the error says what is wrong with it.
        raise OptionError(f"{method!r} is not a method; name {METHOD_NAMES}.") from None


class DecidingFeature(NamedTuple):
    """The feature with the least number of a bit of a MinHash, and that number."""

    name: str
    number: int


class TextFeatures(NamedTuple):
    """The features of a text by a method.

    Attributes:
        method: its name, as tables have it.
        bits: of a hash, and of the fingerprint.
        names: n features, as they are shown.
        hashes, weights: n numbers each; no hashes if the method takes minima (MinHash).
        fingerprint: what they give.
        ties: the sign of a sum of 0.
        minima: of each bit of a MinHash, the feature that decides it.
    """

    method: str
    bits: int
    names: list[str]
    hashes: list[int]
    weights: list[int]
    fingerprint: int
    ties: str = "0"
    minima: Sequence[DecidingFeature] = ()


def _make_simhash_features(
    method: str, bits: int, *, names: list[str], hashes: list[int], weights: list[int]
) -> TextFeatures:
    """Return features that a SimHash adds up, ties 0."""
    value = simhash(hashes, weights, bits=bits, ties=0)
    return TextFeatures(
        method=method, bits=bits, names=names, hashes=hashes, weights=weights, fingerprint=value
    )


def _features_of_2013(text: str) -> TextFeatures:
    runs = rabin.distinct_runs_of_four_units_in_text_order(text)
    hashes = rabin.fingerprints(runs).tolist()
    names = [_spell_four_utf16_units(run) for run in runs.tolist()]
    return _make_simhash_features("2013", 64, names=names, hashes=hashes, weights=[1] * len(hashes))


def _spell_four_utf16_units(run: int) -> str:
    """Return the text of a run of four UTF-16 units, in quotes."""
    data = run.to_bytes(8, "big")
    return repr(data.decode("utf-16-be", "surrogatepass"))


def _features_of_lecture(text: str) -> TextFeatures:
    pairs = phrases.distinct_character_pairs(text)
    hashes = [phrases.ruby_hash(pair, SEEDS[1]) % (1 << 32) for pair in pairs]
    names = [repr(pair.decode(errors="replace")) for pair in pairs]
    return _make_simhash_features(
        "the lecture", 32, names=names, hashes=hashes, weights=[1] * len(hashes)
    )


def _features_of_holub(text: str, preset: str) -> TextFeatures:
    width = holub.PRESETS[preset].tokens
    weighted = holub.count_weights(holub.super_tokens(holub.tokens(text), width))
    hashes = [lookup3(token.encode(errors="surrogatepass"), 64) for token in weighted]
    return _make_simhash_features(
        preset, 64, names=list(weighted), hashes=hashes, weights=list(weighted.values())
    )


def _features_of_recipe_refusing_short_text(
    text: str, recipe: ilk.Recipe, name: str
) -> TextFeatures:
    """Return the features of a text by a recipe of words, from the library's own answers.

    The fingerprint of a single feature, ties 0, is the hash of that feature.
    """
    _, starts, ends = (
        each.to_pylist() for each in kernels.hash_and_locate_words(text, recipe.normalisation)
    )
    words = [text[start:end] for start, end in zip(starts, ends, strict=True)]
    single = replace(recipe, minimum=1, width=1)
    words = [
        word
        for word, value in zip(words, _fingerprint_numbers_or_none(words, single), strict=True)
        if value is not None
    ]
    width = min(recipe.width, len(words))
    shingles = [" ".join(words[at : at + width]) for at in range(len(words) - width + 1)]
    counts = Counter(map(_fold_shingle, shingles))
    (value,) = _fingerprint_numbers_or_none([text], recipe)
    if value is None:
        raise OptionError(
            f"{quote_beginning(text)} is too short for {name}: it has {len(counts)} features, and "
            f"the recipe wants {recipe.minimum}."
        )
    names = list(counts)
    if recipe.kind == "minhash":
        minima = _find_deciding_features(names, recipe)
        return TextFeatures(
            method=name,
            bits=recipe.bits,
            names=names,
            hashes=[],
            weights=[1] * len(names),
            fingerprint=value,
            minima=minima,
        )
    alone = replace(recipe, minimum=1, weight="binary", ties="zero")
    hashes = [value or 0 for value in _fingerprint_numbers_or_none(names, alone)]
    weights = [_WEIGHTS[recipe.weight](count) for count in counts.values()]
    ties = {"zero": "0", "one": "1", "fixed": "a fixed bit"}[recipe.ties]
    return TextFeatures(
        method=name,
        bits=recipe.bits,
        names=names,
        hashes=hashes,
        weights=weights,
        fingerprint=value,
        ties=ties,
    )


def _fingerprint_numbers_or_none(texts: list[str], recipe: ilk.Recipe) -> list[int | None]:
    """Return a number for each text; None for one that is too short."""
    column = ilk.fingerprint(texts, recipe).to_pylist()
    # Those of 128 bits are bytes, the highest first.
    return [int.from_bytes(one, "big") if isinstance(one, bytes) else one for one in column]


def _fold_shingle(shingle: str) -> str:
    """Return a shingle as tables show it: shingles that differ in case alone are one."""
    return unicodedata.normalize("NFKC", shingle).casefold()


#: What a feature weighs that occurs so often.
_WEIGHTS: dict[str, Callable[[int], int]] = {
    "binary": lambda _: 1,
    "tf": lambda count: count,
    "log": lambda count: round(8 * (1 + math.log(count))),
}


def _find_deciding_features(names: list[str], recipe: ilk.Recipe) -> list[DecidingFeature]:
    """Return of each bit of a MinHash, the lowest first, the feature that decides it."""
    alone = replace(recipe, minimum=1)
    every = ilk.minhash.signatures(names, size=recipe.bits, recipe=alone).to_pylist()
    minima = (min(zip(column, names, strict=True)) for column in zip(*every, strict=True))
    return [DecidingFeature(name, number) for number, name in minima]


def _find_feature_function_or_none(method: str) -> Callable[[str], TextFeatures] | None:
    """Return what gives a text's features by a method; None of 2011's and of unknown methods.

    Raises:
        OptionError: the method is a recipe that cannot be explained.
    """
    if method in _FEATURES:
        return _FEATURES[method]
    if method == "roth2013":
        return _FEATURES["2013"]
    if re.match(r"\d+[A-D]( |$)", method):
        return None
    try:
        recipe = ilk.Recipe.parse(method)
    except errors.RecipeError:
        if "/" in method or method == "words-tfidf":
            raise  # It is a recipe, and the error says what is wrong with it.
        return None
    if recipe.unit != "words" or recipe.normalisation != "fold":
        raise OptionError(
            f"{method!r} cannot be explained: explain shows recipes of words, folded. Name another "
            "one, or fingerprint the text (ilk fingerprint)."
        )
    return partial(_features_of_recipe_refusing_short_text, recipe=recipe, name=method)


_FEATURES: dict[str, Callable[[str], TextFeatures]] = {
    "2013": _features_of_2013,
    "lecture": _features_of_lecture,
    "holub": partial(_features_of_holub, preset="holub"),
    "holub-super": partial(_features_of_holub, preset="holub-super"),
}


def _feature_tables_or_refuse(features: TextFeatures, text: str) -> list[Exhibit]:
    """Return the tables of a SimHash or a MinHash; OptionError if there is no feature."""
    if not features.names:
        raise OptionError(
            f"{quote_beginning(text)} is too short for {features.method}: it has no feature, and "
            "no fingerprint."
        )
    make_tables = _minhash_tables if features.minima else _simhash_tables
    return make_tables(features, text)


def _simhash_tables(features: TextFeatures, text: str) -> list[Exhibit]:
    """Return the features with their hashes and V after each, then V and its signs."""
    single = [
        add_votes([value], [weight], features.bits)
        for value, weight in zip(features.hashes, features.weights, strict=True)
    ]
    rows = [
        (feature, weight, f"{value:0{features.bits // 4}x}", _format_votes_highest_bit_first(after))
        for feature, weight, value, after in zip(
            features.names, features.weights, features.hashes, accumulate(single), strict=True
        )
    ]
    value = features.fingerprint
    sums: list[Sequence[Value]] = [
        (
            "V, highest bit first",
            _format_votes_highest_bit_first(
                add_votes(features.hashes, features.weights, features.bits)
            ),
        ),
        (f"signs: 1 above 0, and {features.ties} at 0", f"{value:0{features.bits}b}"),
        ("as a number", str(value)),
        ("hexadecimal", f"{value:0{features.bits // 4}x}"),
    ]
    return [
        make_exhibit(
            "features",
            f"{features.method}: the features of {quote_beginning(text)}",
            ("feature", "weight", "hash", "V after it, highest bit first"),
            rows,
        ),
        make_exhibit("number", "V and its signs", ("step", "value"), sums),
    ]


def _minhash_tables(features: TextFeatures, text: str) -> list[Exhibit]:
    """Return of each bit of a MinHash the feature that decides it."""
    rows = [
        (bit, name, number, features.fingerprint >> bit & 1)
        for bit, (name, number) in enumerate(features.minima)
    ]
    note = (
        "Each bit has a permutation of all numbers. The feature that it puts first decides the "
        "bit: two texts agree there if they have the same first feature, or else by chance. Bit 0 "
        "is the lowest."
    )
    title = f"{features.method}: the features of {quote_beginning(text)} that come first"
    value = features.fingerprint
    numbers = [
        ("features", str(len(features.names))),
        ("bits", f"{value:0{features.bits}b}"),
        ("as a number", str(value)),
        ("hexadecimal", f"{value:0{features.bits // 4}x}"),
    ]
    return [
        make_exhibit("features", title, ("bit", "feature", "its number", "value"), rows, note=note),
        make_exhibit("number", "The fingerprint", ("step", "value"), numbers),
    ]


def _format_votes_highest_bit_first(sums: Votes) -> str:
    """Return V, the highest bit first."""
    return " ".join(f"{int(sum_):+d}" for sum_ in sums[::-1])


def _comparison_table(first: TextFeatures, second: TextFeatures) -> Exhibit:
    """Return two fingerprints with the bits that differ, and the features that both have."""
    left, right = first.fingerprint, second.fingerprint
    bits = distance(left, right)
    marks = f"{left ^ right:0{first.bits}b}".replace("0", ".").replace("1", "^")
    common, every = {*first.names} & {*second.names}, {*first.names} | {*second.names}
    rows = [
        ("first", f"{left:0{first.bits}b}"),
        ("second", f"{right:0{first.bits}b}"),
        ("differ", marks),
        ("Hamming distance", f"{bits} of {first.bits} bits"),
        ("bits that agree", f"{100 * (1 - bits / first.bits):.1f} %"),
        ("features of both, of all", f"{len(common)} of {len(every)}"),
        ("Jaccard similarity", f"{len(common) / len(every):.3f}"),
    ]
    return make_exhibit("compared", "Both texts", ("what", "value"), rows)
