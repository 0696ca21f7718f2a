"""Curves and rank correlations equal their definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from benchmarks.accuracy import curve, graded
from benchmarks.accuracy.truth import Truth
from hypothesis import given
from hypothesis import strategies as st

#: A few values, so that many are equal.
_VALUES = st.integers(0, 5).map(lambda n: n / 5)

_PAIRS = st.lists(st.tuples(_VALUES, st.booleans()), max_size=12)


@given(_PAIRS, st.integers(0, 3), st.integers(0, 3))
def test_every_point_is_what_a_count_gives(
    pairs: list[tuple[float, bool]], missed: int, unseen: int
) -> None:
    positives = missed + sum(true for _, true in pairs)
    negatives = unseen + sum(not true for _, true in pairs)
    found = curve.sweep(
        np.array([value for value, _ in pairs]),
        np.array([true for _, true in pairs], bool),
        positives,
        negatives,
    )

    def counted(threshold: float) -> tuple[int, int]:
        printed = [true for value, true in pairs if value >= threshold]
        return sum(printed), len(printed) - sum(printed)

    for threshold in (0.0, 0.2, 0.3, 1.0):
        right, wrong = counted(threshold)
        point = found.at(threshold)
        assert point["precision"] == (right / (right + wrong) if right + wrong else 1.0)
        assert point["recall"] == (right / positives if positives else 1.0)
    steps = [math.inf, *sorted({value for value, _ in pairs}, reverse=True)]
    f1 = [found.at(threshold)["f1"] for threshold in steps]
    assert found.best()["f1"] == max(f1)
    for rate in (0.0, 0.3, 1.0):
        lowest = min(t for t in steps if counted(t)[1] <= int(rate * negatives))
        told = found.recall_at(rate)
        assert told["recall"] == found.at(lowest)["recall"]
        assert told["threshold"] == (None if lowest == math.inf else lowest)
    # By true pair, the precision at its own likeness.
    area = sum(found.at(value)["precision"] for value, true in pairs if true)
    assert found.average_precision() == pytest.approx(area / positives if positives else 1.0)


def test_pairs_that_count_neither_way_are_on_no_curve() -> None:
    known = {("a", "b"): 0.9, ("a", "c"): 0.75}
    truth = Truth(frozenset("abc"), known, frozenset([("a", "b")]), frozenset([("a", "c")]))
    scores = curve.score({("a", "c"): 1.0, ("a", "b"): 0.8, ("b", "d"): 1.0}, truth)
    assert (scores["positives"], scores["negatives"]) == (1, 1)
    assert scores["best"] == {"threshold": 0.8, "precision": 1.0, "recall": 1.0, "f1": 1.0}
    assert {point["recall"] for point in scores["curve"] if point["threshold"] > 0.8} == {0.0}


@given(st.lists(st.tuples(_VALUES, _VALUES), min_size=1, max_size=15))
def test_rank_correlation_is_the_correlation_of_ranks(values: list[tuple[float, float]]) -> None:
    a, b = ([pair[side] for pair in values] for side in (0, 1))
    ours = graded.spearman(np.array(a), np.array(b))
    if min(len(set(a)), len(set(b))) < 2:
        assert ours == 0.0
        return
    ranks = [[sum(o < v for o in side) + (side.count(v) - 1) / 2 for v in side] for side in (a, b)]
    assert ours == pytest.approx(np.asarray(np.corrcoef(ranks))[0, 1])


def test_versions_are_graded_by_how_many_lie_between() -> None:
    names = ["x/f-1.9.txt", "x/f-1.10.txt", "x/f-1.10a.txt", "x/f-2.txt", "y/f-1.txt", "x/f.txt"]
    families = graded.versions_in(dict.fromkeys(names))
    assert families == {
        "x/f": dict(zip(names, ["1.9", "1.10", "1.10a", "2"], strict=False)),
        "y/f": {"y/f-1.txt": "1"},
    }
    assert graded.by_version(families) == {
        "x/f": {
            ("x/f-1.10.txt", "x/f-1.9.txt"): -1,
            ("x/f-1.10a.txt", "x/f-1.9.txt"): -2,
            ("x/f-1.9.txt", "x/f-2.txt"): -3,
            ("x/f-1.10.txt", "x/f-1.10a.txt"): -1,
            ("x/f-1.10.txt", "x/f-2.txt"): -2,
            ("x/f-1.10a.txt", "x/f-2.txt"): -1,
        },
        "y/f": {},
    }


def test_groups_that_say_nothing_are_left_out() -> None:
    close = {("a", "b"): 3.0, ("a", "c"): 2.0, ("b", "c"): 1.0}
    scores = graded.score(
        {("a", "b"): 0.9, ("a", "c"): 0.5},
        {"good": close, "bad": {n: -v for n, v in close.items()}, "small": {("a", "b"): 1.0}},
    )
    assert (scores["groups"], scores["pairs"], scores["spearman"]) == (2, 6, 0.0)
    assert scores["by_group"]["good"]["spearman"] == pytest.approx(1.0)
    assert graded.score({}, {})["spearman"] is None
