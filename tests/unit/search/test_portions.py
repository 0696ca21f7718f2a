"""Families and portions: what is alike is joined together, whatever the memory."""

from __future__ import annotations

from fractions import Fraction

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

import ilk
from ilk import arrow
from ilk.base import resources
from ilk.base.errors import OptionError
from ilk.search import evidence_joins
from ilk.search.counting import Counting
from ilk.search.evidence import Evidence, Thresholds
from ilk.search.linkage import merge_families
from tests.support import strategies
from tests.support.families import family
from tests.support.narrow_memory import narrow_memory

#: Families of texts of every kind that is measured in its own way.
FAMILIES = [text for number in range(8) for text in family(number)]
FAMILIES += [" ".join(text.split()[:length]) for text in FAMILIES for length in (12, 45, 60, 98)]

some_texts = st.lists(strategies.texts | st.sampled_from(FAMILIES), min_size=2, max_size=30)


def evidence(texts: list[str]) -> Evidence:
    return Evidence.from_texts(
        arrow.import_texts(pa.array(texts, pa.large_string())), Counting(3), 1
    )


@given(
    some_texts,
    st.sampled_from(["0.5", "0.8", "1"]),
    st.sampled_from([50_000, 10**6, 10**9]),
    st.data(),
)
def test_families_in_any_memory_are_what_pairs_connect(
    texts: list[str], least: str, room: int, data: st.DataObject
) -> None:
    shown = data.draw(st.lists(st.booleans(), min_size=len(texts), max_size=len(texts)))
    held = data.draw(st.integers(0, len(texts)))
    of, ratio = evidence(texts).with_joined_limited_to(pa.array(shown, pa.bool_())), Fraction(least)
    rows = pa.arange(0, len(texts))
    pairs = evidence_joins.join_candidates_by_resemblance(of, ratio, 10**6)
    near = evidence_joins.judge_and_sort_pairs_of_one_kind(of, pairs, Thresholds(ratio))
    near = near.filter(pc.greater_equal(near["right"], held))
    expected = merge_families(rows, rows, near)
    assert evidence_joins.label_families_by_first_row(
        of, ratio, reserve_bytes=room, baseline_size=held
    ).equals(expected)


@given(some_texts, st.integers(10_000, 40_000))
def test_portions_hold_whole_families_of_two_or_more(texts: list[str], room: int) -> None:
    of, least = evidence(texts), Fraction(4, 5)
    families = evidence_joins.label_families_by_first_row(of, least)
    try:
        found = [
            one.to_pylist()
            for one in evidence_joins.split_families_into_portions_that_fit(
                of, families, least, reserve_bytes=room
            )
        ]
    except OptionError:
        reject()  # A family does not fit.
    together = [{row for row, shown in enumerate(one) if shown} for one in found]
    members: dict[int, set[int]] = {}
    for row, root in enumerate(families.to_pylist()):
        members.setdefault(root, set()).add(row)
    whole = [rows for rows in members.values() if len(rows) > 1]
    assert sorted(row for one in together for row in one) == sorted(set[int]().union(*whole))
    assert all(any(rows <= one for one in together) for rows in whole)
    wide = list(
        evidence_joins.split_families_into_portions_that_fit(
            of, families, least, reserve_bytes=resources.UNBOUNDED
        )
    )
    assert len(wide) == 1


def test_what_has_to_be_joined_together_and_does_not_fit_is_refused() -> None:
    of, least = evidence(FAMILIES), Fraction(4, 5)
    needs = "the search needs about .* --memory"
    with pytest.raises(OptionError, match=needs):
        evidence_joins.label_families_by_first_row(of, least, reserve_bytes=100)
    families = evidence_joins.label_families_by_first_row(of, least)
    with pytest.raises(OptionError, match=needs):
        list(
            evidence_joins.split_families_into_portions_that_fit(
                of, families, least, reserve_bytes=100
            )
        )


def test_a_search_for_containment_that_does_not_fit_is_refused() -> None:
    needs = "the search needs about .*Allow about .* --memory"
    with narrow_memory(60_000), pytest.raises(OptionError, match=needs):
        ilk.find(FAMILIES, containment=0.9)


def test_a_search_that_the_rows_alone_leave_no_room_for_says_how_much_it_needs() -> None:
    of = evidence(FAMILIES)
    with pytest.raises(OptionError, match=r"needs about 13MB more memory. Allow it: --memory"):
        evidence_joins.label_families_by_first_row(
            of, Fraction(4, 5), reserve_bytes=48 * len(of) - 3_000_000
        )


@pytest.mark.parametrize("linkage", ["anchored", "connected"])
def test_nothing_that_find_finds_depends_on_the_memory(linkage: str) -> None:
    wide = ilk.find(FAMILIES, linkage=linkage)
    for room in (60_000, 90_000):
        with narrow_memory(room):
            narrow = ilk.find(FAMILIES, linkage=linkage)
            assert narrow.search.evidence.mapped is not None
            assert narrow.pairs.equals(wide.pairs)
        assert narrow.clusters.equals(wide.clusters)
        assert narrow.report["promise"] == wide.report["promise"]
