"""What a store keeps of documents that come, change and go."""

from __future__ import annotations

import pyarrow as pa
import pytest

from ilk.base.errors import ColumnTypeError, IdError, OptionError
from ilk.store import Store
from tests.support.stores import LONG, OTHER


def test_records_say_what_was_given(store: Store) -> None:
    hostile = {"a\0b": ["\ud800", "’--", None, 1e308], "": {"deep": {"er": []}}}
    store.add("to be or not", source="x\0\ud800y", title="<b>\n", metadata=hostile)
    store.add("\ud800 lone \0 text ' \" ; DROP TABLE documents")
    first, second = store
    assert (first.source, first.title) == ("x\0\\ud800y", "<b>\n")
    assert first.metadata == hostile
    assert first.to_dict()["added"].startswith("20")
    assert second.metadata == {}
    assert store.text(1) == "\ufffd lone \0 text ' \" ; DROP TABLE documents"
    assert store.sources([0, 1, 5]) == {0: first.source, 1: None}
    assert (0 in store, 2 in store, "0" in store) == (True, False, False)
    for bad in ({1: float("nan")}, [1], {"a": object()}):
        with pytest.raises(OptionError, match="metadata"):
            store.add("text", metadata=bad)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="title is 3"):
        store.add("text", title=3)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="give a str"):
        store.add(b"text")  # type: ignore[arg-type]
    assert len(store) == 2


@pytest.mark.parametrize("id_", [-1, 7, 1 << 70, "0", None, 0.0, True])
def test_ids_that_are_none_are_refused(store: Store, id_: int) -> None:
    store.add_many(["one two three", "four five six"])
    if id_ is True:
        return
    for call in (store.__getitem__, store.similar, store.text, lambda i: store.remove([i])):
        with pytest.raises(IdError, match="no document has the id"):
            call(id_)
    if not isinstance(id_, str):
        with pytest.raises(IdError, match="no document has the id"):
            store.update(id_, "text")
    assert id_ not in store
    assert len(store) == 2


def test_tables_come_in_with_their_names(store: Store) -> None:
    table = pa.table(
        {
            "text": [LONG, OTHER],
            "source": ["a", None],
            "title": [None, "t"],
            "metadata": ['{"year": 2011}', None],
        }
    )
    assert [one.id for one in store.add_many(table)] == [0, 1]
    assert (store[0].metadata, store[1].title) == ({"year": 2011}, "t")
    assert [len(some) for some in store.check_many([LONG, "x", OTHER])] == [1, 0, 1]
    with pytest.raises(OptionError, match="JSON object"):
        store.add_many(table.set_column(3, "metadata", pa.array(["[]", "{}"])))
    with pytest.raises(ColumnTypeError):
        store.add_many(pa.table({"text": [1, 2]}))
    with pytest.raises(OptionError, match="on_duplicate"):
        store.add_many(["a"], on_duplicate="drop")
    assert len(store) == 2


def test_names_change_without_the_text(store: Store) -> None:
    store.add(LONG, source="a", metadata={"n": 1})
    before = store[0]
    assert store.update(0, title="T").matches == []
    store.update(0, source=None, metadata=None)
    after = store[0]
    assert (after.source, after.title, after.metadata) == (None, "T", {})
    assert (after.fingerprint, after.added) == (before.fingerprint, before.added)
    assert after.updated > before.updated


def test_a_copy_takes_the_place_of_its_first(store: Store) -> None:
    store.add_many([LONG, LONG.upper(), f"{LONG} more", LONG])
    assert store.clusters() == [[0, 1, 2, 3]]
    assert store.add(LONG.upper()).matches[0].id == 1
    store.remove([0, 4])
    assert [(record.id, record.copy_of, record.keeper) for record in store] == [
        (1, None, None),
        (2, None, 1),
        (3, 1, None),
    ]
    assert [m.verdict for m in store.similar(1)] == ["exact", "near"]
    assert store.validate().problems == []


def test_a_removal_can_split_a_cluster(store: Store) -> None:
    words = LONG.split()
    left, right = " ".join(["x", *words[:-12], "y"]), " ".join(["z", *words[12:], "q"])
    store.add_many([LONG, left, right])
    assert store.clusters() == [[0, 1, 2]]
    store.remove(0)
    assert store.check(LONG)[0].id in (1, 2)
    assert store.clusters() == ([] if not store.similar(1) else [[1, 2]])
    assert store.similar(1, resemblance=0.95) == []
