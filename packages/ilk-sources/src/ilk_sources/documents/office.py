"""Office documents: zips of XML with their texts, and all that is in them besides text.

Tracked changes count as accepted: insertions are read, and deletions are not.

Source: ECMA-376, part 1, sections 13.3 (presentations), 17.3 (paragraphs), 17.10 (headers), 17.11
(notes), 17.13 (changes), 21.1.2 (text of slides); part 2, sections 9 (relationships), 11 (core
properties); part 3, section 7.6 (alternate content). OpenDocument 1.3, part 3, sections 3.1
(documents), 5.1 (paragraphs), 5.5 (changes), 6.1 (white space).
"""

from __future__ import annotations

import datetime
import posixpath
import re
import zipfile
from collections.abc import Collection, Iterable, Iterator
from typing import Any, BinaryIO

from ilk import Limits
from ilk.companions import UNREAD, has_bytes_beside_files, open_zip_within_limits
from ilk.plugins import DocumentPart, DocumentText, Left, Unfit
from ilk_sources.documents.markup import (
    LeftOutPiece,
    TextRules,
    find_unread_elements,
    first_xml_values,
    xml_attributes,
    xml_text,
)


def read_part_or_empty(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return the bytes of a part; empty if it does not exist.

    Raises:
        Unfit: it has a password.
    """
    try:
        info = archive.getinfo(name)
    except KeyError:
        return b""
    if info.flag_bits & 1:
        raise Unfit("is encrypted; save it without a password")
    return archive.read(info)


#: Parts whose text is read, and parts that only say how it looks, when it was saved and by whom.
_FORM = re.compile(
    r"\[Content_Types\]\.xml|mimetype|META-INF/(?:manifest|container)\.xml|docProps/(?:core|app)\.xml"
    r"|(?:content|meta|settings|styles)\.xml|layout-cache|(?:docProps|Thumbnails)/thumbnail\.\w+"
    r"|(?:word|xl|ppt)/theme/.*|xl/printerSettings/.*"
    r"|(?:word|xl|ppt)/(?:styles|settings|webSettings|fontTable|numbering|presProps|viewProps"
    r"|tableStyles|calcChain|sharedStrings)\.(?:xml|bin)"
    r"|.*\.(?:ttf|otf|woff2?|odttf|fntdata)|.*/"
)

#: Parts that may also hold content, such as the target of a link, a name, or a text of a style
#: sheet. They are often written anew when a document is saved, so they count only for exact copies.
_ASIDE = re.compile(
    r"(?:.*/)?_rels/.*|(?:META-INF|docProps|customXml|Configurations2|ObjectReplacements)/.*"
    r"|manifest\.rdf"
    r"|(?:word|xl|ppt)/(?:slideLayouts/|slideMasters/|notesMasters/|handoutMasters/|tags/).*"
    r"|(?:word|xl|ppt)/[^/]*(?:styles|settings|Settings|Styles|people|Props|metadata|workbook"
    r"|presentation|Effects|commentAuthors)\.(?:xml|bin)|.*\.(?:css|ncx|opf|rels)"
)

#: Parts that say something of the document, and what in them a program writes by itself, or is
#: read. Subjects, keywords and remarks count, and so does what nobody has heard of.
_PROPERTY_PARTS = ("docProps/core.xml", "docProps/app.xml", "meta.xml")
_PROPERTIES = TextRules(
    texts=(),
    frames=("coreProperties", "Properties", "document-meta", "meta"),
    form=(
        *("title", "creator", "initial-creator", "language", "created", "modified", "date"),
        *("creation-date", "lastModifiedBy", "revision", "lastPrinted", "version", "generator"),
        *("print-date", "printed-by", "editing-cycles", "editing-duration", "document-statistic"),
        *("template", "Template", "TotalTime", "Pages", "Words", "Characters", "Lines"),
        *("Paragraphs", "CharactersWithSpaces", "Slides", "Notes", "HiddenSlides", "MMClips"),
        *("Application", "AppVersion", "DocSecurity", "ScaleCrop", "HeadingPairs"),
        *("TitlesOfParts", "LinksUpToDate", "SharedDoc", "HyperlinksChanged"),
        "PresentationFormat",
    ),
)

#: What other parts hold, by their names.
_KINDS = (
    (re.compile(r"vba|Basic/|Scripts/|macro", re.IGNORECASE), "macros"),
    (re.compile(r"embeddings/|activeX/|^Object|ole", re.IGNORECASE), "embedded objects"),
    (re.compile(r"comment", re.IGNORECASE), "comments"),
    (re.compile(r"charts?/", re.IGNORECASE), "charts"),
    (re.compile(r"diagrams/", re.IGNORECASE), "diagrams"),
    (
        re.compile(r"media/|Pictures/|\.(?:png|jpe?g|gif|svg|webp|emf|wmf|tiff?|bmp)$", re.I),
        "pictures",
    ),
    (re.compile(r"drawings?"), "drawings"),
)


def find_left_out(
    archive: zipfile.ZipFile,
    parts_read: Collection[str],
    left_out_of_parts: Iterable[LeftOutPiece],
) -> Left:
    """Return what is not text in a document that is a zip, except in the parts whose text was read,
    and ``left_out_of_parts``, what was left out of those.

    A part that no list here knows counts, and so do bytes that are in no part.
    """
    left_out = Left()
    unread_properties = [
        find_unread_elements(read_part_or_empty(archive, name), _PROPERTIES)
        for name in _PROPERTY_PARTS
    ]
    for kind, content in (*left_out_of_parts, (UNREAD, b"".join(unread_properties))):
        if content or kind != UNREAD:
            left_out.add(kind, content)
    for info in archive.infolist():
        name = info.filename
        if name not in parts_read and not _FORM.fullmatch(name):
            kind = next((kind for pattern, kind in _KINDS if pattern.search(name)), "other parts")
            if _ASIDE.fullmatch(name):
                kind = UNREAD
            left_out.add(kind, None if info.flag_bits & 1 else archive.read(info))
    if archive.fp and has_bytes_beside_files(archive, archive.fp):
        left_out.add("remarks, or bytes of none of its parts", None)
    return left_out


def find_and_label_xml_elements(xml: bytes, kind: str, *element_names: str) -> list[LeftOutPiece]:
    """Return the elements of some names in XML, with their tags, as pieces of a kind."""
    which = "|".join(element_names).encode()
    pattern = rb"<(%b)(?=[\s>/])(?:[^>]*/>|.*?</\1>)" % which
    return [LeftOutPiece(kind, match[0]) for match in re.finditer(pattern, xml, re.DOTALL)]


_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")

#: The part with the core properties.
_CORE = "docProps/core.xml"


def parse_dublin_core(content: bytes) -> dict[str, Any]:
    """Return what XML declares in elements of Dublin Core, by the names of ``arrow.DECLARED``."""
    elements = ("title", "creator", "initial-creator", "language", "created", "creation-date")
    values = first_xml_values(content, (*elements, "date"))
    day = _DAY.match(values.get("created") or values.get("creation-date") or values.get("date", ""))
    declarations = {
        "title": values.get("title"),
        "author": values.get("creator") or values.get("initial-creator"),
        "language": values.get("language"),
        "date": day[0] if day else None,
    }
    return {name: value for name, value in declarations.items() if value}


_WORD = TextRules(
    texts=("t",),
    # A fallback for programs that do not support a choice repeats that choice.
    skipped=("Fallback", "moveFrom", "instrText", "pPrChange", "rPrChange"),
    before={"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"},
    after={"p": "\n", "tc": "\t"},
    frames=(
        *("document", "body", "hdr", "ftr", "footnotes", "footnote", "endnotes", "endnote"),
        *("r", "tbl", "tr", "ins", "moveTo", "smartTag", "hyperlink", "sdt", "sdtContent"),
        *("footnoteReference", "endnoteReference", "footnoteRef", "endnoteRef", "separator"),
        *("continuationSeparator", "bookmarkStart", "bookmarkEnd", "proofErr"),
        *("lastRenderedPageBreak", "softHyphen"),
    ),
    form=(
        *("pPr", "rPr", "sectPr", "tblPr", "tblPrEx", "tblGrid", "trPr", "tcPr", "sdtEndPr"),
        # These count as deleted text.
        *("del", "moveFrom"),
    ),
)

_BODY = re.compile(r"word/document\d*\.xml")
_HEADS, _FEET, _NOTES = (
    re.compile(rf"word/{name}\d*\.xml") for name in ("header", "footer", "(?:foot|end)notes")
)


def read_docx(file: BinaryIO, limits: Limits) -> Iterator[DocumentPart]:
    """Yield the text."""
    with open_zip_within_limits(file, limits) as archive:
        names = archive.namelist()
        bodies = [name for name in names if _BODY.fullmatch(name)]
        if not bodies:
            raise Unfit("is damaged, or not a Word file: it has no word/document.xml")
        once: dict[str, None] = {}
        names_read, changes = set[str](), list[LeftOutPiece]()
        for pattern in (_HEADS, _BODY, _NOTES, _FEET):
            for name in filter(pattern.fullmatch, names):
                content = read_part_or_empty(archive, name)
                once[xml_text(content, _WORD).strip("\n")] = None
                names_read.add(name)
                changes += find_and_label_xml_elements(
                    content, "deleted text", "w:del", "w:delText", "w:moveFrom"
                )
                changes.append(LeftOutPiece(UNREAD, find_unread_elements(content, _WORD)))
        declared = parse_dublin_core(read_part_or_empty(archive, _CORE))
        yield DocumentText(
            "\n".join(filter(None, once)),
            declared,
            left=find_left_out(archive, names_read, changes),
        )


_SLIDES = TextRules(
    texts=("t",),
    # Fields are numbers of slides and dates.
    skipped=("Fallback", "fld"),
    before={"br": "\n", "tab": "\t"},
    after={"p": "\n", "tc": "\t"},
    frames=("sld", "notes", "cSld", "spTree", "sp", "txBody", "r"),
    form=("bodyPr", "lstStyle", "pPr", "rPr", "endParaRPr"),
)

_MAIN = "ppt/presentation.xml"


def read_pptx(file: BinaryIO, limits: Limits) -> Iterator[DocumentPart]:
    """Yield the text."""
    with open_zip_within_limits(file, limits) as archive:
        if not (main := read_part_or_empty(archive, _MAIN)):
            raise Unfit(f"is damaged, or not a PowerPoint file: it has no {_MAIN}")
        named = {one["Id"]: one for one in _read_relations_with_full_targets(archive, _MAIN)}
        slides = [one.get("r:id") or "" for one in xml_attributes(main, "sldId")]
        slide_texts = []
        for slide in (named[id_]["Target"] for id_ in slides if id_ in named):
            slide_texts.append(slide)
            slide_texts += [
                one["Target"]
                for one in _read_relations_with_full_targets(archive, slide)
                if one.get("Type", "").endswith("/notesSlide")
            ]
        contents = [read_part_or_empty(archive, name) for name in slide_texts]
        texts = [xml_text(content, _SLIDES) for content in contents]
        more = [
            LeftOutPiece(UNREAD, find_unread_elements(content, _SLIDES)) for content in contents
        ]
        declared = parse_dublin_core(read_part_or_empty(archive, _CORE)) | {"pages": len(slides)}
        yield DocumentText(
            "\n".join(texts), declared, left=find_left_out(archive, slide_texts, more)
        )


def _read_relations_with_full_targets(archive: zipfile.ZipFile, name: str) -> list[dict[str, str]]:
    """Return the relations of a part, as attributes, with the full names of their targets."""
    folder, base = posixpath.split(name)
    found = xml_attributes(
        read_part_or_empty(archive, f"{folder}/_rels/{base}.rels"), "Relationship"
    )
    for one in found:
        target = posixpath.join("/" + folder, one.get("Target", ""))
        one["Target"] = posixpath.normpath(target).lstrip("/")
    return [one for one in found if "Id" in one]


_SPACES = {"s": " ", "tab": "\t", "line-break": "\n"}
_AFTER = {"p": "\n", "h": "\n", "table-cell": "\t"}

_FRAMES = (
    *("document-content", "document-styles", "body", "text", "presentation", "page", "span"),
    *("section", "list", "list-item", "list-header", "table", "table-column", "table-row"),
    *("table-columns", "table-rows", "table-header-rows", "soft-page-break", "note", "note-body"),
    *("bookmark", "bookmark-start", "bookmark-end", "a"),
    *("master-styles", "master-page", "header", "footer", "header-first", "footer-first"),
)

#: Elements of styles; those of ``master-styles`` hold headers, footers and drawings.
_LOOKS = ("automatic-styles", "font-face-decls", "styles", "sequence-decls")

_OPEN = TextRules(
    texts=("p", "h"),
    # Page numbers are fields; a note is cited by a number, and its text is beside it.
    skipped=("tracked-changes", "annotation", "note-citation", "page-number", "page-count"),
    before=_SPACES,
    after=_AFTER,
    frames=_FRAMES,
    form=_LOOKS,
)

#: From styles, the headers and footers.
_STYLES = TextRules(
    texts=("p", "h"),
    skipped=(
        *("page-number", "page-count", "notes", "header-left", "footer-left"),
        *("handout-master", "date", "time", "frame", "custom-shape"),
    ),
    before=_SPACES,
    after=_AFTER,
    frames=_FRAMES,
    form=_LOOKS,
)


def read_odf(file: BinaryIO, limits: Limits) -> Iterator[DocumentPart]:
    """Yield the text."""
    with open_zip_within_limits(file, limits) as archive:
        if b"manifest:encryption-data" in read_part_or_empty(archive, "META-INF/manifest.xml"):
            raise Unfit("is encrypted; save it without a password")
        if not (content := read_part_or_empty(archive, "content.xml")):
            raise Unfit("is damaged, or not an OpenDocument: it has no content.xml")
        styles = read_part_or_empty(archive, "styles.xml")
        heads = xml_text(styles, _STYLES)
        text = xml_text(content, _OPEN)
        aside = find_and_label_xml_elements(content, "comments", "office:annotation")
        aside += find_and_label_xml_elements(content, "deleted text", "text:tracked-changes")
        aside.append(
            LeftOutPiece(
                UNREAD,
                find_unread_elements(content, _OPEN) + find_unread_elements(styles, _STYLES),
            )
        )
        declared = parse_dublin_core(read_part_or_empty(archive, "meta.xml"))
        left_out = find_left_out(archive, (), aside)
        yield DocumentText(f"{heads.strip()}\n{text}".lstrip("\n"), declared, left=left_out)


_SHEET = re.compile(r"xl/worksheets/[^/]+\.(?:xml|bin)")

#: The rows of a sheet, whose cells are read, and their formulas taken.
_ROWS = re.compile(rb"<(?:\w+:)?sheetData(?=[\s/>]).*</(?:\w+:)?sheetData>", re.DOTALL)

#: A cell that shows an error, which is no text; a cell with one of the shared strings.
_ERROR = re.compile(rb"<(?:\w+:)?c\s[^>]*\bt=[\"']e[\"'].*?</(?:\w+:)?c>", re.DOTALL)
_SHARED = re.compile(
    rb"<(?:\w+:)?c\s[^>]*\bt=[\"']s[\"'][^>]*>\s*<(?:\w+:)?v>\s*(\d+)\s*</(?:\w+:)?v>"
)
_AROUND_ROWS = TextRules(
    texts=(),
    frames=("worksheet",),
    form=("dimension", "sheetViews", "sheetFormatPr", "cols", "pageMargins", "pageSetup"),
)


def read_sheets(file: BinaryIO, limits: Limits) -> Iterator[DocumentPart]:
    """Yield the text."""
    from python_calamine import CalamineWorkbook

    declarations: dict[str, Any] = {}
    left_out = Left()
    if zipfile.is_zipfile(file):
        with open_zip_within_limits(file, limits) as archive:
            names = archive.namelist()
            declarations = parse_dublin_core(
                read_part_or_empty(archive, "meta.xml") or read_part_or_empty(archive, _CORE)
            )
            sheets = [name for name in names if _SHEET.fullmatch(name)]
            if any(name.endswith(".bin") for name in sheets):
                left_out = find_left_out(
                    archive, (), [LeftOutPiece("formulas", b"")]
                )  # All of the sheets, as they are.
            else:
                told = re.findall(
                    rb' table:formula="[^"]*"', read_part_or_empty(archive, "content.xml")
                )
                formulas = [LeftOutPiece("formulas", one) for one in told]
                shown_strings = set[int]()
                for name in sheets:
                    content = read_part_or_empty(archive, name)
                    formulas += find_and_label_xml_elements(content, "formulas", "f")
                    formulas += (LeftOutPiece(UNREAD, one) for one in _ERROR.findall(content))
                    shown_strings.update(map(int, _SHARED.findall(content)))
                    around = find_unread_elements(_ROWS.sub(b"", content, count=1), _AROUND_ROWS)
                    formulas.append(LeftOutPiece(UNREAD, around))
                strings = find_and_label_xml_elements(
                    read_part_or_empty(archive, "xl/sharedStrings.xml"), UNREAD, r"(?:\w+:)?si"
                )
                formulas += (one for at, one in enumerate(strings) if at not in shown_strings)
                left_out = find_left_out(archive, sheets, formulas)
    else:
        left_out.add("formulas, pictures and macros", None)  # calamine does not give them.
    file.seek(0)
    book = CalamineWorkbook.from_filelike(file)
    lines = []
    for name in book.sheet_names:
        lines.append(name)
        for row in book.get_sheet_by_name(name).iter_rows():
            cells = [_format_cell(cell) for cell in row]
            if any(cells):
                lines.append("\t".join(cells).rstrip("\t"))
    yield DocumentText("\n".join(lines), declarations, left=left_out)


def _format_cell(cell: Any) -> str:
    """Return a cell as people see it: whole numbers without a decimal point."""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    if isinstance(cell, datetime.datetime) and cell.time() == datetime.time():
        return cell.date().isoformat()
    return str(cell)
