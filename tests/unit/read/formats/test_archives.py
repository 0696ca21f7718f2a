"""Archives and what is compressed: every file in them is a document, within limits."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import warnings
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa
import pytest

from ilk import Limits
from ilk.read import Reading, ReadReport
from ilk.read.folders import read_documents_except_unnamed_binary_rows
from ilk.read.formats import archives, child_pool
from ilk.read.formats.parts import MemberPart, Unfit
from tests.support import hostile_documents, samples
from tests.support.readers import Read

FILES = {
    "b/c.txt": b"plain text",
    "a.pdf": samples.pdf(),
    "empty": b"",
    "noise.bin": b"\x7fELF\0\0\0",
    "../../outside.txt": b"a name that leads out",
    "/root.txt": b"a name from the root",
}

ARCHIVES = {
    ".zip": samples.zipped(FILES),
    ".tar": samples.tarred(FILES),
    ".tar.gz": samples.tarred(FILES, "w:gz"),
    ".tgz": samples.tarred(FILES, "w:gz"),
    ".tar.bz2": samples.tarred(FILES, "w:bz2"),
    ".tar.xz": samples.tarred(FILES, "w:xz"),
    ".tar.zst": bytes(pa.compress(samples.tarred(FILES), "zstd", asbytes=True)),
}
# pzstd writes a frame to skip before each other one.
ARCHIVES[".skip.tar.zst"] = b"\x50\x2a\x4d\x18\x04\0\0\0size" + ARCHIVES[".tar.zst"]


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "in" / "here" / "docs").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "in" / "here")


def write(name: str, content: bytes) -> None:
    Path("docs", name).write_bytes(content)


@pytest.mark.parametrize("extension", ARCHIVES)
def test_the_files_in_an_archive_are_documents_and_nothing_is_written(
    read: Read, tmp_path: Path, extension: str
) -> None:
    write(f"a{extension}", ARCHIVES[extension])
    before = sorted(tmp_path.rglob("*"))
    rows, tally = read("docs")
    assert tally.failures == []
    assert tally.skipped == {".bin": 1}
    assert {row["source"].removeprefix(f"docs/a{extension}"): row["size"] for row in rows} == {
        "!/" + name: len(content) for name, content in FILES.items() if name != "noise.bin"
    }
    assert rows[1]["text"].split("\n")[0] == samples.SENTENCES[0]
    assert sorted(tmp_path.rglob("*")) == before


def test_archives_stand_in_archives_as_deep_as_is_allowed(read: Read) -> None:
    content = samples.TEXT
    for depth in range(4):
        content = samples.zipped({f"{depth}.zip" if depth else "a.txt": content})
    write("a.zip", content)
    rows, tally = read("docs")
    assert [row["source"] for row in rows] == ["docs/a.zip!/3.zip!/2.zip!/1.zip!/a.txt"]
    rows, tally = read("docs", limits=Limits.of(nesting=3))
    assert (rows, len(tally.failures)) == ([], 1)
    assert "deeper than --limit nesting allows (3)" in tally.failures[0].reason


def test_a_compressed_document_is_known_by_the_name_below(read: Read) -> None:
    write("a.pdf.gz", gzip.compress(samples.pdf()))
    write("b.html.gz", gzip.compress(samples.page().encode()))
    rows, tally = read("docs", extract="all")
    assert tally.failures == []
    assert [row["source"] for row in rows] == ["docs/a.pdf.gz", "docs/b.html.gz"]
    assert all(" ".join(samples.SENTENCES) in " ".join(row["text"].split()) for row in rows)


def test_files_of_one_name_are_told_apart(read: Read) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in range(3):
            archive.writestr("a.txt", f"number {number}")
    write("a.zip", out.getvalue())
    rows, _ = read("docs")
    assert [row["source"][9:] for row in rows] == ["p!/a.txt", "p!/a.txt~2", "p!/a.txt~3"]


def test_a_file_with_a_password_is_a_failure_and_the_others_are_read(read: Read) -> None:
    content = bytearray(samples.zipped({"a.txt": b"secret", "b.txt": b"open"}))
    at = content.index(b"PK\x01\x02")
    for flags in (at + 8, content.index(b"PK\x03\x04") + 6):
        content[flags] |= 1
    write("a.zip", bytes(content))
    rows, tally = read("docs")
    assert [row["text"] for row in rows] == ["open"]
    assert tally.failures == [("docs/a.zip!/a.txt", "is encrypted; unpack it with its password")]


def test_links_and_devices_in_a_tar_are_left_out(read: Read) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, kind in (("link", tarfile.SYMTYPE), ("hard", tarfile.LNKTYPE)):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
        info = tarfile.TarInfo("device")
        info.type = tarfile.CHRTYPE
        archive.addfile(info)
    write("a.tar", out.getvalue())
    rows, tally = read("docs")
    assert (rows, tally.failures) == ([], [])


def test_programs_that_are_zips_are_not_opened(read: Read) -> None:
    write("a.jar", samples.zipped({"a.txt": b"text"}))
    rows, tally = read("docs")
    assert (rows, tally.skipped) == ([], {".jar": 1})


def test_a_program_of_the_users_own_reads_what_stands_in_an_archive(read: Read) -> None:
    write("a.zip", samples.zipped({"in/a.x": b"within"}))
    (row,), tally = read("docs", convert={"x": ["cat", "{}"]})
    assert (row["source"], row["text"], tally.failures) == ("docs/a.zip!/in/a.x", "within", [])


def test_archives_that_hold_too_deep_ones_by_the_hundreds_start_no_child_for_them(
    read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A child that is given up is ended; a start for each would take hours for a file of 2 kB."""
    started = []

    def counted(program: str, arguments: Sequence[str]) -> child_pool.Child:
        started.append(program)
        return child_pool.Child(program, arguments)

    monkeypatch.setattr("ilk.read.formats.reader.Child", counted)
    Path("docs/a.zip").write_bytes(hostile_documents.zip_of_zips(8, 2, 10))
    letter = bytes(samples.message(note_txt=b"attached"))
    _, tally = read("docs", limits=Limits.of(nesting=7))
    assert len(tally.failures) == 1 << 7
    assert all("--limit nesting allows (7)" in failure.reason for failure in tally.failures)
    Path("docs/b.zip").write_bytes(samples.zipped({f"{at}.eml": letter for at in range(40)}))
    tally, reading = ReadReport(), Reading.of(limits=Limits.of(nesting=1))
    (batch,) = read_documents_except_unnamed_binary_rows(["docs/b.zip"], reading, tally=tally)
    assert (len(batch), len(tally.failures)) == (40, 40)
    assert len(started) < 20


def _unpacked(content: bytes) -> list[bytes]:
    found = archives.read_compressed(io.BytesIO(content), Limits())
    return [one.data for one in found if isinstance(one, MemberPart)]


@pytest.mark.parametrize("padding", [b"", b"\0" * 4, b"\0" * 4000])
def test_every_stream_of_xz_is_read_whatever_padding_is_between(padding: bytes) -> None:
    streams = [lzma.compress(b"the first, "), lzma.compress(b""), lzma.compress(b"the second")]
    assert _unpacked(padding.join(streams) + padding) == [b"the first, the second"]


def test_every_stream_of_bzip2_is_read() -> None:
    assert _unpacked(bz2.compress(b"one, ") + bz2.compress(b"two")) == [b"one, two"]


@pytest.mark.parametrize("compress", [lzma.compress, bz2.compress])
def test_other_bytes_after_what_is_compressed_are_not_passed_over(
    compress: Callable[[bytes], bytes],
) -> None:
    for after in (b"a word", b"\0\0\0\0a word"):
        with pytest.raises(Unfit, match="other bytes after"):
            _unpacked(compress(b"a text") + after)
    for end in range(7, len(compress(b"a text"))):
        with pytest.raises((EOFError, OSError, lzma.LZMAError)):
            _unpacked(compress(b"a text")[:end])
