"""What a page in HTML holds that its text does not show: pictures in it, and what was typed.

Source: HTML Living Standard, sections 4.10.5 (``input``), 4.10.11 (``textarea``), 4.8.16 (``svg``),
13.2.5 (a comment or a script that never closes goes on to the end); RFC 2397 (``data:``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import NamedTuple

from ilk.read.formats.parts import UNREAD, Left

# The rest of a tag ends before the next "<", so the time is linear.
_REST = r"(?:[^<>\"']|\"[^\"<]*+\"|'[^'<]*+')*+>"

_PIECE = re.compile(
    r"<!--(?P<comment>.*?)(?:-->|(?P<open_comment>\Z))"
    rf"|<(?P<element>script|style|title|template|noscript|textarea|svg)(?=[\s/>]){_REST}(?<!/>)"
    r"(?P<content>.*?)(?:</(?P=element)(?=[\s/>])|(?P<open_element>\Z))"
    rf"|<(?P<tag>[A-Za-z]){_REST}"
    r"|<(?![!?](?:DOCTYPE|xml)\b)(?P<order>[!?][^<>]*)>",
    re.DOTALL | re.IGNORECASE,
)
_EMBEDDED = re.compile(r"\bdata:(?P<type>[a-z]+)/[^\"'\s<>)]+", re.IGNORECASE)
_INPUT = re.compile(r"<input(?=[\s/])", re.IGNORECASE)
_VALUE = re.compile(
    r"\s(?:value\s*=\s*(?:\"(?P<a>[^\"]*)\"|'(?P<b>[^']*)'|(?P<c>[^\s\"'>]+))|(?P<tick>checked)\b)",
    re.IGNORECASE,
)

_ATTRIBUTE = re.compile(r"[\s/]([^\s\"'>/=]+)(?:\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s\"'>]+))?")

#: Attributes that only say how an element looks, or where styles and scripts find it.
_FORM = frozenset(
    (
        *("align", "alink", "background", "bgcolor", "border", "bordercolor", "cellpadding"),
        *("cellspacing", "charset", "class", "clear", "color", "cols", "colspan", "compact", "dir"),
        *("epub:type", "face", "frame", "frameborder", "headers", "height", "hspace", "http-equiv"),
        *("id", "lang", "link", "marginheight", "marginwidth", "media", "noshade", "nowrap"),
        *("rel", "role", "rows", "rowspan", "rules", "scope", "size", "span", "start", "style"),
        *("tabindex", "target", "text", "type", "valign", "version", "vlink", "vspace", "width"),
        *("xml:lang", "xml:space"),
    )
)


def add_embedded_and_typed_to(left_out: Left, html: str, *, text_areas: bool) -> None:
    """Add what the text of a page does not show; with ``text_areas``, also what they hold."""
    for kind, content in _find_embedded_and_typed_pieces(html, text_areas=text_areas):
        left_out.add(kind, content.encode("utf-8", "replace"))


class _LeftOutPiece(NamedTuple):
    """A piece of a page, and under which kind it is left out."""

    kind: str
    content: str


def _find_embedded_and_typed_pieces(html: str, *, text_areas: bool) -> Iterator[_LeftOutPiece]:
    for piece in _PIECE.finditer(html):
        if piece["open_comment"] is not None:
            yield _LeftOutPiece("text after a comment that never closes", piece["comment"])
        elif piece["comment"] is not None:
            continue
        elif (element := (piece["element"] or "").lower()) == "textarea":
            if text_areas and piece["content"].strip():
                yield _LeftOutPiece("typed text", unescape(piece["content"]))
        elif element == "svg":
            yield _LeftOutPiece("drawings", piece[0])
        elif piece["open_element"] is not None:
            yield _LeftOutPiece("text after an element that never closes", piece["content"])
        elif element in ("", "style"):
            for embedded in _EMBEDDED.finditer(piece[0]):
                is_picture = embedded["type"].lower() == "image"
                yield _LeftOutPiece("pictures" if is_picture else "embedded files", embedded[0])
            if _INPUT.match(piece[0]):
                for value in _VALUE.finditer(piece[0]):
                    typed = value["a"] or value["b"] or value["c"] or value["tick"]
                    if typed:
                        yield _LeftOutPiece("typed text", unescape(typed))


def add_markup_beside_text_to(left_out: Left, html: str) -> None:
    """Add what a document in HTML says beside its text and its look.

    Those are comments, scripts, titles, targets of links, and texts that stand for pictures.
    """
    pieces = [piece for piece in _find_markup_beside_text(html) if piece.strip()]
    if pieces:
        left_out.add(UNREAD, "\n".join(pieces).encode("utf-8", "replace"))


def _find_markup_beside_text(html: str) -> Iterator[str]:
    for piece in _PIECE.finditer(html):
        element = (piece["element"] or "").lower()
        yield piece["comment"] or piece["order"] or ""
        if element in ("script", "title", "template", "noscript"):
            yield piece["content"]
        if element or piece["tag"]:
            begin = piece[0][: piece.start("content") - piece.start()] if element else piece[0]
            for name, value in _ATTRIBUTE.findall(begin):
                if name.lower() not in _FORM and not name.lower().startswith("xmlns"):
                    yield f"{name} {value}"
