"""The passages of a collection: exactly those of the definition, with their places in the texts."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from itertools import pairwise, permutations
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from ilk.base.errors import OptionError, SourceChanged
from ilk.search.passage_parts import CollectedWords
from tests.reference import passages as oracle
from tests.reference import text as reference
from tests.support import strategies
from tests.support.fixtures import examples
from tests.support.interrupting import interrupt_at
from tests.support.table_texts import text_table

#: Texts of a few words that stand apart, in a few spellings of each.
separate = st.lists(
    st.sampled_from(["to", "Be", "be,", "OR", "ſtraße", "ﬁn", "é", "e\u0301", "漢字", "½", "😀"]),
    max_size=60,
).map(" \n".join)


def folded(text: str | None) -> list[str]:
    return reference.words(reference.normalised(text or ""))


def plain(table: pa.Table) -> list[dict[str, Any]]:
    return list(table.drop_columns(["start_byte", "end_byte"]).to_pylist())


def check(texts: list[Any], least: int) -> None:
    """The table and the coverage are those of the definition, and the bytes cut out its words."""
    found = ilk.passages(texts, words=least)
    documents = [folded(text) for text in texts]
    names = [name for name in found.table.column_names if not name.endswith("byte")]
    expected = oracle.runs(documents, least)
    assert plain(found.table) == [{name: row[name] for name in names} for row in expected]
    for number, row in enumerate(found.table.to_pylist()):
        content = texts[row["doc"]].encode()[row["start_byte"] : row["end_byte"]].decode()
        words = documents[row["doc"]]
        places = [(place["doc"], place["start"]) for place in found.places(number).to_pylist()]
        assert places == oracle.places(documents, words[row["start"] : row["end"]])
        # A character may be of several words: a fraction is three.
        assert set(words[row["start"] : row["end"]]) <= {*folded(content), *words}
        if "½" not in content:
            assert folded(content) == words[row["start"] : row["end"]]
    counts = [
        tuple(round(row[name] * max(row["words"], 1)) for name in ("elsewhere", "before", "itself"))
        for row in found.coverage.to_pylist()
    ]
    assert counts == oracle.shares(documents, least)
    assert found.coverage["words"].to_pylist() == [len(words) for words in documents]


@examples(80)
@given(st.lists(separate, max_size=4), st.integers(1, 9))
def test_every_run_is_found_and_no_other(texts: list[str], least: int) -> None:
    check(texts, least)


@examples(30)
@given(st.lists(st.one_of(strategies.texts, st.none()), max_size=3), st.integers(1, 5))
def test_any_text_is_taken(texts: list[Any], least: int) -> None:
    # A column: a list of texts that all name files is refused.
    found = ilk.passages(pa.array([*texts, *texts], pa.string()), words=least)
    for row in found.table.to_pylist():
        content = [*texts, *texts][row["doc"]].encode()
        assert 0 <= row["start_byte"] < row["end_byte"] <= len(content)
    for at, row in enumerate(found.coverage.to_pylist()):
        whole = row["words"] >= least
        assert row["elsewhere"] == (1.0 if whole else 0.0)
        assert row["before"] == (1.0 if whole and at >= len(texts) else row["before"])


@examples(30)
@given(separate, st.lists(st.integers(0, 60), max_size=4), st.integers(1, 9))
def test_a_text_cut_in_documents_in_every_way(text: str, cuts: list[int], least: int) -> None:
    words = text.split(" \n")
    bounds = [0, *sorted(min(cut, len(words)) for cut in cuts), len(words)]
    check([" \n".join(words[start:end]) for start, end in pairwise(bounds)], least)


@examples(20)
@given(st.lists(separate, min_size=1, max_size=4), st.integers(1, 9), st.integers(2, 3))
def test_threads_and_batches_change_nothing(texts: list[str], least: int, jobs: int) -> None:
    one = ilk.passages(texts, words=least, jobs=1)
    column = pa.chunked_array([[text] for text in texts], pa.string())
    other = ilk.passages(column, words=least, jobs=jobs)
    assert one.table == other.table
    assert one.coverage.drop_columns(["source"]) == other.coverage.drop_columns(["source"])


@pytest.mark.parametrize(("words", "rows"), [(49, 0), (50, 3), (51, 3)])
def test_planted_passages_count_from_as_many_words_on(words: int, rows: int) -> None:
    planted = " ".join(f"planted{n}" for n in range(words))
    texts = [
        " ".join([*(f"own{doc}x{n}" for n in range(30)), planted.upper(), f"end{doc}"])
        for doc in range(3)
    ]
    found = ilk.passages(texts)
    expected: list[dict[str, Any]] = [
        {"passage": 0, "doc": doc, "start": 30, "end": 30 + words, "occurrences": 3}
        | {"earlier_doc": 0 if doc else None, "earlier_start": 30 if doc else None}
        for doc in range(3)
    ]
    assert plain(found.table) == expected[:rows]
    for row in found.table.to_pylist():
        content = texts[row["doc"]].encode()[row["start_byte"] : row["end_byte"]]
        assert content.decode() == planted.upper()


def test_inside_a_longer_run_a_passage_is_counted_and_has_no_row() -> None:
    words = [f"w{n}" for n in range(80)]
    texts = [" ".join(words), " ".join(words), " ".join(words[10:70])]
    found = plain(ilk.passages(texts).table)
    assert [(r["passage"], r["doc"], r["end"], r["occurrences"]) for r in found] == [
        (0, 0, 80, 2),
        (0, 1, 80, 2),
        (1, 2, 60, 3),
    ]
    places = ilk.passages(texts).places(2).to_pylist()
    assert [(place["doc"], place["start"]) for place in places] == [(0, 10), (1, 10), (2, 0)]
    assert (found[2]["earlier_doc"], found[2]["earlier_start"]) == (0, 10)


def test_the_other_collection_alone_counts() -> None:
    quoted = " ".join(f"q{n}" for n in range(60))
    own = [f"ours {quoted} ours", f"again {quoted}", "shared " * 200, "shared " * 200]
    test = ["nothing of it", f"the test has {quoted} too"]
    found = ilk.passages(own, against=test)
    rows = plain(found.table)
    assert [(r["doc"], r["start"], r["end"]) for r in rows] == [(0, 1, 61), (1, 1, 61)]
    assert {(r["passage"], r["earlier_doc"], r["earlier_start"]) for r in rows} == {(0, 1, 3)}
    assert found.places(0).to_pylist() == [
        {"doc": -1, "start": 3},
        {"doc": 0, "start": 1},
        {"doc": 1, "start": 1},
    ]
    assert found.coverage["before"].to_pylist() == [60 / 62, 60 / 61, 0.0, 0.0]
    assert found.against is not None
    assert len(found.against) == found.report["against"] == 2
    assert found.report["documents"] == 4


@examples(8)
@given(st.lists(separate, min_size=1, max_size=4), st.lists(separate, max_size=4))
def test_a_store_is_the_other_collection(past: list[str], own: list[str]) -> None:
    """Passages of the store's texts, which are read page by page, are those of the texts given."""
    past = [*past, "the last text of the past"]
    new = text_table(own)
    with (
        tempfile.TemporaryDirectory() as folder,
        ilk.Store(Path(folder, "past.ilk"), texts=True) as store,
    ):
        store.add_many(text_table(past))
        texts = [store.text(one.id) or "" for one in store if one.copy_of is None]
        once = [text for text in texts if text.strip()]
        for against in (store, store.path):
            found = ilk.passages(new, against=against, words=3)
            expected = ilk.passages(new, against=once, words=3)
            assert plain(found.table) == plain(expected.table)
            assert found.coverage.equals(expected.coverage)


def test_a_store_that_was_written_to_meanwhile_is_not_read_again(tmp_path: Path) -> None:
    text = " ".join(f"q{n}" for n in range(60))
    with ilk.Store(tmp_path / "past.ilk", texts=True) as store:
        store.add(text)
        found = ilk.passages([text], against=store)
        assert found.places(0).num_rows == 2
        store.add("another text of some words")
        other = found._read.reference_texts
        assert other is not None
        with pytest.raises(SourceChanged, match=r"past.ilk was written to while it was read"):
            list(other.chunks)


@examples(40)
@given(st.lists(st.tuples(separate, st.sampled_from("xyz")), max_size=5), st.integers(1, 9))
def test_across_authors_only(rows: list[tuple[str, str]], least: int) -> None:
    texts, authors = [row[0] for row in rows], [row[1] for row in rows]
    table = pa.table({"text": pa.array(texts, pa.string()), "who": pa.array(authors, pa.string())})
    found = ilk.passages(table, words=least, across="who")
    documents = [folded(text) for text in texts]

    def apart(one: oracle.Place, other: oracle.Place) -> bool:
        return authors[one[0]] != authors[other[0]]

    expected = oracle.runs(documents, least, apart)
    assert plain(found.table) == [{n: r[n] for n in plain(found.table)[0]} for r in expected]


def test_across_files_and_folders(tmp_path: Path) -> None:
    quoted = " ".join(f"q{n}" for n in range(60))
    for name in ("a/one.txt", "a/two.txt", "b/three.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(quoted)
    (tmp_path / "b" / "three.txt").write_text(f"{quoted} and {quoted}")
    both = ilk.passages(tmp_path)
    assert both.table["occurrences"].to_pylist() == [4] * 4
    folders = ilk.passages(tmp_path, across="folder")
    assert folders.table["earlier_doc"].to_pylist() == [None, None, 0, 0]
    rows = pa.table({"text": [quoted, quoted]})
    pq.write_table(rows, tmp_path / "rows.parquet")
    assert len(ilk.passages(tmp_path / "rows.parquet").table) == 2
    assert len(ilk.passages(tmp_path / "rows.parquet", across="source").table) == 0


def test_folders_rows_and_lists_have_the_same_passages(tmp_path: Path) -> None:
    texts = [f"own{n} " + " ".join(f"q{i}" for i in range(60)) for n in range(3)]
    for n, text in enumerate(texts):
        (tmp_path / f"{n}.txt").write_text(text)
    table = pa.table({"id": ["a", "b", "c"], "body": texts})
    pq.write_table(table, tmp_path.with_suffix(".parquet"))
    expected = ilk.passages(texts)
    files = ilk.passages(tmp_path)
    assert files.table == expected.table
    assert files.coverage["source"].to_pylist() == [str(tmp_path / f"{n}.txt") for n in range(3)]
    rows = ilk.passages(tmp_path.with_suffix(".parquet"), text="body")
    assert rows.table == expected.table
    assert rows.with_sources()["id"].to_pylist() == ["a", "b", "c"]
    source = rows.with_sources()["earlier_source"].to_pylist()
    assert source == [None] + 2 * [f"{tmp_path}.parquet#0"]


def test_nothing_repeated_gives_empty_tables_with_their_columns() -> None:
    for texts in ([], ["once"], [None, "", " \n"]):
        found = ilk.passages(texts)
        assert len(found.table) == 0
        assert len(found.coverage) == len(texts)
        assert found.report["passages"] == 0
        assert found.frequent_passages(5) == []


def test_the_most_frequent_take_most_words() -> None:
    one, two = " ".join(f"a{n}" for n in range(50)), " ".join(f"b{n}" for n in range(90))
    found = ilk.passages([f"{one} x", f"{one} y", f"{one} z {two}", f"{two}!"])
    frequent = found.frequent_passages(5)
    assert [(row["words"], row["occurrences"]) for row in frequent] == [(90, 2), (50, 3)]
    assert [row["excerpt"] for row in frequent] == [two, one]


def test_of_passages_that_overlap_only_the_one_that_covers_most_is_frequent() -> None:
    words = [f"w{n}" for n in range(100)]
    texts = [words, ["x", *words[:60]], ["y", *words[40:]], ["z", *words[40:], "z"]]
    found = ilk.passages([" ".join(text) for text in texts])
    runs = {(row["start"], row["end"]) for row in found.table.to_pylist() if row["doc"] == 0}
    assert runs == {(0, 60), (40, 100)}
    (row,) = found.frequent_passages(5)
    assert (row["words"], row["documents"], row["sources"]) == (60, 3, ["#0", "#2", "#3"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"words": 0}, "words is 0; it must be a whole number of words"),
        ({"across": "who"}, "`across` is 'who': .* has no column named who"),
        ({"across": "source", "against": ["x"]}, "`across` and `against`"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        ilk.passages(pa.table({"text": ["a"]}), **options)


def test_documents_are_numbered_from_0_beside_another_collection() -> None:
    found = ilk.passages(["x y", "a b c d"], words=2, against=["a b c", "q", "r"])
    assert found.coverage["doc"].to_pylist() == [0, 1]
    assert found.table["doc"].to_pylist() == [1]
    assert "a b c" in found.page()
    assert '<rect class="src0"' in found.page()


def test_texts_of_documents_are_made_as_everywhere(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a b c d")
    found = ilk.passages(tmp_path, words=2, cache=tmp_path / "cache", replies="drop")
    assert found.report["options"]["replies"] == "drop"


def _rows(found: ilk.Passages) -> list[Any]:
    return [found.table.to_pylist(), found.coverage.to_pylist(), _timeless(found.page())]


def _timeless(page: str) -> str:
    return re.sub("<time.*?</time>", "", page)


#: No text can be made of one of the files.
ASKED: dict[str, Any] = {"words": 20, "convert": {"broken": ["false"]}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "in"
    place.mkdir()
    for at in range(20):
        words = " ".join(f"w{n}" for n in range(at, at + 40))
        (place / f"{at:02}.txt").write_text(f"own {at} {words}")
    (place / "x.broken").write_bytes(b"x")
    return place


def test_an_interrupted_run_resumes(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was read is not read again, and what could not be read is still reported."""
    expected, work = ilk.passages(folder, **ASKED), tmp_path / "work"

    with pytest.raises(KeyboardInterrupt):
        ilk.passages(folder, **ASKED, work=work, progress=interrupt_at("find"))
    assert (work / "documents.arrow").exists()
    with monkeypatch.context() as patch:
        patch.setattr(
            CollectedWords, "add_words_of", lambda *_: pytest.fail("words are added again")
        )
        found = ilk.passages(folder, **ASKED, work=work)
    assert _rows(found) == _rows(expected)
    assert found.report["failures"] == expected.report["failures"] != []
    assert not work.exists()
    assert found.cut().cuts.equals(expected.cut().cuts)


def test_a_run_that_was_killed_resumes(folder: Path, tmp_path: Path) -> None:
    script = (
        "import os, ilk, sys\n"
        "def kill(step, done, total=None, size=0):\n"
        "    if step.startswith(sys.argv[3]): os.kill(os.getpid(), 9)\n"
        "from pathlib import Path\n"
        "ilk.passages(sys.argv[1], words=20, convert={'broken': ['false']}, work=sys.argv[2],\n"
        "             against=[Path(sys.argv[4])], progress=kill)\n"
    )
    others = tmp_path / "others"
    shutil.copytree(folder, others)
    expected = ilk.passages(folder, **ASKED, against=[others])
    work = tmp_path / "work"
    for step in ("read", "find"):
        command = [sys.executable, "-c", script, str(folder), str(work), step, str(others)]
        assert subprocess.run(command, check=False).returncode == -9
    assert _rows(ilk.passages(folder, **ASKED, against=[others], work=work)) == _rows(expected)
    assert not work.exists()


def test_what_another_run_has_left_is_not_taken_over(folder: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"

    with pytest.raises(KeyboardInterrupt):
        ilk.passages(folder, **ASKED, work=work, progress=interrupt_at("find"))
    assert _rows(ilk.passages(folder, words=30, work=work)) == _rows(ilk.passages(folder, words=30))
    with pytest.raises(OptionError, match="`work` needs files to resume"):
        ilk.passages(["a text"], work=work)


def test_the_same_files_in_other_collections_begin_again(folder: Path, tmp_path: Path) -> None:
    """What an interrupted run has read is numbered within its collections."""
    first, second, third = (folder / f"0{number}.txt" for number in range(3))
    work = tmp_path / "work"
    runs: list[dict[str, Any]] = [
        {"source": [first], "against": [second, third]},
        {"source": [first, second], "against": [third]},
        {"source": [first, second, third]},
    ]
    for interrupted, resumed in permutations(runs, 2):
        with pytest.raises(KeyboardInterrupt):
            ilk.passages(**interrupted, words=20, work=work, progress=interrupt_at("find"))
        assert (work / "documents.arrow").exists()
        found = ilk.passages(**resumed, words=20, work=work)
        assert _rows(found) == _rows(ilk.passages(**resumed, words=20))


def test_beside_a_store_a_run_resumes_until_the_store_is_written_to(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = " ".join(f"w{number}" for number in range(30))
    with ilk.Store(tmp_path / "past.ilk", texts=True) as store:
        store.add(text)
        asked: dict[str, Any] = {"words": 20, "against": store}
        kept: dict[str, Any] = {"work": tmp_path / "work", "progress": interrupt_at("find")}
        with pytest.raises(KeyboardInterrupt):
            ilk.passages(folder, **asked, **kept)
        with monkeypatch.context() as patch:
            patch.setattr(
                CollectedWords, "add_words_of", lambda *_: pytest.fail("words are added again")
            )
            with pytest.raises(KeyboardInterrupt):
                ilk.passages(folder, **asked, **kept)
        store.add(f"{text} w30 w31")
        found = ilk.passages(folder, **asked, work=tmp_path / "work")
        assert _rows(found) == _rows(ilk.passages(folder, **asked))
        assert found.report["against"] == 2
