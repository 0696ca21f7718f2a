"""The method of Roth 2013: Rabin's fingerprint of runs of 4 UTF-16 units, and SimHash of those."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import hashing
from tests.support import strategies

import ilk
from ilk.base.errors import OptionError
from ilk.fingerprints.recipe_options import RABIN
from ilk_papers import rabin

PRESET = ilk.Recipe.parse("roth2013")

#: Text and fingerprint, by ``tests.reference.hashing.common_crawl``: long division of polynomials.
GOLDEN = [
    ("Hello world", 0x6B8A0F6194646A64),
    ("The quick brown fox jumps over the lazy dog", 0x1600955A9FB2B5AF),
    ("four score and seven years ago " * 3, 0x699388DBDB720916),
    ("\U0001f600 naïve 漢字", 0x1747848E18D66E08),
    ("abcd", 0x3F376209E49EF4DF),
]


@pytest.mark.parametrize(("text", "number"), GOLDEN)
def test_golden_numbers(text: str, number: int) -> None:
    assert ilk.fingerprint([text], PRESET).to_pylist() == [number]
    assert hashing.common_crawl(text) == number


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=20))
def test_tables_divide_as_by_hand(runs: list[int]) -> None:
    column = pa.array(runs, pa.uint64()).to_numpy()
    expected = [hashing.rabin_remainder(run.to_bytes(8, "big")) for run in runs]
    assert rabin.fingerprints(column).tolist() == expected


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_the_fingerprint_is_affine(a: int, b: int, c: int) -> None:
    """So every bit is a constant and a parity of bits of the run."""
    column = pa.array([a, b, c, a ^ b ^ c], pa.uint64()).to_numpy()
    one, two, three, all_three = rabin.fingerprints(column).tolist()
    assert one ^ two ^ three == all_three


@given(st.lists(st.one_of(st.none(), strategies.texts, st.text()), max_size=8))
def test_a_text_is_the_simhash_of_its_set_of_runs(texts: list[str | None]) -> None:
    expected = [None if text is None else hashing.common_crawl(text) for text in texts]
    assert ilk.fingerprint(texts, PRESET).to_pylist() == expected


@given(st.text(min_size=8, max_size=30), st.integers(2, 5))
def test_repetitions_do_not_count(text: str, times: int) -> None:
    once, more = (text * number for number in (2, 2 * times))
    assert (
        rabin.distinct_runs_of_four_units_in_text_order(once).tolist()
        == rabin.distinct_runs_of_four_units_in_text_order(more).tolist()
    )


def test_the_polynomial_is_irreducible() -> None:
    polynomial = int("1" + f"{rabin.POLYNOMIAL:064b}"[::-1], 2)
    assert hashing.is_irreducible_of_degree_64(polynomial)
    assert not hashing.is_irreducible_of_degree_64(polynomial ^ 1)  # It is divisible by x.


def test_the_hash_belongs_to_one_recipe() -> None:
    assert str(PRESET) == RABIN
    for changed in ({"width": 3}, {"weight": "tf"}, {"normalisation": "fold"}, {"bits": 32}):
        with pytest.raises(OptionError, match="which is named roth2013"):
            ilk.Recipe("simhash", **({"hash": "rabin64"} | changed))


def test_runs_are_in_the_order_of_the_text() -> None:
    places = [
        rabin.distinct_runs_of_four_units_in_text_order(run).tolist()
        for run in ("abca", "bcab", "cabc")
    ]
    assert [
        [run] for run in rabin.distinct_runs_of_four_units_in_text_order("abcabcabc").tolist()
    ] == places
