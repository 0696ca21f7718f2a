"""Documents that come with their evidence: the answers are those of a store that had the texts."""

from __future__ import annotations

import contextlib
import json
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from ilk.base.errors import IdTaken, OptionError, RecipeMismatch, StoreFormatError
from ilk.store import ClientDocument
from tests.support import strategies
from tests.support.fixtures import examples
from tests.support.table_texts import text_table

KINDS = st.sampled_from(
    [
        {"exact": True},
        {"exact": False},
        {"exact": True, "shingle": 2},
        {"exact": True, "by": "words"},
        {"exact": True, "by": "characters", "ignore": "digits"},
    ]
)


def _export(store: ilk.Store, path: Path) -> Path:
    with store.to_arrow(evidence=True) as documents:
        pq.write_table(documents.read_all(), path)
    return path


def _answers(store: ilk.Store, texts: list[str]) -> list[Any]:
    return [store.check([text]) for text in texts] + [store.clusters()]


def _records(store: ilk.Store) -> list[dict[str, Any]]:
    rows = store.to_arrow(evidence=True).read_all().drop_columns("updated")
    return list(rows.to_pylist())


@examples(40)
@given(strategies.relatives(), strategies.relatives(), KINDS)
def test_a_store_of_evidence_answers_as_one_of_texts(
    texts: list[str | None], others: list[str | None], made: dict[str, Any]
) -> None:
    before, here = map(text_table, (others, texts))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with ilk.Store(folder / "whole.ilk", **made) as whole:
            whole.add_many(here)
            file = _export(whole, folder / "whole.parquet")
            assert "text" not in pq.read_schema(file).names
            with ilk.Store(folder / "again.ilk", **made) as again:
                assert again.add_evidence(file) == len(texts)
                assert _records(again) == _records(whole)
                asked = [text or "" for text in (*texts, *others)]
                assert _answers(again, asked) == _answers(whole, asked)
                assert again.validate().problems == []
        with (
            ilk.Store(folder / "both.ilk", **made) as both,
            ilk.Store(folder / "mixed.ilk", **made) as mixed,
        ):
            for store in (both, mixed):
                store.add_many(before)
            both.add_many(here)
            mixed.add_evidence(file)
            assert _answers(mixed, asked) == _answers(both, asked)


@pytest.mark.parametrize(
    ("made", "into", "said"),
    [
        ({"shingle": 2}, {}, "made with shingle=3, and these documents with shingle=2"),
        ({}, {"ignore": "digits"}, "these documents with ignore=nothing"),
        ({"by": "words"}, {}, "these documents with by=words"),
        ({}, {"texts": True}, "keeps texts"),
    ],
)
def test_what_was_made_otherwise_is_refused(
    made: dict[str, Any], into: dict[str, Any], said: str, tmp_path: Path
) -> None:
    with ilk.Store(tmp_path / "one.ilk", exact=True, **made) as store:
        store.add(["one text of some words"])
        file = _export(store, tmp_path / "one.parquet")
    with ilk.Store(tmp_path / "other.ilk", exact=True, **into) as store:
        with pytest.raises(OptionError, match=said):
            store.add_evidence(file)
        assert len(store) == 0


def test_fingerprints_of_another_recipe_are_refused_where_they_are_needed(tmp_path: Path) -> None:
    recipe = "minhash64/words=3/weight=binary/fold/min=3/ilk64/v1"
    with ilk.Store(tmp_path / "one.ilk", recipe=recipe) as store:
        store.add(["one text of some words"])
        file = _export(store, tmp_path / "one.parquet")
    with ilk.Store(tmp_path / "other.ilk") as store, pytest.raises(RecipeMismatch):
        store.add_evidence(file)
    with ilk.Store(tmp_path / "exact.ilk", exact=True) as store:
        assert store.add_evidence(file) == 1
        (match,) = store.check(["one text of some more words"], resemblance=0.5)
        assert (match.verdict, match.distance) == ("near", None)


def test_names_links_and_ids_come_along(tmp_path: Path) -> None:
    text = "one text of some words, and a few more of them for everybody who reads it"
    with ilk.Store(tmp_path / "one.ilk", exact=True) as store:
        store.enter(
            [
                ClientDocument(
                    text, id="own", source="a.txt", title="A title", metadata={"year": 2011}
                )
            ]
        )
        store.add(text + " here", on_duplicate="link")
        file = _export(store, tmp_path / "one.parquet")
    with ilk.Store(tmp_path / "other.ilk", exact=True) as store:
        store.add(["something else entirely, which is like nothing"])
        assert store.add_evidence(file) == 2
        assert store.id_of("own") == 1
        assert (store[1].source, store[1].title) == ("a.txt", "A title")
        assert store[1].metadata == {"year": 2011, "id": "own"}
        assert store[2].duplicate_of == 1
        with pytest.raises(IdTaken, match="'own'"):
            store.add_evidence(file)
        assert len(store) == 3


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("word_shingles", b"abc"),
        ("word_shingles", b"\x02\0\0\0\x01\0\0\0"),
        ("word_shingles", None),
        ("words", None),
        ("words", -1),
        ("length", -1),
        ("digest", b"short"),
    ],
)
def test_evidence_that_makes_no_sense_is_refused(column: str, value: Any, tmp_path: Path) -> None:
    with ilk.Store(tmp_path / "one.ilk", exact=True) as store:
        store.add(["one text of some words"])
        table = pq.read_table(_export(store, tmp_path / "one.parquet"))
    field = table.schema.field(column)
    at = table.column_names.index(column)
    pq.write_table(
        table.set_column(at, field, pa.array([value], field.type)), tmp_path / "odd.parquet"
    )
    with ilk.Store(tmp_path / "other.ilk", exact=True) as store:
        with pytest.raises(StoreFormatError, match="is damaged; nothing was imported"):
            store.add_evidence(tmp_path / "odd.parquet")
        assert len(store) == 0


def test_files_of_something_else_are_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": [1]}), tmp_path / "a.parquet")
    with ilk.Store(tmp_path / "one.ilk", exact=True) as store:
        store.add(["one text of some words"])
        table = pq.read_table(_export(store, tmp_path / "one.parquet"))
        pq.write_table(table.replace_schema_metadata(), tmp_path / "b.parquet")
        options = {"c": "{", "d": "[]", "e": "[" * 200_000}
        for name, said in options.items():
            other = table.replace_schema_metadata({"ilk.counting": said})
            pq.write_table(other, tmp_path / f"{name}.parquet")
        for name in ("seen/evidence", "seen/shared"):
            (tmp_path / name).mkdir(parents=True)
        old = json.dumps({"records": 2, "shingle": 3})
        pq.write_table(pa.table({"options": [old]}), tmp_path / "seen/shared/a.parquet")
        for wrong in (*(f"{name}.parquet" for name in "abcde"), "seen"):
            with pytest.raises(StoreFormatError):
                store.add_evidence(tmp_path / wrong)
        whole = (tmp_path / "one.parquet").read_bytes()
        for cut in range(0, len(whole), 97):
            damaged = bytearray(whole)
            damaged[cut] ^= 0xFF
            (tmp_path / "damaged.parquet").write_bytes(damaged)
            with contextlib.suppress(ilk.IlkError):
                store.add_evidence(tmp_path / "damaged.parquet")
