"""Evaluation sets in training data: by definition, and the kinds of cases that people plant."""

from __future__ import annotations

import bz2
import csv
import gzip
import json
import lzma
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from ilk import arrow
from ilk.base.errors import ColumnTypeError, OptionError
from ilk.tasks.passages import contamination
from ilk.tasks.passages.contamination import find_contamination
from tests.reference import text as reference
from tests.support.command_line import Run
from tests.support.fixtures import examples

words = st.lists(st.sampled_from("abcd"), min_size=1, max_size=10)
files = st.lists(st.lists(words, min_size=1, max_size=3), min_size=1, max_size=3)


def runs_of(item: list[str], text: list[str], least: int) -> Iterator[tuple[int, int]]:
    """Yield the runs of an item that are in a text."""
    for start in range(len(item)):
        for end in range(start + least, len(item) + 1):
            run = item[start:end]
            if any(text[at : at + len(run)] == run for at in range(len(text))):
                yield start, end


@examples(60)
@given(files, files, st.integers(1, 3))
def test_every_item_is_found_in_every_source(
    sets: list[list[list[str]]], sources: list[list[list[str]]], least: int
) -> None:
    def name_files(kind: str, several: list[list[list[str]]]) -> list[tuple[str, str]]:
        return [
            (f"{kind}{file}#{row}", " ".join(text))
            for file, rows in enumerate(several)
            for row, text in enumerate(rows)
        ]

    items, searched = name_files("set", sets), name_files("train", sources)
    texts = [text for _, text in items]
    found = ilk.passages([text for _, text in searched], words=least, against=texts)
    tables = [
        pa.table({"source": [name for name, _ in rows], "id": pa.nulls(len(rows), pa.string())})
        for rows in (items, searched)
    ]
    column = pa.chunked_array([pa.array(texts, pa.large_string())])
    result = find_contamination(
        found._repeated_runs,
        tables[0],
        arrow.import_texts(column),
        tables[1],
        min_words=least,
        jobs=1,
    )
    expected = []
    for number, rows in enumerate(sources):
        for name, text in items:
            item = text.split()
            runs = [run for other in rows for run in runs_of(item, other, least)]
            if runs:
                covered = {at for start, end in runs for at in range(start, end)}
                longest = max(end - start for start, end in runs)
                share = len(covered) / len(item)
                expected.append((name, f"train{number}", len(item), share, longest))
    names = ("item", "source", "words", "share", "longest")
    assert [tuple(row[name] for name in names) for row in result.items.to_pylist()] == expected
    for row in result.sets.to_pylist():
        here = [x for x in expected if x[0].startswith(row["set"] + "#") and x[1] == row["source"]]
        own = sets[int(row["set"][3:])]
        assert row["items"] == len(own)
        assert row["short"] == sum(len(item) < least for item in own)
        assert row["found"] == len(here)
        assert row["longest"] == max((x[4] for x in here), default=0)
    assert len(result.sets) == len(sets) * len(sources)


long_texts = st.lists(st.sampled_from("abcde"), max_size=16).map(" ".join)


@examples(60)
@given(
    st.lists(long_texts, min_size=1, max_size=5),
    st.lists(st.lists(long_texts, min_size=1, max_size=4), min_size=1, max_size=3),
    st.sampled_from(["0.3", "0.5", "0.8", "1"]),
    st.sampled_from([1, 40, 10_000]),
)
def test_items_are_contained_as_by_definition(
    items: list[str], sources: list[list[str]], least: str, portion: int
) -> None:
    searched = [text for rows in sources for text in rows]
    files = [f"train{n}#{row}" for n, rows in enumerate(sources) for row in range(len(rows))]
    texts, documents = (
        arrow.import_texts(pa.chunked_array([pa.array([one], pa.large_string()) for one in column]))
        for column in (items, searched)
    )
    found = contamination.find_contained_items_of_each_file(
        texts,
        pa.table({"source": files}),
        documents,
        Fraction(least),
        jobs=1,
        portion_bytes=portion,
    )
    expected = []
    for number, rows in enumerate(sources):
        first = sum(len(before) for before in sources[:number])
        for item, text in enumerate(items):
            whole = len(reference.shingle_set(text, "words", 3))
            shares = [
                (Fraction(reference.of_words(text, row)[0], whole), -first - at)
                for at, row in enumerate(rows)
                if whole and reference.stands(text, row, Fraction(least))
            ]
            if shares:
                share, place = max(shares)
                expected.append((item, number, float(share), -place))
    names = ("item", "file", "containment", "doc")
    assert [tuple(row[name] for name in names) for row in found.to_pylist()] == expected


QUESTION = "Which of the four rivers of the province reaches the sea without passing a weir?"
ANSWER = "The Nelva does, since its only weir was taken down in the year of the flood."
FILLER = " ".join(f"filler{n}" for n in range(40))

#: Training texts with an item of an evaluation set in them, and the least share that is found with
#: runs of five words: at the beginning, in the middle, at the end, twice, in other case and
#: punctuation, broken over lines, one word changed, shortened, the answer alone, both apart, in a
#: list, in other words, not at all.
KINDS = {
    "beginning": (f"{QUESTION} {ANSWER} {FILLER}", 1.0),
    "middle": (f"{FILLER} {QUESTION} {ANSWER} {FILLER}", 1.0),
    "end": (f"{FILLER} {QUESTION} {ANSWER}", 1.0),
    "twice": (f"{QUESTION} {ANSWER} {FILLER} {QUESTION} {ANSWER}", 1.0),
    "spelling": (f"{QUESTION} {ANSWER}".upper().replace("?", " -- ").replace(",", ""), 1.0),
    "lines": (f"> {QUESTION}\n> {ANSWER}".replace(" of ", "\n of\n"), 1.0),
    "one word": (f"{QUESTION} {ANSWER}".replace("Nelva", "Ostra"), 0.9),
    "shortened": (QUESTION, 0.45),
    "answer": (f"{FILLER} {ANSWER}", 0.45),
    "apart": (f"{ANSWER} {FILLER} {QUESTION}", 1.0),
    "list": (f"1. {QUESTION}\n   a) Orm b) Tesk\n   c) {ANSWER}", 1.0),
    "other words": ("A river there runs free to the coast; nobody dams it any longer.", 0.0),
    "clean": (FILLER, 0.0),
}


@pytest.mark.parametrize("kind", KINDS)
def test_planted_items_are_found(kind: str, tmp_path: Path) -> None:
    (tmp_path / "evals").mkdir()
    items = [{"question": QUESTION, "answer": ANSWER}, {"question": "Who?", "answer": "Nobody."}]
    lines = "".join(json.dumps(item) + "\n" for item in items).encode()
    packers: list[tuple[str, Any]] = [("gz", gzip.compress), ("bz2", bz2.compress)]
    packers += [
        ("xz", lzma.compress),
        ("zst", lambda data: pa.compress(data, "zstd", asbytes=True)),
    ]
    # Each kind of case with another kind of file.
    ending, pack = packers[[*KINDS].index(kind) % len(packers)]
    (tmp_path / "evals" / f"rivers.jsonl.{ending}").write_bytes(pack(lines))
    text, least = KINDS[kind]
    training = pa.table({"text": ["A row of its own.", text]})
    found = ilk.passages(
        training, against=tmp_path / "evals", words=5, against_text=["question", "answer"]
    )
    rows = found.contamination().items.to_pylist()
    assert len(rows) == (least > 0)
    for row in rows:
        assert row["item"].endswith(f"rivers.jsonl.{ending}#0")
        assert row["share"] >= least
    (table,) = found.plain_evaluation_sets()
    assert (table["items"], table["found"]) == (2, len(rows))


def test_the_command_names_sets_sources_and_items(tmp_path: Path, run: Run) -> None:
    (tmp_path / "evals").mkdir()
    chat = [{"messages": [{"role": "user", "content": QUESTION}, {"role": "x", "content": ANSWER}]}]
    (tmp_path / "evals" / "chat.jsonl").write_text(json.dumps(chat[0]) + "\n")
    (tmp_path / "evals" / "clean.jsonl").write_text(json.dumps({"messages": [{"content": "No."}]}))
    for name, texts in (("a", [FILLER, f"So: {QUESTION}"]), ("b", [FILLER])):
        pq.write_table(pa.table({"text": texts}), tmp_path / f"{name}.parquet")
    train = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    items, page = tmp_path / "items.csv", tmp_path / "page.html"
    evals = ("--against", tmp_path / "evals", "--against-text", "messages[].content")
    more = ("--words", "8", "--items", items, "--report", page, "--show", "0")
    code, out, err = run("passages", *train, *evals, *more)
    assert (code, err) == (0, "")
    sets = [line for line in out.splitlines() if " of " in line and "evals" in line]
    found = f"        1 of 1 item (100.0%) of {tmp_path}/evals/chat.jsonl in {train[0]}"
    short = "1 has fewer than 8 words"
    assert sets == [
        f"{found}; longest run: 15 words",
        f"        0 of 1 item (0.0%) of {tmp_path}/evals/chat.jsonl in {train[1]}",
        f"        0 of 1 item (0.0%) of {tmp_path}/evals/clean.jsonl in {train[0]}; {short}",
        f"        0 of 1 item (0.0%) of {tmp_path}/evals/clean.jsonl in {train[1]}; {short}",
    ]
    (row,) = csv.DictReader(items.read_text().splitlines())
    assert (row["source"], row["place"]) == (str(train[0]), f"{train[0]}#1")
    assert (row["words"], row["longest"], row["text"]) == ("31", "15", QUESTION.rstrip("?"))
    assert "Evaluation sets" in page.read_text()
    code, _, err = run("passages", *train, "--items", tmp_path / "x.csv")
    assert code == 2
    assert "--items has no effect without --against" in err
    code, _, err = run("passages", *train, *evals, "--items", tmp_path / "x.txt")
    assert (code, "choose a .jsonl, .csv or .parquet file" in err) == (2, True)
    with pytest.raises(OptionError, match="give them as `against`"):
        ilk.passages([FILLER]).contamination()


def test_an_item_that_was_edited_is_found_by_containment(tmp_path: Path, run: Run) -> None:
    # Every sixth word is another one: there is no run of eight.
    edited = " ".join("x" if n % 6 == 5 else word for n, word in enumerate(ANSWER.split()))
    (tmp_path / "evals").mkdir()
    rows = [{"id": "r1", "text": ANSWER}, {"id": "r2", "text": "Who?"}]
    (tmp_path / "evals" / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    train, items = tmp_path / "train.jsonl", tmp_path / "items.jsonl"
    train.write_text("".join(json.dumps({"text": text}) + "\n" for text in (FILLER, edited)))
    asked = ("passages", train, "--against", tmp_path / "evals", "--words", "8", "--show", "0")
    assert "0 of 2 items" in run(*asked)[1]
    page = tmp_path / "page.html"
    more = ("--containment", "0.3", "--items", items, "--report", page)
    code, out, err = run(*asked, *more)
    assert (code, err) == (0, "")
    *_, said, has_page, has_items = out.splitlines()
    assert has_page == f"The page is in {page}."
    assert has_items == f"The table of items is in {items}."
    assert said.endswith(
        f"1 of 2 items (50.0%) of {tmp_path}/evals/a.jsonl in {train}; 1 has fewer than 8 words"
    )
    (row,) = map(json.loads, items.read_text().splitlines()[:1])
    assert (row["id"], row["place"], row["longest"], row["text"]) == ("r1", f"{train}#1", 0, None)
    assert row["containment"] == pytest.approx(len(shared_shingles(ANSWER, edited)) / 14)
    assert "30.0% of its shingles" in page.read_text()


def write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write JSON lines, and the folder around them."""
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_a_set_without_the_column_was_not_read(tmp_path: Path, run: Run) -> None:
    evals, train, page = tmp_path / "evals", tmp_path / "train.jsonl", tmp_path / "page.html"
    write_rows(evals / "rivers.jsonl", [{"question": QUESTION, "answer": ANSWER}])
    write_rows(evals / "cooking.jsonl", [{"question": "Why?", "solution": QUESTION}] * 5)
    write_rows(train, [{"text": ANSWER}])
    asked = ("passages", train, "--against", evals, "--words", "8", "--show", "0")
    code, out, err = run(*asked, "--against-text", "answer", "--report", page)
    assert code == 2
    assert f"not read: {evals}/cooking.jsonl: no row of {evals}/cooking.jsonl has a" in err
    assert "Name the column of texts with --against-text, and" in err
    assert f"longest run: 16 words\n  not read: {evals}/cooking.jsonl\n" in out
    assert "of 5 items" not in out
    assert "not read" in page.read_text()
    assert "of 5<" not in page.read_text()
    # Rows and written documents end alike: nobody may take them for an answer about this set.
    for more in (("--format", "csv"), ("--cut", "-o", tmp_path / "out.jsonl")):
        assert run(*asked, "--against-text", "answer", *more)[0] == 2
    assert (
        f"items of the reference are still in {tmp_path}/out.jsonl"
        in run(
            *asked, "--against-text", "answer", "--cut", "-o", tmp_path / "out.jsonl", "--force"
        )[1]
    )
    # One of two columns is enough for an item, and a note says which is in no row.
    both = ("--against-text", "question", "--against-text", "answer")
    code, out, err = run(*asked, *both)
    assert (code, "0 of 5 items" in out) == (0, True)
    lacks = f"no row of {evals}/cooking.jsonl has a text in answer, so it is compared without"
    assert err == f"ilk: {lacks}\n"
    assert run(*asked, *both[:2])[0] == 0


def test_one_of_several_columns_is_enough_in_every_format(tmp_path: Path, run: Run) -> None:
    evals, train = tmp_path / "evals", tmp_path / "train.jsonl"
    write_rows(train, [{"text": f"{ANSWER} {QUESTION}"}])
    write_rows(evals / "chat.jsonl", [{"messages": [{"content": QUESTION}]}])
    pq.write_table(pa.table({"question": [QUESTION]}), evals / "rivers.parquet")
    (evals / "cooking.csv").write_text(f'answer\n"{ANSWER}"\n')
    names = ("question", "answer", "messages[].content")
    columns = [word for name in names for word in ("--against-text", name)]
    asked = ("passages", train, "--against", evals, "--words", "8", "--show", "0", *columns)
    code, out, err = run(*asked)
    assert (code, out.count("1 of 1 item (100.0%)")) == (0, 3), out + err
    assert sorted(err.splitlines()) == [
        f"ilk: no row of {evals}/{name} has a text in {lacking}, so it is compared without"
        for name, lacking in (
            ("chat.jsonl", "question or answer"),
            ("cooking.csv", "question or messages[].content"),
            ("rivers.parquet", "answer or messages[].content"),
        )
    ]
    # Without any of them, a set is not read; and a column that is there twice is an error.
    pq.write_table(pa.table({"solution": [QUESTION]}), evals / "other.parquet")
    code, out, err = run(*asked)
    assert code == 2
    assert f"not read: {evals}/other.parquet: {evals}/other.parquet has no column named" in err
    (evals / "cooking.csv").write_text(f'answer,question,question\n"{ANSWER}",,\n')
    assert f"not read: {evals}/cooking.csv: {evals}/cooking.csv has 2 columns" in run(*asked)[2]
    # A table in memory has the columns that its owner names.
    items = pa.table({"question": [QUESTION]})
    with pytest.raises(ColumnTypeError, match="no column named answer"):
        ilk.passages(train, against=items, against_text=names[:2], words=8)


@pytest.mark.parametrize("empty", [None, ""])
def test_a_set_of_rows_without_texts_was_not_read(
    empty: str | None, tmp_path: Path, run: Run
) -> None:
    evals, train = tmp_path / "evals", tmp_path / "train.jsonl"
    write_rows(evals / "rivers.jsonl", [{"answer": ANSWER}, {"answer": empty}])
    write_rows(evals / "hidden.jsonl", [{"answer": empty}] * 3)
    write_rows(train, [{"text": ANSWER}])
    asked = ("passages", train, "--against", evals, "--against-text", "answer", "--words", "8")
    code, out, err = run(*asked)
    assert (code, "of 3 items" in out) == (2, False)
    assert err == f"ilk: not read: {evals}/hidden.jsonl: no row has a text in answer\n"
    assert "1 of 2 items" in out
    found = ilk.passages(train, against=evals, against_text="answer", words=8)
    assert found.report["unread_sets"] == {
        f"{evals}/hidden.jsonl": "no row has a text in answer",
    }
    assert found.contamination().sets["set"].to_pylist() == [f"{evals}/rivers.jsonl"]


def test_a_row_that_cannot_be_read_leaves_its_set_read(tmp_path: Path, run: Run) -> None:
    evals, train = tmp_path / "evals", tmp_path / "train.jsonl"
    write_rows(evals / "rivers.jsonl", [{"text": ANSWER}])
    with (evals / "rivers.jsonl").open("a") as out:
        out.write("no row\n")
    write_rows(train, [{"text": ANSWER}])
    code, said, err = run("passages", train, "--against", evals, "--words", "8")
    assert (code, "1 of 1 item (100.0%)" in said) == (0, True)
    assert f"not read: {evals}/rivers.jsonl:2: " in err


@pytest.mark.parametrize("name", ["evals", "evals/rivers.jsonl"])
def test_an_error_about_columns_of_a_reference_names_their_option(
    name: str, tmp_path: Path, run: Run
) -> None:
    write_rows(tmp_path / "evals" / "rivers.jsonl", [{"question": QUESTION}])
    write_rows(tmp_path / "train.jsonl", [{"text": ANSWER}])
    code, _, err = run("passages", tmp_path / "train.jsonl", "--against", tmp_path / name)
    assert code == 2
    assert "Name the column of texts with --against-text, and" in err
    assert err.count("rivers.jsonl") == 1 + (name != "evals") * ("no text was read" in err)
    assert err.endswith("(id by default).\n")
    # The column of the documents themselves has another option.
    code, _, err = run("passages", tmp_path / "train.jsonl", "--text", "body")
    assert (code, "Name the column of texts with --text, and" in err) == (2, True)


def test_a_short_item_that_is_found_is_not_said_to_be_too_short(tmp_path: Path, run: Run) -> None:
    write_rows(tmp_path / "evals.jsonl", [{"text": "Yeast makes the gas."}])
    write_rows(tmp_path / "train.jsonl", [{"text": f"{FILLER} Yeast makes the gas. {FILLER}"}])
    both = (tmp_path / "train.jsonl", "--against", tmp_path / "evals.jsonl")
    asked = ("passages", *both, "--words", "8", "--show", "0")
    assert "1 has fewer than 8 words" in run(*asked)[1]
    _, out, _ = run(*asked, "--containment", "80%")
    assert "1 of 1 item (100.0%)" in out
    assert "fewer than 8 words: that is" in out  # What is promised.
    assert out.count("fewer") == 1


def test_a_passage_names_its_place_in_the_reference(tmp_path: Path) -> None:
    write_rows(tmp_path / "evals.jsonl", [{"text": ANSWER}] * 12)
    write_rows(tmp_path / "train.jsonl", [{"text": ANSWER}])
    found = ilk.passages(tmp_path / "train.jsonl", against=tmp_path / "evals.jsonl", words=8)
    (row,) = found.frequent_passages(5)
    # The first of the reference, and still the document that was searched.
    assert row["sources"] == [
        *(f"{tmp_path}/evals.jsonl#{n}" for n in range(9)),
        f"{tmp_path}/train.jsonl#0",
    ]


def shared_shingles(*texts: str) -> frozenset[tuple[str, ...]]:
    """The shingles that all texts have."""
    sets = [reference.shingle_set(reference.normalised(text), "words", 3) for text in texts]
    return frozenset.intersection(*sets)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--containment"], "without --against"),
        (["--containment", "--against", "FOLDER"], "has files or documents that are no rows"),
        (["--containment", "--against", "ROWS", "--format", "csv"], "they are not listed here"),
        (
            ["--containment", "--against", "ROWS", "--items", "OUT", "--ignore-text", "FOLDER"],
            "counts the words of --ignore-text too",
        ),
        (
            ["--containment", "--against", "ROWS", "--cut", "-o", "OUT"],
            "they are not listed here",
        ),
    ],
)
def test_containment_is_refused_where_it_has_no_effect(
    words: list[str], said: str, tmp_path: Path, run: Run
) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "others").mkdir()
    for folder in ("texts", "others"):
        (tmp_path / folder / "a.txt").write_text(ANSWER)
    (tmp_path / "rows.jsonl").write_text(json.dumps({"text": ANSWER}))
    places = {"FOLDER": "others", "ROWS": "rows.jsonl", "OUT": "out.jsonl"}
    given = [str(tmp_path / places[word]) if word in places else word for word in words]
    code, _, err = run("passages", tmp_path / "texts", *given)
    assert code == 2
    assert said in err
