"""A store as the reference: the answers are those of its documents, read whole."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ilk
from ilk.base.errors import NothingRead, OptionError, SourceChanged
from ilk.store import reference as stored
from ilk.store.db.settings import is_repetitive_document_recorded_or_unknown
from ilk.tasks.pipeline import SearchPipeline
from tests.reference import dedup as reference
from tests.reference.store import form
from tests.support import strategies
from tests.support.families import write_rows
from tests.support.fixtures import examples
from tests.support.table_texts import text_table

REQUESTS = st.sampled_from(
    [{}, {"exact": True}, {"resemblance": 0.7}, {"resemblance": 0.9}, {"linkage": "connected"}]
)


def _store_of(folder: str, texts: Sequence[str | None]) -> Path:
    path = Path(folder, "past.ilk")
    with ilk.Store(path, exact=True, texts=True, resemblance=0.7) as store:
        store.add_many(text_table(texts))
    return path


@examples(50)
@given(strategies.relatives(), st.integers(1, 6), REQUESTS)
def test_rows_stay_as_beside_the_documents_themselves(
    texts: list[str | None], first: int, asked: dict[str, Any]
) -> None:
    past, new = [*texts[:first], "a text of the past"], texts[first:]
    with tempfile.TemporaryDirectory() as folder:
        store = _store_of(folder, past)
        found = ilk.deduplicate(text_table(new), against=store, **asked)
    expected = ilk.deduplicate(text_table(new), against=text_table(past), **asked)
    assert found.keep_mask == expected.keep_mask
    ours, theirs = (
        [
            (row["source"], row["verdict"], row["resemblance"])
            for row in one.dropped_rows.to_pylist()
        ]
        for one in (found, expected)
    )
    assert ours == theirs


@pytest.mark.parametrize("bound", ["_NOMINATED", "_ASKED_BYTES"])
def test_portions_of_a_question_change_no_answer(
    bound: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [f"{chr(97 + a)}{chr(97 + b)}" for a in range(8) for b in range(8)]
    texts = [" ".join(words[start : start + 40]) for start in range(0, 24, 2)]
    store = _store_of(str(tmp_path), texts[:3])
    found = [ilk.deduplicate(text_table(texts), against=store)]
    monkeypatch.setattr(stored, bound, 0)
    found.append(ilk.deduplicate(text_table(texts), against=store))
    assert found[0].dropped_rows.to_pylist() == found[1].dropped_rows.to_pylist()
    expected = ilk.deduplicate(text_table(texts), against=text_table(texts[:3]))
    assert found[0].keep_mask == expected.keep_mask
    assert 0 < found[0].keep_mask.false_count < len(texts)


@examples(50)
@given(strategies.relatives(), st.integers(1, 6))
def test_documents_have_families_as_beside_the_documents_themselves(
    texts: list[str | None], first: int
) -> None:
    past, new = [*texts[:first], "a text of the past"], texts[first:]
    with tempfile.TemporaryDirectory() as folder:
        found = ilk.find(text_table(new), against=_store_of(folder, past), resemblance=0.7)
    expected = ilk.find(text_table(new), against=text_table(past), resemblance=0.7)
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


_WORDS = st.sampled_from(["a", "b", "c", "dd", "e"])


@examples(40)
@given(
    st.lists(st.lists(_WORDS, min_size=1, max_size=6), min_size=1, max_size=4),
    st.lists(st.integers(1, 150), min_size=8, max_size=8),
)
def test_texts_that_repeat_themselves_are_like_short_ones(
    patterns: list[list[str]], lengths: list[int]
) -> None:
    """Long ones with few different words are like short ones by words; others are not."""
    texts = [" ".join((pattern * length)[:length]) for pattern in patterns for length in lengths]
    past, new = texts[::2], texts[1::2]
    with tempfile.TemporaryDirectory() as folder:
        found = ilk.deduplicate(text_table(new), against=_store_of(folder, past))
        with ilk.Store(Path(folder, "past.ilk")) as store:
            long = any(len(text.split()) >= 100 for text in past)
            assert is_repetitive_document_recorded_or_unknown(store._connection) == long
    expected = ilk.deduplicate(text_table(new), against=text_table(past))
    assert found.keep_mask == expected.keep_mask


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
    stream = text_table(["one text of some words"]).to_reader()
    with pytest.raises(OptionError, match="read only once"):
        ilk.deduplicate(stream, against=tmp_path / "past.ilk")


def test_a_store_of_nothing_is_no_reference(tmp_path: Path) -> None:
    ilk.Store(tmp_path / "past.ilk", exact=True, texts=True).close()
    with pytest.raises(NothingRead, match=r"past.ilk has no document with a text"):
        ilk.find(["x y"], against=tmp_path / "past.ilk")


@pytest.mark.parametrize(
    ("made", "asked", "said"),
    [
        ("lang", {}, "within lang, and the search compares them within no column"),
        ("lang", {"within": "kind"}, "within lang, .* within kind"),
        (None, {"within": "lang"}, "within no column, .* within lang"),
    ],
)
def test_a_store_of_other_groups_is_refused(
    made: str | None, asked: dict[str, Any], said: str, tmp_path: Path
) -> None:
    with ilk.Store(tmp_path / "past.ilk", exact=True, texts=True, within=made) as store:
        store.add(["one text of some words"], metadata={"lang": "en"})
    rows = pa.table({"lang": ["a"], "kind": ["b"], "text": ["one text of some words"]})
    with pytest.raises(OptionError, match=said):
        ilk.deduplicate(rows, against=tmp_path / "past.ilk", **asked)


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


#: Values of a column of groups, as rows have them; null and the empty text are one.
_GROUPS = st.lists(st.sampled_from([None, "", "de", "en", "en "]), min_size=40, max_size=40)
_WEIGHTS = st.lists(st.sampled_from([None, 1, 2, 7]), min_size=40, max_size=40)


@examples(40)
@given(strategies.relatives(), _CUTS, _NIGHTS, _GROUPS, _WEIGHTS)
def test_batch_after_batch_keeps_and_counts_in_groups_what_one_run_does(
    texts: list[str | None],
    cuts: list[int],
    asked: dict[str, Any],
    langs: list[str | None],
    weights: list[int | None],
) -> None:
    """The same within groups; and a stored row stands for as many rows as in one run."""
    _check_batches_in_groups([*texts, *texts[:3]], cuts, asked, langs, weights)


@pytest.mark.long
@settings(max_examples=1000, deadline=None)
@given(
    strategies.relatives(most=20),
    st.lists(st.integers(0, 20), max_size=6),
    _NIGHTS,
    _GROUPS,
    _WEIGHTS,
    st.sampled_from([None, "300MB", "1GB"]),
)
def test_many_splits_in_groups_keep_and_count_what_one_run_does(
    texts: list[str | None],
    cuts: list[int],
    asked: dict[str, Any],
    langs: list[str | None],
    weights: list[int | None],
    memory: str | None,
) -> None:
    """The same for a thousand splits, some of them in bounded memory."""
    _check_batches_in_groups(
        [*texts, *texts[:6]], cuts, {**asked, "memory": memory}, langs, weights
    )


def _check_batches_in_groups(
    texts: list[str | None],
    cuts: list[int],
    asked: dict[str, Any],
    langs: list[str | None],
    weights: list[int | None],
) -> None:
    texts = ["a first text", *texts]
    rows = text_table(texts)
    for name, values in (("lang", langs), ("copies", weights)):
        rows = rows.append_column(name, pa.array(values[: len(texts)]))
    # Texts with equal words, and others: the number of a row is its name.
    rows = rows.append_column("id", pa.array([f"n{at}" for at in range(len(texts))]))
    asked = asked | {"within": "lang", "count": "copies"}
    places = [0, *sorted({min(cut, len(texts) - 1) + 1 for cut in cuts}), len(texts)]
    stays: list[bool] = []
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder, "past.ilk")  # The first night makes it.
        for start, end in pairwise(places):
            if start == end:
                continue
            some = rows.slice(start, end - start)
            first = ilk.deduplicate(some, against=store, add=True, id="id", **asked)
            stays += first.keep_mask.to_pylist()
            again = ilk.deduplicate(some, against=store, add=True, id="id", **asked)
            assert again.keep_mask == first.keep_mask
            assert again.report["added"] is None
        with ilk.Store(store) as past:
            assert past.validate().problems == []
            stored = {one.metadata["row"]: one.metadata for one in past}
    once = ilk.deduplicate(rows, id="id", **asked)
    assert stays == once.keep_mask.to_pylist() == _kept_in_groups(texts, langs, asked)
    copies = once.copies
    assert copies is not None
    filled = [bool((text or "").strip()) for text in texts]
    expected = {
        f"n{at}": (lang or "", count)
        for at, (lang, count, full) in enumerate(
            zip(langs[: len(texts)], copies.to_pylist(), filled, strict=True)
        )
        if count is not None and full
    }
    found = {row: (one["lang"] or "", one["count"]) for row, one in stored.items()}
    assert found == expected


def _kept_in_groups(
    texts: list[str | None], langs: list[str | None], asked: dict[str, Any]
) -> list[bool]:
    """Which rows stay, by the reference, each group by itself."""
    least = Fraction(1) if asked.get("exact") else Fraction(str(asked.get("resemblance", 0.8)))
    stays = [False] * len(texts)
    groups: dict[str, list[int]] = {}
    for at, lang in enumerate(langs[: len(texts)]):
        groups.setdefault(lang or "", []).append(at)
    for rows in groups.values():
        own = [texts[at] for at in rows]
        if asked.get("exact"):
            kept = _kept_of_equal(own)
        else:
            kept = reference.kept(own, range(len(own)), least)
        for at in kept:
            stays[rows[at]] = True
    return stays


def _kept_of_equal(texts: list[str | None]) -> list[int]:
    forms = [form(text or "") for text in texts]
    return [at for at, one in enumerate(forms) if not one or one not in forms[:at]]


def test_a_stored_row_stands_for_the_rows_of_all_nights(tmp_path: Path) -> None:
    text = " ".join(f"word{chr(97 + n)}" for n in range(20))
    with ilk.Store(tmp_path / "past.ilk", exact=True, texts=True) as store:
        store.add(["what came in another way, as one row"])
    counts = []
    for texts, copies in (
        ([text, text], [2, 3]),
        ([text, "what came in another way, as one row"], [4, 5]),
    ):
        rows = text_table(texts).append_column("copies", pa.array(copies))
        ilk.deduplicate(
            rows, against=tmp_path / "past.ilk", add=True, count="copies", accept_alarm=True
        )
        with ilk.Store(tmp_path / "past.ilk") as store:
            counts.append([one.metadata.get("count") for one in store])
    assert counts == [[None, 5], [1 + 5, 5 + 4]]


def test_a_store_in_groups_is_asked_within_them(tmp_path: Path) -> None:
    text = " ".join(f"word{chr(97 + n)}" for n in range(20))
    with ilk.Store(tmp_path / "past.ilk", exact=True, texts=True, within="lang") as store:
        store.add([text], metadata={"lang": "en", "year": 2})
        assert not store.add([text], metadata={"lang": None}).duplicate
        assert store.add([text + " more"], metadata={"lang": "en"}).matches[0].id == 0
        metadata = ['{"lang": "en"}', '{"lang": "de"}', '{"lang": ""}']
        asked = pa.table({"text": [text] * 3, "metadata": metadata})
        assert [[match.id for match in found] for found in store.check_many(asked)] == [
            [0, 2],
            [],
            [1],
        ]
        assert store.clusters() == [[0, 2]]
        with pytest.raises(
            OptionError,
            match=r"metadata of each must .* ilk dedup FILE --against .*past\.ilk --within lang$",
        ):
            store.check([text])
        with pytest.raises(OptionError, match="give its text too"):
            store.update(0, metadata={"lang": "de"})
        with pytest.raises(OptionError, match="know of no `within`"):
            store.check_many(asked, radius=3)
        with pytest.raises(OptionError, match="write it as a string"):
            store.add([text], metadata={"lang": 1.5})
        assert store.update(2, title="More").id == 2
        assert store.update(2, [text], metadata={"lang": None}).matches[0].id == 1
        store.rebuild()
        assert store.validate().problems == []
        assert store.clusters() == [[1, 2]]
        store.backup(tmp_path / "copy.ilk")
    with ilk.Store(tmp_path / "copy.ilk") as copy:
        assert copy.settings.within == ("lang",)
        with pytest.raises(OptionError, match="with within=lang, not with within=kind"):
            ilk.Store(tmp_path / "copy.ilk", within="kind")
    found = ilk.find(
        pa.table({"text": [text, text], "lang": ["en", "fr"]}),
        against=tmp_path / "past.ilk",
        within="lang",
    )
    assert [family is not None for family in found.labels()["family"].to_pylist()] == [True, False]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"within": "lang"}, "fingerprints are found by whole texts"),
        ({"within": "lang", "exact": True, "noise": 0.05}, "noisy copies are found by"),
        ({"within": "row", "exact": True}, "Give the column another name"),
        ({"within": ["a", "a"], "exact": True}, "different columns"),
    ],
)
def test_groups_need_an_exact_store(options: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=said):
        ilk.Store(tmp_path / "past.ilk", **options)


def test_the_first_night_makes_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("past.ilk").touch()  # A kill may have left no more.
    rows = [{"text": "one text of some words"}, {"text": "another text"}]
    write_rows(Path("new.jsonl"), rows)
    options: dict[str, Any] = {"resemblance": 0.7, "shingle": 2, "ignore": "accents"}
    ilk.deduplicate("new.jsonl", "out.jsonl", against="past.ilk", add=True, **options)
    with ilk.Store("past.ilk") as store:
        assert len(store) == 2
        made = store.settings
        assert (made.resemblance, made.shingle, made.ignore) == (Fraction(7, 10), 2, ("accents",))
        assert made.exact
        assert made.texts
    with pytest.raises(OptionError, match=r"ends in \.ilk"):
        ilk.deduplicate(rows_of(rows), against="other", add=True)
    with pytest.raises(OptionError, match="noise"):
        ilk.deduplicate(rows_of(rows), against="other.ilk", add=True, noise=0.05)
    with pytest.raises(OptionError, match="such as code:python"):
        ilk.deduplicate(rows_of(rows), against="other.ilk", add=True, as_="code")
    assert not Path("other.ilk").exists()
    programs = rows_of([{"text": f"def f({name}):\n    return {name} + 1"} for name in "ab"])
    options = {"as_": "code:python", "accept_alarm": True}
    found = ilk.deduplicate(programs, against="code.ilk", add=True, **options)
    assert found.keep_mask.to_pylist() == [True, False]


def rows_of(rows: list[dict[str, str]]) -> pa.Table:
    return pa.Table.from_pylist(rows)


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
            rows = text_table(texts[start:end]).append_column("number", numbers)
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
    assert stays == ilk.deduplicate(text_table(texts), **asked).keep_mask.to_pylist()


def test_a_store_that_grew_meanwhile_gets_no_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two nights at once: the second one to end is compared with the rows of the first."""
    texts = [" ".join(f"{chr(97 + m)}{chr(97 + n)}" for n in range(20)) for m in range(3)]
    path, out = tmp_path / "past.ilk", tmp_path / "out.jsonl"
    write_rows(tmp_path / "new.jsonl", [{"text": text} for text in texts])
    search = SearchPipeline.decide

    def add_and_search(self: Any, *args: Any) -> Any:
        monkeypatch.setattr(SearchPipeline, "decide", search)
        ilk.deduplicate([texts[1]], against=path, add=True)
        return search(self, *args)

    monkeypatch.setattr(SearchPipeline, "decide", add_and_search)
    with pytest.raises(SourceChanged, match=r"Nothing was added or written; run again"):
        ilk.deduplicate(tmp_path / "new.jsonl", out, against=path, add=True)
    assert not out.exists()
    found = ilk.deduplicate(tmp_path / "new.jsonl", out, against=path, add=True)
    assert found.keep_mask.to_pylist() == [True, False, True]
    with ilk.Store(path) as store:
        assert len(store) == 3


def test_what_was_read_beside_a_smaller_store_is_not_taken_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [" ".join(f"{chr(97 + m)}{chr(97 + n)}" for n in range(20)) for m in range(3)]
    path, work = tmp_path / "past.ilk", tmp_path / "work"
    ilk.deduplicate([texts[0]], against=path, add=True)
    write_rows(tmp_path / "new.jsonl", [{"text": text} for text in texts])

    def interrupt(*_: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(SearchPipeline, "decide", interrupt)
        with pytest.raises(KeyboardInterrupt):
            ilk.deduplicate(tmp_path / "new.jsonl", against=path, work=work)
    assert work.exists()
    ilk.deduplicate([texts[1]], against=path, add=True)
    found = ilk.deduplicate(tmp_path / "new.jsonl", against=path, work=work)
    assert found.keep_mask.to_pylist() == [False, False, True]


def test_rows_are_added_to_a_store_alone() -> None:
    with pytest.raises(OptionError, match="name a store"):
        ilk.deduplicate(["x y z"], against=["a b c"], add=True)
