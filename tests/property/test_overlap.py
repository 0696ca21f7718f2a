"""Joins of texts and sets equal brute force in whole fractions, at the edges too."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from ilk.base.errors import ColumnTypeError, OptionError
from tests.reference import overlap
from tests.support import strategies
from tests.support.fixtures import examples

Row = tuple[int, int, float, float, float]

#: Twentieths, so that small sets are often exactly at the threshold.
edges = st.integers(1, 20).map(lambda k: k / 20)
thresholds = st.one_of(st.sampled_from([0.5, 0.8, 0.95, 1, 1.0, "0.8"]), edges)

members = st.one_of(st.integers(0, 11), st.integers(0, 11), st.integers(0, 2**40))
sets = st.lists(
    st.one_of(st.none(), *[st.sets(members, max_size=10)] * 4, st.lists(members, max_size=6)),
    max_size=14,
).map(lambda rows: [row if row is None else sorted(row, reverse=True) for row in rows])


def listed(table: pa.Table) -> list[Row]:
    names = ["left", "right", "resemblance", "containment_left", "containment_right"]
    assert table.column_names == names
    assert [str(field.type) for field in table.schema] == ["int64"] * 2 + ["double"] * 3
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


def expected(pairs: list[overlap.Pair]) -> list[Row]:
    return [overlap.measures(pair) for pair in pairs]


def of_texts(
    texts: Sequence[str | None],
    pairs: Iterable[tuple[int, ...]],
    width: int = 3,
    *,
    words: bool = False,
) -> list[Row]:
    return [overlap.measured(texts, i, j, width, words=words) for i, j, *_ in pairs]


@given(sets, thresholds)
def test_sets_at_a_resemblance_equal_brute_force(rows: list[Any], least: Any) -> None:
    found = overlap.resembling(overlap.counts_of_sets(rows), len(rows), Fraction(str(least)))
    assert listed(ilk.sets.pairs(rows, least)) == expected(found)


@given(sets, thresholds)
def test_sets_at_a_containment_equal_brute_force(rows: list[Any], least: Any) -> None:
    found = overlap.contained(overlap.counts_of_sets(rows), len(rows), Fraction(str(least)))
    assert listed(ilk.sets.containment(rows, least)) == expected(found)


@examples(60)
@given(
    st.one_of(strategies.relatives(), strategies.relatives(50, 60, 90), strategies.relatives(2, 9)),
    thresholds,
    st.integers(1, 5),
    st.integers(1, 3),
)
def test_texts_at_a_resemblance_equal_brute_force(
    texts: list[str | None], least: Any, width: int, jobs: int
) -> None:
    count = overlap.counts_of_texts(texts, width)
    pairs = overlap.resembling(count, len(texts), Fraction(str(least)))
    found = ilk.sets.pairs(texts or pa.array([], pa.string()), least, shingle=width, jobs=jobs)
    assert listed(found) == of_texts(texts, pairs, width)


@examples(60)
@given(
    st.one_of(strategies.relatives(), strategies.relatives(50, 60, 90), strategies.relatives(2, 9)),
    thresholds,
    st.integers(1, 5),
)
def test_texts_at_a_containment_equal_brute_force(
    texts: list[str | None], least: Any, width: int
) -> None:
    pairs = overlap.texts_inside(texts, Fraction(str(least)), width)
    found = ilk.sets.containment(texts or pa.array([], pa.string()), least, shingle=width)
    assert listed(found) == of_texts(texts, pairs, width, words=True)


@examples(50)
@given(strategies.relatives(), st.data())
def test_how_a_column_is_cut_changes_nothing(texts: list[str | None], data: st.DataObject) -> None:
    """Pieces, slices at any bit of a byte, and threads."""
    cut = data.draw(st.integers(0, len(texts)))
    skipped = data.draw(st.integers(1, 9))
    padded = pa.array([*["padding"] * skipped, *texts, "padding"], pa.string())
    whole = padded.slice(skipped, len(texts))
    pieces = pa.chunked_array([whole.slice(0, cut), whole.slice(cut)])
    for join in (ilk.sets.pairs, ilk.sets.containment):
        once = join(pa.array(texts, pa.large_string()), 0.6)
        assert join(pieces, 0.6, jobs=3).equals(once)


@examples(40)
@given(strategies.relatives(), st.sampled_from([0.5, 0.8, 0.95]))
def test_the_limit_is_the_number_of_pairs(texts: list[str | None], least: float) -> None:
    """As many pairs as there are may be asked for, and not one fewer: not more than are given."""
    column = pa.array(texts, pa.string())
    joins: list[Callable[..., pa.Table]] = [ilk.sets.pairs, ilk.sets.containment]
    for join in joins:
        number = len(join(column, least))
        assert len(join(column, least, max_pairs=number)) == number
        if number:
            with pytest.raises(ilk.TooManyPairs) as refused:
                join(column, least, max_pairs=number - 1)
            assert (refused.value.count, refused.value.limit) == (number, number - 1)


@given(sets, thresholds)
def test_the_limit_holds_for_sets(rows: list[Any], least: Any) -> None:
    for join in (ilk.sets.pairs, ilk.sets.containment):
        number = len(join(rows, least))
        assert len(join(rows, least, max_pairs=number)) == number
        if number:
            with pytest.raises(ilk.TooManyPairs):
                join(rows, least, max_pairs=number - 1)


def _text(words: range) -> str:
    return " ".join(f"word{number}" for number in words)


def test_texts_exactly_at_the_threshold_are_taken() -> None:
    one = _text(range(1000))  # 998 shingles.
    at = _text(range(102, 1002))  # 898 shingles; 896 are among those of the other.
    assert ilk.sets.pairs([one, at], 0.896)["resemblance"].to_pylist() == [896 / 1000]
    assert len(ilk.sets.pairs([one, at], 0.8960001)) == 0
    assert ilk.sets.containment([at, one], 896 / 898).num_rows == 1


@pytest.mark.parametrize("width", [1, 3, 5])
def test_large_texts_are_counted_on_wide_hashes(width: int) -> None:
    """Sets of 3,000 shingles and more are counted again on 64 bits; the edge is still the edge."""
    texts = [_text(range(start, start + 4000)) for start in (0, 0, 40, 400, 9000)]
    count = overlap.counts_of_texts(texts, width)
    shared, left, right = count(0, 2)
    for least in (0.8, 0.9, shared / (left + right - shared), 0.999):
        pairs = overlap.resembling(count, len(texts), Fraction(str(least)))
        assert listed(ilk.sets.pairs(texts, least, shingle=width)) == of_texts(texts, pairs, width)
        inside = overlap.texts_inside(texts, Fraction(str(least)), width)
        found = ilk.sets.containment(texts, least, shingle=width)
        assert listed(found) == of_texts(texts, inside, width, words=True)


@pytest.mark.parametrize("least", [1e-30, 1e-9, 1 / 3, 2 / 3, 0.12345678901234567])
def test_a_threshold_of_many_digits_is_taken_at_its_word(least: float) -> None:
    texts = [_text(range(60)), _text(range(30, 90)), "a b c", "a b c d", _text(range(500, 600))]
    count = overlap.counts_of_texts(texts)
    pairs = overlap.resembling(count, len(texts), Fraction(str(least)))
    assert listed(ilk.sets.pairs(texts, least)) == of_texts(texts, pairs)
    inside = overlap.texts_inside(texts, Fraction(str(least)))
    assert listed(ilk.sets.containment(texts, least)) == of_texts(texts, inside, words=True)


def test_words_and_characters_never_meet_by_their_ids() -> None:
    """Single words of three letters are the character shingles of a short text, and no pair."""
    texts = ["aba bab " * 30, "ababa"]
    pairs = overlap.resembling(overlap.counts_of_texts(texts, 1), 2, Fraction("0.5"))
    assert listed(ilk.sets.pairs(texts, 0.5, shingle=1)) == expected(pairs) == []


def test_sets_of_anything_are_joined() -> None:
    for rows in (
        [{"a", "b"}, {"b", "a"}, set()],
        [("é", "é", "b"), ("b", "é"), ()],
        pa.array([["a", "b"], ["b", "a"], []]),
        pa.chunked_array([[[-1, 2]], [[2, -1], None]]),
        pa.array([[0.5, 2.5], [2.5, 0.5], None]),
        [None, [1, 1, 1, 2], frozenset([1, 2])],
    ):
        (pair,) = ilk.sets.pairs(rows, 1).to_pylist()
        assert pair["resemblance"] == pair["containment_left"] == pair["containment_right"] == 1.0


def test_sliced_sets_are_the_rows_that_are_seen() -> None:
    column = pa.array([[9], [1, 2, 3], None, [2, 3, 4], [9]]).slice(1, 3)
    assert listed(ilk.sets.pairs(column, 0.5)) == [(0, 2, 0.5, 2 / 3, 2 / 3)]


@pytest.mark.parametrize("rows", [[], [None], [None, None], ["", " "], [[], []], [None, []]])
def test_nothing_is_like_nothing(rows: list[Any]) -> None:
    assert len(ilk.sets.pairs(rows, 0.01)) == 0
    assert len(ilk.sets.containment(rows, 0.01)) == 0


@pytest.mark.parametrize("least", [0, -0.5, 1.0001, 80, "x", "180%", float("nan"), True])
def test_a_threshold_out_of_bounds_is_refused(least: Any) -> None:
    with pytest.raises(OptionError, match="above 0 and at most 1"):
        ilk.sets.pairs(["a"], least)
    with pytest.raises(OptionError, match="above 0 and at most 1"):
        ilk.sets.containment(["a"], least)


def test_a_threshold_may_be_a_percentage_and_none_is_the_default() -> None:
    words = [f"word{number}" for number in range(100)]
    texts = [" ".join(words), " ".join(words[:82]), " ".join(words[:78])]
    for least, pairs in (("80%", [(0, 1), (1, 2)]), (None, [(0, 1), (1, 2)]), (0.96, [])):
        found = ilk.sets.pairs(texts, least)  # type: ignore[arg-type]
        assert [(row["left"], row["right"]) for row in found.to_pylist()] == pairs
        assert ilk.sets.join(texts, texts[:0], least).num_rows == 0  # type: ignore[arg-type]
    for least in ("95%", None):
        found = ilk.sets.containment(texts, least)  # type: ignore[arg-type]
        assert len(found) == len(ilk.sets.containment(texts, 0.95)) == 4


@pytest.mark.parametrize("width", [0, 65, 3.0, "3"])
def test_a_shingle_out_of_bounds_is_refused(width: Any) -> None:
    for join in (ilk.sets.pairs, ilk.sets.containment):
        with pytest.raises(OptionError, match="from 1 to 64"):
            join(["a"], 0.5, shingle=width)


@pytest.mark.parametrize("wrong", ["one text", 5, [1, 2], pa.array([1, 2]), {"a": 1}.values()])
def test_what_is_no_column_is_refused(wrong: Any) -> None:
    with pytest.raises(ColumnTypeError):
        ilk.sets.pairs(wrong, 0.5)
