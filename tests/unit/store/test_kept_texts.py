"""Texts of documents are kept beside a store, and made again where other options make others."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import ilk
from ilk import Limits, read
from ilk.store import MovedFile, Store
from ilk.store.db import contents
from tests.support import samples

LETTER = ["A letter about harbours and the ships in them.", "", "> what was asked", "-- ", "A. W."]

#: A child that may hold one byte makes no text: what is read all the same was kept.
NOTHING = Limits.of(memory=1)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    made = tmp_path / "docs"
    made.mkdir()
    (made / "a.pdf").write_bytes(samples.pdf([["first"], []], image=True))
    (made / "b.docx").write_bytes(samples.docx())
    (made / "c.eml").write_bytes(bytes(samples.message(LETTER)))
    (made / "d.old").write_bytes(b"\0\1" * 99)
    (made / "e.txt").write_text("plain text")
    (made / "f.txt").write_text(" ")
    return made


@pytest.mark.parametrize("texts", [False, True])
def test_other_options_read_again_and_change_only_what_has_another_text(
    docs: Path, tmp_path: Path, *, texts: bool
) -> None:
    names = {name: f"{docs}/{name}" for name in os.listdir(docs)}
    with Store(tmp_path / "s.ilk", texts=texts, jobs=1) as store:
        assert len(store.sync(docs).new) == 5
        for options, changed in (
            ({}, []),
            ({"replies": "drop"}, ["c.eml"]),
            ({"replies": "drop"}, []),
            ({"replies": "drop", "ocr": "head -c 2 {}"}, ["a.pdf"]),
            ({"extract": "all", "limits": Limits.of(text=9_999)}, ["a.pdf", "c.eml"]),
            ({"convert": {"txt": ["echo", "other"]}}, ["e.txt", "f.txt"]),
            ({}, ["e.txt", "f.txt"]),
        ):
            synced = store.sync(docs, **options)
            assert [told.source for told in synced.changed] == [names[name] for name in changed]
            assert (synced.new, synced.moved, synced.vanished) == ([], [], [])
            assert synced.unchanged == 5 - len(changed)
        came = store.sync(docs, convert={"old": ["echo", "from before"]})
        assert [told.source for told in came.new] == [names["d.old"]]
        assert store.validate().problems == []


def test_no_text_is_made_twice(docs: Path, tmp_path: Path) -> None:
    with Store(tmp_path / "s.ilk", jobs=1) as store:
        assert not store.cache.exists()
        store.sync(docs)
        assert (store.cache / "CACHEDIR.TAG").is_file()
        for options, failures in ({}, 0), ({"cache": "none"}, 3):
            for path in docs.iterdir():
                os.utime(path, ns=(1, failures))
            tally = read.ReadReport()
            synced = store.sync(docs, limits=NOTHING, tally=tally, **options)  # type: ignore[arg-type]
            assert (len(tally.failures), synced.unchanged) == (failures, 5 - failures)
            assert (len(store), tally.documents) == (5, 5 - failures)


def test_what_is_asked_and_added_is_kept_too(docs: Path, tmp_path: Path) -> None:
    with Store(tmp_path / "s.ilk", jobs=1) as store:
        store.check(docs / "b.docx")
        assert len(list(store.cache.glob("??/*"))) == 1
        store.add_many([docs / "a.pdf", docs / "b.docx"])
        assert len(list(store.cache.glob("??/*"))) == 2


def test_what_is_kept_in_a_folder_that_is_read_is_no_document(docs: Path) -> None:
    with Store(docs / "own.ilk", jobs=1) as store:
        assert len(store.sync(docs).new) == 5
        assert store.cache.exists()
        again = store.sync(docs, replies="drop")
        assert (again.new, len(again.changed)) == ([], 1)
    # The store itself is a file of no known type.
    assert len(ilk.find(docs).documents) == 5


def test_a_cache_of_others_is_a_folder_like_any(tmp_path: Path) -> None:
    signature = b"Signature: 8a477f597d28d172789f06886806bc55\n"
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "CACHEDIR.TAG").write_bytes(signature)
    (tmp_path / "docs" / "a.txt").write_text("a text")
    assert len(ilk.find(tmp_path).documents) == 2


def test_where_nothing_can_be_kept_documents_are_read_all_the_same(
    docs: Path, tmp_path: Path
) -> None:
    with Store(tmp_path / "s.ilk", jobs=1) as store:
        store.cache.write_text("a file is in the way")
        assert len(store.sync(docs).new) == 5
        with pytest.raises(ilk.base.errors.OutputError, match="cannot write"):
            store.sync(docs, replies="drop", cache=store.cache)


def test_a_moved_document_is_found_whatever_was_kept(docs: Path, tmp_path: Path) -> None:
    with Store(tmp_path / "s.ilk", jobs=1) as store:
        store.sync(docs, replies="drop")
        (docs / "c.eml").rename(docs / "z.eml")
        moved = store.sync(docs, replies="drop", limits=Limits()).moved
        assert moved == [MovedFile(f"{docs}/c.eml", f"{docs}/z.eml")]


def test_a_text_is_unpacked_while_others_ask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large one takes a second, and holds nobody up."""
    unpacked = contents.unpack_text_if_any
    asked: list[int] = []

    def meanwhile(packed: contents.PackedText | None) -> str | None:
        with ThreadPoolExecutor(1) as other:
            asked.append(other.submit(len, store).result(60))
        return unpacked(packed)

    monkeypatch.setattr(contents, "unpack_text_if_any", meanwhile)
    with Store(tmp_path / "s.ilk", texts=True, jobs=1) as store:
        store.add_many(["one text", "two texts"])
        assert store.text(1) == "two texts"
        assert store.to_arrow().read_all()["text"].to_pylist() == ["one text", "two texts"]
    assert asked == [2, 2, 2]
