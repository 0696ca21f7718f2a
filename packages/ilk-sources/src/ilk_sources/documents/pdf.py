"""PDF by PDFium: the text of every page, without page furniture.

Words split at line ends are joined; headers and footers that many pages share are kept only once,
and page numbers are left out.
"""

from __future__ import annotations

import contextlib
import ctypes
import re
import subprocess
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

from ilk import Limits
from ilk.companions import UNREAD, errors
from ilk.plugins import DocumentPart, DocumentText, Left, StillWorking, Unfit
from ilk_sources.documents.markup import LeftOutPiece
from ilk_sources.documents.pdf_objects import find_unshown_or_all

#: Lines at the top and at the bottom of a page that may be headers and footers.
_EDGE = 2

#: PDFium's mark for two lines joined at a hyphen, which it also puts before text below the last
#: line.
_JOINED = "\x02"

_HYPHEN = re.compile(r"[-\u00ad\u2010]\n(?<=[^\W\d_]..)([^\W\d_])", re.DOTALL)

#: Dots per inch of the image of a page, and the most pixels.
_DOTS, _PIXELS = 300, 50_000_000

#: Points up to which something drawn is a rule, or the border of a table.
_RULE = 3.0

_NUMBER = re.compile(r"\d{1,6}")
_NOT_ONLY_A_NUMBER = re.compile(r"[^\W\d_]{3}")
_PAGE_OF = re.compile(
    r"\b(?:page|pages|seite|p\u00e1gina|pagina|of|von|de|di|sur)\b", re.IGNORECASE
)
_DATE = re.compile(r"D:(\d{4})(\d{2})?(\d{2})?")


def read_pdf(
    file: BinaryIO, limits: Limits, *, ocr: Sequence[str] | None = None
) -> Iterator[DocumentPart]:
    """Yield the text; for pages that are images, the output of the program ``ocr``."""
    import pypdfium2
    from pypdfium2 import raw

    data = file.read()
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise Unfit("is encrypted; save it without a password (qpdf --decrypt)") from None
        raise
    pages: list[str] = []
    size, scans, left = 0, 0, Left()
    for at in range(raw.FPDFDoc_GetAttachmentCount(document)):
        attached = raw.FPDFDoc_GetAttachment(document, at)
        length = ctypes.c_ulong()
        raw.FPDFAttachment_GetFile(attached, None, 0, length)
        content = ctypes.create_string_buffer(length.value)
        got = raw.FPDFAttachment_GetFile(attached, content, length.value, length)
        left.add("embedded files", content.raw if got else None)
    _add_xfa_packets(document, left)
    if _count_objects_with_embedded_file(data) > raw.FPDFDoc_GetAttachmentCount(document):
        left.add("embedded files", None)  # The list of attachments does not name all of them.
    for piece in _older_revisions_and_trailing_bytes(data):
        left.add(*piece)
    if unshown := find_unshown_or_all(data):
        left.add(UNREAD, unshown)
    for page in document:
        _add_nontext_of_page(page, left)
        shown = page.get_textpage()
        text = shown.get_text_bounded()
        if shown.count_chars() != len(text) and _count_non_space_characters(
            every := shown.get_text_range()
        ) != (_count_non_space_characters(text)):
            left.add(UNREAD, every.encode("utf-8", "replace"))  # Some of it is beside the page.
        images = page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=3)
        if not text.strip() and next(iter(images), None) is not None:
            scans += ocr is None
            text = "" if ocr is None else _run_ocr(page, ocr)
            yield StillWorking()
        size += len(text)
        if size > limits.text:
            raise Unfit(f"has more text than --limit text allows ({limits.text:,} bytes)")
        pages.append(text)
        page.close()
    if scans and not size:
        raise Unfit(
            f"is scanned: {'its page is an image' if len(pages) == 1 else 'its pages are images'} "
            "without text; an OCR program can read it: --extract 'ocr=tesseract {} -'"
        )
    count = "1 page that is an image" if scans == 1 else f"{scans} pages that are images"
    warnings = (f"has {count} without text",) if scans else ()
    yield DocumentText(
        join_and_clean_pages(pages), _read_declarations(document, len(pages)), warnings, left
    )


def _count_non_space_characters(text: str) -> Counter[str]:
    """Count the characters of a text, but for white space and the marks of hyphens."""
    return Counter("".join(text.split()).replace(_JOINED, "-"))


def _add_xfa_packets(document: Any, left: Left) -> None:
    """Add the packets of a form in XFA, which the pages do not show, to ``left``."""
    from pypdfium2 import raw

    for at in range(max(0, raw.FPDF_GetXFAPacketCount(document))):
        length = ctypes.c_ulong()
        raw.FPDF_GetXFAPacketContent(document, at, None, 0, length)
        packet = ctypes.create_string_buffer(length.value)
        got = raw.FPDF_GetXFAPacketContent(document, at, packet, length.value, length)
        left.add("forms", packet.raw if got else None)


#: The end of a revision, with the place of its table.
_END = re.compile(rb"startxref\s+(\d+)\s+%%EOF")

#: The key of a file in an object, and a stream of objects that is compressed as usual.
_FILE = re.compile(rb"/EF\s*(?:<<|\d)")
_OBJECTS = re.compile(rb"/Type\s*/ObjStm\b.*?stream\r?\n(.*?)endstream", re.DOTALL)

#: Bytes that a stream of objects unpacks to, at most.
_MOST = 1 << 24


def _count_objects_with_embedded_file(pdf: bytes) -> int:
    """Return how many objects say that they hold a file."""
    count = len(_FILE.findall(pdf))
    for packed in _OBJECTS.finditer(pdf):
        with contextlib.suppress(zlib.error):  # Compressed otherwise, or encrypted.
            count += len(_FILE.findall(zlib.decompressobj().decompress(packed[1], _MOST)))
    return count


def _older_revisions_and_trailing_bytes(pdf: bytes) -> Iterator[LeftOutPiece]:
    """Yield what stands in a file beside the objects of its last revision.

    A file that is written for the web has two tables and one revision.
    """
    ends = list(_END.finditer(pdf))
    web = b"/Linearized" in pdf[:1024]
    if len(ends) > 1 + web:
        yield LeftOutPiece("older revisions", pdf[: ends[-2].end()])
    after = pdf[ends[-1].end() :].strip(b"\0\r\n ") if ends else b""
    if after:
        yield LeftOutPiece("bytes after its end", after)


def join_and_clean_pages(pages: Sequence[str]) -> str:
    """Return the joined text of pages.

    A line at the top or the bottom that is also there on another page, equal except for the page
    number, is kept once; a line with only that number is left out.
    """
    split = (page.replace(_JOINED, "-\n").splitlines() for page in pages)
    lines = [[line.strip() for line in page if line.strip()] for page in split]
    pages_of_line: Counter[str] = Counter()
    for number, page in enumerate(lines):
        pages_of_line.update(
            {
                key
                for place in _indexes_of_edge_lines_from_both_ends(page)
                for key in _header_or_footer_keys(place, page[place], number)
            }
        )
    lines_seen: set[str] = set()
    page_texts: list[str] = []
    for number, page in enumerate(lines):
        out = set()
        for place in _indexes_of_edge_lines_from_both_ends(page):
            keys = {
                key
                for key in _header_or_footer_keys(place, page[place], number)
                if pages_of_line[key] > 1
            }
            words = _PAGE_OF.sub("", page[place])
            number_only = not _NOT_ONLY_A_NUMBER.search(words) and any(map(str.isdigit, words))
            if keys & lines_seen or (keys and number_only):
                out.add(place % len(page))
            lines_seen |= keys
        page_texts += [line for at, line in enumerate(page) if at not in out]
    # A hyphen before a capital letter belongs to the word.
    return _HYPHEN.sub(lambda end: "-" * end[1].isupper() + end[1], "\n".join(page_texts))


def _indexes_of_edge_lines_from_both_ends(page_lines: Sequence[str]) -> list[int]:
    """Return the lines that may be headers, and footers by their numbers from the end, below 0."""
    few = min(_EDGE, len(page_lines) // 2)
    return [*range(few), *range(-few, 0)]


def _header_or_footer_keys(line_index: int, line: str, page_number: int) -> set[str]:
    """Return keys by which a header or a footer equals those of other pages.

    A key is the line itself, or the line with one number as its distance from the page number.
    """
    edge = "bottom" if line_index < 0 else "top"
    keys = {f"{edge} {line}"}
    for number in _NUMBER.finditer(line):
        distance = int(number[0]) - page_number
        keys.add(f"{edge} {line[: number.start()]}\0{distance}\0{line[number.end() :]}")
    return keys


def _run_ocr(page: Any, command_template: Sequence[str]) -> str:
    """Return the output of a program, which dies with this process, for the image of a page."""
    width, height = page.get_size()
    scale = min(_DOTS / 72, (_PIXELS / max(width * height, 1)) ** 0.5)
    image = page.render(scale=scale, grayscale=True)
    lines = memoryview(image.buffer).cast("B")
    with tempfile.NamedTemporaryFile(suffix=".pgm") as out:
        out.write(b"P5 %d %d 255\n" % (image.width, image.height))
        for at in range(0, image.height * image.stride, image.stride):
            out.write(lines[at : at + image.width])
        out.flush()
        command = [word.replace("{}", out.name) for word in command_template]
        command += [] if command != list(command_template) else [out.name]
        try:
            program = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
        except OSError as error:
            raise Unfit(
                f"is scanned, and {command_template[0]}: {errors.reason_of_error(error)}"
            ) from None
    if program.returncode:
        first_line = program.stderr.decode("utf-8", "replace").strip().split("\n")[0][:200]
        reason = first_line or f"exit code {program.returncode}"
        raise Unfit(f"is scanned, and {command_template[0]}: {reason}")
    return program.stdout.decode("utf-8", "replace")


def _add_nontext_of_page(page: Any, left: Left) -> None:
    """Add the pictures, drawings and annotations of a page to ``left``."""
    from pypdfium2 import raw

    count, get = raw.FPDFPage_CountObjects(page), raw.FPDFPage_GetObject
    todo = [get(page, at) for at in range(count)]
    box = [ctypes.c_float() for _ in range(4)]
    drawings = bytearray()
    while todo:
        one = todo.pop()
        kind = raw.FPDFPageObj_GetType(one)
        if kind == raw.FPDF_PAGEOBJ_FORM:
            inside = raw.FPDFFormObj_CountObjects(one)
            todo += [raw.FPDFFormObj_GetObject(one, at) for at in range(inside)]
        elif kind == raw.FPDF_PAGEOBJ_IMAGE:
            size = raw.FPDFImageObj_GetImageDataRaw(one, None, 0)
            picture = ctypes.create_string_buffer(size)
            raw.FPDFImageObj_GetImageDataRaw(one, picture, size)
            left.add("pictures", picture.raw)
        elif kind in (raw.FPDF_PAGEOBJ_PATH, raw.FPDF_PAGEOBJ_SHADING):
            raw.FPDFPageObj_GetBounds(one, *box)
            x, y, right, top = (each.value for each in box)
            if min(right - x, top - y) > _RULE:
                segments = raw.FPDFPath_CountSegments(one)
                drawings += f"{x:.1f} {y:.1f} {right:.1f} {top:.1f} {segments}\n".encode()
    if drawings:
        left.add("drawings", bytes(drawings))
    for at in range(raw.FPDFPage_GetAnnotCount(page)):
        note = raw.FPDFPage_GetAnnot(page, at)
        kind = raw.FPDFAnnot_GetSubtype(note)
        if kind not in (raw.FPDF_ANNOT_LINK, raw.FPDF_ANNOT_POPUP):
            line = b"%d " % kind
            for name in (b"Contents", b"V"):
                size = raw.FPDFAnnot_GetStringValue(note, name, None, 0)
                content = (ctypes.c_ushort * (size // 2 + 1))()
                raw.FPDFAnnot_GetStringValue(note, name, content, size)
                line += bytes(content)
            left.add("annotations", line)
        raw.FPDFPage_CloseAnnot(note)


def _read_declarations(document: Any, page_count: int) -> dict[str, Any]:
    metadata = document.get_metadata_dict()
    declarations: dict[str, Any] = {
        "title": metadata.get("Title"),
        "author": metadata.get("Author"),
    }
    if day := _DATE.match(metadata.get("CreationDate") or ""):
        declarations["date"] = f"{day[1]}-{day[2] or '01'}-{day[3] or '01'}"
    clean = {name: " ".join(value.split()) for name, value in declarations.items() if value}
    return {name: value for name, value in clean.items() if value} | {"pages": page_count}
