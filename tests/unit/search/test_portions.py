"""Portions: what is alike is joined together, whatever the memory."""

from __future__ import annotations

from fractions import Fraction
from unittest import mock

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from ilk import arrow
from ilk.base.errors import OptionError
from ilk.base.running import Running
from ilk.fingerprints.recipe import Recipe
from ilk.search import evidence_joins, gathered, portions, run
from ilk.search.evidence import Evidence
from ilk.search.linkage import linked_sets
from ilk.search.query import Query
from tests import strategies
from tests.families import family

#: Families of texts of every kind that is measured in its own way.
FAMILIES = [text for number in range(8) for text in family(number)]
FAMILIES += [" ".join(text.split()[:length]) for text in FAMILIES for length in (12, 45, 60, 98)]

some_texts = st.lists(strategies.texts | st.sampled_from(FAMILIES), min_size=2, max_size=30)


def evidence(texts: list[str]) -> Evidence:
    return Evidence.of(arrow.texts(pa.array(texts, pa.large_string())), 3, 1)


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
    of, ratio = evidence(texts).only(pa.array(shown, pa.bool_())), Fraction(least)
    rows = pa.arange(0, len(texts))
    expected = linked_sets(of, ratio, rows, "connected", max_pairs=10**6).families
    assert evidence_joins.families(of, ratio, room).equals(expected)


@given(some_texts, st.integers(0, 6))
def test_portions_hold_whole_families_of_two_or_more(texts: list[str], rooms: int) -> None:
    of, query = evidence(texts), Query.of(Recipe())
    needs = portions.needed(of, Fraction(4, 5))
    rows = pa.arange(0, len(texts))
    roots = linked_sets(of, Fraction(4, 5), rows, "connected", max_pairs=10**6).families
    table = pa.table({"root": roots, "need": needs}).group_by("root")
    largest = pc.max(table.aggregate([("need", "sum")])["need_sum"]).as_py()
    room = max(int(largest) + 1, 20_000) + 500 * rooms
    found = portions.portions(of, query, room)
    if pc.sum(needs).as_py() <= room:
        assert [one.to_pylist() for one in found] == [[True] * len(texts)]
        return
    together = [{row for row, shown in enumerate(one.to_pylist()) if shown} for one in found]
    families: dict[int, set[int]] = {}
    for row, root in enumerate(roots.to_pylist()):
        families.setdefault(root, set()).add(row)
    whole = [rows_ for rows_ in families.values() if len(rows_) > 1]
    assert sorted(row for one in together for row in one) == sorted(set[int]().union(*whole))
    assert all(any(rows_ <= one for one in together) for rows_ in whole)
    for one in found:
        assert (pc.sum(needs.filter(one)).as_py() or 0) <= room


def test_components_that_do_not_fit_together_stand_one_after_the_other() -> None:
    roots, joined = pa.array([0, 1, 0, 3, 1, 5]), pa.array([True] * 5 + [False])
    needs = pa.array([1.0] * 6)
    found = [one.to_pylist() for one in portions.within(roots, needs, 3, joined)]
    assert found == [[True, False, True] + [False] * 3, [False, True, False, False, True, False]]
    found = [one.to_pylist() for one in portions.within(roots, needs, 4, joined)]
    assert found == [[True, True, True, False, True, False]]
    with pytest.raises(OptionError, match="a family of 2 documents needs about 2 .* --memory"):
        portions.within(roots, needs, 1, joined)


def test_what_has_to_be_joined_together_and_does_not_fit_is_refused() -> None:
    of = evidence(FAMILIES)
    with pytest.raises(OptionError, match="the search needs about .*Allow about .* --memory"):
        portions.portions(of, Query.of(Recipe()), 100)
    with pytest.raises(OptionError, match="a search for containment needs about"):
        portions.portions(of, Query.of(Recipe(), containment=0.9), 20_000)


@pytest.mark.parametrize("linkage", ["anchored", "connected"])
def test_nothing_that_find_finds_depends_on_the_memory(linkage: str) -> None:
    wide = ilk.find(FAMILIES, linkage=linkage)
    for room in (60_000, 90_000):
        with (
            mock.patch.object(gathered, "PIECE", 20_000),
            mock.patch.object(run, "PIECE", room),
            mock.patch.object(Running, "of", return_value=Running(1, room)),
        ):
            narrow = ilk.find(FAMILIES, linkage=linkage)
            assert narrow.search.evidence.mapped is not None
            assert narrow.pairs.equals(wide.pairs)
        assert narrow.clusters.equals(wide.clusters)
        assert narrow.report["promise"] == wide.report["promise"]
