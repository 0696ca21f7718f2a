"""A percentage never says that texts are equal, or have nothing in common, where they do not."""

from __future__ import annotations

import os
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from ilk.search.measures import format_decimal, format_percent
from tests.support.command_line import Run

WORDS = [f"word{number}" for number in range(20_000)]


@pytest.fixture
def long(tmp_path: Path) -> Path:
    """20,000 words, and the same with one of them replaced."""
    (tmp_path / "a.txt").write_text(" ".join(WORDS))
    (tmp_path / "b.txt").write_text(" ".join([*WORDS[:9_000], "other", *WORDS[9_001:]]))
    return tmp_path


def test_one_word_of_many_shows(long: Path, run: Run) -> None:
    for options in ([], ["--format", "pairs"]):
        _, out, _ = run("scan", long, *options)
        assert " 99.97%  near" in out
        assert "100.0%" not in out
    code, out, _ = run("compare", long / "a.txt", long / "b.txt")
    assert code == 0
    assert "99.97% of all their runs of 3 words are in both" in out
    assert "0.9997" in out


def test_a_store_calls_equal_shingles_so_too(tmp_path: Path, run: Run) -> None:
    words = [f"word{number}" for number in range(100)]
    (tmp_path / "a.txt").write_text(" ".join([*words, *words[:2]]))
    (tmp_path / "b.txt").write_text(" ".join([*words, *words, *words[:2]]))
    code, out, _ = run("store", "add", tmp_path / "s.ilk", tmp_path / "a.txt", tmp_path / "b.txt")
    assert code == 0
    assert "same runs, but not the same text" in out
    assert "100.0%" not in out


def test_equal_shingles_of_unequal_texts_are_called_so(tmp_path: Path, run: Run) -> None:
    """A file doubled has the shingles of one that goes on where it begins."""
    once = " ".join(f"word{number}" for number in range(100))
    (tmp_path / "twice.txt").write_text(f"{once} {once} word0 word1")
    (tmp_path / "thrice.txt").write_text(f"{once} {once} {once} word0 word1")
    for seconds, name in enumerate(("twice", "thrice")):  # The older is the original.
        os.utime(tmp_path / f"{name}.txt", (seconds, seconds))
    _, out, _ = run("scan", tmp_path)
    assert f"same runs, but not the same text  {tmp_path}/thrice.txt" in out
    assert "100" not in out.replace(str(tmp_path), "")
    _, out, _ = run("compare", tmp_path / "twice.txt", tmp_path / "thrice.txt")
    assert "they have the same runs of 3 words, but not the same text" in out
    assert "100.0" not in out


def test_no_order_is_blamed_where_a_numeral_is_another(tmp_path: Path, run: Run) -> None:
    (tmp_path / "a.txt").write_text("chapter Ⅳ of the book of words")
    (tmp_path / "b.txt").write_text("chapter IV of the book of words")
    _, out, _ = run("compare", tmp_path / "a.txt", tmp_path / "b.txt")
    assert "they have the same runs of 3 characters, but not the same text." in out


def test_what_is_below_a_threshold_never_reads_as_if_it_reached_it() -> None:
    """7,998 of 9,998 shingles are shared: 80.0 % would read as the threshold."""
    letters = "abcdefghij"
    words = [a + b + c + d for a in letters for b in letters for c in letters for d in letters]
    found = ilk.compare([" ".join(words[:9_000])], [" ".join(words[1_000:])])
    assert (found.verdict, found.resemblance) == ("different", 7_998 / 9_998)
    assert found.meaning.startswith(
        "The two are different: 79.996% of all their runs of 3 words are in"
    )


@given(
    st.floats(0, 1),
    st.lists(st.fractions(0, 1, max_denominator=1000), max_size=3),
    st.integers(0, 3),
)
def test_what_is_shown_lies_where_the_value_lies(
    value: float, limits: list[Fraction], digits: int
) -> None:
    share = format_percent(value, *limits, min_digits=digits).removesuffix("%")
    _check(value, Fraction(share) / 100, limits)
    _check(value, Fraction(format_decimal(value, *limits)), limits)


def _check(value: float, read: Fraction, limits: list[Fraction]) -> None:
    # What nine digits do not tell apart is written with few.
    ends = [Fraction(0), Fraction(1), *limits]
    near = [abs(Fraction(value) - end) < Fraction(1, 10**9) for end in ends]
    if any(near) and value not in (0, 1):
        return
    assert (read == 1) == (value == 1)
    assert (read == 0) == (value == 0)
    for limit in limits:
        assert (read >= limit) == (Fraction(value) >= limit)
    assert abs(read - Fraction(value)) <= Fraction(1, 100)
