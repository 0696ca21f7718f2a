"""Shared passages: the offsets cut equal words out of both texts, and none of them twice."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ilk.base.run_options import Running
from ilk.search import passages
from ilk.search.passage_parts import CollectedWords, PassageRule
from ilk.search.passages import Passage
from tests.reference import text as reference
from tests.support import strategies
from tests.support.fixtures import examples

#: Texts whose words stand apart, so that any cut between two of them keeps them whole.
separate = st.lists(
    st.sampled_from(["to", "Be", "OR", "not", "ſtraße", "ﬁn", "é", "e\u0301", "漢字", "½", "😀"]),
    max_size=80,
).map(" \n".join)


def folded(text: str) -> list[str]:
    return reference.words(reference.normalised(text))


def runs(left: list[str], right: list[str], least: int) -> set[int]:
    """The left words that lie in a run of at least that many words that both texts have."""
    known = {tuple(right[i : i + least]) for i in range(len(right) - least + 1)}
    return {
        word
        for start in range(len(left) - least + 1)
        if tuple(left[start : start + least]) in known
        for word in range(start, start + least)
    }


def shared(left: str, right: str, *, min_words: int = 5) -> list[Passage]:
    texts = pa.chunked_array([pa.array([left, right], pa.large_string())])
    collected = CollectedWords(PassageRule(min_words), Running.of(1))
    collected.add_words_of(texts)
    repeated = collected.find_repeated_and_release_words(passages.TWO)
    found = passages.longest_shared_passages(texts, repeated, max_shown=10**6)
    few = passages.longest_shared_passages(texts, repeated, max_shown=2)
    assert few.longest == found.longest[:2]
    assert (found.number, found.words) == (len(found.longest), sum(p.words for p in found.longest))
    return found.longest


@examples(60)
@given(separate, separate, st.integers(1, 9))
def test_passages_are_equal_words_of_both_texts(left: str, right: str, least: int) -> None:
    found = shared(left, right, min_words=least)
    assert found == sorted(found, key=lambda passage: (-passage.words, passage.left_start))
    taken: set[int] = set()
    for passage in found:
        here = left[passage.left_start : passage.left_end]
        there = right[passage.right_start : passage.right_end]
        assert here == passage.text
        assert folded(here) == folded(there)
        assert len(folded(here)) == passage.words
        first = len(folded(left[: passage.left_start]))
        words = set(range(first, first + passage.words))
        assert not words & taken
        taken |= words
    assert taken == runs(folded(left), folded(right), least)


@examples(60)
@given(separate, st.integers(0, 20), st.integers(0, 20))
def test_a_quotation_is_one_passage(text: str, before: int, after: int) -> None:
    """What stands around it is in no other text."""
    around = " ".join(f"apart{number}" for number in range(before))
    behind = " ".join(f"beyond{number}" for number in range(after))
    words = len(folded(text))
    found = shared(text, f"{around} {text} {behind}", min_words=max(1, words))
    assert [passage.words for passage in found] == ([words] if words else [])
    for passage in found:
        assert folded(passage.text) == folded(text)


@examples(60)
@given(st.one_of(strategies.texts, strategies.prose), st.integers(1, 8))
def test_a_text_shares_all_its_words_with_itself(text: str, least: int) -> None:
    words = len(folded(text))
    found = shared(text, text, min_words=least)
    assert sum(passage.words for passage in found) == (words if words >= least else 0)
    for passage in found:
        assert 0 <= passage.left_start < passage.left_end <= len(text)
        assert 0 <= passage.right_start < passage.right_end <= len(text)


def test_offsets_are_characters_and_exclude_the_end() -> None:
    left = "😀😀 «Zu sein, oder nicht» zu sein!"
    right = "ZU  SEIN — ODER NICHT: 漢字"
    (found,) = shared(left, right, min_words=4)
    assert (found.words, found.left_start, found.right_start) == (4, 4, 0)
    assert found.text == left[found.left_start : found.left_end] == "Zu sein, oder nicht"
    assert right[found.right_start : found.right_end] == "ZU  SEIN — ODER NICHT"


def test_shorter_runs_are_no_passages() -> None:
    words = [f"w{number}" for number in range(20)]
    left = " ".join([*words[:5], "x", *words[5:9]])
    assert [p.words for p in shared(left, " ".join(words))] == [5]
    assert [p.words for p in shared(left, " ".join(words), min_words=4)] == [5, 4]
    assert shared(left, " ".join(words), min_words=6) == []


@pytest.mark.parametrize(("left", "right"), [("", ""), ("a b", ""), ("", "a b"), ("!?", "!?")])
def test_texts_without_words_share_nothing(left: str, right: str) -> None:
    assert shared(left, right, min_words=1) == []


def test_repeated_words_are_not_compared_with_one_another() -> None:
    """40,000 equal words on both sides: what takes the square of that would hang here."""
    text = "the " * 40_000
    found = shared(text, text)
    assert sum(passage.words for passage in found) == 40_000
