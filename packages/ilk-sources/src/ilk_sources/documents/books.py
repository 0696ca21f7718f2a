"""Books in EPUB and FictionBook, Jupyter notebooks, rich text, and subtitles.

Source: EPUB 3.3, sections 4.2 (container), 5.6 (manifest), 5.7 (spine). FictionBook 2.1. nbformat
4, "Cell Types". Rich Text Format 1.9.1, "Information Group". WebVTT, section 4.1 (W3C); SubRip has
no standard, its cues are the same.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator
from typing import Any, BinaryIO
from urllib.parse import unquote

from ilk import Limits
from ilk.companions import (
    UNREAD,
    add_embedded_and_typed_to,
    add_markup_beside_text_to,
    open_zip_within_limits,
)
from ilk.plugins import DocumentPart, DocumentText, Left, Unfit, decode
from ilk_sources.documents.markup import (
    LeftOutPiece,
    TextRules,
    find_unread_elements,
    first_xml_values,
    html_text,
    xml_attributes,
    xml_text,
)
from ilk_sources.documents.office import (
    find_and_label_xml_elements,
    find_left_out,
    parse_dublin_core,
    read_part_or_empty,
)


def read_epub(file: BinaryIO, limits: Limits) -> Iterator[DocumentPart]:
    """Yield the text."""
    with open_zip_within_limits(file, limits) as archive:
        roots = xml_attributes(read_part_or_empty(archive, "META-INF/container.xml"), "rootfile")
        package = roots[0].get("full-path", "") if roots else ""
        if not (content := read_part_or_empty(archive, package)):
            raise Unfit("is damaged, or not an EPUB: its container names no package")
        folder = posixpath.dirname(package)
        places = {
            item.get("id"): posixpath.normpath(posixpath.join(folder, unquote(item["href"])))
            for item in xml_attributes(content, "item")
            if "href" in item
        }
        spine = [places.get(one.get("idref"), "") for one in xml_attributes(content, "itemref")]
        pages = [read_part_or_empty(archive, name) for name in spine]
        left_out = find_left_out(archive, spine, ())
        texts = []
        for decoded in filter(None, map(decode, pages)):
            page = decoded.utf8.decode()
            add_embedded_and_typed_to(left_out, page, text_areas=False)
            add_markup_beside_text_to(left_out, page)
            texts.append(html_text(page))
        yield DocumentText(
            "\n".join(filter(None, texts)), parse_dublin_core(content), left=left_out
        )


_FICTION = TextRules(
    texts=("p", "v", "subtitle", "text-author", "td", "th"),
    skipped=("description", "binary"),
    after=dict.fromkeys(("p", "v", "subtitle", "text-author", "tr", "empty-line"), "\n")
    | dict.fromkeys(("td", "th"), "\t"),
    frames=(
        *("FictionBook", "body", "section", "title", "poem", "stanza", "cite", "epigraph"),
        *("table", "strong", "emphasis", "strikethrough", "sub", "sup", "code"),
    ),
)


def read_fb2(file: BinaryIO, _: Limits) -> Iterator[DocumentPart]:
    """Yield the text."""
    data = file.read()
    values = first_xml_values(data, ("book-title", "first-name", "last-name", "lang"))
    author = " ".join(values[name] for name in ("first-name", "last-name") if name in values)
    declarations = {
        "title": values.get("book-title"),
        "author": author,
        "language": values.get("lang"),
    }
    left_out = Left()
    for picture in find_and_label_xml_elements(data, "pictures", "binary"):
        left_out.add(*picture)
    if others := find_unread_elements(data, _FICTION):
        left_out.add(UNREAD, others)
    declared = {name: value for name, value in declarations.items() if value}
    yield DocumentText(xml_text(data, _FICTION), declared, left=left_out)


def read_notebook(file: BinaryIO, _: Limits) -> Iterator[DocumentPart]:
    """Yield the text."""
    notebook = json.load(file)
    if not isinstance(notebook, dict):
        raise Unfit("is not a notebook: its JSON is not an object")
    sheets = notebook.get("worksheets") or [notebook]  # Version 3 has sheets of cells.
    texts, left_out = list[str](), Left()
    for cell in (cell for sheet in sheets for cell in sheet.get("cells", ())):
        for kind in ("outputs", "attachments"):
            if cell.get(kind):
                left_out.add(kind, json.dumps(cell[kind], sort_keys=True).encode())
        source = cell.get("source", cell.get("input", ""))
        texts.append("".join(source) if isinstance(source, list) else str(source))
    about = {name: value for name, value in notebook.items() if name not in ("cells", "worksheets")}
    left_out.add(UNREAD, json.dumps(about, sort_keys=True).encode())
    title = notebook.get("metadata", {}).get("title")
    declared = {"title": title} if isinstance(title, str) and title else {}
    yield DocumentText("\n\n".join(filter(None, texts)), declared, left=left_out)


_RTF_HEAD = 1 << 16
_SAID = re.compile(r"{\\(title|author) ([^{}\\]{1,1000})}")
_DAY = re.compile(r"{\\creatim\\yr(\d{4})\\mo(\d{1,2})\\dy(\d{1,2})")


def read_rtf(file: BinaryIO, _: Limits) -> Iterator[DocumentPart]:
    """Yield the text."""
    from striprtf.striprtf import rtf_to_text

    content = file.read().decode("latin-1")
    head = content[:_RTF_HEAD]
    declarations: dict[str, Any] = {
        name: " ".join(said.split()) for name, said in _SAID.findall(head)
    }
    if day := _DAY.search(head):
        declarations["date"] = f"{day[1]}-{int(day[2]):02}-{int(day[3]):02}"
    text = rtf_to_text(content, errors="ignore")  # type: ignore[no-untyped-call]
    left_out = Left()
    for piece in find_unread_rtf_groups(content):
        left_out.add(*piece)
    yield DocumentText(text, declarations, left=left_out)


#: A control word, an escaped byte, or the bracket of a group.
_CONTROL = re.compile(r"\\(?:([a-z]+)(-?\d+)? ?|'[0-9a-fA-F]{2}|[^a-z])|[{}]", re.DOTALL)

#: Groups that only say how the text looks, when it was saved and by whom.
_LOOKS = frozenset(
    (
        *("fonttbl", "colortbl", "stylesheet", "listtable", "listoverridetable", "rsidtbl"),
        *("generator", "themedata", "colorschememapping", "latentstyles", "xmlnstbl", "pgdsctbl"),
        *("wgrffmtfilter", "mmathPr", "defchp", "defpap", "title", "author", "operator"),
        *("creatim", "revtim", "printim", "buptim", "bkmkstart", "bkmkend", "pn", "pnseclvl"),
        *("listtext", "pntext", "levelnumbers", "leveltext"),
    )
)
_PICTURES = frozenset(("pict", "shppict", "nonshppict", "picprop", "background"))
_OBJECTS = frozenset(("object", "objdata", "result"))


def find_unread_rtf_groups(rtf: str) -> Iterator[LeftOutPiece]:
    """Yield the groups whose text is not read, and what follows the end.

    Those are the groups that striprtf passes over, except those that are known to hold no content:
    a header, a note, a text box, and a group that nobody has heard of. Inside of ``info`` each
    group is looked at by itself.
    """
    from striprtf.striprtf import destinations

    depth, group_start, begin, unread, has_star = 0, -1, -1, "", False
    inside = 0  # The depth of the group that is not read, or that only says how the text looks.
    for token in _CONTROL.finditer(rtf):
        if token[0] == "{":
            depth, has_star = depth + 1, False
            group_start = token.end()
        elif token[0] == "}":
            if depth == inside and inside:
                if unread:
                    yield LeftOutPiece(unread, rtf[begin : token.start()].encode("latin-1"))
                inside, unread = 0, ""
            depth, group_start = depth - 1, -1
            if depth <= 0:
                if trailing := rtf[token.end() :].strip("\0\r\n "):
                    yield LeftOutPiece("bytes after its end", trailing.encode("latin-1"))
                return
        elif token[0] == "\\*":
            has_star = True
        elif not inside and depth > 1 and (name := token[1]):
            if group_start < 0 or rtf[group_start : token.start()] not in ("", "\\*"):
                continue  # No first word of a group.
            if name in _LOOKS or name == "info":
                inside = depth if name in _LOOKS else 0
            elif has_star or name in destinations:
                inside, begin = depth, token.start()
                unread = "headers, notes and other groups"
                if name in _PICTURES:
                    unread = "pictures"
                elif name in _OBJECTS:
                    unread = "embedded objects"
    if unread:
        yield LeftOutPiece(unread, rtf[begin:].encode("latin-1"))


_TIMES = re.compile(r"(?:\d+:)?\d{1,2}:\d{2}[,.]\d{1,3}\s+-->\s+(?:\d+:)?\d{1,2}:\d{2}[,.]\d{1,3}")
_TAG = re.compile(r"</?[A-Za-z0-9.][^<>\n]{0,200}>|\{\\[^{}\n]{0,200}\}")


def read_subtitles(file: BinaryIO, _: Limits) -> Iterator[DocumentPart]:
    """Yield the text."""
    decoded = decode(file.read())
    if decoded is None:
        raise Unfit("is not text")
    lines, in_cue, times, others = [], False, Left(), []
    for line in decoded.utf8.decode().splitlines():
        if _TIMES.match(line.strip()):
            in_cue = True
            times.add("times", line.strip().encode())
        elif not line.strip():
            in_cue = False
        elif in_cue:
            lines.append(_TAG.sub("", line).strip())
        elif not line.strip().isdecimal() and not line.startswith("WEBVTT"):
            others.append(line)
    if others:
        times.add("notes", "\n".join(others).encode())
    yield DocumentText("\n".join(lines), left=times)
