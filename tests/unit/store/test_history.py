"""What a store says of the past of a document."""

from __future__ import annotations

from pathlib import Path

import pytest

from ilk.base.errors import IdError, StoreDamaged
from ilk.store import ClientDocument, Store, records
from tests.support.stores import LONG, OTHER, raw


def told(store: Store, id_: int) -> list[tuple[int, str, float | None]]:
    return [(one.document, one.what, one.resemblance) for one in store.history(id_)]


def test_a_change_has_the_digest_before_and_how_alike_the_texts_are(path: Path) -> None:
    with Store(path, jobs=1) as store:
        id_ = store.add(LONG).id
        assert id_ is not None
        before = store[id_].digest
        store.update(id_, f"{LONG} more", title="new")
        store.update(id_, title="newer")
        store.update(id_, OTHER)
        came, first, second = store.history(id_)
        assert (came.what, came.digest, came.when) == ("added", None, store[id_].added)
        assert (first.what, first.digest) == ("changed", before)
        assert first.resemblance == pytest.approx(198 / 199)
        assert second.resemblance == 0
        assert came.when <= first.when <= second.when
        assert second.to_dict()["when"] == second.when.isoformat()
        assert store.validate().problems == []


def test_the_same_text_is_no_change_and_that_of_a_copy_is_measured(path: Path) -> None:
    with Store(path, jobs=1) as store:
        store.add_many([LONG, LONG.upper(), "!", " "])
        store.update(1, LONG.upper())
        assert told(store, 1) == [(1, "added", None)]
        store.update(1, LONG)
        store.update(1, f"{LONG} more")
        changes = [event.resemblance for event in store.history(1)[1:]]
        assert changes == [1, pytest.approx(198 / 199)]
        store.update(3, OTHER)
        assert told(store, 3)[1][1] == "changed"


def test_a_document_that_comes_again_has_its_past(path: Path) -> None:
    with Store(path, jobs=1) as store:
        store.enter([ClientDocument(LONG, id="a", source="x"), ClientDocument(OTHER, source="x")])
        store.update(0, f"{LONG} more")
        store.remove([0, 1])
        store.enter(
            [
                ClientDocument(LONG, id="a"),
                ClientDocument(LONG, source="x"),
                ClientDocument(LONG, id="b"),
            ]
        )
        past = [(0, "added", None), (0, "changed", pytest.approx(198 / 199)), (0, "removed", None)]
        assert told(store, 2) == [*past, (2, "added", None)]
        assert told(store, 3) == [(1, "added", None), (1, "removed", None), (3, "added", None)]
        assert told(store, 4) == [(4, "added", None)]
        with pytest.raises(IdError):
            store.history(0)


def test_the_order_is_that_of_the_changes_when_the_clock_is_set_back(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moments = iter(range(100, 0, -1))
    monkeypatch.setattr(records, "now_in_microseconds", lambda: next(moments))
    with Store(path, jobs=1) as store:
        store.enter([ClientDocument(LONG, id="a")])
        store.update(0, f"{LONG} more")
        store.update(0, OTHER)
        assert [what for _, what, _ in told(store, 0)] == ["added", "changed", "changed"]
        assert told(store, 0)[1][2] == pytest.approx(198 / 199)
        store.remove(0)
        store.enter([ClientDocument(LONG, id="a")])
        past = [what for _, what, _ in told(store, 1)]
        assert past == ["added", "changed", "changed", "removed", "added"]


def test_damage_of_the_history_is_found_and_named(path: Path) -> None:
    with Store(path, jobs=1) as store:
        store.add(LONG)
        store.update(0, OTHER)
    with raw(path) as connection:
        connection.execute("UPDATE history SET moment = 7")
    with Store(path, jobs=1) as store:
        assert "the history of document 0 is damaged" in store.validate().problems[0]
        with pytest.raises(StoreDamaged, match="history of document 0"):
            store.history(0)
