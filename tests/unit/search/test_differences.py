"""What two texts share, where they differ and what has moved, against what must hold of any."""

from __future__ import annotations

import random
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ilk import _kernels
from ilk.search import differences as module
from ilk.search.differences import CHANGED, SAME, Differences, folded_word_changes_and_moves

WORDS = [f"w{n}" for n in range(12)]

_few = st.lists(st.sampled_from(WORDS), max_size=60).map(" ".join)
_any = st.text(max_size=400)


def ids(text: str) -> list[int]:
    return list(_kernels.hash_and_locate_words(text, "fold")[0].to_pylist())


def same_words(found: Differences) -> int:
    return sum(each.left_words for each in found.stretches if each.kind == SAME)


@given(st.one_of(_few, _any), st.one_of(_few, _any))
def test_stretches_cover_both_texts_and_are_what_they_say(left: str, right: str) -> None:
    found = folded_word_changes_and_moves(left, right)
    at = (0, 0)
    for before, after in pairwise(found.stretches):
        assert before.kind != after.kind
    for stretch in found.stretches:
        assert (stretch.left_start, stretch.right_start) == at
        at = (stretch.left_end, stretch.right_end)
        ours = left[stretch.left_start : stretch.left_end]
        theirs = right[stretch.right_start : stretch.right_end]
        if stretch.kind == SAME:
            assert stretch.left_words == stretch.right_words
            # Beyond ASCII, a pair of adjacent characters may be cut at the end of a stretch.
            if (ours + theirs).isascii():
                assert ids(ours) == ids(theirs)
    assert at == (len(left), len(right))
    assert sum(each.left_words for each in found.stretches) == len(ids(left))
    assert sum(each.right_words for each in found.stretches) == len(ids(right))


@given(_few, _few)
def test_moves_are_equal_words_in_changed_stretches(left: str, right: str) -> None:
    found = folded_word_changes_and_moves(left, right)
    changed = [each for each in found.stretches if each.kind == CHANGED]
    for move in found.moves:
        assert ids(left[move.left_start : move.left_end]) == ids(
            right[move.right_start : move.right_end]
        )
        assert any(e.left_start <= move.left_start < move.left_end <= e.left_end for e in changed)
        assert any(
            e.right_start <= move.right_start < move.right_end <= e.right_end for e in changed
        )


@given(_any)
def test_a_text_does_not_differ_from_itself(text: str) -> None:
    found = folded_word_changes_and_moves(text, text)
    assert [stretch.kind for stretch in found.stretches] == [SAME]
    assert found.moves == ()


@pytest.mark.parametrize("seed", range(20))
def test_the_chain_is_the_heaviest(seed: int) -> None:
    """Beside every subset of a few runs."""
    draw = random.Random(seed)
    runs, at = [], 0
    for _ in range(9):
        words = draw.randint(1, 5)
        runs.append(module._Block(at, draw.randint(0, 30), words))
        at += words + draw.randint(0, 2)
    best = 0
    for size in range(len(runs) + 1):
        for some in combinations(runs, size):
            if all(a.right + a.words <= b.right for a, b in pairwise(some)):
                best = max(best, sum(run.words for run in some))
    chain = module._heaviest_chain(runs)
    assert sum(run.words for run in chain) == best
    assert all(a.right + a.words <= b.right for a, b in pairwise(chain))


def test_replaced_words_and_a_moved_passage_are_found_in_long_texts() -> None:
    draw = random.Random(3)
    words = [f"word{draw.randint(0, 10**6)}" for _ in range(20_000)]
    other = list(words)
    for at in range(50, 20_000, 100):
        other[at] = "changed"
    passage = other[5_001:5_040]
    del other[5_001:5_040]
    other[15_001:15_001] = passage
    found = folded_word_changes_and_moves(" ".join(words), " ".join(other))
    assert same_words(found) == 20_000 - 200 - 39
    assert [move.words for move in found.moves] == [39]


def test_long_stretches_without_a_shared_run_are_held_together_by_rare_words() -> None:
    left = [f"{'abcdefghij'[n % 10]} x{n}" for n in range(2_000)]
    right = [f"{'qrstuvwxyz'[n % 7]} x{n}" for n in range(2_000)]
    found = folded_word_changes_and_moves(" ".join(left), " ".join(right))
    assert same_words(found) == 2_000


def test_case_and_punctuation_are_no_difference() -> None:
    assert folded_word_changes_and_moves("One, two!", "one TWO").count_stretches(CHANGED) == 0


def write_both(one: str, other: str) -> tuple[str, str]:
    """Texts that differ in the middle: two sentences of one paragraph."""
    begin, end = "It was a cold day in the north of the town.", "So the day came to an end there."
    return f"{begin} {one} {end}", f"{begin} {other} {end}"


def test_a_common_word_between_two_long_differences_is_no_common_text() -> None:
    left, right = write_both(
        "Nobody ever asked why and Anna left before breakfast.",
        "Seven grey ships sailed and Bill sold his last horse.",
    )
    kinds = [stretch.kind for stretch in folded_word_changes_and_moves(left, right).stretches]
    assert kinds == [SAME, CHANGED, SAME]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # Each text has few other words on a side of it, or one of them has hardly any at all.
        ("Nobody asked and Anna left early.", "Seven ships and Bill sold his horse."),
        ("Only and.", "Seven grey ships sailed and Bill sold his last horse."),
        # More words in common.
        (
            "Nobody ever asked why and so then Anna left early.",
            "Seven ships went and so then sank.",
        ),
    ],
)
def test_other_words_in_common_stay(one: str, other: str) -> None:
    found = folded_word_changes_and_moves(*write_both(one, other))
    assert [stretch.kind for stretch in found.stretches].count(SAME) == 3


def test_a_moved_passage_is_one_although_a_word_of_it_stood_in_its_place() -> None:
    moved = "he walked along and sang to himself of ships"
    rest = " ".join(WORDS)
    left = f"{moved}. {rest} One long sentence and another one."
    right = f"Ten short words here and not a single other. {rest} {moved}. The end."
    found = folded_word_changes_and_moves(left, right)
    assert [move.words for move in found.moves] == [9]


_steps = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(1, 7)), max_size=8)


@given(_steps, st.tuples(st.integers(0, 9), st.integers(0, 9)), st.randoms(use_true_random=False))
def test_equal_words_are_dropped_in_any_order(
    steps: list[tuple[int, int, int]], rest: tuple[int, int], drawn: random.Random
) -> None:
    blocks: list[module._Block] = []
    left = right = 0
    for ahead, there, words in steps:
        left, right = left + ahead, right + there
        if blocks and not ahead and not there:
            blocks[-1] = blocks[-1]._replace(words=blocks[-1].words + words)
        else:
            blocks.append(module._Block(left, right, words))
        left, right = left + words, right + words
    end = module._Block(left + rest[0], right + rest[1], 0)
    expected = [module._Block(0, 0, 0), *blocks, end]
    while chance := [
        at
        for at in range(1, len(expected) - 1)
        if module._is_chance_match(*expected[at - 1 : at + 2])
    ]:
        del expected[drawn.choice(chance)]
    assert module._drop_chance_matches(blocks, end) == expected[1:-1]
