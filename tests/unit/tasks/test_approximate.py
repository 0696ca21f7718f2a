"""Passages with changed words: exact runs, followed over interruptions."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ilk
from ilk.base.errors import OptionError
from ilk.tasks.passages.approximate import Aligned, followed


def words(*parts: range) -> str:
    return " ".join(f"w{n}" for part in parts for n in part)


def changed(text: str, *places: int) -> str:
    each = text.split()
    for place in places:
        each[place] = f"other{place}"
    return " ".join(each)


def test_a_passage_is_followed_over_changed_words() -> None:
    text = words(range(120))
    copy = "before it " + changed(text, 20, 21, 80, 100) + " after it"
    found = ilk.passages([f"x {text} y", copy], words=50)
    assert len(found.table) == 2
    (row,) = found.joined(2).to_pylist()
    assert (row["doc"], row["start"], row["end"]) == (1, 2, 122)
    assert (row["earlier_doc"], row["earlier_start"], row["earlier_end"]) == (0, 1, 121)
    assert row["equal"] == 116 / 120
    assert (
        copy.encode()[row["start_byte"] : row["end_byte"]]
        == changed(text, 20, 21, 80, 100).encode()
    )
    (row,) = found.joined(1).to_pylist()
    assert (row["start"], row["end"]) == (24, 122)


def test_words_may_be_added_and_left_out() -> None:
    text = words(range(100))
    other = words(range(60)) + " added " + words(range(60, 80), range(82, 100))
    (row,) = ilk.passages([text, other], words=50).joined(2).to_pylist()
    assert (row["start"], row["end"], row["earlier_end"]) == (0, 99, 100)
    assert row["equal"] == 98 / 100


def test_two_runs_of_one_alignment_are_one_passage() -> None:
    text = words(range(110))
    found = ilk.passages([text, changed(text, 55)], words=50)
    assert found.table["passage"].to_pylist() == [0, 1, 0, 1]
    assert len(found.joined(1)) == 1


def test_what_stands_in_the_other_collection_is_followed_there() -> None:
    text = words(range(80))
    (row,) = ilk.passages([changed(text, 60)], against=["x", text]).joined(1).to_pylist()
    assert (row["earlier_doc"], row["end"], row["equal"]) == (1, 80, 79 / 80)


def test_nothing_to_follow_and_what_is_no_number() -> None:
    assert len(ilk.passages(["a", "b"]).joined(3)) == 0
    with pytest.raises(OptionError, match="approximate is 0"):
        ilk.passages(["a"]).joined(0)


@settings(max_examples=100)
@given(
    st.lists(st.integers(0, 3), max_size=30),
    st.lists(st.integers(0, 3), max_size=30),
    st.integers(1, 3),
)
def test_what_is_followed_holds_the_run_and_as_many_equal_words(
    here: list[int], there: list[int], most: int
) -> None:
    run = [9, 8, 7]
    one, other = [*here, *run, *there], [*there, *run, *here]
    start = Aligned(len(here), len(here) + 3, len(there), len(there) + 3, 3)
    found = followed(one, other, start, most, 2)
    assert 0 <= found.start <= start.start < start.end <= found.end <= len(one)
    assert 0 <= found.other_start <= start.other_start < found.other_end <= len(other)
    shorter = min(found.end - found.start, found.other_end - found.other_start)
    assert 3 <= found.equal <= shorter
