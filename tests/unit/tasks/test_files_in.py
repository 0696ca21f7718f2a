"""Rows that name files are compared by the texts of these."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import ilk
from ilk.base.errors import ColumnTypeError, OptionError
from tests.support import samples


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.pdf").write_bytes(samples.pdf())
    Path("b.docx").write_bytes(samples.docx())
    Path("c.txt").write_text("something else, which nothing here is like")
    Path("d.pdf").write_bytes(b"%PDF-1.5 and no more")
    Path("e.bin").write_bytes(b"\0\1\2" * 99)


def test_a_row_has_the_text_of_its_file() -> None:
    Path("rows.csv").write_text("n,path\n1,a.pdf\n2,c.txt\n3,b.docx\n4,a.pdf\n")
    result = ilk.deduplicate(Path("rows.csv"), Path("once.csv"), files_in="path")
    assert Path("once.csv").read_text() == "n,path\n1,a.pdf\n2,c.txt\n"
    assert result.dropped_rows["verdict"].to_pylist() == ["exact", "identical"]


def test_rows_of_files_that_cannot_be_read_stay_and_are_reported_once() -> None:
    names = ["d.pdf", "d.pdf", "no.txt", "e.bin", None, "a.pdf"]
    result = ilk.deduplicate(pa.table({"path": names}), files_in="path", cache="texts")
    assert len(result.dropped_rows) == 0
    failures = {row["source"]: row["reason"] for row in result.report["failures"]}
    assert list(failures) == ["d.pdf", "no.txt", "e.bin"]
    assert failures["d.pdf"].startswith("is damaged, or not PDF")
    assert failures["no.txt"] == "there is no such file"
    assert failures["e.bin"] == "is of a format that has no reader"
    assert result.report["advice"] == ["1 binary file was not read (.bin 1)"]
    assert len(list(Path("texts").glob("??/*"))) == 1


def test_more_rows_than_are_held_at_once_keep_their_order() -> None:
    for number in range(600):
        words = " ".join(map(str, range(number, number + 9)))
        Path(f"{number}.txt").write_text(words)
    names = [f"{number}.txt" for number in range(600)]
    rows = pa.table({"path": [*names, *names[:300]]})
    result = ilk.deduplicate(rows, files_in="path", exact=True)
    assert result.dropped_rows["doc"].to_pylist() == list(range(600, 900))
    assert result.dropped_rows["keeper"].to_pylist() == list(range(300))


def test_texts_and_files_are_not_both_named() -> None:
    with pytest.raises(OptionError, match="both name the column of texts"):
        ilk.deduplicate(pa.table({"path": ["a.pdf"]}), text="body", files_in="path")


def test_texts_of_files_are_made_by_the_options_of_documents() -> None:
    letter = ["What one wrote.", "> what was quoted"]
    Path("a.eml").write_bytes(bytes(samples.message(letter)))
    Path("b.eml").write_bytes(bytes(samples.message(letter[:1])))
    Path("s.pdf").write_bytes(samples.pdf([[]], image=True))
    rows = pa.table({"path": ["a.eml", "b.eml", "s.pdf", "e.bin"]})
    plain = ilk.deduplicate(rows, files_in="path", exact=True)
    assert (len(plain.dropped_rows), len(plain.report["failures"])) == (0, 2)
    said: dict[str, Any] = {
        "replies": "drop",
        "ocr": "head -c 2 {}",
        "convert": {"bin": ["sh", "-c", "echo P5"]},
    }
    result = ilk.deduplicate(rows, files_in="path", exact=True, **said)
    assert result.report["failures"] == []
    assert result.dropped_rows["source"].to_pylist() == ["#1", "#3"]
    limited = ilk.deduplicate(rows, files_in="path", exact=True, limits=ilk.Limits.of(text=5))
    assert "--limit text" in limited.report["failures"][0]["reason"]


def test_a_folder_to_work_in_keeps_texts_and_nothing_else() -> None:
    rows = pa.table({"path": ["a.pdf", "b.docx"]})
    first = ilk.deduplicate(rows, files_in="path", work="work")
    assert os.listdir("work") == ["texts"]
    nothing = ilk.Limits.of(memory=1)
    again = ilk.deduplicate(rows, files_in="path", work="work", limits=nothing)
    assert again.dropped_rows.equals(first.dropped_rows)
    assert (len(again.dropped_rows), again.report["failures"]) == (1, [])
    ilk.deduplicate(rows, files_in="path", work="other", cache="none")
    assert not Path("other").exists()


def test_a_column_that_is_not_there_is_an_error_that_names_those_there_are() -> None:
    with pytest.raises(ColumnTypeError, match=r"no column named paths .it has path"):
        ilk.deduplicate(pa.table({"path": ["a.pdf"]}), files_in="paths")
