"""A reference that was not read is an error, for every verb and function that takes one."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import ilk
from ilk.base.errors import NothingRead, OptionError
from tests.support.command_line import Run
from tests.support.families import write_rows

#: The verbs with a reference, each with a source and its other words.
VERBS = {
    "scan": ["rows.jsonl"],
    "passages": ["rows.jsonl", "--words", "8"],
    "dedup": ["rows.jsonl", "-o", "out.jsonl"],
}

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "find": ilk.find,
    "passages": ilk.passages,
    "deduplicate": ilk.deduplicate,
}

TEXTS = [" ".join(f"word{row}of{number}" for number in range(60)) for row in range(3)]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_rows(Path("rows.jsonl"), [{"text": text} for text in TEXTS])
    write_rows(Path("good.jsonl"), [{"text": TEXTS[0]}])
    write_rows(Path("nulls.jsonl"), [{"text": None}, {"text": ""}])
    Path("broken.jsonl").write_text('{"text": "cut o')
    Path("empty.jsonl").touch()
    Path("empty").mkdir()
    Path("pictures").mkdir()
    for number in range(3):
        content = random.Random(number).randbytes(3000)
        Path("pictures", f"{number}.png").write_bytes(b"\x89PNG\r\n\x1a\n" + content)
    with ilk.Store("all.ilk", create=True) as store:
        store.add(TEXTS[0])
    return tmp_path


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    ("reference", "why"),
    [
        ("empty", "there is no file"),
        ("pictures", ""),
        ("empty.jsonl", "no row or document with a text"),
        ("nulls.jsonl", "no row or document with a text"),
        ("broken.jsonl", "1"),
        ("missing", "there is no 'missing'"),
    ],
)
def test_a_reference_that_was_not_read_is_an_error(
    verb: str, reference: str, why: str, run: Run
) -> None:
    for others in ([], ["--against", "good.jsonl"]):
        if others and verb == "dedup" and reference in ("empty", "pictures"):
            continue  # Its folders hold rows alone: one without any is no part of the reference.
        code, out, err = run(verb, *VERBS[verb], *others, "--against", reference)
        assert (code, out) == (2, ""), err
        assert reference in err
        assert why in err
        assert not Path("out.jsonl").exists()


@pytest.mark.parametrize("verb", ["scan", "dedup"])
def test_a_store_that_would_miss_some_is_no_reference(verb: str, run: Run) -> None:
    code, out, err = run(verb, *VERBS[verb], "--against", "all.ilk")
    assert (code, out) == (2, "")
    assert "all.ilk keeps no texts" in err
    made = "Make a store with --exact and --texts (in Python, exact=True and texts=True)."
    assert made in " ".join(err.split())


def test_a_store_without_texts_is_no_reference_of_passages(run: Run) -> None:
    code, out, err = run("passages", *VERBS["passages"], "--against", "all.ilk")
    assert (code, out) == (2, "")
    assert "all.ilk keeps no texts, and passages are sought in texts" in err


def test_an_exact_store_is_a_reference(run: Run) -> None:
    with ilk.Store("exact.ilk", exact=True, texts=True) as store:
        store.add(TEXTS[0], source="before.txt")
    code, out, err = run("scan", "rows.jsonl", "--against", "exact.ilk")
    assert (code, err) == (0, "")
    assert "before.txt  (it is in the collection of --against)" in out
    code, out, err = run("dedup", *VERBS["dedup"], "--against", "exact.ilk")
    assert (code, err) == (0, "")
    assert "3 rows read, 2 kept" in out


@pytest.mark.parametrize("verb", VERBS)
def test_a_file_is_not_its_own_reference(verb: str, run: Run) -> None:
    Path("same.jsonl").symlink_to("rows.jsonl")
    for own in ("rows.jsonl", "./rows.jsonl", "same.jsonl"):
        code, out, err = run(verb, *VERBS[verb], "--against", own)
        assert (code, out) == (2, ""), own
        assert "rows.jsonl is in the reference (--against) too" in err


def test_a_folder_with_its_reference_inside(run: Run) -> None:
    for place in ("all/old", "all/new"):
        Path(place).mkdir(parents=True)
        Path(place, "a.txt").write_text(TEXTS[0])
    code, _, err = run("scan", "all", "--against", "all/old")
    assert code == 2
    assert "all/old/a.txt is in the reference (--against) too" in err
    code, out, _ = run("scan", "all", "--against", "all/old", "--exclude", "old")
    assert code == 0
    assert re.search("keep +all/old/a.txt", out)
    assert "1 document read, 1 of them in 1 family" in out


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_say_the_same(name: str) -> None:
    function = FUNCTIONS[name]
    with pytest.raises(NothingRead, match="`against`"):
        function(Path("rows.jsonl"), against=Path("nulls.jsonl"))
    with pytest.raises(OptionError, match="is a store"):
        function(Path("rows.jsonl"), against=[Path("good.jsonl"), Path("all.ilk")])
    with pytest.raises(NothingRead, match="none of the 2 rows of the reference"):
        function(TEXTS, against=pa.array([None, " "], pa.string()))


def test_a_reference_that_was_read_is_compared(run: Run) -> None:
    for verb, words in VERBS.items():
        code, out, err = run(verb, *words, "--against", "good.jsonl")
        assert (code, err) == (0, ""), verb
        assert "2 kept" in out or "1 of them" in out
    # A file that is reached by two names is read once, and was read by both.
    assert run("scan", "rows.jsonl", "--against", "good.jsonl", "--against", "./good.jsonl")[0] == 0


def test_files_without_text_of_a_reference_are_not_said_to_be_compared(run: Run) -> None:
    Path("pictures", "a.txt").write_text(TEXTS[0])
    _, _, err = run("scan", "rows.jsonl", "--against", "pictures")
    assert err == "ilk: 3 binary files were not read in the reference (.png 3)\n"


def test_binary_files_that_differ_were_compared(run: Run) -> None:
    code, out, err = run("scan", "pictures")
    assert code == 1
    assert "3 files were compared only by their bytes, and have no copy here." in out
    assert err == "ilk: 3 binary files were compared only by their bytes (.png 3)\n"
    assert len(ilk.find("pictures")) == 0
    Path("pictures", "3.png").write_bytes(Path("pictures", "0.png").read_bytes())
    assert run("scan", "pictures")[0] == 0
    # Documents that could be read, and were not, are no answer.
    Path("damaged").mkdir()
    Path("damaged", "a.pdf").write_bytes(b"%PDF-1.4\n" + bytes(100))
    assert run("scan", "damaged")[0] == 2
