"""A store that finds noisy copies: what it keeps, refuses, repairs and hands on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import ilk
from ilk.base.errors import OptionError, StoreDamaged
from ilk.store import Store
from ilk_papers.measure.noising import make_noisy
from tests.interfaces.test_noise import CLEAN, OTHER
from tests.support.stores import put_fingerprints, raw

SCAN = make_noisy(CLEAN, 0.04, 1)


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store(path, noise="5%", jobs=1) as made:
        made.add_many([CLEAN, OTHER])
        yield made


def found(store: Store, text: str = SCAN) -> list[tuple[int, str]]:
    return [(match.id, match.verdict) for match in store.check(text)]


def test_a_scan_is_found_and_has_its_agreement(store: Store) -> None:
    (match,) = store.check(SCAN)
    assert (match.id, match.verdict, match.same) == (0, "noisy", True)
    assert 0.9 <= (match.agreement or 0) < 1
    assert match.to_dict()["agreement"] == match.agreement
    (same,) = store.check(CLEAN)
    assert "agreement" not in same.to_dict()
    assert store.check(SCAN, radius=3) == []
    added = store.add(SCAN, on_duplicate="link")
    assert (added.duplicate, store[2].duplicate_of) == (True, 0)
    assert store.clusters() == [[0, 2]]
    assert [match.verdict for match in store.similar(0)] == ["noisy"]


def test_another_process_finds_what_came_in(store: Store, path: Path) -> None:
    with Store(path, jobs=1) as other:
        assert found(other) == [(0, "noisy")]
        store.remove([0])
        assert found(other) == []
        store.update(1, CLEAN)
        assert found(other) == [(1, "noisy")]
        assert other.stats()["noise"] == 0.05


def test_a_copy_takes_the_place_of_what_is_removed(store: Store) -> None:
    store.add(CLEAN + " ")
    store.remove([0])
    assert found(store) == [(2, "noisy")]
    assert store.validate().problems == []


@pytest.mark.usefixtures("store")
def test_the_rate_is_decided_once(path: Path, tmp_path: Path) -> None:
    with Store(path, noise=0.05, jobs=1) as same:
        assert same.settings.texts
    with pytest.raises(OptionError, match=r"was made with noise=0\.05, not with noise=0\.1"):
        Store(path, noise="10%")
    Store(tmp_path / "plain.ilk").close()
    with pytest.raises(OptionError, match="was made without noise"):
        Store(tmp_path / "plain.ilk", noise="10%")
    with pytest.raises(OptionError, match="needs the texts"):
        Store(tmp_path / "new.ilk", noise="10%", texts=False)
    with raw(path) as connection:
        connection.execute("UPDATE settings SET value = '1/2' WHERE name = 'noise'")
    with pytest.raises(StoreDamaged, match="noise"):
        Store(path)


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE texts SET checksum = checksum + 1 WHERE id = 0",
        "UPDATE texts SET text = x'00' WHERE id = 0",
        "UPDATE texts SET text = 7 WHERE id = 0",
        "DELETE FROM texts WHERE id = 0",
    ],
)
def test_a_damaged_text_is_named_and_replaced(path: Path, damage: str) -> None:
    with raw(path) as connection:
        connection.execute(damage)
    with Store(path, jobs=1) as other:
        assert all("text of document 0" in problem for problem in other.validate().problems)
        with pytest.raises(StoreDamaged, match="text of document 0"):
            found(other)
        other.update(0, CLEAN)
        assert other.validate().problems == []
        assert found(other) == [(0, "noisy")]


def test_a_table_of_it_makes_another(store: Store, tmp_path: Path) -> None:
    with Store(tmp_path / "again.ilk", noise="5%", jobs=1) as again:
        again.add_many(store.to_arrow().read_all())
        assert found(again) == [(0, "noisy")]


def test_known_by_fingerprint_alone_or_blank_is_no_noisy_copy(store: Store) -> None:
    store.add_many(["", "?!"])
    put_fingerprints(store, ilk.fingerprint([OTHER], store.settings.recipe))
    assert found(store) == [(0, "noisy")]
    assert store.validate().problems == []


@pytest.mark.usefixtures("store")
def test_a_damaged_order_is_named_however_often_it_is_asked_for(path: Path) -> None:
    with raw(path) as connection:
        connection.execute("UPDATE orders SET counts = x'00' WHERE part = 'noise-short'")
    with Store(path, jobs=1) as other:
        for _ in range(2):
            with pytest.raises(StoreDamaged, match="noise-short"):
                other.check(SCAN)


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("damage", ["copy_of = 1", "id = 9"])
def test_a_document_that_only_the_index_has_is_named(path: Path, damage: str) -> None:
    with raw(path) as connection:
        connection.execute(f"UPDATE documents SET {damage} WHERE id = 0")
    with Store(path, jobs=1) as other, pytest.raises(StoreDamaged, match="document 0"):
        found(other)
