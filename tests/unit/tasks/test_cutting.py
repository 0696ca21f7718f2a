"""Cuts: only what an earlier place has goes, once and for all, and every cut is recorded."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from ilk.base.errors import OptionError, OutputError
from tests.reference import passages as oracle
from tests.reference import text as reference
from tests.support import strategies
from tests.support.fixtures import examples

QUOTED = " ".join(f"q{n}" for n in range(60))

#: Words with marks and white space of every kind around them.
marked = st.lists(
    st.one_of(
        st.sampled_from(["to", "Be", "or", "not"]),
        st.sampled_from(
            [
                *[
                    ".",
                    ",",
                    ";",
                    ":",
                    "!",
                    "?",
                    "…",
                    "(",
                    ")",
                    "“",
                    "”",
                    "«",
                    "»",
                    '"',
                    "'",
                    "*",
                    "-",
                    "—",
                    "#",
                    "$",
                    "。",
                ],
                " ",
                "\n",
                "\n\n",
            ]
        ),
    ),
    max_size=40,
).map("".join)

#: Words that stand apart, some of them of overlapping characters.
mixed = st.lists(
    st.sampled_from(
        ["to", "Be", "be,", "ſtraße", "e\u0301", "漢字仮名", "字仮", "½", "x漢字y", "😀"]
    ),
    max_size=40,
).map(" ".join)


def left(found: ilk.Passages, *, mid_sentence: bool = True, **asked: Any) -> list[str | None]:
    cut = found.cut(mid_sentence=mid_sentence, **asked)
    return [text for chunk in cut.texts.chunks for text in chunk.to_pylist()]


def folded(text: str | None) -> list[str]:
    return reference.words(reference.normalised(text or ""))


def restored(text: str, cuts: list[dict[str, Any]]) -> str:
    content, pieces, done = text.encode(), list[bytes](), 0
    for cut in cuts:
        pieces += [content[done : cut["at"]], cut["text"].encode()]
        done = cut["at"] + len(cut["space"])
    return b"".join([*pieces, content[done:]]).decode()


def undone(texts: list[str | None], cuts: pa.Table) -> list[str | None]:
    rows = cuts.to_pylist()
    return [
        text if text is None else restored(text, [row for row in rows if row["doc"] == doc])
        for doc, text in enumerate(texts)
    ]


@examples(60)
@given(
    st.lists(st.one_of(mixed, marked, strategies.texts), max_size=4),
    st.integers(1, 6),
    st.booleans(),
    st.booleans(),
)
def test_cuts_are_undone_and_made_once(
    texts: list[str], least: int, mid_sentence: bool, every_place: bool
) -> None:
    # Columns: a list of texts that all name files is refused.
    found = ilk.passages(pa.array(texts, pa.string()), words=least)
    asked: dict[str, Any] = {"mid_sentence": mid_sentence, "every_place": every_place}
    cut = found.cut(**asked)
    rest: list[Any] = left(found, **asked)
    assert undone(rest, cut.cuts) == texts
    again = ilk.passages(pa.array(rest, pa.string()), words=least)
    assert len(again.cut(**asked).cuts) == 0
    assert left(again, **asked) == rest
    for row in cut.cuts.to_pylist():
        assert (row["kept_doc"] is None) == every_place
        content = texts[row["doc"]].encode()
        assert content[row["start_byte"] : row["end_byte"]].decode() == row["text"]


@examples(60)
@given(
    st.lists(st.lists(st.sampled_from("abc"), max_size=30).map(" ".join), min_size=1, max_size=4),
    st.integers(1, 6),
)
def test_nothing_is_lost_and_no_gram_is_left_apart_from_itself(
    texts: list[str], least: int
) -> None:
    """Every gram of the collection that was cut stands before; what is left has no two apart."""
    rest = left(ilk.passages(texts, words=least))
    documents = [folded(text) for text in rest]
    for row in oracle.runs(documents, least):
        assert row["occurrences"] is not None
    for doc, words in enumerate(documents):
        for start in range(len(words) - least + 1):
            places = oracle.places(documents, words[start : start + least])
            assert all(abs(at - start) < least for other, at in places if other == doc)
            assert all(other == doc for other, _ in places)
    assert {w for text in rest for w in folded(text)} == {w for text in texts for w in folded(text)}


@examples(60)
@given(
    st.lists(st.lists(st.sampled_from("abcde"), max_size=20).map(" ".join), max_size=4),
    st.integers(1, 6),
)
def test_of_every_place_nothing_is_left_and_nothing_else_goes(texts: list[str], least: int) -> None:
    documents = [folded(text) for text in texts]
    found = ilk.passages(pa.array(texts, pa.string()), words=least)
    rest = [folded(text) for text in left(found, every_place=True)]
    assert not oracle.runs(rest, least)
    while runs := oracle.runs(documents, least):
        gone = {
            (row["doc"], at) for row in runs for at in range(row["start"] or 0, row["end"] or 0)
        }
        documents = [
            [word for at, word in enumerate(words) if (doc, at) not in gone]
            for doc, words in enumerate(documents)
        ]
    assert rest == documents


#: Numbers of rows, four at most, in a column of their own.
NUMBERS = [0, 3, 2, 1]


def place_of(policy: str, texts: list[str]) -> list[int]:
    """Return the place of each document in the order of a policy."""
    docs = range(len(texts))
    less_is_better = {
        "first": docs,
        "last": [-doc for doc in docs],
        "longest": [-len(text) for text in texts],
        "shortest": [len(text) for text in texts],
        "min:n": NUMBERS,
    }[policy]
    ranking = sorted(docs, key=lambda doc: (less_is_better[doc], doc))
    return [ranking.index(doc) for doc in docs]


@examples(100)
@given(
    st.lists(st.lists(st.sampled_from("abc"), max_size=20).map(" ".join), min_size=1, max_size=4),
    st.integers(1, 6),
    st.sampled_from(["first", "last", "longest", "shortest", "min:n"]),
    st.one_of(st.none(), st.lists(st.integers(0, 2), min_size=4, max_size=4)),
)
def test_words_stay_in_the_document_that_the_policy_ranks_first(
    texts: list[str], least: int, policy: str, groups: list[int] | None
) -> None:
    count = len(texts)
    table = pa.table({"text": texts, "n": NUMBERS[:count], "group": (groups or NUMBERS)[:count]})
    found = ilk.passages(table, words=least, across=None if groups is None else "group")
    rank = place_of(policy, texts)
    first = {(row["doc"], row["kept_doc"]) for row in found.cut(keep=policy).cuts.to_pylist()}
    assert all(rank[kept] <= rank[doc] for doc, kept in first)
    documents = [folded(text) for text in texts]
    while gone := oracle.words_before(documents, rank, groups, least):
        documents = [
            [word for at, word in enumerate(words) if (doc, at) not in gone]
            for doc, words in enumerate(documents)
        ]
    assert [folded(text) for text in left(found, keep=policy)] == documents


def test_a_policy_decides_whose_passage_stays(tmp_path: Path) -> None:
    texts = [f"{QUOTED}.\nTwo.", f"{QUOTED}.\nOne and more.", f"{QUOTED}."]
    found = ilk.passages(texts)
    assert left(found, keep="longest") == ["Two.", texts[1], ""]
    assert left(found, keep=["shortest", "last"]) == ["Two.", "One and more.", texts[2]]
    assert found.cut(keep="last").cuts["kept_doc"].to_pylist() == [2, 2]
    for number, text in enumerate(texts):
        path = tmp_path / f"{number}.txt"
        path.write_text(text)
        os.utime(path, (number % 2, number % 2))
    assert left(ilk.passages(tmp_path), keep="newest") == ["Two.", texts[1], ""]
    table = pa.table({"text": texts, "when": [2020, 2019, 2021]})
    ilk.passages(table).write(tmp_path / "out.parquet", cut=True, keep="newest:when")
    written = pq.read_table(tmp_path / "out.parquet")["text"].to_pylist()
    assert written == ["Two.", "One and more.", texts[2]]
    report = json.loads((tmp_path / "out.parquet.ilk" / "report.json").read_text())
    assert report["cut"]["keep"] == "newest:when"


def test_a_policy_without_effect_is_refused() -> None:
    found = ilk.passages(pa.table({"text": [QUOTED, QUOTED]}))
    for policy in ("central", "original", "none"):
        with pytest.raises(OptionError, match=f"keep is '{policy}'; it must be one of first, "):
            found.cut(keep=policy)
        with pytest.raises(OptionError, match=f"keep is '{policy}'"):
            found.documents_to_drop(0.5, keep=policy)
    with pytest.raises(OptionError, match="`keep` has no effect with `every_place`"):
        found.cut(every_place=True, keep="last")
    with pytest.raises(OptionError, match="no modification time"):
        found.cut(keep="newest")
    with pytest.raises(OptionError, match="no document has a modification time"):
        ilk.passages([QUOTED, QUOTED]).cut(keep="newest")
    beside = ilk.passages([QUOTED], against=[QUOTED])
    for act in (beside.cut, lambda keep: beside.documents_to_drop(0.5, keep)):
        with pytest.raises(OptionError, match="`keep` has no effect with `against`"):
            act(keep="last")


def test_the_first_place_stays_and_the_rest_is_untouched() -> None:
    texts = [f"A: {QUOTED}.\n", f"«B»,\t{QUOTED.upper()}!?  end", QUOTED, f"x{QUOTED}"]
    found = ilk.passages(texts)
    assert left(found) == [texts[0], "«B»!?  end", "", "xq0"]
    cuts = found.cut(mid_sentence=True).cuts.to_pylist()
    assert [(row["doc"], row["kept_doc"], row["start_byte"]) for row in cuts[:2]] == [
        (1, 0, 5),
        (2, 0, 0),
    ]


def test_what_comes_together_by_cutting_is_cut_too() -> None:
    """Two documents share a beginning and an end, with different quotations between."""
    one, two = (" ".join(f"{name}{n}" for n in range(60)) for name in "pq")
    begin, end = (" ".join(f"{name}{n}" for n in range(30)) for name in "be")
    rest = left(ilk.passages([one, two, f"{begin} {one} {end}", f"{begin} {two} {end}"]))
    assert [" ".join(folded(text)) for text in rest] == [one, two, f"{begin} {end}", ""]


def test_words_are_not_joined_by_a_cut() -> None:
    middle = "".join(chr(0x4E00 + n) for n in range(60))
    texts = [middle, f"ab{middle}cd"]
    assert left(ilk.passages(texts, words=20)) == [middle, "ab cd"]


def test_marks_of_a_passage_go_with_it() -> None:
    found = ilk.passages([QUOTED, f"He said: “{QUOTED}”."])
    assert left(found) == [QUOTED, "He said."]


def test_what_stands_in_the_other_collection_goes_and_that_stays() -> None:
    own = [f"a {QUOTED}", f"b {QUOTED}", "same " * 60, "same " * 60]
    found = ilk.passages(own, against=["x", f"test {QUOTED}"])
    assert left(found) == ["a", "b", *own[2:]]
    assert found.cut(mid_sentence=True).cuts["kept_doc"].to_pylist() == [-1, -1]


def test_rows_are_dropped_by_their_share_and_by_the_policies() -> None:
    texts = [f"{QUOTED} one", f"{QUOTED} two more words", QUOTED, "alone"]
    found = ilk.passages(texts)
    assert found.documents_to_drop(0.5).to_pylist() == [1, 2]
    assert found.documents_to_drop(0.5, "longest").to_pylist() == [0, 2]
    assert found.documents_to_drop("97%").to_pylist() == [2]
    assert ilk.passages(texts, against=[QUOTED]).documents_to_drop(0.5).to_pylist() == [0, 1, 2]


def test_what_was_dropped_drops_nothing() -> None:
    """The third shares with the second alone, which is dropped for what it shares with another."""
    one, two = (" ".join(f"{name}{n}" for n in range(60)) for name in "pq")
    assert ilk.passages([one, f"{one} {two}", f"{two} x"]).documents_to_drop(0.4).to_pylist() == [1]


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    lines = [
        {"id": "a", "n": 1.50, "text": f"A.\n{QUOTED}"},
        {"id": "b", "n": 2, "text": f"B.\n{QUOTED}"},
        {"id": "c", "text": "é"},
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_rows_of_json_lines_keep_all_but_what_is_cut(rows: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    found = ilk.passages(rows)
    counts = {"documents": 3, "cuts": 1, "emptied": 0, "stayed": 0}
    assert found.write(output, cut=True) == counts
    before, after = rows.read_bytes().splitlines(), output.read_bytes().splitlines()
    assert (after[0], after[2]) == (before[0], before[2])
    assert json.loads(after[1]) == {"id": "b", "n": 2, "text": "B."}
    account = tmp_path / "out.jsonl.ilk"
    cuts = pq.read_table(account / "cuts.parquet")
    assert undone(["", json.loads(after[1])["text"]], cuts)[1] == f"B.\n{QUOTED}"
    (original,) = (account / "originals.jsonl").read_text().splitlines()
    assert json.loads(original) == {"source": f"{rows}#1", "id": "b", "text": f"B.\n{QUOTED}"}
    assert json.loads((account / "report.json").read_text())["passages"] == 1
    with pytest.raises(OutputError, match=r"out\.jsonl"):
        found.write(output, cut=True)
    found.write(output, cut=True, force=True)
    second = tmp_path / "second.jsonl"
    assert ilk.passages(output).write(second, cut=True)["cuts"] == 0
    assert second.read_bytes() == output.read_bytes()


def test_rows_of_parquet_and_tables_keep_their_columns(tmp_path: Path) -> None:
    table = pa.table({"n": [1, 2], "text": [QUOTED, f"{QUOTED}. X"]})
    pq.write_table(table, tmp_path / "in.parquet")
    for source in (table, tmp_path / "in.parquet"):
        ilk.passages(source).write(tmp_path / "out.parquet", cut=True, force=True)
        written = pq.read_table(tmp_path / "out.parquet")
        assert written.to_pylist() == [{"n": 1, "text": QUOTED}, {"n": 2, "text": "X"}]


def test_half_a_sentence_is_cut_on_request_alone() -> None:
    first, second = "He was born in Ulm, as they say.", "Then he went to Bern by train."
    texts = [f"{first} {second} It rained.", f"We know: {first} {second} Nobody knew."]
    found = ilk.passages(texts, words=6)
    assert left(found, mid_sentence=False) == [texts[0], f"We know: {first} Nobody knew."]
    assert found.cut().stayed == 8
    assert left(found) == [texts[0], "We know. Nobody knew."]
    assert found.cut(mid_sentence=True).stayed == 0


@pytest.mark.parametrize("emptied", ["keep", "drop"])
def test_rows_without_a_word_left_are_blank_or_dropped(emptied: str, tmp_path: Path) -> None:
    table = pa.table({"text": [f"{QUOTED}.", f"“{QUOTED}.”", "—", f"{QUOTED}!\nMore."]})
    done = ilk.passages(table).write(tmp_path / "out.parquet", cut=True, emptied=emptied)
    assert done == {"documents": 3 + (emptied == "keep"), "cuts": 2, "emptied": 1, "stayed": 0}
    blank = [""] * (emptied == "keep")
    written = pq.read_table(tmp_path / "out.parquet")["text"].to_pylist()
    assert written == [f"{QUOTED}.", *blank, "—", "More."]
    account = tmp_path / "out.parquet.ilk"
    if emptied == "drop":
        assert pq.read_table(account / "dropped.parquet")["doc"].to_pylist() == [1]
    cuts = pq.read_table(account / "cuts.parquet").to_pylist()
    assert [row["text"] for row in cuts] == [f"“{QUOTED}.”", f"{QUOTED}!\n"]
    with pytest.raises(OptionError, match="no effect without"):
        ilk.passages(table).write(tmp_path / "x.parquet", drop_above=0.5, emptied=emptied)


def test_dropped_rows_do_not_shift_what_is_left_of_others(rows: Path, tmp_path: Path) -> None:
    texts = [f"{QUOTED}.", QUOTED, f"{QUOTED}.\nOne.", "Two.", QUOTED, f"{QUOTED}.\nThree."]
    rows.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    for name in ("out.jsonl", "out.parquet"):
        source = rows if name == "out.jsonl" else pa.table({"text": texts})
        ilk.passages(source).write(tmp_path / name, cut=True, emptied="drop")
    left_over = [
        json.loads(line)["text"] for line in (tmp_path / "out.jsonl").read_text().splitlines()
    ]
    assert left_over == [texts[0], "One.", "Two.", "Three."]
    assert pq.read_table(tmp_path / "out.parquet")["text"].to_pylist() == left_over


def test_files_are_written_as_rows(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name, text in (("a", QUOTED), ("b", f"{QUOTED}. X")):
        (tmp_path / "in" / f"{name}.txt").write_text(text)
    found = ilk.passages(tmp_path / "in")
    assert found.write(tmp_path / "out.jsonl", cut=True)["cuts"] == 1
    lines = (tmp_path / "out.jsonl").read_text().splitlines()
    assert [json.loads(line)["text"] for line in lines] == [QUOTED, "X"]
    assert found.write(tmp_path / "out.parquet", drop_above=0.5) == {"documents": 1, "dropped": 1}
    assert pq.read_table(tmp_path / "out.parquet")["text"].to_pylist() == [QUOTED]
    with pytest.raises(OptionError, match="does not name a format"):
        found.write(tmp_path / "out.txt", cut=True)
    with pytest.raises(OptionError, match="exactly one"):
        found.write(tmp_path / "x.jsonl", cut=True, drop_above=0.5)
