"""What a rate of wrong characters asks of pairs, beside what is measured on noisy copies."""

from __future__ import annotations

import random
from fractions import Fraction

import pyarrow as pa
import pytest

from ilk import arrow
from ilk.search import noise_evidence, noise_model
from ilk_papers.measure.noising import make_noisy

#: Words that one text of many has by chance.
_WORDS = "".join(chr(97 + at) for at in range(26))

#: Rates, and the least share of copies that the issue of this part of ilk asks to be nominated.
_RATES = {"0.01": 0.99, "0.02": 0.99, "0.05": 0.99, "0.1": 0.97}


def _texts(count: int, words: int) -> list[str]:
    draw = random.Random(28)
    known = ["".join(draw.choices(_WORDS, k=draw.randint(2, 9))) for _ in range(900)]
    return [" ".join(draw.choices(known, k=words)) for _ in range(count)]


@pytest.mark.parametrize("rate", _RATES)
@pytest.mark.parametrize("words", [60, 400])
def test_copies_are_nominated_as_often_as_the_model_says(rate: str, words: int) -> None:
    limits = noise_model.limits_at_rate(Fraction(rate))
    texts = _texts(120, words)
    copies = [make_noisy(text, float(rate), at) for at, text in enumerate(texts)]
    kept = noise_evidence.NoiseEvidence.from_texts(arrow.import_texts(texts + copies), 1)
    left = pa.arange(0, len(texts))
    right = pa.arange(len(texts), 2 * len(texts))
    found = noise_evidence.are_nominated(kept, left, right, limits).to_pylist()
    assert noise_model.recall_at_rate(float(rate), float(limits.long)) >= 0.99
    assert sum(found) / len(found) >= _RATES[rate]


@pytest.mark.parametrize("rate", [0.02, 0.05, 0.1])
def test_two_copies_are_nominated_at_least_as_often_as_expected(rate: float) -> None:
    least = float(noise_model.limits_at_rate(Fraction(str(rate))).long)
    texts = _texts(60, 150)
    ones, others = (
        [make_noisy(text, rate, f"{side}{at}") for at, text in enumerate(texts)] for side in "ab"
    )
    kept = noise_evidence.NoiseEvidence.from_texts(arrow.import_texts(ones + others), 1)
    pairs = pa.arange(0, len(texts)), pa.arange(len(texts), 2 * len(texts))
    found = noise_evidence.are_nominated(
        kept, *pairs, noise_model.limits_at_rate(Fraction(str(rate)))
    ).to_pylist()
    expected = noise_model.recall_at_rate(noise_model.rate_between_copies(rate), least)
    assert expected >= 0.5
    assert sum(found) / len(found) >= expected - 0.15


def test_thresholds_fall_as_the_rate_rises() -> None:
    rates = [Fraction(at, 100) for at in range(1, 11)]
    found = [noise_model.limits_at_rate(rate) for rate in rates]
    for at in range(4):
        values = [limits[at] for limits in found]
        assert values == sorted(values, reverse=True)
    assert found[4].agreement == Fraction(9, 10)


def test_errors_of_both_copies_add_up() -> None:
    assert noise_model.rate_between_copies(0.05) == pytest.approx(0.0975)
    assert noise_model.recall_at_rate(0, 1.0) == 1.0
    least = float(noise_model.limits_at_rate(Fraction(1, 20)).long)
    assert noise_model.recall_at_rate(
        noise_model.rate_between_copies(0.05), least
    ) < noise_model.recall_at_rate(0.05, least)
