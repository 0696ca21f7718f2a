"""Large sets whose ids meet by chance: joins find what brute force on 64 bits finds."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from ilk import arrow
from ilk.search import evidence_joins
from ilk.search.evidence import LARGE, Evidence, Thresholds
from ilk.search.linkage import Clustering, Linkage, cluster_by_shingle_sets

#: Hashes of a text, all of different ids if it is not said which share one.
Hashes = NDArray[np.uint64]

RATIOS = [Fraction(1, 2), Fraction(4, 5), Fraction(19, 20)]


def fresh(count: int, seed: int) -> Hashes:
    """Return hashes of different ids, which no other seed has."""
    draw = np.random.default_rng(seed)
    ids = draw.choice(1 << 24, count, replace=False).astype(np.uint64)
    low = draw.integers(0, 1 << 20, count, dtype=np.uint64)
    return (ids | np.uint64(seed << 24)) << np.uint64(32) | low


def twins(hashes: Hashes) -> Hashes:
    """Return other hashes of the same ids."""
    return hashes ^ np.uint64(1 << 30)


def of(sets: list[Hashes]) -> Evidence:
    """Return the evidence of long texts with these hashes."""
    sets = [np.unique(one) for one in sets]
    ids = [np.unique(one >> np.uint64(32)).astype(np.uint32) for one in sets]
    assert all(len(one) > LARGE for one in ids)
    count = len(sets)
    columns = {
        "words": pa.repeat(pa.scalar(5000, pa.uint32()), count),
        "word_shingles": pa.array([one.tolist() for one in ids], pa.large_list(pa.uint32())),
        "word_hashes": pa.array([one.tolist() for one in sets], pa.large_list(pa.uint64())),
        "character_shingles": pa.array([[]] * count, pa.large_list(pa.uint32())),
        "length": pa.repeat(pa.scalar(30_000, pa.int64()), count),
    }
    for name in ("digest", "bytes_digest", "masked_digest"):
        digests = [f"{row:>16}".encode() for row in range(count)]
        columns[name] = pa.array(digests, arrow.EVIDENCE.field(name).type)
    parts = [columns[field.name].cast(field.type) for field in arrow.EVIDENCE]
    return Evidence(pa.StructArray.from_arrays(parts, fields=list(arrow.EVIDENCE)))


def at(ratio: Fraction, merged: int, across: int, seed: int) -> list[list[Hashes]]:
    """Return pairs of sets at a ratio and below it by one hash.

    Args:
        ratio: shared hashes over those of both.
        merged: shared hashes that have the id of another shared one.
        across: hashes that only one has, with the id of a hash that only the other has.
        seed: makes them different from others.
    """
    union = 60 * ratio.denominator * (LARGE // (40 * ratio.numerator) + 1)
    shared = union * ratio.numerator // ratio.denominator
    common = fresh(shared - merged, 8 * seed + 1)
    common = np.concatenate([common, twins(common[:merged])])
    own = (union - shared) // 2
    left, right = fresh(own, 8 * seed + 2), fresh(union - shared - own, 8 * seed + 3)
    right[:across] = twins(left[:across])
    pairs = [[common, common[:-1]], [left, right]]
    (whole, less), (a, b) = pairs
    return [
        [np.concatenate([whole, a]), np.concatenate([whole, b])],
        [np.concatenate([whole, a]), np.concatenate([less, b, fresh(1, 8 * seed + 4)])],
    ]


def brute(sets: list[Hashes], least: Fraction) -> set[tuple[int, int]]:
    members = [set(one.tolist()) for one in sets]
    return {
        (left, right)
        for right, b in enumerate(members)
        for left, a in enumerate(members[:right])
        if Fraction(len(a & b), len(a | b)) >= least
    }


def clusters(texts: Evidence, least: Fraction, linkage: Linkage) -> Clustering:
    families, rows = (
        evidence_joins.label_families_by_first_row(texts, least),
        pa.arange(0, len(texts)),
    )
    return cluster_by_shingle_sets(
        texts, families, threshold=least, ranking=rows, linkage=linkage, max_pairs=1000
    )


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize(
    ("merged", "across"), [(0, 0), (1, 0), (0, 1), (1, 1), (5, 0), (0, 30), (40, 40)]
)
def test_a_pair_at_the_threshold_is_found_and_one_below_is_not(
    ratio: Fraction, merged: int, across: int
) -> None:
    sets = [one for pair in at(ratio, merged, across, 1) + at(ratio, 0, 0, 2) for one in pair]
    expected = brute(sets, ratio)
    assert (0, 1) in expected
    assert (2, 3) not in expected
    texts = of(sets)
    found = evidence_joins.join_candidates_by_resemblance(texts, ratio, 1000)
    judged = evidence_joins.judge_and_sort_pairs_of_one_kind(texts, found, Thresholds(ratio))
    sides = (judged[side].to_pylist() for side in ("left", "right"))
    assert set(zip(*sides, strict=True)) == expected
    # Each other pair of these is far below the threshold, or in the family.
    linkages: tuple[Linkage, ...] = ("anchored", "connected")
    for linkage in linkages:
        only = texts.with_joined_limited_to(pa.array([False, False] + [True] * (len(sets) - 2)))
        alone = clusters(only, ratio, linkage).keepers.to_pylist()
        rest = {pair for pair in expected if min(pair) > 1}
        assert (alone[2] == alone[3]) == ((2, 3) in rest)
        only = texts.with_joined_limited_to(pa.array([True, True] + [False] * (len(sets) - 2)))
        both = clusters(only, ratio, linkage)
        assert both.keepers.to_pylist()[:2] == [0, 0]
    for room in (10**5, 10**9):
        families = evidence_joins.label_families_by_first_row(
            texts, ratio, reserve_bytes=room
        ).to_pylist()
        assert families[0] == families[1]


@pytest.mark.parametrize("merged", [1, 7])
def test_a_set_contained_to_the_degree_of_the_threshold_is_found(merged: int) -> None:
    least = Fraction(4, 5)
    inner = fresh(3000, 1)
    inner[:merged] = twins(inner[merged : 2 * merged])
    kept = np.concatenate([inner[:2400], fresh(2000, 2)])
    fewer = np.concatenate([inner[:2399], fresh(2000, 3)])
    texts = of([inner, kept, fewer])
    left, right = evidence_joins.join_by_word_containment(texts, least, 99)
    assert (0, 1) in set(zip(left.to_pylist(), right.to_pylist(), strict=True))
    judged = texts.judge_pairs(pa.array([0, 0]), pa.array([1, 2]), Thresholds(Fraction(1), least))
    assert judged["verdict"].to_pylist() == ["contained", "different"]


def test_sets_of_equal_ids_and_other_hashes_are_different() -> None:
    one = fresh(3000, 1)
    other = np.concatenate([one[:1500], twins(one[1500:])])
    texts = of([one, other, one])
    linkages: tuple[Linkage, ...] = ("anchored", "connected")
    for linkage in linkages:
        found = clusters(texts, Fraction(4, 5), linkage)
        assert found.keepers.to_pylist() == [0, 1, 0]
