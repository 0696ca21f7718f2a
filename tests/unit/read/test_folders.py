"""Reading folders: what is in the rows, the batches, the tally and the refusals."""

from __future__ import annotations

import io
import os
import random
import sys
from pathlib import Path
from typing import Any

import pytest

from ilk.base.errors import IlkError, SourceNotFound
from ilk.base.run_options import Running
from ilk.read import Reading, ReadReport
from ilk.read.folders import read_documents_except_unnamed_binary_rows
from tests.support.readers import Read

NOISE = random.Random(1).randbytes(200_000)


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(path: str, content: bytes = b"some words\n") -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_bytes(content)


def sources(rows: list[dict[str, Any]]) -> list[str]:
    return [row["source"] for row in rows]


def test_a_row_holds_the_text_and_what_is_known_of_the_file(read: Read) -> None:
    write("docs/a.txt", "\ufeffGrüße\r\n".encode())
    os.utime("docs/a.txt", ns=(0, 1_700_000_000_123_456_789))
    (row,), tally = read("docs")
    assert row["source"] == "docs/a.txt"
    assert row["text"] == "Grüße\r\n"
    assert row["id"] is None
    assert row["size"] == len("\ufeffGrüße\r\n".encode())
    assert row["bytes_digest"] is not None
    assert row["modified"].isoformat() == "2023-11-14T22:13:20.123456+00:00"
    assert tally.encodings == {"utf-8": 1}


def test_the_digest_is_that_of_the_original_bytes(read: Read) -> None:
    write("utf8.txt", "Grüße aus Köln\n".encode())
    write("latin1.txt", "Grüße aus Köln\n".encode("latin-1"))
    write("copy.txt", "Grüße aus Köln\n".encode())
    rows, _ = read(".")
    digest = {row["source"]: row["bytes_digest"] for row in rows}
    assert digest["./utf8.txt"] == digest["./copy.txt"] != digest["./latin1.txt"]
    assert len({row["text"] for row in rows}) == 1


@pytest.mark.parametrize(
    ("given", "source"),
    [
        ("docs", "docs/in/a.txt"),
        ("docs/", "docs/in/a.txt"),
        ("docs//", "docs/in/a.txt"),
        (".", "./docs/in/a.txt"),
        ("./docs", "./docs/in/a.txt"),
        ("docs/../docs", "docs/../docs/in/a.txt"),
        ("docs/in/a.txt", "docs/in/a.txt"),
        (Path("docs"), "docs/in/a.txt"),
    ],
)
def test_the_source_is_the_path_as_given_and_the_path_below(
    read: Read, given: str | Path, source: str
) -> None:
    write("docs/in/a.txt")
    assert sources(read(given)[0]) == [source]


def test_entries_come_in_the_order_of_the_bytes_of_their_names(read: Read) -> None:
    for name in [b"b", b"B", b"a/z", b"a.txt", b"10", b"9", "😀".encode(), b"\xff", b".hidden"]:
        write(os.fsdecode(b"docs/" + name))
    assert sources(read("docs")[0]) == [
        "docs/.hidden",
        "docs/10",
        "docs/9",
        "docs/B",
        "docs/a/z",
        "docs/a.txt",
        "docs/b",
        "docs/😀",
        "docs/\\xff",
    ]


def test_version_control_is_left_out_and_other_hidden_files_are_not(read: Read) -> None:
    for name in [".git/config", ".hg/store", "in/.svn/entries", ".github/x", ".gitignore", "git/y"]:
        write(f"docs/{name}")
    assert sources(read("docs")[0]) == ["docs/.github/x", "docs/.gitignore", "docs/git/y"]
    assert sources(read("docs/.git")[0]) == ["docs/.git/config"]


def test_a_file_given_is_read_whatever_the_globs_say(read: Read) -> None:
    write("a.md")
    write("docs/b.md")
    write("docs/c.txt")
    rows, tally = read("a.md", "docs", include=["*.txt"], exclude=["a*"])
    assert sources(rows) == ["a.md", "docs/c.txt"]
    assert tally.excluded == 1


def test_an_excluded_folder_is_not_entered_and_counts_once(read: Read) -> None:
    write("docs/old/a.txt")
    write("docs/old/b.txt")
    write("docs/new/a.txt")
    os.mkfifo("docs/old/fifo")
    rows, tally = read("docs", exclude=["old"])
    assert sources(rows) == ["docs/new/a.txt"]
    assert (tally.excluded, tally.failures) == (1, [])


def test_an_empty_file_is_a_document_with_an_empty_text(read: Read) -> None:
    write("docs/empty", b"")
    (row,), tally = read("docs")
    assert (row["text"], row["size"]) == ("", 0)
    assert tally.bytes == 0


def test_binary_files_are_counted_by_extension(read: Read) -> None:
    for name in ["a.pdf", "b.PDF", "c", "d.tar.gz", "large.bin", ".profile"]:
        write(f"docs/{name}", NOISE if name == "large.bin" else NOISE[:5000])
    write("docs/e.pdf", b"no PDF at all, only named like one\n")
    write("docs/f.txt", b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n")
    rows, tally = read("docs")
    assert sources(rows) == ["docs/e.pdf"]
    assert tally.skipped == {".pdf": 2, "": 2, ".gz": 1, ".bin": 1}
    ((source, reason),) = tally.failures
    assert source == "docs/f.txt"
    assert reason.startswith("is damaged, or not PDF: ")


def test_a_large_text_is_read_whole_and_an_archive_behind_a_script_is_binary(read: Read) -> None:
    text = "".join(f"line {number} of a long text\n" for number in range(50_000))
    write("docs/large.txt", text.encode())
    write("docs/setup.run", b"#!/bin/sh\necho unpacking\n" * 4000 + NOISE)
    (row,), tally = read("docs")
    assert row["text"] == text
    assert tally.skipped == {".run": 1}


def test_replaced_bytes_are_counted(read: Read) -> None:
    write("docs/bad.txt", "Ωμέγα καὶ ἄλφα. ".encode() * 500 + b"\xff\xfe end")
    write("docs/good.txt", "Ωμέγα".encode())
    rows, tally = read("docs")
    assert rows[0]["text"].endswith("ἄλφα. \ufffd\ufffd end")
    assert tally.replaced == ["docs/bad.txt"]
    assert tally.encodings == {"utf-8": 2}


def test_standard_input_is_read_once(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("Größe".encode("latin-1"))))
    write("a.txt")
    rows, _ = read("-", "a.txt", "-")
    assert sources(rows) == ["-", "a.txt"]
    assert (rows[0]["text"], rows[0]["size"], rows[0]["modified"]) == ("Größe", 5, None)


@pytest.mark.parametrize("stdin", [None, io.TextIOWrapper(io.BytesIO())])
def test_a_missing_standard_input_is_a_failure(
    read: Read, monkeypatch: pytest.MonkeyPatch, stdin: io.TextIOWrapper | None
) -> None:
    if stdin is not None:
        stdin.close()
    monkeypatch.setattr(sys, "stdin", stdin)
    rows, tally = read("-")
    assert rows == []
    assert [failure.source for failure in tally.failures] == ["-"]


def test_batches_end_with_the_document_that_fills_them(read: Read) -> None:
    rng = random.Random(2)
    for number in range(300):
        write(f"docs/{number:03}", b"x" * rng.choice([0, 1, 10, 999, 5000]))
    whole, _ = read("docs")
    for least_batch_bytes in [1, 1000, 10_000, 1 << 30]:
        batches = list(
            read_documents_except_unnamed_binary_rows(
                ["docs"], tally=ReadReport(), least_batch_bytes=least_batch_bytes
            )
        )
        assert [row for batch in batches for row in batch.to_pylist()] == whole
        assert all(batch.num_rows > 0 for batch in batches)
        for batch in batches:
            but_the_last = sum(batch["size"].to_pylist()[:-1])
            assert but_the_last < least_batch_bytes
    assert (
        len(
            list(
                read_documents_except_unnamed_binary_rows(
                    ["docs"], tally=ReadReport(), least_batch_bytes=1
                )
            )
        )
        == 300
    )
    assert (
        len(
            list(
                read_documents_except_unnamed_binary_rows(
                    ["docs"], tally=ReadReport(), least_batch_bytes=1 << 30
                )
            )
        )
        == 1
    )


def test_a_million_empty_files_would_not_make_one_batch() -> None:
    for number in range(100):
        write(f"docs/{number}", b"")
    batches = list(
        read_documents_except_unnamed_binary_rows(
            ["docs"], tally=ReadReport(), least_batch_bytes=2000
        )
    )
    assert max(batch.num_rows for batch in batches) == 10


def test_the_tally_grows_while_batches_are_drawn() -> None:
    for number in range(10):
        write(f"docs/{number}", b"x" * 100)
    tally = ReadReport()
    batches = read_documents_except_unnamed_binary_rows(["docs"], tally=tally, least_batch_bytes=1)
    assert tally.documents == 0
    for drawn in range(1, 11):
        next(batches)
        assert (tally.documents, tally.bytes) == (drawn, 100 * drawn)
    assert next(batches, None) is None


def test_progress_tells_files_looked_at_and_bytes_read() -> None:
    for number in range(250):
        write(f"docs/{number:03}", NOISE[:100] if number % 2 else b"x" * 10)
    calls: list[tuple[int, int]] = []

    def progress(step: str, done: int, total: int | None = None, size: int = 0) -> None:
        assert (step, total) in (("read", 250), ("read", 2))
        calls.append((done, size))

    running = Running(1, 0, progress)
    list(read_documents_except_unnamed_binary_rows(["docs"], running=running, tally=ReadReport()))
    assert calls == sorted(calls)
    assert calls[-1] == (250, 1250)
    reported = len(calls)
    some = ["docs/000", "docs/002"]
    list(
        read_documents_except_unnamed_binary_rows(
            some, running=running, tally=ReadReport(), least_batch_bytes=1
        )
    )
    assert calls[reported:] == sorted(calls[reported:])
    assert calls[-1] == (2, 20)


def test_an_empty_folder_gives_nothing(read: Read) -> None:
    os.mkdir("docs")
    rows, tally = read("docs")
    assert (rows, tally) == ([], ReadReport(empty=["docs"]))


@pytest.mark.parametrize("path", ["nowhere", "docs/nowhere", "", "docs/a.txt/", "nul\0nul"])
def test_a_path_that_does_not_exist_is_refused_at_once(path: str) -> None:
    write("docs/a.txt")
    with pytest.raises(SourceNotFound) as caught:
        read_documents_except_unnamed_binary_rows(["docs", path], tally=ReadReport())
    assert isinstance(caught.value, FileNotFoundError)
    assert isinstance(caught.value, IlkError)
    assert repr(path) in str(caught.value)


@pytest.mark.parametrize(
    "options",
    [
        {"include": "*.txt"},
        {"exclude": "*.txt"},
        {"convert": {"pdf": "pdftotext {} -"}},
        {"convert": {"pdf": []}},
        {"convert": {"": ["cat"]}},
    ],
)
def test_wrong_options_are_refused_at_once(options: dict[str, Any]) -> None:
    with pytest.raises(IlkError):
        Reading.of(**options)


@pytest.mark.parametrize("paths", ["docs", Path("docs")])
def test_one_path_that_is_no_list_is_refused(paths: str | Path) -> None:
    write("docs/a.txt")
    with pytest.raises(IlkError, match="give a list"):
        read_documents_except_unnamed_binary_rows(paths, tally=ReadReport())  # type: ignore[arg-type]


def test_a_folder_that_is_mostly_pages_suggests_to_read_their_text(read: Read) -> None:
    advice = "2 of 3 documents are pages in HTML, read with their tags; --extract fast reads their"
    for name in ("a.html", "b.htm", "c.txt"):
        write(f"docs/{name}", b"<p>A page</p>")
    assert [one.startswith(advice) for one in read("docs")[1].advice()] == [True]
    assert read("docs", extract="all")[1].advice() == []
    write("docs/d.txt")
    assert read("docs")[1].advice() == []


def test_advice_says_what_was_left_out_and_what_to_do() -> None:
    tally = ReadReport(replaced=["a.txt", "b.txt"])
    for kind in [".pdf", ".pdf", ".pdf", ".doc", ".so", "", ""]:
        tally.skip(kind, {".pdf": "one way", ".doc": "another"}.get(kind, ""))
    assert tally.advice() == [
        "3 files were not read (.pdf 3); try one way",
        "1 file was not read (.doc 1); try another",
        "3 binary files were not read (no extension 2, .so 1)",
        "2 documents were decoded with U+FFFD in place of invalid bytes, the first of them 'a.txt'",
    ]
    assert ReadReport().advice() == []
