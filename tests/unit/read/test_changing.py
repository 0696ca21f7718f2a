"""Files that change while they are read: what was read counts, or an error says so."""

from __future__ import annotations

import functools
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import pytest

import ilk
from ilk.base.errors import SourceChanged
from ilk.fingerprints.digest import digest_of_pieces
from ilk.read.files import copies
from ilk.read.files.copies import digest_of_file_if_size_matches
from ilk.read.rows import delimited
from ilk.read.rows.streams import ReadBuffer
from tests.support.changing_files import CHANGES, at_call, each_opening, put
from tests.support.rows import FORMATS


def rows(seed: int) -> list[dict[str, Any]]:
    """Rows, every fifth of them twice; those of two seeds take as many bytes."""
    draw = random.Random(seed)
    texts = [" ".join(f"w{draw.randrange(1000, 9999)}" for _ in range(60)) for _ in range(60)]
    twice = [text for at, text in enumerate(texts) for _ in range(1 + (at % 5 == 0))]
    return [{"id": f"{seed}{at:03}", "text": text, "n": "1"} for at, text in enumerate(twice)]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", ["rows.jsonl", "rows.JSONL.GZ", "rows.csv", "rows.parquet"])
def test_rows_that_change_are_written_as_they_were_read_or_not_at_all(
    name: str, change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At any moment: in the first pass, between two, in the last; no rows of another text."""
    monkeypatch.setattr(delimited, "ReadBuffer", functools.partial(ReadBuffer, size=1 << 13))
    source, kept = tmp_path / name, tmp_path / f"kept-{name}"
    content, other = FORMATS[name](rows(1)), FORMATS[name](rows(2))
    calls: list[str] = []
    source.write_bytes(content)
    ilk.deduplicate(source, kept, jobs=1, progress=lambda step, *_: calls.append(step))
    expected = kept.read_bytes()
    refused: list[str] = []
    for number in range(1, len(calls), 4):
        put(source, content)
        kept.unlink(missing_ok=True)
        progress = at_call(number, lambda: CHANGES[change](source, other))
        try:
            ilk.deduplicate(source, kept, jobs=1, progress=progress)
        except ilk.IlkError as error:
            refused.append(str(error))
            assert not kept.exists()
        else:
            assert kept.read_bytes() == expected
    assert refused
    assert all(name in message for message in refused)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", ["rows.jsonl", "rows.JSONL.GZ", "rows.csv"])
def test_rows_that_change_as_they_are_opened_are_refused_by_name(
    name: str, change: str, tmp_path: Path
) -> None:
    """No error says that the output cannot be written; nobody waits for a writer to a FIFO."""
    source, kept = tmp_path / name, tmp_path / f"kept-{name}"
    content, other = FORMATS[name](rows(1)), FORMATS[name](rows(2))
    tries = 0

    def run() -> None:
        nonlocal tries
        tries += 1
        kept.unlink(missing_ok=True)
        ilk.deduplicate(source, kept, jobs=1)

    put(source, content)
    for error in each_opening(source, lambda: CHANGES[change](source, other), run):
        assert error is None or isinstance(error, ilk.IlkError)
        assert kept.exists() == (error is None)
        assert "cannot write" not in str(error)
        assert error is None or name in str(error)
        put(source, content)
    assert tries > 4


def folder(path: Path) -> list[Path]:
    """Files, each like the next."""
    path.mkdir()
    words = [f"word{number}" for number in range(200)]
    files = [path / f"{number}.txt" for number in range(6)]
    for number, file in enumerate(files):
        file.write_text(" ".join(words[number:]))
    return files


def exchanged(files: list[Path]) -> None:
    files[2].rename(files[0])
    files[3].rename(files[2])


def linked(files: list[Path]) -> None:
    files[2].unlink()
    files[2].symlink_to(files[1])


#: What may happen to one of six files, and the file whose text is then another.
HAPPENINGS: dict[str, tuple[Callable[[list[Path]], object], str]] = {
    "edited": (lambda files: files[2].write_text("something else"), "2.txt"),
    "exchanged": (exchanged, "0.txt"),
    "removed": (lambda files: files[2].unlink(), "3.txt"),
    "added": (lambda files: files[0].with_name("1b.txt").write_text("new"), "1b.txt"),
    "added at the end": (lambda files: files[0].with_name("6.txt").write_text("new"), "in"),
    "a link": (linked, "3.txt"),
}


@pytest.mark.parametrize("happening", HAPPENINGS)
def test_documents_that_changed_are_not_taken_for_those_that_were_read(
    happening: str, tmp_path: Path
) -> None:
    change, named = HAPPENINGS[happening]
    files = folder(tmp_path / "in")
    result = ilk.find(tmp_path / "in")
    texts = result.texts(list(range(6))).to_pylist()
    assert texts == [file.read_text() for file in files]
    change(files)
    with pytest.raises(SourceChanged, match=named):
        result.texts(list(range(6)))


def test_a_change_of_what_is_not_asked_for_does_no_harm(tmp_path: Path) -> None:
    files = folder(tmp_path / "in")
    result = ilk.find(tmp_path / "in")
    files[2].write_text("something else")
    assert result.texts([1, 3]).to_pylist() == [files[1].read_text(), files[3].read_text()]


def test_a_file_that_is_cut_while_it_is_digested_has_no_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, size = tmp_path / "large.bin", 4 << 20
    file.write_bytes(bytes(size))
    assert digest_of_file_if_size_matches(str(file), size) == digest_of_pieces([bytes(size)])

    def cut(opened: IO[bytes]) -> bytes:
        first = opened.read(1 << 20)
        os.truncate(file, 1 << 20)
        return digest_of_pieces([first, opened.read()])

    monkeypatch.setattr(copies, "digest_of_rest_of_file", cut)
    assert digest_of_file_if_size_matches(str(file), size) is None
