"""Every step from a text to its number, by any of the papers' methods."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate
from typing import NamedTuple

from ilk.plugins import OptionError
from ilk_papers import rabin
from ilk_papers.frame import Exhibit, Value, exhibit
from ilk_papers.hashes import lookup3
from ilk_papers.holub import method as holub
from ilk_papers.lecture import phrases
from ilk_papers.lecture.published import SEEDS
from ilk_papers.roth2011.index import bounds
from ilk_papers.roth2011.methods import Combination, Parameters, number, sketch_document
from ilk_papers.roth2011.scoring import similar
from ilk_papers.roth2011.steps import shorten_text, steps_of
from ilk_papers.simhash import Votes, distance, simhash, votes

#: k and the window where a method names none: a text to explain is short.
_SHORT = "4 5"

METHOD_NAMES = (
    "43B or another tracking number with a variation, 2013, lecture, holub, or holub-super"
)


def explain_text(text: str, method: str) -> list[Exhibit]:
    """Return the steps as tables; V feature by feature.

    Args:
        text: any.
        method: a combination of 2011 such as ``43B`` or ``43B 40 100``, ``2013``, ``lecture``,
            ``holub`` or ``holub-super``.

    Raises:
        OptionError: there is no such method.
    """
    if method in _FEATURES:
        return _vote_tables(_FEATURES[method](text), text)
    combination = _parse_combination(method)
    steps = steps_of(text, combination)
    return [exhibit("explain", f"{combination} of {shorten_text(text)}", ("step", "value"), steps)]


def explain_pair(one: str, other: str, method: str) -> list[Exhibit]:
    """Return the steps of two texts, and then their numbers beside each other.

    Args:
        one, other, method: as of ``explain_text``.

    Raises:
        OptionError: there is no such method, or a text is too short for it.
    """
    steps = [*explain_text(one, method), *explain_text(other, method)]
    if method in _FEATURES:
        return [*steps, _compare_features(_FEATURES[method](one), _FEATURES[method](other))]
    combination = _parse_combination(method)
    for text in (one, other):
        if not len(sketch_document(text, combination, Parameters())[1]):
            raise OptionError(
                f"{shorten_text(text)} is too short for {combination}: it has no number. Give a "
                "longer text, or a method with a smaller k."
            )
    left, right = (number(text, combination, Parameters()) for text in (one, other))
    rows = [
        ("first", str(left)),
        ("its bounds", "{}, {}".format(*bounds(left))),
        ("second", str(right)),
        ("within 30 %", "yes" if similar(left, right) else "no"),
    ]
    return [*steps, exhibit("compared", "Both numbers", ("what", "value"), rows)]


def _parse_combination(method: str) -> Combination:
    """Return a combination of 2011; the method alone has a small k and window."""
    written = method if " " in method else f"{method} {_SHORT}"
    try:
        return Combination.parse(written)
    except OptionError:
        if re.fullmatch(r"\d+[A-D]( .*)?", method):
            raise  # It is a tracking number, and the error says what is wrong with it.
        raise OptionError(f"{method!r} is not a method; name {METHOD_NAMES}.") from None


class TextFeatures(NamedTuple):
    """The features of a text by a method.

    Attributes:
        method: its name, as tables have it.
        bits: of a hash, and of the fingerprint.
        names: n features, as they are shown.
        hashes, weights: n numbers each.
    """

    method: str
    bits: int
    names: list[str]
    hashes: list[int]
    weights: list[int]

    def fingerprint(self) -> int:
        """Return the signs of V, ties 0."""
        return simhash(self.hashes, self.weights, bits=self.bits, ties=0)


def _of_2013(text: str) -> TextFeatures:
    runs = rabin.runs(text)
    hashes = rabin.fingerprints(runs).tolist()
    names = [_units(run) for run in runs.tolist()]
    return TextFeatures("2013", 64, names, hashes, [1] * len(hashes))


def _units(run: int) -> str:
    data = run.to_bytes(8, "big")
    return repr(data.decode("utf-16-be", "surrogatepass"))


def _of_lecture(text: str) -> TextFeatures:
    pairs = phrases.pairs(text)
    hashes = [phrases.ruby(pair, SEEDS[1]) % (1 << 32) for pair in pairs]
    names = [repr(pair.decode(errors="replace")) for pair in pairs]
    return TextFeatures("the lecture", 32, names, hashes, [1] * len(hashes))


def _of_holub(text: str, preset: str) -> TextFeatures:
    width = holub.PRESETS[preset].tokens
    weighted = holub.weights(holub.super_tokens(holub.tokens(text), width))
    hashes = [lookup3(token.encode(errors="surrogatepass"), 64) for token in weighted]
    return TextFeatures(preset, 64, list(weighted), hashes, list(weighted.values()))


_FEATURES: dict[str, Callable[[str], TextFeatures]] = {
    "2013": _of_2013,
    "lecture": _of_lecture,
    "holub": partial(_of_holub, preset="holub"),
    "holub-super": partial(_of_holub, preset="holub-super"),
}


def _vote_tables(of: TextFeatures, text: str) -> list[Exhibit]:
    """Return the features with their hashes and V after each, then V and its signs, ties 0."""
    if not of.names:
        raise OptionError(
            f"{shorten_text(text)} is too short for {of.method}: it has no feature, and no "
            "fingerprint."
        )
    single = [
        votes([value], [weight], of.bits)
        for value, weight in zip(of.hashes, of.weights, strict=True)
    ]
    rows = [
        (feature, weight, f"{value:0{of.bits // 4}x}", _format_votes(after))
        for feature, weight, value, after in zip(
            of.names, of.weights, of.hashes, accumulate(single), strict=True
        )
    ]
    value = of.fingerprint()
    sums: list[Sequence[Value]] = [
        ("V, highest bit first", _format_votes(votes(of.hashes, of.weights, of.bits))),
        ("signs: 1 above 0", f"{value:0{of.bits}b}"),
        ("as a number", str(value)),
        ("hexadecimal", f"{value:0{of.bits // 4}x}"),
    ]
    return [
        exhibit(
            "features",
            f"{of.method}: the features of {shorten_text(text)}",
            ("feature", "weight", "hash", "V after it, highest bit first"),
            rows,
        ),
        exhibit("number", "V and its signs", ("step", "value"), sums),
    ]


def _format_votes(of: Votes) -> str:
    """Return V, the highest bit first."""
    return " ".join(f"{int(sum_):+d}" for sum_ in of[::-1])


def _compare_features(one: TextFeatures, other: TextFeatures) -> Exhibit:
    """Return two fingerprints with the bits that differ, and the features that both have."""
    left, right = one.fingerprint(), other.fingerprint()
    bits = distance(left, right)
    marks = f"{left ^ right:0{one.bits}b}".replace("0", ".").replace("1", "^")
    shared, every = {*one.names} & {*other.names}, {*one.names} | {*other.names}
    rows = [
        ("first", f"{left:0{one.bits}b}"),
        ("second", f"{right:0{one.bits}b}"),
        ("differ", marks),
        ("Hamming distance", f"{bits} of {one.bits} bits"),
        ("bits that agree", f"{100 * (1 - bits / one.bits):.1f} %"),
        ("features of both, of all", f"{len(shared)} of {len(every)}"),
        ("Jaccard similarity", f"{len(shared) / len(every):.3f}"),
    ]
    return exhibit("compared", "Both texts", ("what", "value"), rows)
