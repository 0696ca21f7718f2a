"""Texts that were made are kept, and found again by what they were made of."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ilk import Limits
from ilk.base.errors import OutputError
from tests.support import samples
from tests.support.readers import Read


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("docs").mkdir()
    Path("docs/a.pdf").write_bytes(samples.pdf(image=True, title="A title"))
    Path("docs/b.docx").write_bytes(samples.docx())
    Path("docs/m.eml").write_bytes(bytes(samples.message(a_txt=b"attached")))


def kept() -> list[Path]:
    return sorted(Path("cache").glob("??/*"))


def test_a_text_is_made_once_and_then_found_whatever_the_name(read: Read) -> None:
    """The second time no child may take a byte, so that whatever it had to make would fail."""
    first, _ = read("docs", cache="cache")
    assert len(kept()) == 2  # What carries other documents is read again.
    assert read("docs", cache="cache")[0] == first == read("docs")[0]
    shutil.move("docs/a.pdf", "docs/c")
    rows, tally = read("docs", cache="cache", limits=Limits.of(memory=1))
    assert {row["source"]: row["text"] for row in rows} == {
        "docs/b.docx": first[1]["text"],
        "docs/c": first[0]["text"],
    }
    assert [failure.source for failure in tally.failures] == ["docs/m.eml"]


def test_other_options_make_another_text(read: Read) -> None:
    read("docs", cache="cache")
    read("docs", cache="cache", ocr="cat {}")
    assert len(kept()) == 3


def test_what_is_damaged_is_made_again(read: Read) -> None:
    first, _ = read("docs", cache="cache")
    whole = [path.read_bytes() for path in kept()]
    for damage in (b"", b"{}\n", b"no JSON", whole[0][:-1], b"[]\nx"):
        for path in kept():
            path.write_bytes(damage)
        assert read("docs", cache="cache")[0] == first
        assert [path.read_bytes() for path in kept()] == whole


def test_a_limit_holds_for_texts_that_were_kept(read: Read) -> None:
    read("docs", cache="cache")
    _, tally = read("docs", cache="cache", limits=Limits.of(text=100))
    assert {failure.source for failure in tally.failures} >= {"docs/a.pdf", "docs/b.docx"}


def test_a_cache_that_cannot_be_written_is_an_error(read: Read) -> None:
    Path("cache").write_text("a file")
    with pytest.raises(OutputError, match="cannot write cache/"):
        read("docs", cache="cache")


def test_what_is_kept_is_no_document_and_none_keeps_nothing(read: Read) -> None:
    first, _ = read("docs", cache="docs/cache")
    assert Path("docs/cache/CACHEDIR.TAG").is_file()
    assert read("docs")[0] == first
    read("docs", cache="none")
    assert not Path("none").exists()
