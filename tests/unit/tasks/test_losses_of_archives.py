"""What an archive holds beside its files keeps it: a plan loses no remark, and no byte."""

from __future__ import annotations

import bz2
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import ilk
from ilk.base.errors import IlkError
from tests.unit.tasks.test_losses import TEXT, gone, put, why

REMARK = b"This remark stands nowhere else. " * 5


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    put("a.txt", TEXT)


def zipped(remark: bytes = b"", remark_on_file: bytes = b"", hidden: bytes = b"") -> bytes:
    """Return a zip of the text; ``hidden`` is in no list of its files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        if hidden:
            archive.writestr("hidden.txt", hidden)
            archive.filelist.clear()
        info = zipfile.ZipInfo("a.txt")
        info.comment, archive.comment = remark_on_file, remark
        archive.writestr(info, TEXT)
    return out.getvalue()


def make_piped_zip(sizes: bytes = bytes(16)) -> bytes:
    """Return a zip as a program writes it to a pipe: sizes come after each file.

    Args:
        sizes: what stands before the second file in place of its sizes.
    """

    class Pipe(io.BytesIO):
        def tell(self) -> int:
            raise OSError("a pipe has no place")

    out = Pipe()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", TEXT)
        with archive.open("\u00e4.txt", "w", force_zip64=True) as file:
            file.write(TEXT.encode())
    field = b"\x01\x00\x10\x00"
    assert out.getvalue().count(field + bytes(16)) == 1
    return out.getvalue().replace(field + bytes(16), field + sizes)


def tarred(mode: str = "w") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:  # type: ignore[call-overload]
        info = tarfile.TarInfo("a.txt")
        info.size = len(TEXT)
        archive.addfile(info, io.BytesIO(TEXT.encode()))
    return out.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        zipped(),
        make_piped_zip(),
        tarred(),
        tarred("w:gz"),
        tarred() + bytes(4096),
        tarred()[:-5120],
    ],
    ids=["zip", "streamed", "tar", "tar.gz", "padded", "unpadded"],
)
def test_an_archive_of_what_is_elsewhere_goes(content: bytes) -> None:
    put("b.archive", content)
    assert gone() == ["b.archive"]


@pytest.mark.parametrize(
    "content",
    [
        zipped(remark=REMARK),
        zipped(remark_on_file=REMARK),
        zipped(hidden=REMARK),
        zipped() + REMARK,
        tarred() + REMARK,
        tarred() + tarred(),
    ],
    ids=["remark", "remark on a file", "no list", "after a zip", "after a tar", "two tars"],
)
def test_an_archive_stays_for_what_is_in_none_of_its_files(content: bytes) -> None:
    put("b.archive", content)
    assert gone() == []
    assert why("b.archive").startswith("has a part that was not read")


def test_a_field_of_sizes_that_holds_something_else_keeps_its_archive() -> None:
    put("b.archive", make_piped_zip(sizes=REMARK[:16]))
    assert gone() == []
    assert "an extra field in it may stand nowhere else" in why("b.archive")


@pytest.mark.parametrize("compress", [bz2.compress, lzma.compress])
@pytest.mark.parametrize("text", [TEXT, TEXT * 3, TEXT[:5], TEXT[:77]])
def test_bytes_after_a_compressed_file_are_not_left_out(
    compress: Callable[[bytes], bytes], text: str
) -> None:
    packed = compress(text.encode())
    for name, content in (("a.txt", text.encode()), ("b.packed", packed), ("c.packed", packed * 2)):
        put(name, content)
    assert "b.packed" in gone()
    assert ilk.find(Path("in")).report["failures"] == []
    put("d.packed", packed + REMARK)
    found = ilk.find(Path("in"))
    assert [row["source"] for row in found.report["failures"]] == ["in/d.packed"]
    with pytest.raises(IlkError, match="other bytes after"):
        ilk.compare("in/a.txt", "in/d.packed")
