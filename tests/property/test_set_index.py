"""An index of sets finds every one that is alike enough, whatever came, went and was merged."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from contextlib import closing
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ilk import _kernels
from ilk._kernels import SetKeys
from ilk.base.errors import StoreDamaged
from ilk.search.measures import kernel_ratio_at_most
from ilk.store.db import file, postings
from ilk.store.set_indexes import PackedSet, find_damage_in_total_sum
from tests.support.fixtures import examples

#: 64-bit hashes; those that agree in the upper half fall together.
HASHES = st.one_of(st.integers(0, 40), st.integers(0, 2**64 - 1)).flatmap(
    lambda n: st.sampled_from([n << 32 & (1 << 64) - 1, n])
)
SHARED = st.sampled_from([number << 32 | low for number in range(12) for low in (0, 1)])
WHOLE = st.frozensets(st.one_of(SHARED, SHARED, SHARED, HASHES), max_size=20)
PARTS = st.one_of(
    st.sampled_from([Fraction(4, 5), Fraction(1, 2), Fraction(1), Fraction(1, 100)]),
    st.fractions(min_value="1e-9", max_value=1, max_denominator=10**30),
)
HIGH = st.sampled_from([Fraction(3, 4), Fraction(4, 5), Fraction(9, 10), Fraction(1)])

#: What a transaction does: which documents go, and which come, with their sets.
ACTS = st.lists(
    st.tuples(st.sets(st.integers(0, 9), max_size=3), st.dictionaries(st.integers(0, 9), WHOLE)),
    max_size=12,
)


def packed(wholes: Collection[Collection[int]]) -> list[PackedSet]:
    """Sets of hashes, which the index compares by 32 bits."""
    numbers = (b"".join(value.to_bytes(8, "little") for value in sorted(whole)) for whole in wholes)
    return [PackedSet(values, wide=True) for values in numbers]


def emptied(monkeypatch: pytest.MonkeyPatch) -> sqlite3.Connection:
    """A file without documents, whose runs are small, so that a few are merged slowly."""
    for name, value in {
        "_POSTINGS_OF_FIRST_TIER": 8,
        "_FREE_POSTINGS": 3,
        "_POSTINGS_PER_ADDED_ONE": 1,
        "_POSTINGS_AT_A_TIME": 5,
        "_POSTINGS_PER_BUCKET": 2,
    }.items():
        monkeypatch.setattr(postings, name, value)
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.executescript(file.TABLES)
    return connection


def fill(
    connection: sqlite3.Connection,
    keys: SetKeys,
    acts: list[tuple[set[int], dict[int, frozenset[int]]]],
) -> dict[int, frozenset[int]]:
    members: dict[int, frozenset[int]] = {}
    for gone, fresh in acts:
        for ids, away in ((sorted(gone & members.keys()), True), (sorted(fresh), False)):
            ids = [id_ for id_ in ids if away or id_ not in members]
            sets = packed([members[id_] if away else fresh[id_] for id_ in ids])
            postings.add_postings_and_merge_some_runs(
                connection, "words", keys.make_postings(sets, ids, away)
            )
            for id_ in ids:
                if away:
                    del members[id_]
                else:
                    members[id_] = fresh[id_]
    return members


def problems(connection: sqlite3.Connection, made: bytes) -> list[str]:
    held, sums = (
        postings.checksum_each_bucket_of_each_run(connection, "words"),
        [_kernels.checksum_remaining_postings(made)],
    )
    return list(filter(None, find_damage_in_total_sum("words", held, sums)))


@given(
    acts=ACTS, part=PARTS, higher=HIGH, asked=st.lists(WHOLE, max_size=4), hits=st.integers(1, 8)
)
@examples(150)
def test_what_is_alike_is_found_in_runs(
    acts: list[tuple[set[int], dict[int, frozenset[int]]]],
    part: Fraction,
    higher: Fraction,
    asked: list[frozenset[int]],
    hits: int,
) -> None:
    rare = SetKeys.of_rare_values(
        packed([whole for _, new in acts for whole in new.values()]), (1, 2), hits
    )
    rare = SetKeys.with_frequencies(rare.frequencies(), kernel_ratio_at_most(part), hits)
    for keys, least in ((rare, part), (SetKeys.of_parts(kernel_ratio_at_most(higher)), higher)):
        with pytest.MonkeyPatch.context() as patch, closing(emptied(patch)) as connection:
            members = fill(connection, keys, acts)
            wholes = [*asked, *members.values()]
            question = keys.make_question_empty_if_below_threshold(
                packed(wholes), kernel_ratio_at_most(least)
            )
            postings.feed_question_and_count_postings(connection, "words", question)
            pairs = list(zip(*question.take_answers(), strict=True))
            assert pairs == sorted(set(pairs))
            made = keys.make_postings(packed(members.values()), list(members), False)
            assert problems(connection, made) == []
            postings.clear_all_postings_and_orders(connection, ["words"])
            assert connection.execute("SELECT count(*) FROM postings").fetchone() == (0,)
        for row, whole in enumerate(wholes):
            found = {id_ for at, id_ in pairs if at == row}
            assert found <= members.keys()
            for id_, other in members.items():
                shared, most = len(whole & other), max(len(whole), len(other))
                halves = [{value >> 32 for value in one} for one in (whole, other)]
                if keys is rare and shared and shared >= part * most:
                    assert id_ in found
                both = len(halves[0] & halves[1])
                if keys is not rare and both and both >= least * len(halves[0] | halves[1]):
                    assert id_ in found
                # Parts that both leave empty are equal too, so small sets may meet by them.
                assert both or keys is not rare or id_ not in found


@given(acts=ACTS, table=st.sampled_from(["runs", "postings"]), draw=st.randoms())
@examples(100)
def test_a_row_that_is_lost_is_missed(
    acts: list[tuple[set[int], dict[int, frozenset[int]]]], table: str, draw: object
) -> None:
    keys = SetKeys.of_parts((4, 5))
    with pytest.MonkeyPatch.context() as patch, closing(emptied(patch)) as connection:
        members = fill(connection, keys, acts)
        places = connection.execute(f"SELECT rowid FROM {table}").fetchall()
        if not places:
            return
        connection.execute(f"DELETE FROM {table} WHERE rowid = ?", draw.choice(places))  # type: ignore[attr-defined]
        made = keys.make_postings(packed(members.values()), list(members), False)
        assert problems(connection, made)
        if table == "runs":
            with pytest.raises(StoreDamaged, match="a run of words is missing"):
                postings.add_postings_and_merge_some_runs(
                    connection, "words", keys.make_postings(packed([{1}]), [9], False)
                )


@pytest.mark.parametrize("odd", [b"", bytes(100), bytes(513)])
def test_what_is_no_list_of_frequencies_is_refused(odd: bytes) -> None:
    with pytest.raises(ValueError, match="no frequencies"):
        SetKeys.with_frequencies(odd, (1, 2), 1)


def test_parts_are_for_high_thresholds() -> None:
    with pytest.raises(ValueError, match="higher thresholds"):
        SetKeys.of_parts((2, 3))


@pytest.mark.parametrize("odd", [bytes(7), b"\1" + bytes(15)])
def test_what_is_no_postings_is_refused(odd: bytes) -> None:
    question = SetKeys.of_parts((4, 5)).make_question_empty_if_below_threshold(
        packed([{1, 2}]), (4, 5)
    )
    for call in (
        question.meet_postings_and_count_all_hits,
        _kernels.checksum_remaining_postings,
        lambda one: _kernels.merge_postings([one]),
        lambda one: _kernels.cut_postings_into_buckets(one, 1, 0, 2),
    ):
        with pytest.raises(ValueError, match="not postings"):
            call(odd)


@pytest.mark.parametrize("id_", [-1, 1 << 31])
def test_an_id_that_does_not_fit_is_refused(id_: int) -> None:
    with pytest.raises(Exception, match="rows"):
        SetKeys.of_parts((4, 5)).make_postings(packed([{1, 2}]), [id_], False)
