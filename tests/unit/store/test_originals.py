"""Which document of a stored cluster comes first for a person, as a scan chooses it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import ilk
from ilk.store import Store
from tests.support.families import family

TEXT = family(1, 1)[0]


def write(folder: Path, name: str, text: str, *, day: int = 1) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, (day * 86_400, day * 86_400))
    return path


def firsts(store: Store) -> list[str]:
    clusters = store.put_originals_first(store.clusters())
    return [str(store[cluster[0]].source) for cluster in clusters]


def keepers(folder: Path) -> list[str]:
    scanned = ilk.find(folder, keep="original").families
    return [one.original.name for one in scanned]


@pytest.mark.parametrize(
    "names",
    [
        ("Letter final FINAL (2).txt", "Letter.txt"),
        ("Desktop old/letter.txt", "letters/2003/letter.txt"),
        ("a/letter.txt", "b/letter.txt", "b/other.txt"),
        ("one.txt", "two.txt"),
    ],
)
def test_the_first_document_is_the_one_that_a_scan_keeps(
    tmp_path: Path, path: Path, names: tuple[str, ...]
) -> None:
    folder = tmp_path / "in"
    for day, name in enumerate(reversed(names), 1):
        write(folder, name, f"{TEXT} {name}" if "other" not in name else family(2, 1)[0], day=day)
    with Store(path) as store:
        store.sync(folder)
        stored = store.clusters()
        ordered = store.put_originals_first(stored)
        assert [sorted(cluster) for cluster in ordered] == stored
        assert firsts(store) == keepers(folder)
        assert firsts(store) == [str(folder / names[1])]


def test_documents_without_files_stay_as_they_are_stored(store: Store) -> None:
    for name in ("copy of a.txt", "a.txt"):
        store.add(TEXT, source=name)
    assert store.put_originals_first(store.clusters()) == store.clusters() == [[0, 1]]


def test_a_file_comes_before_a_document_in_no_file(tmp_path: Path, path: Path) -> None:
    write(tmp_path / "in", "a copy.txt", TEXT)
    with Store(path) as store:
        store.add(TEXT, source="a.txt")
        store.sync(tmp_path / "in")
        assert store.put_originals_first(store.clusters()) == [[1, 0]]


def test_a_file_that_is_gone_has_no_time(tmp_path: Path, path: Path) -> None:
    gone = write(tmp_path / "in", "a.txt", TEXT, day=1)
    write(tmp_path / "in", "b.txt", TEXT, day=2)
    with Store(path) as store:
        store.sync(tmp_path / "in")
        assert store.put_originals_first(store.clusters()) == [[0, 1]]
        gone.unlink()
        assert store.put_originals_first(store.clusters()) == [[1, 0]]


def test_a_member_is_measured_against_the_first_document(tmp_path: Path, path: Path) -> None:
    texts = family(3, 1)[0].split()
    # The stored keeper is between two others, which are too far from each other.
    for name, words in {
        "a copy.txt": texts,
        "b.txt": [*texts[:-9], *(f"b{at}" for at in range(9))],
        "c copy.txt": [*(f"c{at}" for at in range(9)), *texts[9:]],
    }.items():
        write(tmp_path / "in", name, " ".join(words))
    with Store(path, exact=True) as store:
        store.sync(tmp_path / "in")
        assert store.clusters() == [[0, 1, 2]]
        (ordered,) = store.put_originals_first(store.clusters())
        assert ordered == [1, 0, 2]
        found = store.compare_members_with_first([ordered])
        assert found[0][0] == "near"
        assert found[2] == ("unverified", None)
