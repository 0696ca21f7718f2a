"""Two columns joined by resemblance, and one container each: equal to brute force."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

import ilk
from tests.reference import text as reference
from tests.support import strategies
from tests.support.fixtures import examples

sets = st.lists(st.frozensets(st.integers(0, 12), max_size=8), max_size=12)
shares = st.sampled_from([0.5, 0.75, 0.8, 1.0])


@given(sets, sets, shares)
def test_sets_of_two_columns(
    left: list[frozenset[int]], right: list[frozenset[int]], least: float
) -> None:
    expected = [
        (i, j)
        for i, a in enumerate(left)
        for j, b in enumerate(right)
        if a | b and Fraction(len(a & b), len(a | b)) >= Fraction(str(least))
    ]
    if left and right:
        found = ilk.sets.join([list(a) for a in left], [list(b) for b in right], least)
        assert (
            list(zip(*found.select(["left", "right"]).to_pydict().values(), strict=True))
            == expected
        )


@examples(40)
@given(strategies.relatives(most=8), strategies.relatives(most=8), shares)
def test_texts_of_two_columns(
    left: list[str | None], right: list[str | None], least: float
) -> None:
    expected = []
    for i, a in enumerate(left):
        for j, b in enumerate(right):
            shared, first, second = reference.resemblance(a or "", b or "")
            union = first + second - shared
            if union and Fraction(shared, union) >= Fraction(str(least)):
                expected.append((i, j, shared / union))
    found = ilk.sets.join(left, right, least).to_pylist()
    assert [(row["left"], row["right"], row["resemblance"]) for row in found] == expected


@examples(40)
@given(strategies.relatives(most=10), shares)
def test_every_contained_text_has_one_container(texts: list[str | None], least: float) -> None:
    every = ilk.sets.containment(texts, least)
    one = ilk.sets.containment(texts, least, exists=True)
    pairs = {(row["left"], row["right"]) for row in every.to_pylist()}
    chosen = [(row["left"], row["right"]) for row in one.to_pylist()]
    assert set(chosen) <= pairs
    contained = {left for left, _ in chosen}
    assert len(contained) == len(chosen)
    # What has no container of its own is one side of a pair that contains each other.
    for left, right in pairs:
        assert left in contained or (right, left) in pairs
