"""Every format is read from folders: its text, what it says of itself, whatever its name."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
from tests.support import samples
from tests.support.readers import Read

from ilk import Limits
from ilk.base.run_options import Running

FORMATS = list(samples.SAMPLES)


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkdir("docs")


def write(name: str, content: bytes) -> None:
    Path("docs", name).write_bytes(content)


@pytest.mark.parametrize("extension", FORMATS)
def test_the_text_is_read_and_nothing_else(read: Read, extension: str) -> None:
    content = samples.SAMPLES[extension]()
    write(f"a{extension}", content)
    (row,), tally = read("docs")
    assert row["source"] == f"docs/a{extension}"
    assert tally.failures == []
    assert tally.warnings == []
    assert " ".join(samples.SENTENCES) in " ".join(row["text"].split())
    assert "<" not in row["text"]
    unpacked = extension in (".gz", ".bz2", ".xz", ".zst")
    assert row["size"] == (len(samples.TEXT) if unpacked else len(content))
    assert row["modified"] is not None


def test_the_format_is_known_by_the_content_whatever_the_name(read: Read) -> None:
    """Every format under every other's extension, and without one."""
    for extension in FORMATS:
        os.mkdir(f"docs/{extension}")
        content = samples.SAMPLES[extension]()
        for other in (*FORMATS, ""):
            write(f"{extension}/named{other}", content)
    rows, tally = read("docs")
    assert tally.failures == []
    assert len(rows) == len(FORMATS) * (len(FORMATS) + 1)
    texts = {(row["source"].split("/")[1], row["text"]) for row in rows}
    assert len(texts) == len(FORMATS)


@pytest.mark.parametrize("extension", samples.DECLARING)
def test_what_a_document_says_of_itself_is_kept(read: Read, extension: str) -> None:
    write(f"a{extension}", samples.SAMPLES[extension]())
    (row,), _ = read("docs")
    assert row["declared"]["title"] == "A title"
    assert row["declared"]["author"] == "A. Writer"
    assert row["declared"]["pages"] == {".pdf": 1, ".pptx": 9}.get(extension)


@pytest.mark.parametrize("extension", FORMATS)
def test_a_truncated_file_is_a_failure_or_a_document_and_the_next_is_read(
    read: Read, extension: str
) -> None:
    content = samples.SAMPLES[extension]()
    for part in range(1, 10):
        write(f"{part}{extension}", content[: len(content) * part // 10])
    write("z.txt", b"the next")
    rows, tally = read("docs")
    assert rows[-1]["text"] == "the next"
    assert len(rows) + len(tally.failures) + sum(tally.skipped.values()) >= 10


def test_documents_come_in_their_order_however_many_at_a_time(read: Read) -> None:
    for number in range(24):
        extension = (*FORMATS, ".txt")[number % (len(FORMATS) + 1)]
        content = samples.SAMPLES.get(extension, lambda: b"plain text")()
        write(f"{number:02}{extension}", content[: 500 if number == 1 else None])
    one, told = read("docs", running=Running(1, 0))
    several, told_again = read("docs", running=Running(3, 0))
    assert one == several
    assert told == told_again
    assert [failure.source[:7] for failure in told.failures] == ["docs/01"]


def test_documents_with_a_password_are_failures_of_their_own(read: Read) -> None:
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(1500)
    write("a.docx", head + "EncryptedPackage".encode("utf-16-le"))
    qpdf = shutil.which("qpdf")
    if qpdf is not None:
        write("plain.pdf", samples.pdf())
        secret = (qpdf, "--encrypt", "secret", "secret", "256", "--")
        subprocess.run([*secret, "docs/plain.pdf", "docs/z.pdf"], check=True)
        os.remove("docs/plain.pdf")
    rows, tally = read("docs")
    assert rows == []
    assert len(tally.failures) == 1 + (qpdf is not None)
    for _, reason in tally.failures:
        assert reason.startswith("is encrypted; save it without a password")


@pytest.mark.parametrize(
    ("stream", "extension"),
    [("WordDocument", ".doc"), ("PowerPoint Document", ".ppt"), ("__substg1.0_1000001F", ".msg")],
)
def test_formats_that_a_program_must_convert_are_named_with_it(
    read: Read, stream: str, extension: str
) -> None:
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(1500)
    write("a.bin", head + stream.encode("utf-16-le"))
    rows, tally = read("docs")
    assert (rows, tally.failures, tally.skipped) == ([], [], {extension: 1})
    assert f"try --convert '{extension[1:]}=" in tally.advice()[0]


@pytest.mark.parametrize("size", [500, 10_000])
def test_a_text_longer_than_the_limit_is_a_failure_that_names_it(read: Read, size: int) -> None:
    write("a.docx", samples.docx())
    rows, tally = read("docs", limits=Limits.of(text=size))
    if size == 500:
        ((source, reason),) = tally.failures
        assert (rows, source) == ([], "docs/a.docx")
        assert reason.endswith("more than --limit text allows (500)")
    else:
        assert len(rows) == 1


def test_pictures_and_drawings_in_the_pages_of_a_book_are_left_out_by_name(read: Read) -> None:
    plain = samples.epub()
    picture = b'<img src="data:image/png;base64,QUJD"/>'
    write("a.epub", plain)
    write("b.epub", _with_page(plain, picture))
    write("c.epub", _with_page(plain, picture.replace(b"QUJD", b"REVG")))
    write("d.epub", _with_page(plain, b'<svg xmlns="http://www.w3.org/2000/svg"><path/></svg>'))
    rows, _ = read("docs")
    assert len({row["text"] for row in rows}) == 1
    beside = ["", ", pictures", ", pictures", ", drawings"]
    assert [row["left_out"] for row in rows] == [f"unread parts{more}" for more in beside]
    assert len({row["left_digest"] for row in rows}) == 4


def _with_page(book: bytes, more: bytes) -> bytes:
    """Return a book with more at the end of its pages."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(book)) as archive, zipfile.ZipFile(out, "w") as changed:
        for info in archive.infolist():
            changed.writestr(info, archive.read(info).replace(b"</body>", more + b"</body>"))
    return out.getvalue()
