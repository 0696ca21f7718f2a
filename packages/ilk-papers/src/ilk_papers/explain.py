"""Every step from a text to its number, by any of the papers' methods."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import accumulate

from ilk.plugins import OptionError
from ilk_papers import rabin
from ilk_papers.frame import Exhibit, Value, exhibit
from ilk_papers.hashes import lookup3
from ilk_papers.holub import method as holub
from ilk_papers.lecture import phrases
from ilk_papers.lecture.published import SEEDS
from ilk_papers.roth2011.methods import Combination
from ilk_papers.roth2011.steps import shorten_text, steps_of
from ilk_papers.simhash import signs, votes

#: k and the window where a method names none: a text to explain is short.
_SHORT = "4 5"

METHOD_NAMES = "43B or another tracking number with a variation, 2013, lecture, or holub"


def explain_text(text: str, method: str) -> list[Exhibit]:
    """Return the steps as tables; V feature by feature.

    Args:
        text: any.
        method: a combination of 2011 such as ``43B`` or ``43B 40 100``, ``2013``, ``lecture`` or
            ``holub``.

    Raises:
        OptionError: there is no such method.
    """
    if method in _STEPS:
        return _STEPS[method](text)
    written = method if " " in method else f"{method} {_SHORT}"
    try:
        combination = Combination.parse(written)
    except OptionError:
        if re.fullmatch(r"\d+[A-D]( .*)?", method):
            raise  # It is a tracking number, and the error says what is wrong with it.
        raise OptionError(f"{method!r} is not a method; name {METHOD_NAMES}.") from None
    steps = steps_of(text, combination)
    return [exhibit("explain", f"{combination} of {shorten_text(text)}", ("step", "value"), steps)]


def _of_2013(text: str) -> list[Exhibit]:
    runs = rabin.runs(text)
    hashes = rabin.fingerprints(runs).tolist()
    shown = [_units(run) for run in runs.tolist()]
    return _vote_tables("2013", text, shown, hashes, [1] * len(hashes), 64)


def _units(run: int) -> str:
    data = run.to_bytes(8, "big")
    return repr(data.decode("utf-16-be", "surrogatepass"))


def _of_lecture(text: str) -> list[Exhibit]:
    pairs = phrases.pairs(text)
    hashes = [phrases.ruby(pair, SEEDS[1]) % (1 << 32) for pair in pairs]
    shown = [repr(pair.decode(errors="replace")) for pair in pairs]
    return _vote_tables("the lecture", text, shown, hashes, [1] * len(hashes), 32)


def _of_holub(text: str) -> list[Exhibit]:
    weighted = holub.weights(holub.tokens(text))
    hashes = [lookup3(token.encode(errors="surrogatepass"), 64) for token in weighted]
    return _vote_tables("Holub", text, list(weighted), hashes, list(weighted.values()), 64)


_STEPS: dict[str, Callable[[str], list[Exhibit]]] = {
    "2013": _of_2013,
    "lecture": _of_lecture,
    "holub": _of_holub,
}


def _vote_tables(
    name: str,
    text: str,
    features: Sequence[str],
    hashes: Sequence[int],
    weights: Sequence[int],
    bits: int,
) -> list[Exhibit]:
    """Return the features with their hashes and V after each, then V and its signs, ties 0."""
    digits = bits // 4
    if not features:
        raise OptionError(
            f"{shorten_text(text)} is too short for {name}: it has no feature, and no fingerprint."
        )
    single = [votes([value], [weight], bits) for value, weight in zip(hashes, weights, strict=True)]
    rows = [
        (feature, weight, f"{value:0{digits}x}", " ".join(f"{int(v):+d}" for v in after[::-1]))
        for feature, weight, value, after in zip(
            features, weights, hashes, accumulate(single), strict=True
        )
    ]
    of = votes(hashes, weights, bits)
    value = signs(of, ties=0)
    sums: list[Sequence[Value]] = [
        ("V, highest bit first", " ".join(f"{int(v):+d}" for v in of[::-1])),
        ("signs: 1 above 0", f"{value:0{bits}b}"),
        ("as a number", str(value)),
        ("hexadecimal", f"{value:0{digits}x}"),
    ]
    return [
        exhibit(
            "features",
            f"{name}: the features of {shorten_text(text)}",
            ("feature", "weight", "hash", "V after it, highest bit first"),
            rows,
        ),
        exhibit("number", "V and its signs", ("step", "value"), sums),
    ]
