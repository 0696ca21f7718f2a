"""A store as the reference: the answers are those of its documents, read whole."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ilk
from ilk.base.errors import NothingRead, OptionError
from tests.support import strategies
from tests.support.families import write_rows
from tests.support.fixtures import examples

REQUESTS = st.sampled_from(
    [{}, {"exact": True}, {"resemblance": 0.7}, {"resemblance": 0.9}, {"linkage": "connected"}]
)


def _column(texts: Sequence[str | None]) -> pa.Table:
    return pa.table({"text": pa.array(texts, pa.string())})


def _store_of(folder: str, texts: Sequence[str | None]) -> Path:
    path = Path(folder, "past.ilk")
    with ilk.Store(path, exact=True, texts=True, resemblance=0.7) as store:
        store.add_many(_column(texts))
    return path


@examples(50)
@given(strategies.relatives(), st.integers(1, 6), REQUESTS)
def test_rows_stay_as_beside_the_documents_themselves(
    texts: list[str | None], first: int, asked: dict[str, Any]
) -> None:
    past, new = [*texts[:first], "a text of the past"], texts[first:]
    with tempfile.TemporaryDirectory() as folder:
        store = _store_of(folder, past)
        found = ilk.deduplicate(_column(new), against=store, **asked)
    expected = ilk.deduplicate(_column(new), against=_column(past), **asked)
    assert found.keep_mask == expected.keep_mask
    ours, theirs = (
        [
            (row["source"], row["verdict"], row["resemblance"])
            for row in one.dropped_rows.to_pylist()
        ]
        for one in (found, expected)
    )
    assert ours == theirs


@examples(50)
@given(strategies.relatives(), st.integers(1, 6))
def test_documents_have_families_as_beside_the_documents_themselves(
    texts: list[str | None], first: int
) -> None:
    past, new = [*texts[:first], "a text of the past"], texts[first:]
    with tempfile.TemporaryDirectory() as folder:
        found = ilk.find(_column(new), against=_store_of(folder, past), resemblance=0.7)
    expected = ilk.find(_column(new), against=_column(past), resemblance=0.7)
    ours, theirs = (
        [family is not None for family in one.labels()["family"].to_pylist()]
        for one in (found, expected)
    )
    assert ours == theirs


def test_what_a_row_matched_is_named_as_the_store_names_it(tmp_path: Path) -> None:
    text = " ".join(f"word{chr(97 + n)}" for n in range(20))
    store = tmp_path / "past.ilk"
    with ilk.Store(store, exact=True, texts=True) as past:
        past.add_many(pa.table({"text": ["another one", text], "source": ["a.txt", "b.txt"]}))
        past.add([text + " too, and more"])
    found = ilk.deduplicate([text, text + " too, and more"], against=store).dropped_rows
    assert found["keeper_source"].to_pylist() == ["b.txt", f"{store}#2"]
    assert found["keeper_id"].to_pylist() == ["1", "2"]
    with ilk.Store(store) as past:  # An open store is as good as its path, and stays open.
        assert ilk.deduplicate([text], against=past).keep_mask.to_pylist() == [False]
        assert len(past) == 3


def test_only_what_may_be_alike_is_read(tmp_path: Path) -> None:
    """The documents of a result are those of the source, and those that the store nominates."""
    texts = [" ".join(f"{chr(97 + m)}{chr(97 + n)}" for n in range(20)) for m in range(20)]
    with ilk.Store(tmp_path / "past.ilk", exact=True, texts=True) as store:
        store.add_many(texts)
    assert len(ilk.find(texts[:2], against=tmp_path / "past.ilk").documents) == 4


@pytest.mark.parametrize(
    ("made", "asked", "said"),
    [
        ({"exact": True}, {}, "keeps no texts"),
        ({"texts": True}, {}, "finds near-duplicates by their fingerprints"),
        ({"exact": True, "texts": True}, {"shingle": 4}, r"shingles of 3 words, .* asks for 4"),
        ({"exact": True, "texts": True}, {"resemblance": 0.5}, "at least 0.8, .* asks for 0.5"),
        ({"exact": True, "texts": True}, {"noise": 0.05}, "a search with `noise`"),
        ({"exact": True, "texts": True}, {"key": "id"}, "`key` compares columns"),
        (
            {"exact": True, "texts": True},
            {"within": "id"},
            "`within` compares rows with equal values",
        ),
    ],
)
def test_a_store_that_cannot_promise_what_is_asked_is_refused(
    made: dict[str, Any], asked: dict[str, Any], said: str, tmp_path: Path
) -> None:
    with ilk.Store(tmp_path / "past.ilk", **made) as store:
        store.add(["one text of some words"])
    rows = pa.table({"id": ["a"], "text": ["one text of some words"]})
    with pytest.raises(OptionError, match=said):
        ilk.deduplicate(rows, against=tmp_path / "past.ilk", **asked)


def test_a_store_stands_alone_and_a_source_is_read_twice(tmp_path: Path) -> None:
    with ilk.Store(tmp_path / "past.ilk", exact=True, texts=True) as store:
        store.add(["one text of some words"])
    (tmp_path / "a.txt").write_text("one text of some words")
    with pytest.raises(OptionError, match="stands alone"):
        ilk.find(["x y"], against=[tmp_path / "past.ilk", tmp_path / "a.txt"])
    stream = _column(["one text of some words"]).to_reader()
    with pytest.raises(OptionError, match="read only once"):
        ilk.deduplicate(stream, against=tmp_path / "past.ilk")


def test_a_store_of_nothing_is_no_reference(tmp_path: Path) -> None:
    ilk.Store(tmp_path / "past.ilk", exact=True, texts=True).close()
    with pytest.raises(NothingRead, match=r"past.ilk has no document with a text"):
        ilk.find(["x y"], against=tmp_path / "past.ilk")


_CUTS = st.lists(st.integers(0, 12), max_size=3)

#: Not with connected clusters: there a row may be like another of its cluster alone, which did not
#: stay. A batch that loses most of its rows raises an alarm, and is added only if that is accepted.
_NIGHTS = st.sampled_from(
    [
        {"accept_alarm": True, **asked}
        for asked in ({}, {"exact": True}, {"resemblance": 0.7}, {"resemblance": 0.9})
    ]
)


@examples(40)
@given(strategies.relatives(), _CUTS, _NIGHTS)
def test_batch_after_batch_keeps_what_one_run_keeps(
    texts: list[str | None], cuts: list[int], asked: dict[str, Any]
) -> None:
    """Any split of rows into batches, each added to the store, keeps the rows of one run."""
    _check_batches(["a first text", *texts], cuts, asked)


@pytest.mark.long
@settings(max_examples=1000, deadline=None)
@given(
    strategies.relatives(most=20),
    st.lists(st.integers(0, 20), max_size=6),
    _NIGHTS,
    st.sampled_from([None, "1GB"]),
)
def test_many_splits_keep_what_one_run_keeps(
    texts: list[str | None], cuts: list[int], asked: dict[str, Any], memory: str | None
) -> None:
    """The same for a thousand splits, some of them in bounded memory."""
    _check_batches(["a first text", *texts], cuts, {**asked, "memory": memory})


def _check_batches(texts: list[str | None], cuts: list[int], asked: dict[str, Any]) -> None:
    places = [0, *sorted({min(cut, len(texts) - 1) + 1 for cut in cuts}), len(texts)]
    stays: list[bool] = []
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder, "past.ilk")
        with ilk.Store(store, exact=True, texts=True, resemblance=0.7) as past:
            past.add(["what was there before"])
        for start, end in pairwise(places):
            # A number for each row: two batches of the same rows would be one.
            numbers = pa.array(range(start, end), pa.int64())
            rows = _column(texts[start:end]).append_column("number", numbers)
            if start == end:
                continue
            first = ilk.deduplicate(rows, against=store, add=True, **asked)
            stays += first.keep_mask.to_pylist()
            # The same batch once more: the same answer, and nothing is added.
            again = ilk.deduplicate(rows, against=store, add=True, **asked)
            assert again.keep_mask == first.keep_mask
            assert again.report["added"] is None
        with ilk.Store(store) as past:
            filled = [bool((text or "").strip()) for text in texts]
            both = zip(stays, filled, strict=True)
            assert len(past) == 1 + sum(stay and full for stay, full in both)
    assert stays == ilk.deduplicate(_column(texts), **asked).keep_mask.to_pylist()


_KILLED = """
import os, signal, sys
import ilk
from ilk.store.db import file
from ilk.tasks.result import DeduplicationResult
if sys.argv[1] == "before":
    from ilk.store import reference
    def add_and_die(*args, **options):
        for _ in args[1]:
            os.kill(os.getpid(), signal.SIGKILL)
    reference._add_batch, kept = add_and_die, reference._add_batch
else:
    def write_and_die(self, *args, **options):
        os.kill(os.getpid(), signal.SIGKILL)
    DeduplicationResult.write = write_and_die
ilk.deduplicate("new.jsonl", "out.jsonl", against="past.ilk", add=True)
"""


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_kill_before_and_after_the_store_has_the_batch(
    when: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Run again: each row is in the store once, and the output is that of a run without a kill."""
    texts = [" ".join(f"{chr(97 + m)}{chr(97 + n)}" for n in range(20)) for m in range(5)]
    outputs = []
    for name in ("killed", "whole"):
        folder = tmp_path / name
        folder.mkdir()
        monkeypatch.chdir(folder)
        with ilk.Store("past.ilk", exact=True, texts=True) as store:
            store.add([texts[0]])
        write_rows(
            Path("new.jsonl"), [{"id": f"n{n}", "text": text} for n, text in enumerate(texts)]
        )
        if name == "killed":
            done = subprocess.run([sys.executable, "-c", _KILLED, when], check=False)
            assert done.returncode == -signal.SIGKILL
            assert not Path("out.jsonl").exists()
            with ilk.Store("past.ilk") as store:
                assert len(store) == (1 if when == "before" else 5)
        ilk.deduplicate("new.jsonl", "out.jsonl", against="past.ilk", add=True)
        outputs.append(Path("out.jsonl").read_bytes())
        with ilk.Store("past.ilk") as store:
            assert sorted(store.text(one.id) or "" for one in store) == sorted(texts)
            assert store.check([texts[3]])[0].source == "new.jsonl#3"
    assert outputs[0] == outputs[1]
    assert outputs[0].count(b"\n") == 4


def test_rows_are_added_to_a_store_alone() -> None:
    with pytest.raises(OptionError, match="name a store"):
        ilk.deduplicate(["x y z"], against=["a b c"], add=True)
