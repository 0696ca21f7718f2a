"""What a store does when a call cannot be carried out: it loses nothing, and says why."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from ilk.base.errors import IdError, OutputError, StoreError, StoreLocked
from ilk.store import Store, checkin, incoming
from tests.support.stores import LONG, OTHER, raw


def test_after_an_internal_error_it_refuses_to_go_on(store: Store, path: Path) -> None:
    store.add(LONG)
    opened = store._open_store
    coming = incoming.prepare_text_or_path_refusing_ambiguity(opened, OTHER)
    with pytest.raises(ZeroDivisionError), opened.write_transaction():  # noqa: PT012
        checkin.add_documents(opened, [coming], "report")
        raise ZeroDivisionError("a mistake")
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


@pytest.mark.skipif(sys.platform == "win32", reason="open files cannot be moved there")
@pytest.mark.parametrize("happens", ["moved", "removed", "replaced"])
def test_a_file_that_is_there_no_longer_is_not_written(
    happens: str, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(path.parent)
    with Store(path.name) as store:
        store.add(LONG)
        store.backup(tmp_path / "backup.ilk")
        (tmp_path / "other").mkdir()
        monkeypatch.chdir(tmp_path / "other")
        store.add(OTHER)
        if happens == "moved":
            path.rename(tmp_path / "moved.ilk")
        elif happens == "removed":
            path.unlink()
        else:
            (tmp_path / "backup.ilk").replace(path)
        with pytest.raises(StoreError, match="was moved, removed or replaced"):
            store.add("a third text of some words")
        assert len(store) == 2
        if happens == "moved":
            # Its log is still here, with all that was stored.
            with pytest.raises(OutputError, match="is of a store that was here"):
                Store(path)
    if happens == "moved":
        (path.parent / f"{path.name}-wal").rename(tmp_path / "moved.ilk-wal")
        with Store(tmp_path / "moved.ilk") as moved:
            assert len(moved) == 2
        Store(path).close()


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
    store._open_store.connection.execute("PRAGMA query_only = ON")
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


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps files that are open")
def test_a_file_that_goes_while_it_is_written_acknowledges_nothing(path: Path) -> None:
    with Store(path, jobs=1) as store:
        store.add(LONG)
        aside = path.with_name("aside.ilk")
        with pytest.raises(StoreError, match="removed"), store._open_store.write_transaction():
            path.rename(aside)
        aside.rename(path)
        assert store.add(OTHER).id == 1


def test_a_backup_is_not_made_beside_the_log_of_another_store(path: Path, tmp_path: Path) -> None:
    """It would be read as that store."""
    copy = tmp_path / "copy.ilk"
    program = f"""
import os
import ilk
ilk.Store({str(copy)!r}).add({OTHER!r})
os._exit(0)
"""
    subprocess.run([sys.executable, "-c", program], check=True)
    copy.unlink()
    with Store(path) as store:
        store.add(LONG)
        with pytest.raises(OutputError, match=r"copy\.ilk-wal already exists"):
            store.backup(copy)
        assert not copy.exists()
        for end in ("-wal", "-shm"):
            Path(f"{copy}{end}").unlink()
        store.backup(copy)
    with Store(copy) as made:
        assert [match.id for match in made.check(LONG)] == [0]
