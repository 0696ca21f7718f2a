"""What a document holds besides its text counts where it is to be an exact copy of another one.

Each pair here has one text. The second document holds something more, which no reader shows.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from tests import samples

import ilk

SECRET = "nobody else has these words"


def inside(extension: str, part: str, old: str, new: str) -> Callable[[], bytes]:
    """A sample with something else in one of its parts."""

    def make() -> bytes:
        out = io.BytesIO()
        with (
            zipfile.ZipFile(io.BytesIO(samples.SAMPLES[extension]())) as known,
            zipfile.ZipFile(out, "w") as archive,
        ):
            for info in known.infolist():
                content = known.read(info)
                if re.fullmatch(part, info.filename):
                    assert old.encode() in content
                    content = content.replace(old.encode(), new.encode(), 1)
                archive.writestr(info, content)
        return out.getvalue()

    return make


def beside(extension: str, part: str, content: str = SECRET) -> Callable[[], bytes]:
    """A sample with one part more."""

    def make() -> bytes:
        out = io.BytesIO(samples.SAMPLES[extension]())
        with zipfile.ZipFile(out, "a") as archive:
            archive.writestr(zipfile.ZipInfo(part), content)
        return out.getvalue()

    return make


def edit_sample(extension: str, old: str, new: str) -> Callable[[], bytes]:
    """A sample that is no archive, with something else in it."""

    def make() -> bytes:
        content = samples.SAMPLES[extension]()
        assert old.encode() in content
        return content.replace(old.encode(), new.encode(), 1)

    return make


def after(extension: str, more: bytes = SECRET.encode()) -> Callable[[], bytes]:
    """A sample with bytes after its end."""
    return lambda: samples.SAMPLES[extension]() + more


def remark() -> bytes:
    out = io.BytesIO(samples.SAMPLES[".docx"]())
    with zipfile.ZipFile(out, "a") as archive:
        archive.comment = SECRET.encode()
    return out.getvalue()


def rtf(group: str) -> Callable[[], bytes]:
    """A sample with one group more."""

    def make() -> bytes:
        content = samples.SAMPLES[".rtf"]()
        end = content.rindex(b"}")
        return content[:end] + group.encode() + content[end:]

    return make


def skippable() -> bytes:
    frame = b"\x5a\x2a\x4d\x18" + len(SECRET).to_bytes(4, "little") + SECRET.encode()
    return samples.SAMPLES[".zst"]() + frame


def extra_field() -> bytes:
    field = b"ab" + len(SECRET).to_bytes(2, "little") + SECRET.encode()
    plain = gzip.compress(samples.TEXT, mtime=0)
    head = plain[:3] + bytes([plain[3] | 4]) + plain[4:10]
    return head + len(field).to_bytes(2, "little") + field + plain[10:]


def notebook() -> bytes:
    content = json.loads(samples.SAMPLES[".ipynb"]())
    content.setdefault("metadata", {})["widgets"] = {"state": SECRET}
    return json.dumps(content).encode()


def pdf(keys: bytes, *more: bytes) -> Callable[[], bytes]:
    """A sample with more keys in its catalogue, and more objects, the first of them number 8."""

    def make() -> bytes:
        objects = re.findall(rb"\d+ 0 obj\n(.*?)\nendobj\n", samples.pdf(), re.DOTALL)
        catalogue = objects[0].replace(b"/Catalog", b"/Catalog " + keys)
        return samples.assembled([catalogue, *objects[1:], *more])

    return make


def stream(keys: bytes, content: bytes) -> bytes:
    return b"<< %s /Length %d >>\nstream\n%s\nendstream" % (keys, len(content), content)


FILE = stream(b"", SECRET.encode())
FILE_NAMED = b"<< /Type /Filespec /F (s.txt) /EF << /F 8 0 R >> >>"
PACKED = b"9 0 " + FILE_NAMED
MORE = {
    "docx remark": (".docx", remark),
    "docx bytes after": (".docx", after(".docx")),
    "docx customXml": (".docx", beside(".docx", "customXml/item9.xml")),
    "docx properties": (".docx", beside(".docx", "docProps/custom.xml")),
    "docx unknown part": (".docx", beside(".docx", "word/somethingNew.xml")),
    "docx link": (".docx", beside(".docx", "word/_rels/header7.xml.rels")),
    "docx symbol": (".docx", inside(".docx", r"word/document\.xml", "</w:p>", "<w:sym/></w:p>")),
    "docx WordArt": (
        ".docx",
        inside(".docx", r"word/document\.xml", "</w:p>", f"<v:path string='{SECRET}'/></w:p>"),
    ),
    "pptx drawing": (
        ".pptx",
        inside(".pptx", r"ppt/slides/slide1\.xml", "</p:spTree>", "<p:new/></p:spTree>"),
    ),
    "pptx layout": (".pptx", beside(".pptx", "ppt/slideLayouts/slideLayout99.xml")),
    "xlsx query": (".xlsx", beside(".xlsx", "customXml/item1.xml")),
    "odt drawing": (
        ".odt",
        inside(".odt", r"content\.xml", "</office:text>", "<x/></office:text>"),
    ),
    "odt scripts": (".odt", beside(".odt", "META-INF/documentsignatures.xml")),
    "epub style sheet": (".epub", beside(".epub", "a.css")),
    "epub contents": (".epub", beside(".epub", "a.ncx")),
    "fb2 annotation": (
        ".fb2",
        edit_sample(".fb2", "</description>", f"<annotation>{SECRET}</annotation></description>"),
    ),
    "rtf header": (".rtf", rtf(r"{\header " + SECRET + "}")),
    "rtf footnote": (".rtf", rtf(r"{\footnote " + SECRET + "}")),
    "rtf annotation": (".rtf", rtf(r"{\*\annotation " + SECRET + "}")),
    "rtf text box": (".rtf", rtf(r"{\shp{\*\shpinst{\shptxt " + SECRET + "}}}")),
    "rtf unknown group": (".rtf", rtf(r"{\*\somethingnew " + SECRET + "}")),
    "rtf remark": (".rtf", rtf(r"{\info{\title A title}{\doccomm " + SECRET + "}}")),
    "rtf bytes after": (".rtf", after(".rtf")),
    "pdf form": (".pdf", pdf(b"/AcroForm << /XFA 8 0 R /Fields [] >>", FILE)),
    "pdf file": (".pdf", pdf(b"/AF [9 0 R]", FILE, FILE_NAMED)),
    "pdf file in a stream": (
        ".pdf",
        pdf(
            b"/AF [9 0 R]",
            FILE,
            b"null",
            stream(b"/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode", zlib.compress(PACKED)),
        ),
    ),
    "pdf bytes after": (".pdf", after(".pdf")),
    "pdf older revision": (
        ".pdf",
        after(".pdf", b"\n9 0 obj (x) endobj\nstartxref\n1\n%%EOF\n"),
    ),
    "notebook widgets": (".ipynb", notebook),
    "subtitles note": (".srt", edit_sample(".srt", "2\r\n", f"{SECRET}\r\n\r\n2\r\n")),
    "zstd frame": (".zst", skippable),
    "gzip field": (".gz", extra_field),
}


def gone(first: bytes, second: bytes, extension: str, drop: str) -> list[str]:
    """The files that a plan drops, of two that are copies by their names."""
    for name, content in (("a", first), ("a copy", second)):
        Path("in", name + extension).write_bytes(content)
    found = ilk.find("in")
    assert found.clusters["verdict"].to_pylist()[1:] in (["exact"], ["identical"])
    return sorted(Path(name).name for name in found.files(drop=[drop]).dropped_sizes())


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in").mkdir()


@pytest.mark.parametrize("name", MORE)
def test_a_copy_that_alone_holds_something_else_stays(name: str) -> None:
    extension, make = MORE[name]
    first = samples.SAMPLES[extension]()
    second = make()
    assert first != second
    assert f"a copy{extension}" not in gone(first, second, extension, "exact")


def saved_again(extension: str) -> bytes:
    """The sample with other times in its ZIP, and others in what it says of itself."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(samples.SAMPLES[extension]())) as known,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for info in known.infolist():
            again = zipfile.ZipInfo(info.filename, (2024, 5, 6, 7, 8, 10))
            archive.writestr(again, known.read(info))
    return out.getvalue()


@pytest.mark.parametrize("extension", [".docx", ".pptx", ".xlsx", ".odt", ".epub"])
def test_a_document_that_was_packed_again_goes(extension: str) -> None:
    first, second = samples.SAMPLES[extension](), saved_again(extension)
    assert gone(first, second, extension, "exact") == [f"a copy{extension}"]


def test_a_document_with_other_marks_of_revisions_goes() -> None:
    first = samples.SAMPLES[".docx"]()
    second = inside(".docx", r"word/document\.xml", "<w:p>", "<w:p w:rsidR='00AB'><w:proofErr/>")()
    assert gone(first, second, ".docx", "exact") == ["a copy.docx"]


def test_rich_text_of_another_time_and_look_goes() -> None:
    second = rtf(r"{\info{\revtim\yr2024}}{\*\generator New;}{\colortbl;\red0;}")()
    assert gone(samples.SAMPLES[".rtf"](), second, ".rtf", "exact") == ["a copy.rtf"]
