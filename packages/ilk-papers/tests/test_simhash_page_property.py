"""The permuted tables of the project page find what Manku promises."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.support import strategies

import ilk
from ilk_papers.simhash_page import permuted
from ilk_papers.simhash_page.permuted import Design

designs = st.integers(2, 6).flatmap(
    lambda blocks: st.builds(Design, st.just(blocks), st.integers(1, blocks - 1))
)


@given(strategies.fingerprints, st.permutations(range(64)))
def test_bits_are_put_in_order(value: int, order: list[int]) -> None:
    (moved,) = permuted.permute_bits(np.array([value], np.uint64), order).tolist()
    assert [moved >> (63 - place) & 1 for place in range(64)] == [value >> bit & 1 for bit in order]


@given(st.lists(strategies.fingerprints, min_size=1, max_size=40), designs, st.integers(0, 12))
def test_tables_find_what_agrees_in_enough_blocks(
    values: list[int], design: Design, radius: int
) -> None:
    found = permuted.search_permuted_tables(np.array(values, np.uint64), design, radius)
    n = len(values)
    expected, exactly = set(), ilk.hamming.pairs(values, radius).to_pylist()
    for row in exactly:
        differ = values[row["left"]] ^ values[row["right"]]
        equal = sum(not any(differ >> bit & 1 for bit in block) for block in design.split_bits())
        if equal >= design.agreeing:
            expected.add((row["left"], row["right"]))
    assert {(int(code) // n, int(code) % n) for code in found.pairs} == expected
    if radius <= design.exact_radius:
        assert len(expected) == len(exactly)
