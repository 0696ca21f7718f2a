"""Keeper policies rank all documents."""

from __future__ import annotations

from datetime import UTC, datetime

import pyarrow as pa
import pytest

import ilk
from ilk.base.errors import OptionError
from ilk.base.options import POLICIES
from ilk.search.ranking import (
    deciding_policies,
    order_documents_best_first,
    refuse_unfit_policies,
)

DOCUMENTS = pa.table(
    {
        "doc": [0, 1, 2, 3, 4],
        "source": ["a/draft.txt", "b/final.txt", "c/FINAL.md", "d/final.txt", "e\nf/final.txt"],
        "length": pa.array([5, 9, None, 9, 0], pa.int64()),
        "modified": pa.array(
            [datetime(2020, 1, day, tzinfo=UTC) if day else None for day in (3, 1, 0, 3, 2)],
            pa.timestamp("us", tz="UTC"),
        ),
    }
)


@pytest.mark.parametrize(
    ("policies", "ranking"),
    [
        ([], [0, 1, 2, 3, 4]),
        (["first"], [0, 1, 2, 3, 4]),
        (["longest"], [1, 3, 0, 4, 2]),
        (["newest"], [0, 3, 4, 1, 2]),
        (["last"], [4, 3, 2, 1, 0]),
        (["shortest"], [4, 0, 1, 3, 2]),
        (["oldest"], [1, 4, 0, 3, 2]),
        (["oldest", "last"], [1, 4, 3, 0, 2]),
        (["newest", "longest"], [3, 0, 4, 1, 2]),
        (["longest", "newest"], [3, 1, 0, 4, 2]),
        (["prefer:*final*"], [1, 3, 4, 0, 2]),
        (["prefer:*.md"], [2, 0, 1, 3, 4]),
        (["prefer:*.md", "longest"], [2, 1, 3, 0, 4]),
        (["prefer:d/*", "prefer:b/*"], [3, 1, 0, 2, 4]),
        (["prefer:b/*", "prefer:d/*"], [1, 3, 0, 2, 4]),
        (["prefer:*nothing*"], [0, 1, 2, 3, 4]),
        (["prefer:e\nf/*"], [4, 0, 1, 2, 3]),
    ],
)
def test_a_policy_ranks_best_first_and_ties_by_source(
    policies: list[str], ranking: list[int]
) -> None:
    found = order_documents_best_first(DOCUMENTS, policies)
    assert found.type == pa.int64()
    assert found.to_pylist() == ranking


@pytest.mark.parametrize(
    "wrong", ["", "tallest", "newest:day", "First", "prefer", "prefer:", "longest:2"]
)
def test_an_unknown_policy_is_refused_with_those_that_are_known(wrong: str) -> None:
    with pytest.raises(OptionError) as refused:
        refuse_unfit_policies(["first", wrong])
    assert repr(wrong) in str(refused.value)
    assert all(name in str(refused.value) for name in POLICIES)


COLUMNS = {
    "score": pa.chunked_array([[2.5, None, 7.0], [7.0, -1.0]]),
    "day": pa.chunked_array([[None, 3, 1, 2, 3]]).cast(pa.timestamp("s")),
    "name": pa.chunked_array([["a", "b", "c", "d", "e"]]),
    "none": pa.chunked_array([pa.nulls(5)]),
}


@pytest.mark.parametrize(
    ("policies", "ranking"),
    [
        (["max:score"], [2, 3, 0, 4, 1]),
        (["min:score"], [4, 0, 2, 3, 1]),
        (["newest:day"], [1, 4, 3, 2, 0]),
        (["oldest:day", "max:score"], [2, 3, 4, 1, 0]),
        (["max:none", "last"], [4, 3, 2, 1, 0]),
    ],
)
def test_a_policy_may_rank_by_a_column_of_the_data_set(
    policies: list[str], ranking: list[int]
) -> None:
    refuse_unfit_policies(policies, has_columns=True)
    assert (
        order_documents_best_first(DOCUMENTS, policies, read_column=COLUMNS.__getitem__).to_pylist()
        == ranking
    )


def test_what_is_held_comes_first_whatever_the_policy() -> None:
    assert order_documents_best_first(DOCUMENTS, ["last"], baseline_size=2).to_pylist() == [
        1,
        0,
        4,
        3,
        2,
    ]


def test_the_deciding_policy_is_the_first_that_tells_two_rows_apart() -> None:
    better, worse = pa.array([1, 3, 1, 0, 0]), pa.array([0, 0, 3, 1, 2])
    policies = ["longest", "newest"]
    found = deciding_policies(DOCUMENTS, policies, better_rows=better, worse_rows=worse)
    assert found.to_pylist() == ["longest", "longest", "newest", "longest", "longest"]
    assert deciding_policies(
        DOCUMENTS, ["newest"], better_rows=pa.array([0]), worse_rows=pa.array([3])
    ).to_pylist() == ["first"]
    assert (
        deciding_policies(DOCUMENTS, [], better_rows=better, worse_rows=worse).to_pylist()
        == ["first"] * 5
    )


@pytest.mark.parametrize("policy", ["newest:name", "max:name"])
def test_a_column_of_the_wrong_type_is_refused(policy: str) -> None:
    with pytest.raises(OptionError, match="column name holds"):
        order_documents_best_first(DOCUMENTS, [policy], read_column=COLUMNS.__getitem__)


def test_whole_numbers_may_be_written_as_strings() -> None:
    rows = pa.table({"text": ["a b", "a b", "a b", "a b"], "id": ["9", "10", None, "-8"]})
    for policy, stays in (("max:id", "10"), ("min:id", "-8")):
        result = ilk.deduplicate(rows, key="text", keep=policy)
        assert result.to_arrow()["id"].to_pylist() == [stays]
    for other in ("007", "", "1.5", "9" * 19, "a"):
        wrong = pa.table({"text": ["a b", "a b"], "id": ["9", other]})
        with pytest.raises(OptionError, match="it must hold numbers"):
            ilk.deduplicate(wrong, key="text", keep="max:id")


def test_rows_have_no_time_of_their_own() -> None:
    with pytest.raises(OptionError, match="name a column: newest:COLUMN"):
        refuse_unfit_policies(["newest"], has_columns=True)


@pytest.mark.parametrize(
    ("policy", "keeper"), [("first", 0), ("longest", 2), ("prefer:*1", 1), (["prefer:*2"], 2)]
)
def test_the_keeper_of_a_cluster_follows_the_policy(policy: str | list[str], keeper: int) -> None:
    """Also among copies of one text: the longest has most bytes, though all have the same words."""
    texts = ["one two three four", "one two three four ", "one  two  three  four  "]
    found = ilk.find(texts, keep=policy)
    assert found.clusters["keeper"].unique().to_pylist() == [keeper]
    assert found.clusters["doc"].to_pylist() == [0, 1, 2]
