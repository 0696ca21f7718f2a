"""Stores that are merged are one store made of all their documents."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from ilk.base.errors import IdTaken, OptionError, OutputError, RecipeMismatch
from ilk.store import ClientDocument, StoreRecord
from tests.support import strategies
from tests.support.fixtures import examples

TEXTS = st.lists(
    st.one_of(strategies.relative(), st.sampled_from(["", "to be", "TO be", "10 of 12"])),
    max_size=6,
)
MADE = st.fixed_dictionaries(
    {}, optional={"exact": st.just(True), "texts": st.just(True), "noise": st.just(0.05)}
)


def _plain(record: StoreRecord) -> dict[str, Any]:
    values = record.to_dict()
    del values["added"], values["updated"], values["duplicate_of"]
    return values


@examples(25)
@given(st.lists(TEXTS, min_size=2, max_size=3), MADE, st.sets(st.integers(0, 11), max_size=3))
def test_merged_stores_are_one_store_of_all_documents(
    parts: list[list[str]], made: dict[str, Any], removed: set[int]
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with ilk.Store(folder / "one.ilk", resemblance=0.7, **made) as one:
            first, links = 0, list[int | None]()
            for number, texts in enumerate(parts):
                sources = [f"{number}#{place}" for place in range(len(texts))]
                table = pa.table({"text": pa.array(texts, pa.string()), "source": sources})
                gone = [place for place in sorted(removed) if place < len(texts)]
                with ilk.Store(folder / f"{number}.ilk", resemblance=0.7, **made) as part:
                    part.add_many(table, on_duplicate="link")
                    part.remove(gone)
                    duplicates = [record.duplicate_of for record in part]
                    links += [None if link is None else first + link for link in duplicates]
                one.add_many(table)
                one.remove([first + place for place in gone])
                first += len(texts)
            with ilk.Store(folder / "0.ilk") as start:
                others = [folder / f"{number}.ilk" for number in range(1, len(parts))]
                merged = start.merge(others, folder / "merged.ilk")
            with ilk.Store(folder / "merged.ilk", create=False) as all_:
                assert all_.settings == one.settings
                assert all_.validate().problems == []
                assert len(all_) == len(one) == merged.documents
                assert [record.duplicate_of for record in all_] == links
                assert list(map(_plain, all_)) == list(map(_plain, one))
                assert all_.clusters() == one.clusters()
                for text in {text for texts in parts for text in texts}:
                    assert all_.check([text]) == one.check([text])
                for record in one:
                    assert all_.text(record.id) == one.text(record.id)
                    ours, theirs = (store.history(record.id) for store in (all_, one))
                    assert [(event.document, event.what) for event in ours] == [
                        (event.document, event.what) for event in theirs
                    ]


@pytest.mark.parametrize(
    ("made", "error", "said"),
    [
        ({"shingle": 4}, OptionError, "made with shingle=3, and .*b.ilk with shingle=4"),
        ({"recipe": ilk.Recipe(bits=64)}, RecipeMismatch, "recipe="),
        ({"exact": True}, OptionError, "exact=False, and .* exact=True"),
    ],
)
def test_stores_that_were_not_made_alike_are_refused(
    made: dict[str, Any], error: type[Exception], said: str, tmp_path: Path
) -> None:
    ilk.Store(tmp_path / "b.ilk", **made).close()
    with ilk.Store(tmp_path / "a.ilk") as store:
        with pytest.raises(error, match=said):
            store.merge([tmp_path / "b.ilk"], tmp_path / "c.ilk")
        with pytest.raises(OptionError, match="are one store"):
            store.merge([tmp_path / "a.ilk"], tmp_path / "c.ilk")
    assert not (tmp_path / "c.ilk").exists()


def test_names_that_a_store_has_once_are_refused_and_others_counted(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.txt").write_text("to be or not to be")
    for name in ("a", "b", "c"):
        with ilk.Store(tmp_path / f"{name}.ilk") as store:
            store.enter([ClientDocument(f"a text of {name}", id=name, source="one.jsonl#0")])
    with ilk.Store(tmp_path / "b.ilk") as other:
        other.enter([ClientDocument("some text", id=f"id{n}") for n in range(5)])
    with ilk.Store(tmp_path / "c.ilk") as third:
        third.enter([ClientDocument("some other text", id=f"id{n}") for n in range(4)])
    with ilk.Store(tmp_path / "a.ilk") as store:
        merged = store.merge([tmp_path / "b.ilk"], tmp_path / "ab.ilk")
        assert (merged.documents, merged.shared_sources) == (7, 1)
        assert merged.first_numbers == [0, 1]
        with pytest.raises(IdTaken, match="same ids: 'id0', 'id1', 'id2', and 1 more"):
            store.merge([tmp_path / "b.ilk", tmp_path / "c.ilk"], tmp_path / "abc.ilk")
        with pytest.raises(OutputError, match="already exists"):
            store.merge([tmp_path / "b.ilk"], tmp_path / "ab.ilk")
        store.sync(tmp_path / "docs")
    with ilk.Store(tmp_path / "c.ilk") as third:
        third.sync(tmp_path / "docs")
        with pytest.raises(OptionError, match=r"synchronised with the same file: .*a.txt"):
            third.merge([tmp_path / "a.ilk"], tmp_path / "ca.ilk")
    with ilk.Store(tmp_path / "ab.ilk", create=False) as both:
        assert both.id_of("b") == 1
    assert list(tmp_path.glob(".ilk*")) == []


def test_a_batch_that_was_added_to_one_of_them_is_not_added_again(tmp_path: Path) -> None:
    rows = ["some words of a batch", "other words of the same batch"]
    for name, text in {"a": "a first text", "b": "a second text"}.items():
        with ilk.Store(tmp_path / f"{name}.ilk", exact=True, texts=True) as store:
            store.add(text)
            if name == "b":
                first = ilk.deduplicate(rows, against=store, add=True)
                assert first.report["added"] == 2
    with ilk.Store(tmp_path / "a.ilk") as store:
        store.merge([tmp_path / "b.ilk"], tmp_path / "ab.ilk")
    again = ilk.deduplicate(rows, against=tmp_path / "ab.ilk", add=True)
    assert (again.report["added"], again.keep_mask) == (None, first.keep_mask)
