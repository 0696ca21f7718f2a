"""Documents that are made to harm: each is one failure, and the next document is read."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support import hostile_documents as hostile
from tests.support import samples
from tests.support.readers import Read

from ilk import Limits
from ilk.read import Reading, ReadReport
from ilk.read.folders import read_documents_except_unnamed_binary_rows

SECRET = "what nobody shall read"


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkdir("docs")
    Path("docs/z.txt").write_text("the next one")


def write(name: str, content: bytes) -> None:
    Path("docs", name).write_bytes(content)


def the_failure(read: Read, **options: object) -> str:
    """Return why the one document beside the next one is not read."""
    rows, tally = read("docs", **options)
    assert [row["text"] for row in rows] == ["the next one"]
    ((_, reason),) = tally.failures
    return reason


@pytest.mark.parametrize(
    ("name", "made", "options", "reason"),
    [
        ("a.docx", lambda: hostile.docx_bomb(30_000_000), {}, "--limit ratio allows 200"),
        ("a.gz", lambda: hostile.gzip_bomb(30_000_000), {}, "--limit ratio allows 200"),
        ("a.zip", lambda: hostile.zip_of_zips(2, 4, 2_000_000), {}, "--limit ratio allows 200"),
        (
            "a.docx",
            lambda: hostile.docx_bomb(3_000_000),
            {"unpacked": 1_000_000},
            "--limit unpacked allows 1,000,000",
        ),
        (
            "a.tar",
            lambda: samples.tarred({"a": b"x" * 9000, "b": b"x" * 9000}),
            {"unpacked": 5_000},
            "--limit unpacked allows 5,000",
        ),
        ("a.pdf", lambda: hostile.pdf_bomb(150_000_000), {"memory": 250_000_000}, "crashed|memory"),
        ("a.xlsx", hostile.far_cell, {}, "crashed"),
    ],
)
def test_a_bomb_is_one_failure(
    read: Read,
    name: str,
    made: Callable[[], bytes],
    options: dict[str, int],
    reason: str,
) -> None:
    write(name, made())
    found = the_failure(read, limits=Limits.of(**options))
    assert any(part in found for part in reason.split("|")), found


#: Formats in XML: the part that has the text, and what stands before a text.
IN_XML = [
    (".fb2", None, b"<p>"),
    (".docx", "word/document.xml", b"<w:t>"),
    (".pptx", "ppt/slides/slide1.xml", b"<a:t>"),
    (".odt", "content.xml", b"<text:p>"),
    (".docx", "docProps/core.xml", b"<dc:title>"),
]


@pytest.mark.parametrize(("extension", "name", "begin"), IN_XML)
@pytest.mark.parametrize("kind", ["laughs", "file"])
def test_entities_neither_grow_nor_read_a_file(
    read: Read, extension: str, name: str | None, begin: bytes, kind: str
) -> None:
    Path("secret").write_text(SECRET)
    content = samples.SAMPLES[extension]()
    text = content if name is None else hostile.part(content, name)
    text = text[text.index(b"?>") + 2 :] if text.startswith(b"<?xml") else text
    assert begin in text
    if kind == "laughs":
        text = hostile.laughing(text, begin)
    else:
        text = hostile.reading_a_file(text, begin, str(Path("secret").absolute()))
    write(f"a{extension}", text if name is None else hostile.replaced(content, name, text))
    assert "declares entities" in the_failure(read)


def test_entities_of_a_book_are_no_text(read: Read) -> None:
    """Its pages are read as HTML, which has no entities of its own."""
    Path("secret").write_text(SECRET)
    content = samples.epub()
    page = hostile.part(content, "in/a.xhtml").replace(b"<!DOCTYPE html>", b"")
    secret = str(Path("secret").absolute())
    page = hostile.reading_a_file(hostile.laughing(page, b"<p>"), b"<p>", secret)
    write("a.epub", hostile.replaced(content, "in/a.xhtml", page))
    rows, tally = read("docs")
    assert tally.failures == []
    assert "harbours" in rows[0]["text"]
    assert len(rows[0]["text"]) < 3_000
    assert SECRET not in rows[0]["text"]


def test_a_document_that_takes_too_long_is_one_failure(read: Read) -> None:
    write("a.pdf", hostile.pdf_bomb(150_000_000))
    reason = the_failure(read, convert_timeout=0.02)
    assert reason == "reading it did not end within 0.02 s"


@pytest.mark.long
def test_the_bombs_that_were_measured_are_failures_in_bounded_time_and_memory(read: Read) -> None:
    write("a.docx", hostile.docx_bomb(620_000_000))
    write("b.zip", hostile.zip_of_zips(5, 10, 100_000_000))
    write("c.gz", hostile.gzip_bomb(3_000_000_000))
    write("d.pdf", hostile.pdf_of_objects(1_000_000))
    rows, tally = read("docs")
    assert [row["source"] for row in rows] == ["docs/d.pdf", "docs/z.txt"]
    assert {failure.source[:10] for failure in tally.failures} == {
        "docs/a.docx"[:10],
        "docs/b.zip",
        "docs/c.gz",
    }


@pytest.mark.long
def test_a_mailbox_of_2_gb_takes_memory_for_one_message() -> None:
    with open("docs/mail.mbox", "wb") as file:
        for number in range(2_000):
            file.write(
                b"From a@example.org Fri Jan  2 03:04:05 2026\nFrom: a@example.org\n"
                b"Date: Fri, 02 Jan 2026 03:04:05 +0000\nSubject: %d\n\n" % number
            )
            file.write((b"x" * 77 + b"\n") * 13_000 + b"\n")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    batches = read_documents_except_unnamed_binary_rows(["docs"], Reading.of(), tally=ReadReport())
    assert sum(len(batch) for batch in batches) == 2_001
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 500_000
