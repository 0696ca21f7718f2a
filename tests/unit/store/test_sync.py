"""A store kept in step with a folder, and what is written to files."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ilk
from ilk import read
from ilk.base.errors import ColumnTypeError, OutputError, SourceNotFound
from ilk.read import folders
from ilk.store import MovedFile, Store
from tests.support import samples

LONG = " ".join(f"word{number}" for number in range(200))
OTHER = " ".join(f"other{number}" for number in range(200))


def settle(store: Store, folder: Path) -> None:
    """Have the store know files that have not just changed: it reads those again once."""
    time.sleep(2.1)  # No program can set the time of change back.
    store.sync(folder)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "docs"
    (made / "deep").mkdir(parents=True)
    for name, text in {"a": LONG, "b": f"{LONG} more", "deep/c": OTHER, "d": " "}.items():
        (made / f"{name}.txt").write_text(text)
    (made / "picture.png").write_bytes(b"\x89PNG\0\0")
    return made


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "s.ilk"


def sources(store: Store) -> dict[int, str | None]:
    return {record.id: record.source for record in store}


def test_a_folder_is_taken_over_and_then_left_alone(folder: Path, path: Path) -> None:
    with Store(path, jobs=1) as store:
        tally = read.ReadReport()
        first = store.sync(folder, tally=tally)
        assert [(told.source, told.added.id) for told in first.new] == [
            (f"{folder}/{name}.txt", id_) for id_, name in enumerate(["a", "b", "d", "deep/c"])
        ]
        assert [m.id for m in first.new[1].added.matches] == [0]
        assert (tally.documents, tally.skipped) == (4, {".png": 1})
        settle(store, folder)
        written = store.stats()["transactions"]
        second = store.sync(folder)
        assert (second.new, second.changed, second.moved, second.vanished) == ([], [], [], [])
        # The picture is looked at each time: it is no document.
        assert second.unchanged == 4
        assert store.stats()["transactions"] == written


def test_a_second_change_within_a_tick_of_the_clock_is_seen(folder: Path, path: Path) -> None:
    file = folder / "a.txt"
    with Store(path, jobs=1) as store:
        file.write_text(LONG)
        written = file.stat().st_mtime_ns
        store.sync(folder)
        file.write_text(LONG.replace("word1 ", "word0 "))
        os.utime(file, ns=(written, written))
        assert [told.source for told in store.sync(folder).changed] == [str(file)]


def test_a_file_written_over_in_place_with_its_time_set_back_is_seen(
    folder: Path, path: Path
) -> None:
    file = folder / "a.txt"
    os.utime(file, ns=(1, 1))
    with Store(path, jobs=1) as store:
        store.sync(folder)
        settle(store, folder)
        file.write_text(LONG.replace("word1 ", "word0 "))
        os.utime(file, ns=(1, 1))
        assert [told.source for told in store.sync(folder).changed] == [str(file)]


def test_a_file_that_was_touched_is_no_change(folder: Path, path: Path) -> None:
    with Store(path, jobs=1) as store:
        store.sync(folder)
        os.utime(folder / "a.txt", ns=(1, 1))
        again = store.sync(folder)
        assert (again.unchanged, again.changed, again.new) == (4, [], [])
        assert store.sync(folder).unchanged == 4


def test_moved_files_keep_their_document(folder: Path, path: Path) -> None:
    with Store(path, jobs=1) as store:
        store.sync(folder)
        store.update(3, title="kept")
        (folder / "deep").rename(folder / "far")
        (folder / "a.txt").rename(folder / "far" / "z.txt")
        found = store.sync(folder)
        assert found.moved == [
            MovedFile(f"{folder}/deep/c.txt", f"{folder}/far/c.txt"),
            MovedFile(f"{folder}/a.txt", f"{folder}/far/z.txt"),
        ]
        assert (found.new, found.changed, found.vanished, found.unchanged) == ([], [], [], 2)
        assert sources(store)[3] == f"{folder}/far/c.txt"
        assert store[3].title == "kept"
        assert store.clusters() == [[0, 1]]
        assert store.validate().problems == []


def test_what_changed_and_vanished_is_settled_again(folder: Path, path: Path) -> None:
    with Store(path, jobs=1) as store:
        store.sync(folder)
        (folder / "a.txt").unlink()
        (folder / "deep" / "c.txt").write_text(f"{LONG} more and more")
        (folder / "d.txt").write_bytes(b"\0\1\2\3" * 100)
        found = store.sync(folder)
        assert [(told.source, told.added.id) for told in found.changed] == [
            (f"{folder}/deep/c.txt", 3)
        ]
        assert found.vanished == [f"{folder}/a.txt", f"{folder}/d.txt"]
        assert sorted(sources(store)) == [1, 3]
        assert store.clusters() == [[1, 3]]


def test_only_the_folder_and_what_matches_is_touched(folder: Path, path: Path) -> None:
    with Store(path, jobs=1) as store:
        store.add(LONG, source="from elsewhere")
        store.sync(folder / "deep")
        assert len(store.sync(folder, exclude=["b.txt"]).new) == 2
        assert len(store) == 4
        # Files that are not asked for stay as they were, unless they are gone.
        (folder / "d.txt").unlink()
        (folder / "a.txt").write_text(OTHER)
        synced = store.sync(folder, include=["*.md"])
        assert (synced.vanished, synced.changed) == ([f"{folder}/d.txt"], [])
        assert len(store) == 3
        assert [told.source for told in store.sync(folder).changed] == [f"{folder}/a.txt"]
        id_ = next(i for i, source in sources(store).items() if source == f"{folder}/a.txt")
        store.remove(id_)
        assert [told.source for told in store.sync(folder).new] == [f"{folder}/a.txt"]
        with pytest.raises(SourceNotFound):
            store.sync(folder / "none")


def test_a_store_inside_its_folder_is_not_read(folder: Path) -> None:
    with Store(folder / "own.ilk", jobs=1) as store:
        tally = read.ReadReport()
        assert len(store.sync(folder, tally=tally).new) == 4
        assert tally.skipped == {".png": 1}


@pytest.mark.parametrize("name", ["deep", "deep!"])
def test_a_folder_that_cannot_be_read_has_not_vanished(
    folder: Path, path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    real = os.scandir
    deep = (folder / "deep").rename(folder / name)

    def closed(path: str) -> object:
        if str(path).endswith(name):
            raise PermissionError(13, "Permission denied")
        return real(path)

    with Store(path, jobs=1) as store:
        store.sync(folder)
        (deep / "c.txt").unlink()  # What is in a closed folder cannot be seen.
        monkeypatch.setattr(os, "scandir", closed)
        tally = read.ReadReport()
        found = store.sync(folder, tally=tally)
        assert [failure.source for failure in tally.failures] == [f"{folder}/{name}"]
        assert (found.vanished, len(store)) == ([], 4)


@pytest.mark.parametrize("bits", [64, 128])
def test_a_store_is_a_table_of_which_another_is_made(tmp_path: Path, bits: int) -> None:
    recipe = ilk.Recipe(bits=bits)
    texts = [LONG, f"{LONG} more", LONG.upper(), "a short one", f"{OTHER} {LONG}" * 20, " ", "\0"]
    with Store(tmp_path / "a.ilk", recipe=recipe, texts=True, jobs=1) as store:
        store.add("to be removed")
        store.add_many(texts)
        store.update(1, source="s\0\u2028", title="t", metadata={"a": [1, None, "é"]})
        store.remove(0)
        table = store.to_arrow().read_all()
        before = list(store)
        clusters = store.clusters()
    assert ilk.hamming.Index(table, 3).recipe == str(recipe)
    assert table["text"].to_pylist() == texts
    names = [name for name in table.column_names if name not in {"text", "metadata"}]
    for row, record in zip(table.select(names).to_pylist(), before, strict=True):
        told = record.to_dict() | {"digest": record.digest, "bytes_digest": record.bytes_digest}
        moments = {name: getattr(record, name).timestamp() for name in ("added", "updated")}
        told |= {name: round(moment * 1e6) for name, moment in moments.items()}
        told["fingerprint"] = record.fingerprint
        assert row == {name: told[name] for name in names}
    for exact in (False, True):
        with Store(tmp_path / f"{exact}.ilk", recipe=recipe, exact=exact, jobs=1) as other:
            assert len(other.add_many(table)) == len(texts)
            for old, new in zip(before, other, strict=True):
                for name in ("source", "title", "metadata", "fingerprint", "reason", "digest"):
                    assert getattr(old, name) == getattr(new, name), name
            assert other.clusters() == [[id_ - 1 for id_ in some] for some in clusters]
            assert [m.verdict for m in other.check(texts[4])] == ["identical"]
            assert other.validate().problems == []


def test_without_texts_a_table_makes_no_store(path: Path, tmp_path: Path) -> None:
    with Store(path, jobs=1) as store, Store(tmp_path / "b.ilk", jobs=1) as other:
        store.add(LONG)
        table = store.to_arrow().read_all()
        assert table.column_names[:5] == ["id", "source", "title", "metadata", "fingerprint"]
        with pytest.raises(ColumnTypeError, match="text"):
            other.add_many(table)


def test_a_backup_is_a_store_of_its_own(path: Path, tmp_path: Path) -> None:
    with Store(path, jobs=1) as store:
        store.add(LONG)
        store.backup(tmp_path / "b.ilk")
        store.add(OTHER)
        with pytest.raises(OutputError, match="already exists"):
            store.backup(tmp_path / "b.ilk")
        with pytest.raises(OutputError, match="No such file"):
            store.backup(tmp_path / "none" / "b.ilk")
    with Store(tmp_path / "b.ilk", jobs=1) as copy:
        assert [m.verdict for m in copy.check(LONG)] == ["identical"]
        assert len(copy) == 1
        assert copy.validate().problems == []
    assert sorted(p.name for p in tmp_path.iterdir()) == ["b.ilk", "s.ilk"]


def test_pages_are_read_again_when_their_text_is_made_in_another_way(
    folder: Path, path: Path
) -> None:
    page = f"<html><body><nav>Menu {OTHER}</nav><article><p>{LONG}</p></article></body></html>"
    (folder / "page.html").write_text(page)
    name = f"{folder}/page.html"
    with Store(path, jobs=1) as store:
        first = store.sync(folder, extract="fast")
        assert name in [told.source for told in first.new]
        for extract, changed in (("fast", []), ("all", [name]), ("all", []), ("none", [name])):
            synced = store.sync(folder, extract=extract)
            assert [told.source for told in synced.changed] == changed
            assert (synced.new, synced.moved, synced.vanished) == ([], [], [])
            assert synced.unchanged == 5 - len(changed)
        (folder / "page.html").rename(folder / "other.html")
        assert [one.source for one in store.sync(folder).moved] == [f"{folder}/other.html"]
        (folder / "other.html").rename(folder / "page.html")
        synced = store.sync(folder, extract="all")
        assert ([told.source for told in synced.new], synced.moved) == ([name], [])
        assert store.validate().problems == []


def test_what_stands_in_an_archive_is_kept_in_step(tmp_path: Path, path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    archive, letter = docs / "a.zip", docs / "letter.eml"
    archive.write_bytes(samples.zipped({"in/one.txt": LONG.encode(), "two.txt": OTHER.encode()}))
    letter.write_bytes(bytes(samples.message(title="A letter", note_txt=LONG.encode())))
    with Store(path, jobs=1) as store:
        first = store.sync(docs)
        assert [told.source for told in first.new] == [
            f"{archive}!/in/one.txt",
            f"{archive}!/two.txt",
            f"{letter}",
            f"{letter}/note.txt",
        ]
        assert {record.title for record in store} == {None, "A letter"}
        settle(store, docs)
        tally = read.ReadReport()
        again = store.sync(docs, tally=tally)
        assert (again.new, again.vanished, again.unchanged, tally.documents) == ([], [], 4, 0)
        archive.write_bytes(samples.zipped({"in/one.txt": LONG.encode(), "three.txt": b"new"}))
        third = store.sync(docs)
        assert [told.source for told in third.new] == [f"{archive}!/three.txt"]
        assert third.vanished == [f"{archive}!/two.txt"]
        assert third.unchanged == 3
        assert store.sync(archive).unchanged == 2
        archive.write_bytes(archive.read_bytes()[:40])
        assert store.sync(docs).vanished == []
        archive.unlink()
        assert store.sync(docs).vanished == [f"{archive}!/in/one.txt", f"{archive}!/three.txt"]
        assert len(store) == 2


def test_what_a_document_says_of_itself_is_stored_unless_something_is_given(
    tmp_path: Path, path: Path
) -> None:
    (tmp_path / "a.pdf").write_bytes(samples.pdf(title="Of its own"))
    with Store(path, jobs=1) as store:
        store.add(tmp_path / "a.pdf")
        store.add(tmp_path / "a.pdf", title="Given", metadata={})
        assert [record.title for record in store] == ["Of its own", "Given"]
        said = {"author": "A. Writer", "date": "2026-01-02", "pages": 1}
        assert [record.metadata for record in store] == [said, {}]


def test_two_processes_that_synchronise_at_once_take_each_file_once(
    folder: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second one has finished when the first has read its files."""
    (folder / "old.txt").write_text(text := " ".join(f"old{number}" for number in range(200)))
    with Store(path) as store:
        store.sync(folder / "old.txt")
        (folder / "old.txt").rename(folder / "moved.txt")
        (folder / "twin.txt").write_text(text)
        read_documents_of_files = folders.read_documents_of_files

        def beaten(*arguments: Any, **options: Any) -> Iterator[Any]:
            batches = list(read_documents_of_files(*arguments, **options))
            monkeypatch.setattr("ilk.store.sync.read_documents_of_files", read_documents_of_files)
            with Store(path) as other:
                other.sync(folder)
            yield from batches

        monkeypatch.setattr("ilk.store.sync.read_documents_of_files", beaten)
        late = store.sync(folder)
        names = ["a.txt", "b.txt", "d.txt", "deep/c.txt", "moved.txt", "twin.txt"]
        assert sorted(str(name) for name in sources(store).values()) == [
            f"{folder}/{name}" for name in names
        ]
        assert (late.new, late.moved, late.vanished) == ([], [], [])
        assert store.sync(folder).unchanged == len(names)
        assert store.validate().problems == []
