"""Each folder in a given one is one document: the texts below it, joined by hand."""

from __future__ import annotations

import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ilk import Limits, find, passages
from ilk.base.errors import OptionError
from ilk.base.run_options import ALONE
from ilk.read.documents import read_documents
from ilk.read.reading import Reading
from ilk.read.report import ReadReport
from tests.support.command_line import Run

JOINED = Reading.of(folder_as_document=True)


def joined(folder: Path, reading: Reading = JOINED) -> tuple[dict[str, str], ReadReport]:
    """Return the documents of a folder by name below it, with what happened."""
    tally = ReadReport()
    rows = [
        row for batch in read_documents(folder, reading, ALONE, tally) for row in batch.to_pylist()
    ]
    assert [row["doc"] for row in rows] == list(range(len(rows)))
    assert tally.documents == len(rows)
    assert all(row["file"] is None for row in rows)
    return {Path(row["source"]).relative_to(folder).as_posix(): row["text"] for row in rows}, tally


texts = st.text("ab c\n", max_size=9)
paths = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map("/".join)


@given(st.dictionaries(paths, texts, min_size=1), st.booleans())
def test_a_folder_is_its_texts_joined_by_hand(files: dict[str, str], zipped: bool) -> None:
    with TemporaryDirectory() as made:
        folder = Path(made)
        for path, text in files.items():
            file = folder / f"{path}.txt"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode())
        if zipped:
            with zipfile.ZipFile(folder / "d.zip", "w") as archive:
                for path, text in files.items():
                    archive.writestr(path, text)
        expected: dict[str, list[str]] = {}
        for batch in read_documents(folder, Reading(), ALONE, ReadReport()):
            for row in batch.to_pylist():
                name = Path(row["file"]).relative_to(folder).parts[0]
                expected.setdefault(name, []).append(row["text"])
        found, _ = joined(folder)
    assert found == {name: "\n\n".join(together) for name, together in expected.items()}
    assert set(found) == {
        path.split("/")[0] if "/" in path else f"{path}.txt" for path in files
    } | ({"d.zip"} if zipped else set())


def test_what_is_not_read_or_too_large_is_told(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text("a" * 10)
    (tmp_path / "one" / "b.txt").write_text("b" * 10)
    (tmp_path / "one" / "c.png").write_bytes(b"\x89PNG\r\n\x1a\n\0")
    reading = Reading.of(folder_as_document=True, limits=Limits(text=15))
    found, tally = joined(tmp_path, reading)
    assert found == {"two": "a" * 10}
    assert tally.skipped == {".png": 1}
    assert [failure.reason for failure in tally.failures] == [
        "its texts have 20 bytes, and --limit text allows 15 for one"
    ]


def test_projects_are_found_alike_and_no_plan_has_them(tmp_path: Path, run: Run) -> None:
    text = " ".join(f"word{n}" for n in range(200))
    for name, more in (("one", ""), ("two", " more"), ("three", None)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text("This is another one." if more is None else text)
        (tmp_path / name / "b.txt").write_text("" if more is None else text[::-1] + more)
        (tmp_path / name / "c.png").write_bytes(b"\x89PNG\r\n\x1a\n\0")
    result = find(tmp_path, folder_as_document=True)
    members = result.to_arrow().to_pylist()
    assert [Path(row["source"]).name for row in members] == ["one", "two"]
    assert [line["members"] for line in result.files(drop="near").lines() if "members" in line] == [
        []
    ]
    assert result.report["compared_by_bytes"] == 0
    found = passages(tmp_path, folder_as_document=True)
    assert {Path(name).name for name in found.coverage["source"].to_pylist()} >= {"one", "two"}
    for option in (("--plan", str(tmp_path / "plan.jsonl")), ("--drop", "near")):
        code, _, said = run("scan", tmp_path, "--folder-as-document", *option)
        assert code == 2
        assert "no file is a folder" in said


@pytest.mark.parametrize(
    ("source", "options", "said"),
    [
        (["a text"], {}, "the source is not files"),
        (Path(__file__), {}, "is not a folder"),
        (Path(__file__).parent, {"rows": True}, "`rows` many of one"),
    ],
)
def test_what_is_no_folder_of_folders_is_refused(
    source: Any, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(OptionError, match=said):
        find(source, folder_as_document=True, **options)
