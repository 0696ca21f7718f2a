"""One rule says what a source is, for every function that takes one."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import ilk
import ilk_papers
from ilk.base import progress
from ilk.base.errors import ColumnTypeError, OptionError, SourceNotFound
from ilk.base.progress import Meter
from ilk_web import changes, mirrors
from tests.support.families import write_rows

LONG = " ".join(f"word{number}" for number in range(200))
TEXTS = [LONG, LONG + " more", "quite other words than those"]


@pytest.fixture
def names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of files that hold the texts."""
    monkeypatch.chdir(tmp_path)
    for number, text in enumerate(TEXTS):
        Path(f"{number}.txt").write_text(text)
    return sorted(os.listdir())


def check_many(source: Any) -> Any:
    with ilk.Store("s.ilk") as store:
        return store.check_many(source)


#: Functions that take a source of many documents.
MANY: dict[str, Callable[[Any], Any]] = {
    "find": ilk.find,
    "deduplicate": ilk.deduplicate,
    "changes": changes.find,
    "mirrors": mirrors.find,
    "fingerprint": ilk.fingerprint,
    "calibrate": lambda source: ilk_papers.calibrate(source, copies=2, pairs_sample=2),
    "Store": check_many,
}


@pytest.mark.parametrize("function", MANY)
def test_a_list_of_names_of_files_is_refused_with_both_ways_to_say_it(
    function: str, names: list[str]
) -> None:
    for source in (names, tuple(names), ["*.txt"], [os.path.abspath(name) for name in names]):
        with pytest.raises(OptionError) as refused:
            MANY[function](source)
        assert "[Path(name) for name in names]" in str(refused.value)
        assert "pyarrow.array(names)" in str(refused.value)


def test_paths_are_paths_and_texts_are_texts_everywhere(names: list[str]) -> None:
    paths = [Path(name) for name in names]
    assert ilk.find(paths).report["in_clusters"] == 2
    # Names as texts: they differ only in their numbers, unlike what is in the files.
    of_names = ilk.find([*names, "no such file"])
    assert of_names.report["in_clusters"] == 3
    assert set(of_names.pairs["verdict"].to_pylist()) == {"numbers_only"}
    assert ilk.find(pa.array(names)).documents["length"].to_pylist() == [5, 5, 5]
    assert ilk.fingerprint(paths).equals(ilk.fingerprint(TEXTS))
    assert ilk.fingerprint(".").equals(ilk.fingerprint(TEXTS))
    assert ilk.compare(names[0], Path(names[1])).verdict == "near"
    assert ilk.compare(TEXTS[:1], TEXTS[1:2]).verdict == "near"
    with ilk.Store("s.ilk") as store:
        added = store.add_many(paths)
        assert [store[one.id].source for one in added] == names  # type: ignore[index]
        assert [len(found) for found in store.check_many(TEXTS)] == [2, 2, 1]
    deduplicated = ilk.deduplicate(TEXTS)
    assert deduplicated.keep_mask.to_pylist() == [True, False, True]
    assert deduplicated.to_arrow()["text"].to_pylist() == TEXTS[::2]


def test_a_text_that_names_no_file_is_not_taken_for_one(names: list[str]) -> None:
    del names
    with pytest.raises(SourceNotFound):
        ilk.compare("a text with spaces, and no file", "0.txt")
    with pytest.raises(SourceNotFound):
        ilk.find("a text with spaces, and no file")


def test_a_store_takes_no_name_of_a_file_for_a_text(names: list[str]) -> None:
    with ilk.Store("s.ilk", texts=True) as store:
        for call in (store.add, store.check):
            with pytest.raises(OptionError, match=r"Path\('0.txt'\) for the file"):
                call(names[0])
        one = store.add(Path(names[0])).id
        other = store.add([names[0]]).id
        assert one is not None
        assert other is not None
        assert (store.text(one), store.text(other)) == (TEXTS[0], names[0])
        with pytest.raises(OptionError):
            store.update(one, names[1])
        assert store.add("\0" + "a" * 5000).id is not None


def test_the_keys_of_a_dict_are_ids(names: list[str]) -> None:
    del names
    source = dict(zip("abc", TEXTS, strict=True))
    found = ilk.find(source)
    assert found.documents["id"].to_pylist() == ["a", "b", "c"]
    assert found.report["in_clusters"] == 2
    assert ilk.deduplicate(source).dropped_rows["id"].to_pylist() == ["b"]
    assert ilk.deduplicate(source, key="id").report["kept"] == 3
    assert ilk.fingerprint(source).equals(ilk.fingerprint(TEXTS))
    assert ilk.find({1: "a text", 2: None}).documents["id"].to_pylist() == ["1", "2"]
    with ilk.Store("s.ilk") as store:
        added = store.add_many(source)
        assert [store[one.id].source for one in added] == ["a", "b", "c"]  # type: ignore[index]
    with pytest.raises(ColumnTypeError, match="a dict maps ids to texts"):
        ilk.find({"text": TEXTS})


class DatasetDict(dict[str, Any]):
    """As Hugging Face has it: a dict of tables."""


@pytest.mark.parametrize("function", MANY)
@pytest.mark.usefixtures("names")
def test_a_dict_of_tables_is_refused_with_what_to_do(function: str) -> None:
    table = pa.table({"text": TEXTS})
    with pytest.raises(OptionError) as refused:
        MANY[function](DatasetDict(train=table, test=table))
    assert "several tables (train, test)" in str(refused.value)
    assert "source['train']" in str(refused.value)


@pytest.mark.parametrize("share", ["80%", "0.8", 0.8])
def test_shares_may_be_written_in_percent(share: str | float) -> None:
    assert ilk.find(TEXTS, resemblance=share).report["in_clusters"] == 2
    assert ilk.deduplicate(TEXTS, resemblance=share, alarm_share=share).report["kept"] == 2
    assert ilk.compare(TEXTS[:1], TEXTS[1:2], resemblance=share).verdict == "near"
    assert ilk.sets.pairs([[1, 2, 3], [1, 2, 3]], share).num_rows == 1


class Drawn(Meter):
    """A meter that draws at every call."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options | {"every": 0})


@pytest.mark.parametrize("function", ["find", "deduplicate", "calibrate", "changes", "mirrors"])
def test_progress_may_be_true(
    function: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "Meter", Drawn)
    rows = [{"url": f"http://{h}/{p}", "text": LONG + p} for h in "ab" for p in "wxyz"]
    source = write_rows(tmp_path / "in.jsonl", rows)
    more = {"copies": 2, "pairs_sample": 2} if function == "calibrate" else {}
    functions: dict[str, Callable[..., Any]] = {
        "find": ilk.find,
        "deduplicate": ilk.deduplicate,
        "calibrate": ilk_papers.calibrate,
        "changes": changes.find,
        "mirrors": mirrors.find,
    }
    with contextlib.redirect_stderr(io.StringIO()) as drawn:
        functions[function](source, progress=True, **more)
    assert " %  read " in drawn.getvalue()
    assert drawn.getvalue().endswith("\r\x1b[K")
    with contextlib.redirect_stderr(io.StringIO()) as drawn, pytest.raises(SourceNotFound):
        functions[function](tmp_path / "missing", progress=True, **more)
    assert drawn.getvalue().endswith("\r\x1b[K")
    with contextlib.redirect_stderr(io.StringIO()) as drawn:
        functions[function](source, progress=False, **more)
    assert drawn.getvalue() == ""
    with pytest.raises(OptionError, match="progress is 'yes'"):
        functions[function](source, progress="yes", **more)
