"""A store as one process sees it: what it tells, keeps, refuses, and names when it is damaged."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

import ilk
from ilk.errors import (
    ColumnTypeError,
    IdError,
    OptionError,
    OutputError,
    SourceNotFound,
    StoreDamaged,
    StoreError,
    StoreFormatError,
    StoreLocked,
)
from ilk.store import Store

LONG = " ".join(f"word{number}" for number in range(200))
OTHER = " ".join(f"other{number}" for number in range(200))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "s.ilk"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store(path, texts=True, jobs=1) as made:
        yield made


@contextlib.contextmanager
def raw(path: Path) -> Iterator[sqlite3.Connection]:
    """The file as SQLite sees it, to be damaged."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        yield connection


def test_what_is_like_a_text_is_measured_exactly(store: Store) -> None:
    store.add_many([LONG, f"{LONG} more", f"{LONG} {OTHER}", OTHER.upper(), "blank", " "])
    found = store.check(LONG, radius=128, resemblance=0.8, containment=0.9)
    assert [(match.id, match.verdict) for match in found] == [
        (0, "identical"),
        (1, "near"),
        (2, "contained"),
    ]
    for match, text in zip(found, [LONG, f"{LONG} more", f"{LONG} {OTHER}"], strict=True):
        expected = ilk.compare([LONG], [text], ilk.Recipe(bits=128))
        assert match.distance == expected.distance
        assert match.resemblance == expected.resemblance
        assert match.containment_left == expected.containment_left
        assert match.containment_right == expected.containment_right
    assert [match.verdict for match in store.check(OTHER)] == ["exact"]
    assert store.check(" ") == store.check("") == []
    assert [match.id for match in store.check(LONG, resemblance=1, containment=None)] == [0]
    assert [match.id for match in store.check(LONG, similarity="98%")] == [0, 1]


def test_a_wider_radius_than_the_index_has_is_answered_by_looking_at_all(store: Store) -> None:
    store.add_many([LONG, OTHER])
    assert store.settings.radius == 20
    assert {match.id for match in store.check(LONG, radius=128)} == {0, 1}
    assert {match.id for match in store.similar(0, similarity="0%")} == {1}
    value = store[0].fingerprint
    assert value is not None
    assert [m.id for m in store.check_fingerprint(value, 128)] == [0, 1]


@pytest.mark.parametrize("bits", [32, 64, 128])
def test_fingerprints_alone_are_unverified(tmp_path: Path, bits: int) -> None:
    kind = "simhash" if bits == 32 else "minhash"
    recipe = ilk.Recipe(kind=kind, bits=bits)
    with Store(tmp_path / "f.ilk", recipe=recipe, jobs=1) as store:
        values = ilk.fingerprint([LONG, OTHER], recipe)
        assert store.add_fingerprints(values, sources=["a", "b"]) == range(2)
        assert store.add_fingerprints([]) == range(2, 2)
        store.add(LONG)
        found = store.check(LONG)
        assert [(m.id, m.verdict, m.distance) for m in found] == [
            (2, "identical", 0),
            (0, "unverified", 0),
        ]
        assert found[1].resemblance is None
        assert store.clusters() == []
        value = values[0].as_py()
        assert [m.id for m in store.check_fingerprint(value, 0)] == [0, 2]
        with pytest.raises(OptionError, match="null"):
            store.add_fingerprints(pa.nulls(1, values.type))
        other = ilk.Recipe(bits=64 if bits == 128 else 128)
        with pytest.raises(ilk.RecipeMismatch, match="bits"):
            store.add_fingerprints(ilk.fingerprint([LONG], other))
        with pytest.raises(OptionError, match="give one each"):
            store.add_fingerprints(values, sources=["a"])


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


def test_a_store_is_opened_as_it_was_made(path: Path) -> None:
    recipe = ilk.Recipe(bits=64)
    with Store(path, recipe=recipe, resemblance=0.5, shingle=2, texts=True) as store:
        made = store.settings
        assert (made.recipe, made.radius, str(made.resemblance)) == (recipe, 16, "1/2")
        assert 0 < made.recall < 1
        assert repr(store) == f"<ilk.Store {str(path)!r} of {recipe}>"
    with Store(path) as store:
        assert store.settings == made
    with Store(path, recipe=recipe) as store:
        assert store.path == path
    with pytest.raises(ilk.RecipeMismatch, match="without a recipe"):
        Store(path, recipe=ilk.Recipe(bits=128))
    for options in ({"resemblance": 0}, {"shingle": 0}, {"jobs": 0}):
        with pytest.raises(OptionError):
            Store(path, **options)  # type: ignore[arg-type]


def test_what_is_no_store_is_refused(path: Path, tmp_path: Path) -> None:
    with pytest.raises(SourceNotFound, match="there is no store"):
        Store(path, create=False)
    with pytest.raises(StoreFormatError, match="is a folder"):
        Store(tmp_path)
    with pytest.raises(OutputError, match="there is no folder"):
        Store(tmp_path / "none" / "s.ilk")
    path.write_text("no database at all, but a text of some length" * 100)
    with pytest.raises(StoreFormatError, match="is not a store"):
        Store(path)
    path.unlink()
    with raw(path) as connection:
        connection.execute("CREATE TABLE t (a)")
    with pytest.raises(StoreFormatError, match="not a store"):
        Store(path)


def test_a_newer_format_is_refused_with_what_to_do(path: Path) -> None:
    Store(path).close()
    with raw(path) as connection:
        connection.execute("PRAGMA user_version = 2")
    with pytest.raises(StoreFormatError, match=r"format 2.*up to 1.*newer ilk"):
        Store(path)
    with raw(path) as connection:
        connection.execute("PRAGMA user_version = 1")
        connection.execute("UPDATE settings SET value = 'minhash9' WHERE name = 'recipe'")
    with pytest.raises(StoreFormatError, match="minhash9"):
        Store(path)


def test_a_closed_store_says_so(store: Store) -> None:
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        len(store)
    with pytest.raises(StoreError, match="closed"):
        store.add("text")


def test_after_an_internal_error_it_refuses_to_go_on(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add(LONG)

    def broken(*_: object) -> None:
        raise ZeroDivisionError("a mistake")

    monkeypatch.setattr("ilk.store.keepers.settle", broken)
    with pytest.raises(ZeroDivisionError):
        store.add(OTHER)
    monkeypatch.undo()
    with pytest.raises(StoreError, match="a mistake"):
        store.check(LONG)
    with Store(path) as again:
        assert [record.id for record in again] == [0]
        assert again.check(OTHER) == []
        assert again.validate().problems == []


def test_an_error_of_the_user_changes_nothing_and_breaks_nothing(store: Store) -> None:
    store.add_many([LONG, OTHER])
    with pytest.raises(IdError):
        store.remove([0, 9])
    assert [m.id for m in store.check(LONG)] == [0]
    assert len(store) == 2


def test_another_writer_is_waited_for_and_then_named(store: Store, path: Path) -> None:
    store.add(LONG)
    with raw(path) as connection, Store(path, timeout=0.05) as hasty:
        connection.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreLocked, match="another process is writing"):
            hasty.add(OTHER)
        assert [m.id for m in hasty.check(LONG)] == [0]
        connection.execute("ROLLBACK")
        assert hasty.add(OTHER).id == 1


def test_threads_may_share_a_store(store: Store) -> None:
    store.add(LONG)
    wrong: list[object] = []

    def ask() -> None:
        for _ in range(20):
            found = [match.id for match in store.check(LONG)]
            if found != [0]:
                wrong.append(found)

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    store.add_many([f"{OTHER} {number}" for number in range(20)])
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_a_file_that_may_not_be_written_is_read(path: Path) -> None:
    with Store(path) as store:
        store.add(LONG)
    path.chmod(0o444)
    with Store(path) as store:
        assert [m.id for m in store.check(LONG)] == [0]
        with pytest.raises(OutputError, match="cannot open or write"):
            store.add(OTHER)


def test_a_read_only_connection_is_told(store: Store) -> None:
    """Stands for a file that may not be written, where the tests are run by root."""
    store.add(LONG)
    store._opened.connection.execute("PRAGMA query_only = ON")
    with pytest.raises(OutputError, match="cannot open or write"):
        store.add(OTHER)
    assert [m.id for m in store.check(LONG)] == [0]


def test_a_full_disk_loses_nothing_that_was_acknowledged(path: Path) -> None:
    """A limit on the size of files stands for the disk."""
    program = f"""
import resource, signal
import ilk
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store = ilk.Store({str(path)!r}, texts=True, jobs=1)
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
added = 0
try:
    while True:
        text = " ".join(f"w{{added * 7 + n * n}}" for n in range(300))
        assert store.add(text).id == added
        added += 1
except ilk.IlkError as error:
    print(added, type(error).__name__, len(store), len(store.check(text)))
"""
    child = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert child.stderr == ""
    added, error, held, alike = child.stdout.split()
    assert (error, held, alike) == ("OutputError", added, "0")
    with Store(path) as store:
        assert len(store) == int(added) > 5
        assert store.validate().problems == []
        assert store.add(OTHER).id == int(added)


def filled(path: Path) -> None:
    with Store(path, texts=True, jobs=1) as store:
        store.add_many(
            [LONG, f"{LONG} more", OTHER, *(f"{n} some {n * 7} text" for n in range(50))]
        )


DAMAGES = {
    "UPDATE documents SET source = 'x' WHERE id = 2": "the row of document 2",
    "UPDATE documents SET digest = x'00' WHERE id = 2": "the row of document 2",
    "UPDATE documents SET title = 7.5 WHERE id = 2": "the row of document 2",
    "UPDATE evidence SET words = 3 WHERE id = 1": "the evidence of document 1",
    "UPDATE evidence SET word_shingles = zeroblob(40) WHERE id = 1": "the evidence of document 1",
    "UPDATE segments SET fingerprints = zeroblob(length(fingerprints))": "segment 0",
    "UPDATE segments SET ids = x''": "segment 0",
    "UPDATE settings SET value = 9 WHERE name = 'documents'": "9 were counted",
    "UPDATE documents SET keeper = NULL, copy_of = 2 WHERE id = 1": "document 1 is a copy of 2",
    "UPDATE documents SET keeper = 2 WHERE id = 1": "document 1 is kept by 2",
    "UPDATE documents SET duplicate_of = 99 WHERE id = 1": "document 1 is linked to 99",
    "UPDATE texts SET text = x'00' WHERE id = 1": "the text of document 1 is damaged",
    "DELETE FROM documents WHERE id = 2": "there are 52 documents",
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
        connection.execute("UPDATE segments SET fingerprints = x''")
    with Store(path) as store:
        with pytest.raises(StoreDamaged, match="ilk store rebuild"):
            store.check(LONG)
        store.rebuild()
        assert [m.id for m in store.check(LONG)] == [0, 1]
        assert store.validate().problems == []


def test_a_document_that_is_packed_and_not_there_is_named(path: Path) -> None:
    filled(path)
    with raw(path) as connection:
        connection.execute("DELETE FROM documents WHERE id = 2")
    with Store(path) as store:
        with pytest.raises(StoreDamaged, match=r"document 2 is packed.*ilk store rebuild"):
            store.check(OTHER)
        store.rebuild()
        assert store.check(OTHER) == []


def test_more_candidates_than_are_held_at_once_are_taken_in_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [f"{LONG} {number}" for number in range(40)] + [OTHER]
    with Store(tmp_path / "a.ilk", jobs=1) as store:
        first = store.add_many(texts)
        expected = store.clusters()
    monkeypatch.setattr("ilk.store.matching._HELD", 50)
    monkeypatch.setattr("ilk.store.matching._AT_ONCE", 7)
    with Store(tmp_path / "b.ilk", jobs=1) as store:
        assert store.add_many(texts) == first
        assert store.clusters() == expected == [list(range(40))]
        assert len(store.check(LONG)) == 40
        store.remove(0)
        assert store.clusters() == [list(range(1, 40))]


def test_any_recipe_makes_a_store(tmp_path: Path) -> None:
    recipe = ilk.Recipe(kind="simhash", width=1, weight="log")
    with Store(tmp_path / "s.ilk", recipe=recipe, jobs=1) as store:
        store.add_many([LONG, f"{LONG} more", OTHER])
        assert store.clusters() == [[0, 1]]
        assert [m.id for m in store.check(LONG, similarity="90%")] == [0, 1]
