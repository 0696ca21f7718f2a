"""Shingles as numbers, a sample of them, and how far the sample's resemblance is from the sets'."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ilk_papers.hashes import murmur
from ilk_papers.lecture import shingles
from ilk_papers.roth2011 import sketches

Numbers = NDArray[np.uint64]

#: Divisors and windows, and sizes of a sample of fixed size.
RATES, SIZES = (4, 16, 64), (16, 64, 256)


@dataclass(frozen=True, slots=True)
class SamplingAccuracy:
    """How a sample does: its mean size, and the mean and largest error of the resemblance."""

    method: str
    size: float
    error: float
    largest: float


def hash_shingles_in_text_order(text: str, k: int = 3) -> Numbers:
    """Return the shingles of k words of a text as numbers of 64 bits, in the order of the text."""
    of = shingles.shingles(shingles.words_in_given_case(text), k)
    hashed = [murmur(" ".join(each).encode(errors="surrogatepass"), 64) for each in of]
    return np.array(hashed, np.uint64)


def measure_sampling_methods(
    pairs: list[tuple[Numbers, Numbers]], seed: int
) -> Iterator[SamplingAccuracy]:
    """Yield how every way to sample does on pairs of documents."""
    ways: dict[str, Callable[[Numbers], Numbers]] = {}
    for rate in RATES:
        ways[f"0 mod {rate}"] = lambda of, rate=rate: of[of % np.uint64(rate) == 0]  # type: ignore[misc]
        ways[f"winnowing, window {rate}"] = lambda of, rate=rate: sketches.winnow(  # type: ignore[misc]
            of.view(np.int64), rate
        ).view(np.uint64)
    for size in SIZES:
        ways[f"the lowest {size}"] = lambda of, size=size: np.unique(of)[:size]  # type: ignore[misc]
    truth = [shingles.resemblance_or_zero_if_empty({*a.tolist()}, {*b.tolist()}) for a, b in pairs]
    for name, way in ways.items():
        taken = [tuple({*way(each).tolist()} for each in pair) for pair in pairs]
        resemblances = [_estimate_resemblance(a, b, name) for a, b in taken]
        yield _measure_sampling_accuracy(
            name, float(np.mean([len(a) for a, _ in taken])), resemblances, truth
        )
    for size in SIZES:
        factors = np.random.default_rng(seed).integers(1 << 62, size=size, dtype=np.uint64)
        factors = factors * np.uint64(2) + np.uint64(1)
        minima = [tuple(_minima_of_products(each, factors) for each in pair) for pair in pairs]
        resemblances = [float(np.mean(a == b)) for a, b in minima]
        yield _measure_sampling_accuracy(f"MinHash of {size}", float(size), resemblances, truth)


def _estimate_resemblance(left_sample: set[int], right_sample: set[int], method: str) -> float:
    """Return the resemblance of two sets, estimated from samples of both by the same method.

    The lowest numbers of both samples together are a sample of the union.
    """
    if method.startswith("the lowest"):
        size = int(method.rsplit(maxsplit=1)[-1])
        union = {*sorted(left_sample | right_sample)[:size]}
        return len(union & left_sample & right_sample) / max(1, len(union))
    return shingles.resemblance_or_zero_if_empty(left_sample, right_sample)


def _minima_of_products(numbers: Numbers, factors: Numbers) -> Numbers:
    # A product's upper half is well mixed; the lower bits of a number never reach it otherwise.
    mixed = numbers ^ (numbers >> np.uint64(32))
    return np.array([((mixed * factor) >> np.uint64(20)).min() for factor in factors], np.uint64)


def _measure_sampling_accuracy(
    name: str, size: float, estimates: list[float], truth: list[float]
) -> SamplingAccuracy:
    errors = np.abs(np.array(estimates) - np.array(truth))
    return SamplingAccuracy(name, size, float(errors.mean()), float(errors.max()))
