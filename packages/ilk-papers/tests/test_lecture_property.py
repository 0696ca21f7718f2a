"""The lecture's methods keep what they promise, for anything."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.reference import hashing
from tests.support import strategies

import ilk
from ilk_papers.comparing import compare_all_pairs
from ilk_papers.lecture import applications, distances, exact, phrases, shingles, sorting
from ilk_papers.planted import Fingerprints
from ilk_papers.simhash import add_votes, distance, signs_of_votes, simhash

texts = st.text("abc", max_size=8)
sets = st.frozensets(st.integers(0, 6))
points = st.lists(st.floats(-1e6, 1e6, allow_subnormal=False), min_size=3, max_size=3)
prints = st.lists(strategies.fingerprints, min_size=1, max_size=40)
_CLOSE = 1e-6


def column(values: list[int]) -> Fingerprints:
    return np.array(values, np.uint64)


@given(texts, texts, texts)
def test_the_edit_distance_is_a_distance(a: str, b: str, c: str) -> None:
    d = distances.insert_delete_distance
    assert d(a, b) == d(b, a) >= 0
    assert (d(a, b) == 0) == (a == b)
    assert d(a, c) <= d(a, b) + d(b, c)
    longest = max(
        (n for n in range(min(len(a), len(b)) + 1) for of in combinations(a, n) if _within(of, b)),
        default=0,
    )
    assert d(a, b) == len(a) + len(b) - 2 * longest


def _within(part: tuple[str, ...], whole: str) -> bool:
    """Whether a sequence is in another one, perhaps with gaps."""
    rest = iter(whole)
    return all(one in rest for one in part)


@given(sets, sets, sets)
def test_jaccard_is_a_distance(a: frozenset[int], b: frozenset[int], c: frozenset[int]) -> None:
    d = distances.jaccard_distance
    assert d(a, b) == d(b, a) >= 0
    assert (d(a, b) == 0) == (a == b)
    assert d(a, c) <= d(a, b) + d(b, c) + _CLOSE


@given(st.integers(0, 9).flatmap(lambda n: st.tuples(*[st.text("01", min_size=n, max_size=n)] * 3)))
def test_hamming_is_a_distance(of: tuple[str, str, str]) -> None:
    a, b, c = of
    d = distances.hamming_distance
    assert d(a, b) == d(b, a) >= 0
    assert (d(a, b) == 0) == (a == b)
    assert d(a, c) <= d(a, b) + d(b, c)
    assert d(a, b) == distance(int("0" + a, 2), int("0" + b, 2))


@given(points, points, points)
def test_euclidean_is_a_distance(a: list[float], b: list[float], c: list[float]) -> None:
    d = distances.euclidean_distance
    assert d(a, b) == d(b, a) >= 0
    assert (d(a, b) == 0) == (a == b)
    assert d(a, c) <= (d(a, b) + d(b, c)) * (1 + _CLOSE)


@given(points, points, points, st.floats(0.001, 1000))
def test_the_angle_is_a_distance_of_directions(
    a: list[float], b: list[float], c: list[float], scale: float
) -> None:
    assume(all(any(abs(x) > _CLOSE for x in each) for each in (a, b, c)))
    d = distances.angle_in_degrees
    assert d(a, b) == d(b, a)
    assert 0 <= d(a, b) <= 180
    assert d(a, a) == 0
    assert d(a, [scale * x for x in a]) < _CLOSE
    assert d(a, c) <= d(a, b) + d(b, c) + _CLOSE


@given(texts, texts, st.integers(1, 3))
def test_resemblance_and_containment_are_shares(left: str, right: str, k: int) -> None:
    a, b = ({*shingles.shingles(each, k)} for each in (left, right))
    assert len(shingles.shingles(left, k)) == max(0, len(left) - k + 1)
    assert (
        0
        <= shingles.resemblance_or_zero_if_empty(a, b)
        <= shingles.containment_or_zero_if_empty(a, b)
        <= 1
    )
    assert shingles.resemblance_or_zero_if_empty(a, b) == shingles.resemblance_or_zero_if_empty(
        b, a
    )
    assert (shingles.containment_or_zero_if_empty(a, b) == 1) == (bool(a) and a <= b)
    if a and b:
        agreement = shingles.signature_agreement(
            *(shingles.minhash_signature(each, 8) for each in (a, b))
        )
        assert agreement == 1 or a != b
        assert agreement == 0 or a & b


@given(st.integers(0, 2**16 - 1), st.integers(0, 2**16 - 1), st.integers(-20, 20))
def test_rotation_keeps_the_distance(a: int, b: int, by: int) -> None:
    turned = [sorting.rotate_bits(each, by, 16) for each in (a, b)]
    assert distance(*turned) == distance(a, b)
    assert sorting.rotate_bits(turned[0], -by, 16) == a
    assert turned[0].bit_count() == a.bit_count()


@given(prints, st.integers(1, 64), st.integers(0, 64))
def test_sorting_finds_pairs_that_the_join_finds(
    values: list[int], rotations: int, radius: int
) -> None:
    n = len(values)
    exactly = {(r["left"], r["right"]) for r in ilk.hamming.pairs(values, radius).to_pylist()}
    every = {(int(code) // n, int(code) % n) for code in compare_all_pairs(column(values), radius)}
    assert every == exactly
    found = sorting.find_neighbours(column(values), rotations, radius).tolist()
    assert {(code // n, code % n) for code in found} <= exactly
    naive = set()
    for turn in range(rotations):
        places = sorting.sorted_places(values, 64 * turn // rotations)
        neighbours = zip(places, [*places[1:], places[0]], strict=True)
        naive |= {(min(of), max(of)) for of in neighbours if of[0] != of[1]}
    near = {(a, b) for a, b in naive if distance(values[a], values[b]) <= radius}
    assert {(code // n, code % n) for code in found} == near


@given(st.lists(st.text(max_size=5), max_size=20))
def test_digests_say_what_comparing_says(pages: list[str]) -> None:
    truth = exact.compare_all_pages(pages).pairs
    assert exact.compare_by_digest(pages).pairs == truth
    assert exact.compare_by_beginning(pages, 2).pairs == truth
    assert exact.compare_by_page_hash(pages).pairs == truth
    assert exact.compare_by_random_places(pages).pairs == truth
    found = exact.compare_sorted_neighbours([*map(len, pages)], 1).pairs
    assert all(abs(len(pages[a]) - len(pages[b])) <= 1 for a, b in found)


@given(st.lists(st.lists(st.sampled_from("abcdef"), max_size=6), min_size=1, max_size=6))
def test_fields_are_the_lines_that_few_pages_have(pages: list[list[str]]) -> None:
    found = applications.extract_lines_outside_template(["\n".join(lines) for lines in pages])
    for kept, lines in zip(found, pages, strict=True):
        having = [sum(line in other for other in pages) for line in lines]
        rare = [line for line, n in zip(lines, having, strict=True) if n < len(pages) / 2]
        assert kept == rare


features = st.lists(st.tuples(strategies.fingerprints, st.integers(0, 1000)), max_size=20)


@given(features, st.sampled_from([8, 32, 64]), st.sampled_from([0, 1]))
def test_votes_and_signs_are_the_oracles(of: list[tuple[int, int]], bits: int, ties: int) -> None:
    hashes, weights = [h for h, _ in of], [w for _, w in of]
    expected = [sum(w if h >> bit & 1 else -w for h, w in of) for bit in range(bits)]
    sums = add_votes(hashes, weights, bits)
    assert sums.tolist() == expected
    found = simhash(hashes, weights, bits=bits, ties=ties)
    assert found == signs_of_votes(sums, ties=ties)
    if of:
        assert found == hashing.accumulate(of, bits, hashing.TIES[("zero", "one")[ties]])


def _slow_ruby(data: bytes, seed: int) -> int:
    """The first MurmurHash with Ruby's constants, and its 31 bits read with a sign."""
    whole = seed + 0xDEADBEEF
    for at in range(0, len(data), 4):
        whole = (whole + int.from_bytes(data[at : at + 4], "little")) * 0x7FD652AD % 2**32
        whole ^= whole >> 16
    for shift in (10, 17):
        whole = whole * 0x7FD652AD % 2**32
        whole ^= whole >> shift
    low = whole % 2**31
    return low - 2**31 if low >= 2**30 else low


@given(st.binary(max_size=9), st.integers(0, 2**32 - 1))
def test_the_hash_is_that_of_its_definition(data: bytes, seed: int) -> None:
    assert phrases.ruby_hash(data, seed) == _slow_ruby(data, seed)


@given(st.text("abcxyz", min_size=1, max_size=4), st.integers(0, 2**32 - 1))
def test_inversion_gives_the_seed_back(text: str, seed: int) -> None:
    value = phrases.ruby_hash(text.encode(), seed)
    *_, (_, zero, one) = phrases.invert_hash(text.encode(), value)
    assert seed in (zero, one)
    assert {phrases.ruby_hash(text.encode(), each) for each in (zero, one)} == {value}


@given(
    st.text("abcd ", min_size=2, max_size=30),
    st.text("abcd ", min_size=2, max_size=12),
    st.integers(0, 2**32 - 300),
    st.integers(0, 299),
)
def test_a_search_finds_the_seeds_that_trying_each_finds(
    one: str, other: str, first: int, place: int
) -> None:
    seeds = range(first, first + 300)
    wanted = {text: phrases.fingerprint(text, first + place) for text in (one, other)}
    *_, (tried, found) = phrases.search_seeds(wanted, seeds)
    expected = [
        seed
        for seed in seeds
        if all(phrases.fingerprint(text, seed) == value for text, value in wanted.items())
    ]
    assert (tried, found) == (300, expected)
    assert first + place in found
