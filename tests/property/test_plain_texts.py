"""Plain texts that are read together are the documents that each would be alone."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from ilk import _kernels
from ilk.arrow import DOCUMENTS
from ilk.base.run_options import Running
from ilk.read import Reading, ReadReport
from ilk.read.encodings.decoding import Decoded, decode
from ilk.read.encodings.kinds import HEAD, is_binary
from ilk.read.files.walk import FoundFile
from ilk.read.folders import read_documents_of_files
from ilk.read.formats.table import (
    BEGINNINGS_OF_FORMATS,
    BY_EXTENSION,
    EARLY,
    EARLY_MARKS_OF_FORMATS,
    recognise_format_if_known,
)

#: What formats, messages, subtitles, files of ilk and other encodings hold, whole and in parts.
_SIGNS = (
    *BEGINNINGS_OF_FORMATS,
    *EARLY_MARKS_OF_FORMATS,
    *(b"\xef\xbb\xbf", b"\xff\xfe", b"\x1b$B", b"~{VPND~}", b"\0", b"\x1a", b"\x7f", b"\xe9"),
    *(b"From: a\n", b"Date: b\n", b"Message-Id: <c>\n", b"Subject: d\r\n\r\n", b"X-Mailer:"),
    *(b"From a@b Mon Jan  1 2001\n", b"7\n00:00:01,0 --> 00:00:02,0\n", b"WEBVTT\n"),
    *(b'{"plan": {"version"', b'{"log": ', b'{"cells": [], "cell_type": 1}', b"SQLite format 3\0"),
    *(b"ustar", b"{\\rtf1", b"GIF89a", b"BZh91AY&SY", b"PK\x03\x04", b"<html><body>"),
)
_WORDS = (b" ", b"\n", b"\t", b"\r\n", b"plain words ", "naïve café ".encode(), b"a-b", b":", b"1")
_LONG = (b"filler " * 40, b"filler " * 200)
_CONTENTS = st.lists(
    st.sampled_from(_SIGNS + 2 * _WORDS + _LONG) | st.binary(max_size=3), max_size=6
).map(b"".join)
_NAMES = st.sampled_from(
    (
        "a.txt",
        "a",
        "a.log",
        "a.md",
        "a.py",
        "a.html",
        "cur/a",
        ".txt",
        *map("a{}".format, BY_EXTENSION),
    )
)


@settings(max_examples=500)
@given(content=_CONTENTS, name=_NAMES)
@example(content=b"x" * 257 + b"ustar", name="a.txt")
@example(content=b" \n\t7\n00:00:01,0 --> 00:00:02,0\nwords", name="a.txt")
def test_what_is_marked_plain_is_plain_when_it_is_read_alone(content: bytes, name: str) -> None:
    (is_plain,) = _kernels.mark_plain_utf8_texts(
        pa.array([content], pa.large_binary()), BEGINNINGS_OF_FORMATS, EARLY_MARKS_OF_FORMATS
    )
    assume(is_plain)
    head = content[:HEAD]
    assert recognise_format_if_known(name, head, io.BytesIO(content)) is None
    assert not is_binary(head)
    assert decode(content) == Decoded(content, "utf-8", replaced=False)


@pytest.mark.parametrize(
    ("format_name", "content"),
    [
        ("mbox", b"From a@b Mon Jan  1 00:00:00 2001\nX-Mailer: c\n"),
        ("mail", b"From: a\nDate: b\nMessage-Id: c\n\nwords"),
        ("subtitles", b"WEBVTT\n\nwords"),
        ("subtitles", b" 7\r\n00:00:01,000 --> 00:00:02,000\r\nwords"),
        ("fb2", b"<?xml version='1.0'?>\n<FictionBook>"),
        ("notebook", b' \n{"cells": []}'),
        ("rtf", b"{\\rtf1 words}"),
        ("djvu", b"AT&TFORM words"),
        ("pdf", b"%PDF-1.7 words"),
        ("tar", b"x" * 257 + b"ustar words"),
        ("compressed", b"BZh91AY words"),
    ],
)
def test_a_text_of_a_known_format_is_not_plain(format_name: str, content: bytes) -> None:
    found = recognise_format_if_known("a", content, io.BytesIO(content))
    assert found is not None
    assert found.name == format_name
    column = pa.array([content], pa.large_binary())
    assert _kernels.mark_plain_utf8_texts(
        column, BEGINNINGS_OF_FORMATS, EARLY_MARKS_OF_FORMATS
    ) == [False]


@pytest.mark.parametrize("mark", [b"%PDF-", b"<FictionBook"])
def test_kernels_look_as_far_for_early_marks_as_the_question_of_a_single_file(mark: bytes) -> None:
    last, late = b"x" * (EARLY - len(mark)) + mark, b"x" * (EARLY - len(mark) + 1) + mark
    for content, counts in ((last, True), (late, False)):
        found = recognise_format_if_known("a.pdf", content, io.BytesIO(content))
        assert (found is not None) is counts
        column = pa.array([content], pa.large_binary())
        (is_plain,) = _kernels.mark_plain_utf8_texts(
            column, BEGINNINGS_OF_FORMATS, EARLY_MARKS_OF_FORMATS
        )
        assert is_plain is not counts


def _read(
    paths: Sequence[Path], reading: Reading, tally: ReadReport, jobs: int, least_batch_bytes: int
) -> list[pa.RecordBatch]:
    files = [FoundFile(str(path), follow=False) for path in paths]
    running = Running(jobs=jobs, memory=0)
    return list(
        read_documents_of_files(
            files, reading, running=running, tally=tally, least_batch_bytes=least_batch_bytes
        )
    )


_FILE = st.tuples(st.sampled_from(("txt", "log", "md", "html", "srt")), _CONTENTS) | st.tuples(
    st.just("txt"), st.sampled_from((b"short", b"a longer text\n" * 9))
)

#: Files, many of them the same several times: plain texts are read together where many follow.
_FILES = st.lists(st.tuples(_FILE, st.integers(1, 12)), min_size=1, max_size=6).map(
    lambda runs: [file for file, count in runs for _ in range(count)]
)


@settings(max_examples=40)
@given(
    files=_FILES,
    jobs=st.sampled_from((1, 2, 3)),
    least_batch_bytes=st.sampled_from((1, 700, 1 << 20)),
    reading=st.sampled_from(
        (Reading(), Reading.of(convert={"log": ["cat", "{}"]}), Reading.of(encoding="cp1252"))
    ),
)
def test_files_read_together_are_as_each_alone(
    files: list[tuple[str, bytes]], jobs: int, least_batch_bytes: int, reading: Reading
) -> None:
    with TemporaryDirectory() as folder:
        paths = [Path(folder, f"{number:02}.{kind}") for number, (kind, _) in enumerate(files)]
        for path, (_, content) in zip(paths, files, strict=True):
            path.write_bytes(content)
        tally, tally_of_each = ReadReport(), ReadReport()
        batches = _read(paths, reading, tally, jobs, least_batch_bytes)
        alone = [
            pa.Table.from_batches(_read([path], reading, tally_of_each, 1, 1), DOCUMENTS)
            for path in paths
        ]
        each = pa.concat_tables(alone)
        each = each.set_column(0, DOCUMENTS.field("doc"), pa.array(range(len(each)), pa.int64()))
        assert pa.Table.from_batches(batches, DOCUMENTS).equals(each)
        for batch in batches:
            batch.validate(full=True)
        # What else is tallied of an archive depends on whether an earlier file is its copy.
        for name in ("documents", "bytes", "encodings", "replaced", "pages", "unread"):
            assert getattr(tally, name) == getattr(tally_of_each, name)
    # A batch ends with the file whose documents bring it to its size.
    held, expected = 0, [0]
    for documents in alone:
        expected[-1] += len(documents)
        held += sum(documents["size"].to_pylist())
        held += sum(len(text.encode()) + 200 for text in documents["text"].to_pylist())
        if held >= least_batch_bytes:
            held = 0
            expected.append(0)
    assert [len(batch) for batch in batches] == [count for count in expected if count]
