"""What is drawn at random: the same for ever, and every choice as likely."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from ilk_papers.seeded import draw_ascending_sample, draw_below, seeded_draw


def test_a_seed_draws_the_same_for_ever() -> None:
    """Printed by this module when it was written, by the Mersenne Twister of Python 3.11."""
    draw = seeded_draw(1)
    assert [draw_below(draw, 1000) for _ in range(5)] == [134, 847, 763, 255, 495]
    assert draw_ascending_sample(seeded_draw("a seed"), 100, 5) == [3, 38, 39, 75, 87]


@given(st.integers(), st.integers(0, 300), st.data())
def test_a_sample_is_of_different_numbers(seed: int, total: int, data: st.DataObject) -> None:
    count = data.draw(st.integers(0, total))
    found = draw_ascending_sample(seeded_draw(seed), total, count)
    assert len(found) == count
    assert found == sorted(set(found))
    assert set(found) <= set(range(total))


def test_every_sample_is_as_likely() -> None:
    """Each of the 10 pairs of 5 numbers, 1,000 times on average; deviations are below 5 sigma."""
    draw = seeded_draw(7)
    seen = Counter(tuple(draw_ascending_sample(draw, 5, 2)) for _ in range(10_000))
    assert len(seen) == 10
    assert all(abs(times - 1000) < 5 * 30 for times in seen.values())
