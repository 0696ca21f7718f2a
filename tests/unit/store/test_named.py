"""Documents by the ids of their clients: a dictionary is the oracle."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ilk.base.errors import IdError, IdTaken, OptionError
from ilk.store import ClientDocument, Store, check_client_id
from tests.support.stores import LONG, OTHER, raw


@settings(max_examples=30)  # Every act is durable before the next one.
@given(
    acts=st.lists(
        st.tuples(st.sampled_from(["enter", "change", "remove"]), st.sampled_from("abcd")),
        max_size=12,
    )
)
def test_ids_are_those_of_a_dictionary(
    tmp_path_factory: pytest.TempPathFactory, acts: list[tuple[str, str]]
) -> None:
    expected: dict[str, int] = {}
    with Store(tmp_path_factory.mktemp("store") / "s.ilk") as store:
        for act, id_ in acts:
            if act == "enter" and id_ in expected:
                with pytest.raises(IdTaken):
                    store.enter([ClientDocument(LONG, id_)])
            elif act == "enter":
                number = store.enter([ClientDocument(LONG, id_)])[0].id
                assert number is not None
                expected[id_] = number
            elif id_ not in expected:
                with pytest.raises(IdError):
                    store.id_of(id_)
            elif act == "change":
                store.update(id_, metadata={"a": 1}, text=[OTHER])
            else:
                store.remove(store.id_of(id_))
                del expected[id_]
            assert {id_: store.id_of(id_) for id_ in expected} == expected
            names = store.client_ids(range(store.stats()["documents"] + 12))
            assert {number: id_ for number, id_ in names.items() if id_ != number} == {
                number: id_ for id_, number in expected.items()
            }


def test_several_come_in_or_none(tmp_path: Path) -> None:
    with Store(tmp_path / "s.ilk") as store:
        with pytest.raises(IdTaken, match="'a'"):
            store.enter(
                [ClientDocument(LONG, "a"), ClientDocument(OTHER, "b"), ClientDocument(OTHER, "a")]
            )
        assert len(store) == 0
        store.enter(
            [ClientDocument(LONG, "a", metadata={"k": 1}), ClientDocument(OTHER, title="t")]
        )
        assert store[0].metadata == {"id": "a", "k": 1}
        assert (store[1].metadata, store[1].title) == ({}, "t")


def test_ids_that_the_command_line_kept_are_known(tmp_path: Path) -> None:
    with Store(tmp_path / "s.ilk") as store:
        for id_ in ("one", "17", 18, None):
            store.add(LONG, metadata={"id": id_})
    with Store(tmp_path / "s.ilk") as named:
        assert named.id_of("one") == 0
        assert named.client_ids(range(4)) == {0: "one", 1: 1, 2: 2, 3: 3}
        assert named.id_of("3") == 3
        with pytest.raises(IdError):
            named.id_of("17")
        assert named.validate().problems == []


def test_an_index_finds_them(tmp_path: Path) -> None:
    with Store(tmp_path / "s.ilk") as store:
        store.enter([ClientDocument(LONG, "a")])
    query = (
        "EXPLAIN QUERY PLAN SELECT min(id) FROM documents "
        "WHERE json_extract(metadata, '$.id') = 'a' AND json_type(metadata, '$.id') = 'text'"
    )
    with raw(tmp_path / "s.ilk") as connection:
        assert "own_ids" in str(connection.execute(query).fetchall())


@pytest.mark.parametrize("id_", ["", "17", ".", "..", "a\nb", "x" * 501, 3, None])
def test_what_cannot_be_an_id_is_refused(id_: object) -> None:
    with pytest.raises(OptionError):
        check_client_id(id_)


@pytest.mark.parametrize("after", [-(1 << 70), -2, -1, 0, 2, 7, 1 << 70])
@pytest.mark.parametrize("most", [-1, 0, 1, 2, 9])
def test_any_piece_of_the_records_can_be_asked_for(path: Path, after: int, most: int) -> None:
    with Store(path, jobs=1) as store:
        store.add_many([LONG, OTHER, f"{LONG} more", f"{OTHER} more"])
        store.remove(2)
        there = [id_ for id_ in (0, 1, 3) if id_ > after][: max(most, 0)]
        assert [record.id for record in store.records(after, most)] == there
        assert len(store) == 3
