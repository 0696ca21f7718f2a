"""Noisy copies have the share of wrong characters that was asked for, and no other text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support import strategies

from ilk.base.errors import OptionError
from ilk.search import noise_evidence
from ilk_papers.measure.noising import make_noisy

_TEXT = "\n".join(
    f"the harbour master wrote line {at} of the ledger in a clear hand, and closed it again"
    for at in range(60)
)


@pytest.mark.parametrize("rate", [0.01, 0.03, 0.06, 0.1])
def test_the_share_of_wrong_characters_is_the_rate(rate: float) -> None:
    shares = [
        1
        - noise_evidence.measure_whole_and_within_agreement(_TEXT, make_noisy(_TEXT, rate, seed))[0]
        for seed in range(20)
    ]
    assert sum(shares) / len(shares) == pytest.approx(rate, rel=0.1)
    assert max(shares) <= 1.3 * rate


def test_copies_are_joined_split_and_hyphenated() -> None:
    copy = make_noisy(_TEXT, 0.1, 5)
    assert "-\n" in copy
    assert copy == make_noisy(_TEXT, 0.1, 5) != make_noisy(_TEXT, 0.1, 6)
    assert abs(len(copy.split()) - len(_TEXT.split())) < 0.2 * len(_TEXT.split())


@given(strategies.texts, st.sampled_from([0.01, 0.1]), st.integers(0, 9))
def test_any_text_has_a_copy(text: str, rate: float, seed: int) -> None:
    copy = make_noisy(text, rate, seed)
    assert copy == make_noisy(text, rate, seed)
    if not any(map(str.isalnum, text)):
        assert noise_evidence.measure_whole_and_within_agreement(text, copy)[0] == 1.0


@pytest.mark.parametrize("rate", [0, 0.2, -1, None, "much"])
def test_a_rate_out_of_bounds_is_refused(rate: float) -> None:
    with pytest.raises(OptionError, match=r"noise is|rate is"):
        make_noisy("a text", rate, 0)
