"""Documents that are made to harm whoever reads them; made when a test needs them, never stored."""

from __future__ import annotations

import gzip
import io
import zipfile
import zlib

from tests.support import samples

_WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


_PAGE = (
    b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 6 0 R /Resources "
    b"<< /Font << /F1 3 0 R >> >> >>"
)


def docx_bomb(size: int) -> bytes:
    """Return a document of Word whose body unpacks to ``size`` bytes."""
    body = f"<w:document {_WORD}><w:body>".encode()
    piece = b"<w:p><w:r><w:t>" + b"a" * 990 + b"</w:t></w:r></w:p>"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        with archive.open("word/document.xml", "w") as file:
            file.write(body)
            for _ in range(size // len(piece)):
                file.write(piece)
            file.write(b"</w:body></w:document>")
    return out.getvalue()


def pdf_bomb(size: int) -> bytes:
    """Return a PDF of some kB whose one page unpacks, twice, to ``size`` bytes."""
    shown = b"BT /F1 9 Tf (bomb) Tj ET " + b" " * size
    content = zlib.compress(zlib.compress(shown, 1), 9)
    return samples.assembled(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Count 1 /Kids [5 0 R] >>",
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            b"<< >>",
            _PAGE,
            b"<< /Length %d /Filter [/FlateDecode /FlateDecode] >>\nstream\n%s\nendstream"
            % (len(content), content),
        ]
    )


def pdf_of_objects(count: int) -> bytes:
    """Return a PDF that has this many objects, on no page."""
    page = (
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>",
        *(b"[%d 0 R]" % at for at in range(count)),
    )
    head = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count 1 /Kids [5 0 R] >>",
        b"<< >>",
        b"<< >>",
    )
    return samples.assembled([*head, *page])


def zip_of_zips(depth: int, width: int, size: int) -> bytes:
    """Return zips in zips, ``width`` in each, ``depth`` deep; the last hold a file of ``size``."""
    content = samples.zipped({"zeros": bytes(size)})
    for _ in range(depth):
        content = samples.zipped({f"{at}.zip": content for at in range(width)})
    return content


def gzip_bomb(size: int) -> bytes:
    """Return zeros, compressed."""
    return gzip.compress(bytes(size))


def laughing(text: bytes, begin: bytes) -> bytes:
    """Return a document in XML whose entities would grow to 10^9 words after ``begin``."""
    laughs = b"<!ENTITY l0 'laugh '>" + b"".join(
        b"<!ENTITY l%d '%s'>" % (at, b"&l%d;" % (at - 1) * 10) for at in range(1, 10)
    )
    head, _, tail = text.rpartition(begin)
    return b"<!DOCTYPE any [" + laughs + b"]>" + head + begin + b"&l9;" + tail


def reading_a_file(text: bytes, begin: bytes, path: str) -> bytes:
    """Return a document in XML that has the text of a file after ``begin``."""
    entity = b"<!DOCTYPE any [<!ENTITY file SYSTEM 'file://%s'>]>" % path.encode()
    head, _, tail = text.rpartition(begin)
    return entity + head + begin + b"&file;" + tail


def replaced(archive: bytes, name: str, content: bytes) -> bytes:
    """Return a zip with other bytes in one of its parts."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(archive)) as source,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target,
    ):
        for info in source.infolist():
            target.writestr(info, content if info.filename == name else source.read(info))
    return out.getvalue()


def part(archive: bytes, name: str) -> bytes:
    """Return a part of a zip, without the declaration of XML."""
    with zipfile.ZipFile(io.BytesIO(archive)) as source:
        content = source.read(name)
    return content[content.index(b"?>") + 2 :] if content.startswith(b"<?xml") else content


def far_cell() -> bytes:
    """Return a workbook whose two cells are as far apart as can be."""
    from xlsxwriter import Workbook

    out = io.BytesIO()
    book = Workbook(out)
    sheet = book.add_worksheet()
    sheet.write(0, 0, "here")
    sheet.write(1_048_575, 16_383, "there")
    book.close()
    return out.getvalue()
