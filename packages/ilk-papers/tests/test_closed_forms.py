"""Closed forms, samples, links and edits: each against a slow count."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support import strategies

import ilk
from ilk_papers.holub import method
from ilk_papers.lecture import distances, links, sampling, sorting, tables
from ilk_papers.planted import BITS
from ilk_papers.simhash_page import features, permuted
from ilk_papers.simhash_page import tables as page
from ilk_papers.simhash_page.permuted import Design


@pytest.mark.parametrize("design", page.DESIGNS)
@pytest.mark.parametrize("apart", [1, 2, 3])
def test_the_recall_of_tables_is_that_of_all_placements(design: Design, apart: int) -> None:
    cut = design.split_bits()
    block = {bit: at for at, bits in enumerate(cut) for bit in bits}
    sets = list(combinations(range(BITS), apart))
    found = [design.blocks - len({block[bit] for bit in of}) >= design.agreeing for of in sets]
    assert permuted.expected_recall(design, apart) == pytest.approx(sum(found) / len(sets))


def test_the_recall_of_tables_is_near_what_is_measured() -> None:
    for row in page.table_designs_beside_exact_join(4_000, 3).table.to_pylist()[1:]:
        assert row["expected"] == pytest.approx(row["% to 8"], abs=12)


def test_the_recall_of_rotations_bounds_what_is_measured() -> None:
    rows = tables.rotations_table(4_000, 1).table.to_pylist()[1:]
    assert [row["expected"] for row in rows] == sorted(row["expected"] for row in rows)
    for row in rows:
        assert row["per cent"] < row["expected"] <= 100
    # One rotation of pairs at one bit: the bit's place decides, all alike.
    alone = [np.exp(-4_000 / 2.0 ** (place + 1)) for place in range(BITS)]
    assert sorting.expected_recall(4_000, 1, 1) == pytest.approx(np.mean(alone))


def test_larger_samples_err_less() -> None:
    rows = {row["sample"]: row for row in tables.sampling_table(1).table.to_pylist()}
    for name in ("0 mod {}", "the lowest {}", "MinHash of {}"):
        sizes = sampling.RATES if "mod" in name else tuple(reversed(sampling.SIZES))
        errors = [rows[name.format(size)]["mean error"] for size in sizes]
        assert errors == sorted(errors)
        assert errors[0] < 0.03
    assert rows["0 mod 4"]["numbers of a text"] == pytest.approx(1198 / 4, rel=0.1)


@given(st.dictionaries(st.text("abc", min_size=1, max_size=3), st.sampled_from("xyz"), max_size=8))
def test_a_canonical_page_is_the_first_with_its_text(pages: dict[str, str]) -> None:
    found = links.first_addresses_with_same_page(pages)
    for address, page_text in pages.items():
        assert found[address] == next(at for at, text in pages.items() if text == page_text)


def test_in_links_of_mirrors_are_added_up() -> None:
    rows = {row["page"]: row for row in tables.in_links_table().table.to_pylist()}
    assert rows["north/b"]["in-links"] == 2
    assert {rows[f"{host}/b"]["in-links of all mirrors"] for host in ("north", "west")} == {4}
    assert rows["south/c"]["canonical page"] == "north/c"


@given(st.text("ab", max_size=9), st.text("ab", max_size=9))
def test_edit_similarity_is_the_share_of_the_longest_common_subsequence(a: str, b: str) -> None:
    found = distances.insert_delete_similarity(a, b)
    assert 0 <= found <= 1
    assert (found == 1) == (a == b)
    assert found * (len(a) + len(b)) == pytest.approx(
        (len(a) + len(b) - distances.insert_delete_distance(a, b)) if a or b else 0
    )


def test_a_small_change_turns_half_of_a_digest() -> None:
    rows = tables.avalanche_table().table.to_pylist()
    assert all(35 < row["per cent"] < 65 for row in rows[:-1])
    assert rows[-1]["per cent"] < 25
    near = {
        (row["left"], row["right"]): row["at 80%"]
        for row in tables.edit_distance_table().table.to_pylist()
    }
    assert [*near.values()].count("near") == 2


@given(st.dictionaries(st.sampled_from("abcd"), st.integers(1, 9).map(float), max_size=4))
def test_a_cosine_is_1_of_the_same_and_0_of_strangers(weights: dict[str, float]) -> None:
    assert features.cosine(weights, weights) == pytest.approx(1 if weights else 0)
    assert features.cosine(weights, {"z": 1.0}) == 0


@given(strategies.prose)
def test_holubs_room_and_recipes_give_the_same(text: str) -> None:
    for name, preset in method.PRESETS.items():
        recipe = ilk.Recipe.parse(name)
        (found,) = ilk.fingerprint([text], recipe).to_pylist()
        words = method.super_tokens(method.tokens(text), preset.tokens)
        if words and text.isascii():
            assert found == method.charikar_hash(text, preset)
            narrow = ilk.Recipe(
                "simhash", 32, "words", preset.tokens, "tf", "fold", 1, "lookup3", "zero"
            )
            assert ilk.fingerprint([text], narrow).to_pylist() == [
                method.charikar_hash(text, preset, 32)
            ]
