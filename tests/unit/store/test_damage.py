"""A damaged store names what is damaged, and makes again what can be."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ilk.base.errors import StoreDamaged
from ilk.store import Store
from ilk.store.db import segments
from tests.support.stores import LONG, OTHER, raw


def filled(path: Path) -> None:
    with Store(path, texts=True, jobs=1) as store:
        store.add_many(
            [LONG, f"{LONG} more", OTHER, *(f"{n} some {n * 7} text" for n in range(50))]
        )
        (path.parent / "files").mkdir()
        (path.parent / "files" / "a.txt").write_text(OTHER)
        store.sync(path.parent / "files")


DAMAGES = {
    "UPDATE documents SET source = 'x' WHERE id = 2": "the row of document 2",
    "UPDATE documents SET digest = x'00' WHERE id = 2": "the row of document 2",
    "UPDATE documents SET title = 7.5 WHERE id = 2": "the row of document 2",
    "UPDATE evidence SET words = 3 WHERE id = 1": "the evidence of document 1",
    "UPDATE evidence SET word_shingles = zeroblob(40) WHERE id = 1": "the evidence of document 1",
    "UPDATE segments SET entries = zeroblob(length(entries))": "segment 0",
    "UPDATE segments SET places = x'0000'": "segment 0",
    "UPDATE evidence SET length = 3 WHERE id = 1": "the evidence of document 1",
    "DELETE FROM documents WHERE id > 49": "there are 50 documents, but the settings count 54",
    "UPDATE documents SET keeper = NULL, copy_of = 2 WHERE id = 1": "document 1 is a copy of 2",
    "UPDATE documents SET keeper = 2 WHERE id = 1": "document 1 has the keeper 2",
    "UPDATE documents SET duplicate_of = 99 WHERE id = 1": "document 1 is linked to 99",
    "UPDATE texts SET text = x'00' WHERE id = 1": "the text of document 1 is damaged",
    "DELETE FROM documents WHERE id = 2": "there are 53 documents",
    "DELETE FROM evidence WHERE id = 1": "that of document 1 is missing",
    "UPDATE files SET inode = inode + 1": "a.txt is damaged",
    "DELETE FROM texts WHERE id = 1": "that of document 1 is missing",
    "UPDATE evidence SET id = 999 WHERE id = 1": "the evidence of document 999 is damaged",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_found_and_named(path: Path, damage: str) -> None:
    filled(path)
    with raw(path) as connection:
        connection.execute(damage)
    with Store(path) as store:
        problems = store.validate().problems
    assert problems
    assert DAMAGES[damage] in " ".join(problems)


def test_what_is_missing_is_not_left_out_in_silence(path: Path) -> None:
    filled(path)
    with Store(path) as store:
        value = store[2].fingerprint
        assert value is not None
    with raw(path) as connection:
        connection.execute("DELETE FROM documents WHERE id = 2")
        connection.execute("DELETE FROM texts WHERE id = 0")
        connection.execute("DELETE FROM evidence WHERE id = 0")
    with Store(path) as store:
        with pytest.raises(StoreDamaged, match="document 2"):
            store.check_fingerprint(value)
        with pytest.raises(StoreDamaged, match="text of document 0"):
            store.text(0)
        with pytest.raises(StoreDamaged, match="evidence of document 0"):
            store.check([LONG])


def test_noisy_copies_whose_texts_are_gone_are_not_left_out_in_silence(path: Path) -> None:
    told = "the quick brown fox jumps over the lazy dog and runs along the river bank " * 4
    with Store(path, noise=0.05, jobs=1) as store:
        store.add([told])
        asked = told.replace("quick", "qvick").replace("river", "rivcr").replace("jumps", "junps")
        assert [match.verdict for match in store.check([asked])] == ["noisy"]
    with raw(path) as connection:
        connection.execute("DELETE FROM texts")
    with Store(path) as store, pytest.raises(StoreDamaged, match="text of document 0 is missing"):
        store.check([asked])


def test_a_head_that_forbids_writing_is_damage(path: Path) -> None:
    filled(path)
    whole = bytearray(path.read_bytes())
    whole[18] |= 16
    path.write_bytes(whole)
    with Store(path) as store:
        assert store.validate().problems == [
            "the head of the file is damaged: nothing can be stored."
        ]


def test_a_damaged_page_is_found_and_named(path: Path) -> None:
    filled(path)
    with raw(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        size = connection.execute("PRAGMA page_size").fetchone()[0]
        (root,) = connection.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'documents'"
        ).fetchone()
    with path.open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\xff" * size)
    with Store(path) as store:
        assert any(p.startswith("table documents: ") for p in store.validate().problems)
        with pytest.raises(StoreDamaged, match="validate"):
            list(store)


def test_damaged_segments_are_made_again(path: Path) -> None:
    filled(path)
    with raw(path) as connection:
        connection.execute("UPDATE segments SET entries = x''")
    with Store(path) as store:
        with pytest.raises(StoreDamaged, match="ilk store rebuild"):
            store.check(LONG)
        store.rebuild()
        assert [m.id for m in store.check(LONG)] == [0, 1]
        assert store.validate().problems == []


def test_nothing_is_added_to_a_damaged_segment(path: Path) -> None:
    """It would be written with a checksum of its own, and nobody would see the damage any more."""
    filled(path)
    with raw(path) as connection:
        connection.execute("UPDATE segments SET entries = zeroblob(length(entries))")
    with Store(path) as store:
        with pytest.raises(StoreDamaged, match="ilk store rebuild"):
            store.add(["a text that is new here"])
        store.rebuild()
        store.add(["a text that is new here"])
        assert store.validate().problems == []


SEGMENTS = "CREATE TABLE segments (number INTEGER PRIMARY KEY, changed, checksum, places, entries)"


@pytest.mark.parametrize("odd", ["NULL", "7", "'text'"])
def test_what_stands_in_a_segment_may_be_of_any_type(odd: str) -> None:
    """One byte of a row says what type a value has."""
    connection = sqlite3.connect(":memory:")
    connection.execute(SEGMENTS)
    connection.execute(f"INSERT INTO segments VALUES (0, 1, 0, {odd}, x'')")
    with pytest.raises(StoreDamaged, match="segment 0 of fingerprints is damaged"):
        list(segments.read_all_segments(connection))
    with pytest.raises(StoreDamaged, match="segment 0 of fingerprints is damaged"):
        segments.change_segments(connection, 2, {3: b"eightbit"})
    with pytest.raises(StoreDamaged, match="segment 0 of fingerprints is damaged"):
        segments.change_segments(connection, 2, {}, [3])


@given(
    acts=st.lists(
        st.tuples(
            st.one_of(st.integers(0, 40), st.integers(1000, 1040)),
            st.one_of(st.none(), st.binary(min_size=8, max_size=8)),
        ),
        max_size=30,
    )
)
def test_segments_hold_what_a_dictionary_holds(acts: list[tuple[int, bytes | None]]) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute(SEGMENTS)
    connection.execute("CREATE TABLE settings (name TEXT PRIMARY KEY, value, checksum)")
    expected: dict[int, bytes] = {}
    for at, (id_, entry) in enumerate(acts):
        new = {} if entry is None else {id_: entry}
        segments.change_segments(connection, at, new, [id_])
        expected.pop(id_, None)
        expected |= new
        found: dict[int, bytes] = {}
        for segment in segments.read_all_segments(connection):
            found |= segment.fingerprint_by_id()
        assert found == expected


def test_a_segment_that_is_not_there_is_missed(path: Path) -> None:
    filled(path)
    with raw(path) as connection:
        connection.execute("DELETE FROM segments")
    with Store(path) as store:
        assert "a segment of fingerprints is missing" in store.validate().problems[0]
        with pytest.raises(StoreDamaged, match=r"a segment of fingerprints is missing"):
            store.check(OTHER)
        store.rebuild()
        assert store.validate().problems == []
        assert store.check(OTHER)


def test_a_document_that_is_packed_and_not_there_is_named(path: Path) -> None:
    filled(path)
    with raw(path) as connection:
        connection.execute("DELETE FROM documents WHERE id = 2")
    with Store(path) as store:
        with pytest.raises(StoreDamaged, match=r"document 2 is packed.*ilk store rebuild"):
            store.check(OTHER)
        store.rebuild()
        assert store.check(OTHER) == []


def test_a_changed_segment_that_only_the_indexes_have_is_missed(path: Path) -> None:
    filled(path)
    for statement in (
        "CREATE TABLE kept AS SELECT * FROM sqlite_schema WHERE name LIKE 'changes%'",
        "DELETE FROM sqlite_schema WHERE name LIKE 'changes%'",
        "DELETE FROM segments",
        "INSERT INTO sqlite_schema SELECT * FROM kept",
    ):
        with raw(path) as connection:  # Each connection reads the schema again.
            connection.execute("PRAGMA writable_schema = ON")
            connection.execute(statement)
    with raw(path) as connection, pytest.raises(StoreDamaged, match="a segment of fingerprints"):
        list(segments.read_segments_changed_since(connection, -1))


def test_a_flipped_bit_in_the_description_of_a_table_is_found(store: Store) -> None:
    store.add(LONG)
    store.close()
    with raw(store.path) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        flipped = "UPDATE sqlite_schema SET sql = replace(sql, 'extract', 'dxtract') WHERE name = ?"
        connection.execute(flipped, ("files",))
    with Store(store.path, create=False, jobs=1) as damaged:
        assert any("not as they were made" in one for one in damaged.validate().problems)
