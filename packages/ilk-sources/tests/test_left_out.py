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
from tests.support import samples

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


def page_by_mail(more: str) -> bytes:
    """A message in HTML, with something more that its text does not show."""
    head = "From: a@b.c\r\nSubject: A page\r\nContent-Type: text/html\r\n\r\n"
    return f"{head}<p class='a'>{samples.TEXT.decode()}</p>{more}".encode()


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
    "pdf metadata": (".pdf", pdf(b"/Metadata 8 0 R", stream(b"/Type /Metadata", SECRET.encode()))),
    "pdf outline": (
        ".pdf",
        pdf(b"/Outlines 8 0 R", b"<< /First 9 0 R >>", b"<< /Title (%s) >>" % SECRET.encode()),
    ),
    "pdf script": (".pdf", pdf(b"/OpenAction << /S /JavaScript /JS (%s) >>" % SECRET.encode())),
    "pdf names of pages": (".pdf", pdf(b"/PageLabels << /Nums [0 << /P (x) >>] >>")),
    "pdf key that nobody knows": (".pdf", pdf(b"/SomethingNew (x)")),
    "pdf object that nothing shows": (".pdf", pdf(b"", FILE)),
    "pdf remark": (".pdf", edit_sample(".pdf", "4 0 obj", "% remark\n4 0 obj")),
    "pdf keywords": (".pdf", edit_sample(".pdf", "/Author", f"/Keywords ({SECRET}) /Author")),
    "pdf link": (
        ".pdf",
        edit_sample(".pdf", "/Type /Page ", "/Type /Page /Annots [<< /Subtype /Link /A (x) >>] "),
    ),
    "pdf picture that no page shows": (
        ".pdf",
        edit_sample(".pdf", "/XObject <<", "/XObject << /J << /Subtype /Form /Metadata (x) >> "),
    ),
    "docx keywords": (
        ".docx",
        inside(".docx", r"docProps/core\.xml", "</cp:core", f"<k>{SECRET}</k></cp:core"),
    ),
    "odt property": (
        ".odt",
        inside(".odt", r"meta\.xml", "</office:meta>", "<meta:user-defined/></office:meta>"),
    ),
    "xlsx string that no cell shows": (
        ".xlsx",
        inside(".xlsx", r"xl/sharedStrings\.xml", "</sst>", f"<si><t>{SECRET}</t></si></sst>"),
    ),
    "xlsx error": (
        ".xlsx",
        inside(
            ".xlsx",
            r"xl/worksheets/sheet1\.xml",
            "</sheetData>",
            '<row r="99"><c r="A99" t="e"><v>#REF!</v></c></row></sheetData>',
        ),
    ),
    "epub remark": (".epub", inside(".epub", r".*\.xhtml", "</p>", f"</p><!-- {SECRET} -->")),
    "epub alt text": (".epub", inside(".epub", r".*\.xhtml", "</p>", "</p><br aria-label='x'/>")),
    "epub link": (".epub", inside(".epub", r".*\.xhtml", "</p>", "</p><a href='x'></a>")),
    "fb2 remark": (".fb2", edit_sample(".fb2", "</body>", f"<!-- {SECRET} --></body>")),
    "mail in HTML, remark": (".eml", lambda: page_by_mail(f"<!-- {SECRET} -->")),
    "mail in HTML, link": (".eml", lambda: page_by_mail(f"<a href='{SECRET}'></a>")),
    "mail in HTML, script": (".eml", lambda: page_by_mail(f"<script>{SECRET}</script>")),
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
    return sorted(Path(name).name for name in found.files(drop=[drop]).size_by_dropped_file())


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in").mkdir()


@pytest.mark.parametrize("name", MORE)
def test_a_copy_that_alone_holds_something_else_stays(name: str) -> None:
    extension, make = MORE[name]
    second = make()
    first = page_by_mail("") if extension == ".eml" else samples.SAMPLES[extension]()
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


def test_a_pdf_of_another_time_and_program_goes() -> None:
    second = edit_sample(".pdf", "/CreationDate (D:2026", "/Producer (x) /CreationDate (D:2027")()
    assert gone(samples.SAMPLES[".pdf"](), second, ".pdf", "exact") == ["a copy.pdf"]


def test_a_message_of_another_look_goes() -> None:
    first, second = page_by_mail(""), page_by_mail("").replace(b"class='a'", b"style='color: red'")
    assert gone(first, second, ".eml", "exact") == ["a copy.eml"]


def test_a_document_of_other_times_goes() -> None:
    second = inside(".docx", r"docProps/core\.xml", "</cp:core", "<cp:revision/></cp:core")()
    assert gone(samples.SAMPLES[".docx"](), second, ".docx", "exact") == ["a copy.docx"]
