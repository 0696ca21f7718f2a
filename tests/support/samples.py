"""Documents of every format, made when a test needs them; none is stored."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from email.message import EmailMessage
from typing import Literal

import pyarrow as pa

#: What sentences speak of.
THINGS = [
    "harbours",
    "gardens",
    "letters",
    "bridges",
    "lanterns",
    "orchards",
    "winters",
    "engines",
    "clocks",
    "maps",
    "kitchens",
    "rivers",
    "violins",
    "ladders",
    "markets",
    "mirrors",
    "stones",
    "feathers",
]
#: Who sentences speak of.
PEOPLE = [
    "sailors",
    "teachers",
    "weavers",
    "miners",
    "doctors",
    "painters",
    "bakers",
    "pilots",
    "farmers",
    "judges",
    "poets",
    "masons",
    "tailors",
    "smiths",
    "clerks",
    "hunters",
    "monks",
    "nurses",
]

#: Sentences that every sample holds, so that all of them are of one family.
SENTENCES = [
    f"Sentence {number} speaks of {thing}, and of {person} too."
    for number, (thing, person) in enumerate(zip(THINGS, PEOPLE, strict=True), 1)
]


_IMAGE = (
    b"<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray "
    b"/BitsPerComponent 8 /Length 1 >>\nstream\n\0\nendstream"
)


def pdf(
    pages: Sequence[Sequence[str]] = (SENTENCES,),
    *,
    title: str = "",
    image: bool = False,
    level: int = 6,
) -> bytes:
    """Return a PDF with lines of ASCII on pages; with ``image``, an image on each."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count %d /Kids [%s] >>"
        % (len(pages), b" ".join(b"%d 0 R" % (6 + 2 * at) for at in range(len(pages)))),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Title (%s) /Author (A. Writer) /CreationDate (D:20260102030405Z) >>" % title.encode(),
        _IMAGE,
    ]
    for at, lines in enumerate(pages):
        shown = b" ".join(b"(%s) Tj T*" % _escaped(line) for line in lines)
        draw = b"BT /F1 9 Tf 12 TL 50 800 Td %s ET" % shown
        if image:
            draw += b" q 99 0 0 99 50 50 cm /I Do Q"
        content = zlib.compress(draw, level)
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R /Resources "
            b"<< /Font << /F1 3 0 R >> /XObject << /I 5 0 R >> >> >>" % (7 + 2 * at)
        )
        objects.append(
            b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream"
            % (len(content), content)
        )
    return assembled(objects)


def _escaped(line: str) -> bytes:
    return re.sub(r"([\\()])", r"\\\1", line).encode()


def assembled(objects: Sequence[bytes]) -> bytes:
    """Return a PDF of objects, the first of them the catalogue, the fourth what it says."""
    out, offsets = io.BytesIO(), []
    out.write(b"%PDF-1.5\n")
    for number, content in enumerate(objects, 1):
        offsets.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, content))
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    out.write(b"".join(b"%010d 00000 n \n" % offset for offset in offsets))
    out.write(b"trailer\n<< /Size %d /Root 1 0 R /Info 4 0 R >>\n" % (len(objects) + 1))
    out.write(b"startxref\n%d\n%%%%EOF\n" % start)
    return out.getvalue()


def docx(lines: Sequence[str] = SENTENCES, title: str = "") -> bytes:
    """Return a document of Word, written by python-docx."""
    from docx import Document

    document, out = Document(), io.BytesIO()
    document.core_properties.title, document.core_properties.author = title, "A. Writer"
    for line in lines:
        document.add_paragraph(line)
    document.save(out)
    return out.getvalue()


def pptx(lines: Sequence[str] = SENTENCES, title: str = "") -> bytes:
    """Return slides of two lines each, the second as a note, written by python-pptx."""
    from pptx import Presentation
    from pptx.util import Inches

    slides, out = Presentation(), io.BytesIO()
    slides.core_properties.title, slides.core_properties.author = title, "A. Writer"
    for at in range(0, len(lines), 2):
        slide = slides.slides.add_slide(slides.slide_layouts[6])
        box = slide.shapes.add_textbox(Inches(1), Inches(1), Inches(1), Inches(1))
        box.text_frame.text = lines[at]
        if at + 1 < len(lines):
            slide.notes_slide.notes_text_frame.text = lines[at + 1]
    slides.save(out)
    return out.getvalue()


def xlsx(lines: Sequence[str] = SENTENCES, title: str = "") -> bytes:
    """Return a workbook with a line in each row, written by XlsxWriter."""
    from xlsxwriter import Workbook

    out = io.BytesIO()
    book = Workbook(out)
    book.set_properties({"title": title, "author": "A. Writer"})
    sheet = book.add_worksheet("Sheet")
    for at, line in enumerate(lines):
        sheet.write_row(at, 0, line.split(" "))
    book.close()
    return out.getvalue()


def opendocument(kind: str, lines: Sequence[str] = SENTENCES, title: str = "") -> bytes:
    """Return a text, a presentation or a spreadsheet, written by odfdo."""
    from odfdo import Document, DrawPage, Frame, Paragraph, Row, Table

    document, out = Document(kind), io.BytesIO()
    document.body.clear()
    if kind == "text":
        for line in lines:
            document.body.append(Paragraph(line))
    elif kind == "presentation":
        for at, line in enumerate(lines):
            page = DrawPage(f"page {at}")
            page.append(Frame.text_frame(Paragraph(line)))
            document.body.append(page)
    else:
        table = Table("Sheet")
        for line in lines:
            row = Row()
            row.set_values(line.split(" "))
            table.append_row(row)
        document.body.append(table)
    document.meta.title, document.meta.creator = title, "A. Writer"
    document.save(out)
    return out.getvalue()


def epub(lines: Sequence[str] = SENTENCES, title: str = "") -> bytes:
    """Return a book of two chapters, which its package names in another order than the spine."""
    half = len(lines) // 2
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        archive.writestr(
            "META-INF/container.xml",
            '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
            '<rootfile full-path="in/book.opf"/></rootfiles></container>',
        )
        archive.writestr(
            "in/book.opf",
            '<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>'
            f"<dc:title>{title}</dc:title><dc:creator>A. Writer</dc:creator></metadata>"
            '<manifest><item id="b" href="b%201.xhtml"/><item id="a" href="a.xhtml"/></manifest>'
            '<spine><itemref idref="a"/><itemref idref="b"/></spine></package>',
        )
        for name, chapter in (("b 1", lines[half:]), ("a", lines[:half])):
            archive.writestr(f"in/{name}.xhtml", page(chapter))
    return out.getvalue()


def page(lines: Sequence[str] = SENTENCES) -> str:
    """Return a page in XHTML."""
    body = "".join(f"<p>{line}</p>\n" for line in lines)
    head = "<head><title>In the head</title><style>p { color: red }</style></head>"
    return f"<?xml version='1.0'?><!DOCTYPE html><html>{head}<body>{body}</body></html>"


def fb2(lines: Sequence[str] = SENTENCES, title: str = "") -> bytes:
    """Return a book in FictionBook."""
    body = "".join(f"<p>{line}</p>" for line in lines)
    author = "<author><first-name>A.</first-name><last-name>Writer</last-name></author>"
    info = f"<description><title-info>{author}<book-title>{title}</book-title></title-info>"
    return (
        "<?xml version='1.0' encoding='utf-8'?><FictionBook "
        f"xmlns='http://www.gribuser.ru/xml/fictionbook/2.0'>{info}</description>"
        f"<body><section>{body}</section></body><binary id='a'>AAAA</binary></FictionBook>"
    ).encode()


def rtf(lines: Sequence[str] = SENTENCES, title: str = "") -> bytes:
    """Return rich text."""
    body = "\\par\n".join(lines)
    info = f"{{\\info{{\\title {title}}}{{\\author A. Writer}}}}"
    return f"{{\\rtf1\\ansi{{\\fonttbl{{\\f0 Arial;}}}}{info}\\f0 {body}\\par}}".encode()


def message(
    lines: Sequence[str] = SENTENCES, title: str = "", **attached: bytes | EmailMessage
) -> EmailMessage:
    """Return a message with attachments; ``_`` stands for a point in their names."""
    made = EmailMessage()
    made["Subject"], made["From"], made["To"] = title, "A. Writer", "reader@example.org"
    made["Date"], made["Message-ID"] = "Fri, 02 Jan 2026 03:04:05 +0000", "<1@example.org>"
    made.set_content("\n".join(lines))
    made.add_alternative(page(lines), subtype="html")
    for name, content in attached.items():
        if isinstance(content, bytes):
            named = name.replace("_", ".")
            made.add_attachment(content, "application", "octet-stream", filename=named)
        else:
            made.add_attachment(content)
    return made


def mhtml(lines: Sequence[str] = SENTENCES) -> bytes:
    """Return a page of the web with its image, as browsers save it."""
    made = EmailMessage()
    made["From"], made["Date"] = "<Saved by a browser>", "Fri, 02 Jan 2026 03:04:05 +0000"
    made["Snapshot-Content-Location"] = "https://example.org/"
    made.set_content(page(lines), subtype="html")
    made.add_related(b"\x89PNG\r\n\x1a\n", "image", "png", filename="a.png")
    return bytes(made)


def notebook(lines: Sequence[str] = SENTENCES) -> bytes:
    """Return a notebook with a cell for each line, and what it printed."""
    cells = [
        {
            "cell_type": "code",
            "source": [line[:9], line[9:]],
            "outputs": [{"output_type": "stream", "text": ["printed"]}],
        }
        for line in lines
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}).encode()


def subtitles(lines: Sequence[str] = SENTENCES) -> bytes:
    """Return subtitles in SubRip."""
    return "".join(
        f"{at}\r\n00:00:{at:02},000 --> 00:00:{at + 1:02},500\r\n<i>{line}</i>\r\n\r\n"
        for at, line in enumerate(lines, 1)
    ).encode()


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Return an archive in ZIP."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def tarred(files: Mapping[str, bytes], mode: Literal["w", "w:gz", "w:bz2", "w:xz"] = "w") -> bytes:
    """Return an archive in tar, perhaps compressed."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


TEXT = "\n".join(SENTENCES).encode()

#: By extension, what makes one document of the same sentences, perhaps with a title.
SAMPLES: dict[str, Callable[[], bytes]] = {
    ".pdf": lambda: pdf(title="A title"),
    ".docx": lambda: docx(title="A title"),
    ".pptx": lambda: pptx(title="A title"),
    ".xlsx": lambda: xlsx(title="A title"),
    ".ods": lambda: opendocument("spreadsheet", title="A title"),
    ".odt": lambda: opendocument("text", title="A title"),
    ".odp": lambda: opendocument("presentation", title="A title"),
    ".epub": lambda: epub(title="A title"),
    ".fb2": lambda: fb2(title="A title"),
    ".rtf": lambda: rtf(title="A title"),
    ".eml": lambda: bytes(message(title="A title")),
    ".mht": mhtml,
    ".ipynb": notebook,
    ".srt": subtitles,
    ".gz": lambda: gzip.compress(TEXT),
    ".bz2": lambda: bz2.compress(TEXT),
    ".xz": lambda: lzma.compress(TEXT),
    ".zst": lambda: bytes(pa.compress(TEXT, "zstd", asbytes=True)),
}

#: Those that say of themselves what they are called, and by whom they are.
DECLARING = tuple(
    one for one in SAMPLES if one not in (".mht", ".ipynb", ".srt", ".gz", ".bz2", ".xz", ".zst")
)
