"""The text in HTML and in XML, each in one pass.

HTML is that of books and messages, which is all text; for web pages, whose main text must be found
among other things, ilk itself has ``--extract``.

Dangerous features of XML are refused: a document type that declares entities, before any of them is
used. Nothing outside the file is ever read: expat fetches nothing by itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from html import unescape
from typing import Any, NamedTuple
from xml.parsers import expat

from ilk.plugins import Unfit

_TAG = re.compile(
    r"<(?:(?P<comment>!--)|/?(?P<name>[A-Za-z][A-Za-z0-9:-]*)"
    r"(?:[^<>\"']|\"[^\"<]*+\"|'[^'<]*+')*+>|[!?][^<>]*>)"
)

#: Elements whose content is not shown.
_HIDDEN = frozenset(("script", "style", "title", "template", "noscript"))

#: Elements on lines of their own.
_BLOCKS = frozenset(
    (
        *("address", "article", "aside", "blockquote", "body", "br", "caption", "dd", "div", "dl"),
        *("dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5"),
        *("h6", "head", "header", "hr", "html", "li", "main", "nav", "ol", "p", "pre", "section"),
        *("table", "tbody", "tfoot", "thead", "tr", "ul"),
    )
)
_SPACE = re.compile(r"\s+")


class LeftOutPiece(NamedTuple):
    """A piece of a document that is not in its text, and the words for its kind (``Left.add``)."""

    kind: str
    content: bytes


def html_text(html: str) -> str:
    """Return the text of a page: without tags, but with line breaks between blocks."""
    lines = (line.strip() for line in "".join(_text_pieces(html)).split("\n"))
    return "\n".join(line for line in lines if line)


def _text_pieces(html: str) -> Iterator[str]:
    """Yield the text between tags, and what the tags mean."""
    at = 0
    while match := _TAG.search(html, at):
        yield unescape(_SPACE.sub(" ", html[at : match.start()]))
        at = match.end()
        if match["comment"]:
            end = html.find("-->", at)
            at = len(html) if end < 0 else end + 3
        elif match["name"]:
            name = match["name"].lower()
            if name in _BLOCKS:
                yield "\n"
            elif name in ("td", "th"):
                yield "\t"
            elif name in _HIDDEN and match[0][1] != "/" and match[0][-2] != "/":
                end_tag = re.compile(f"</{name}", re.IGNORECASE).search(html, at)
                at = end_tag.start() if end_tag else len(html)
    yield unescape(_SPACE.sub(" ", html[at:]))


@dataclass(frozen=True)
class TextRules:
    """The rules for the text of a kind of XML; elements have names without prefix.

    texts: elements whose text counts, with that of all elements in them.
    skipped: elements to ignore, with everything in them.
    before, after: text to put before and after an element.
    frames: other elements that only hold what is read.
    form: elements that, with everything in them, only say how the text looks.
    """

    texts: Collection[str]
    skipped: Collection[str] = ()
    before: Mapping[str, str] = field(default_factory=dict)
    after: Mapping[str, str] = field(default_factory=dict)
    frames: Collection[str] = ()
    form: Collection[str] = ()


def _parse_xml_refusing_entities(
    xml: bytes,
    *,
    on_start: Callable[[str, dict[str, str]], Any],
    on_end: Callable[[str], Any] | None = None,
    on_characters: Callable[[str], Any] | None = None,
    on_remark: Callable[..., Any] | None = None,
) -> None:
    """Parse a whole document, unless it is empty, and call functions for what is in it.

    Args:
        xml: the document.
        on_start: called with the name and the attributes of every element.
        on_end: called with the name of every element.
        on_characters: called with text.
        on_remark: called with each comment and processing instruction.

    Raises:
        Unfit: it declares entities.
    """

    def refuse(*_: object) -> None:
        raise Unfit("declares entities in its XML, which such documents never need")

    if xml:
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler, parser.EndElementHandler = on_start, on_end
        parser.CharacterDataHandler = on_characters
        parser.CommentHandler = parser.ProcessingInstructionHandler = on_remark
        parser.EntityDeclHandler = refuse
        parser.Parse(xml, True)


def xml_text(xml: bytes, rules: TextRules) -> str:
    """Return the text of an XML document; empty if it has no bytes."""
    pieces: list[str] = []
    inside = skipping = 0
    texts, skipped = frozenset(rules.texts), frozenset(rules.skipped)
    before, after = rules.before, rules.after

    def start(name: str, _: dict[str, str]) -> None:
        nonlocal inside, skipping
        local = name[name.find(":") + 1 :]
        if skipping or local in skipped:
            skipping += 1
            return
        if local in before:
            pieces.append(before[local])
        inside += local in texts

    def end(name: str) -> None:
        nonlocal inside, skipping
        if skipping:
            skipping -= 1
            return
        local = name[name.find(":") + 1 :]
        inside -= local in texts
        if local in after:
            pieces.append(after[local])

    def characters(xml: str) -> None:
        if inside and not skipping:
            pieces.append(xml)

    _parse_xml_refusing_entities(xml, on_start=start, on_end=end, on_characters=characters)
    return "".join(pieces)


def find_unread_elements(xml: bytes, rules: TextRules) -> bytes:
    """Return all elements of an XML document, with what is in them, that are not known to hold only
    text that is read: their names, attributes and characters, in order; and all remarks.

    What these rules do not name counts, whatever it is: drawings, symbols, fields, data.
    """
    frames = frozenset((*rules.texts, *rules.before, *rules.after, *rules.frames))
    frames -= frozenset(rules.skipped)
    form = frozenset(rules.form)
    pieces: list[str] = []
    inside = depth_in_form = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal inside, depth_in_form
        local = name[name.find(":") + 1 :]
        if depth_in_form or (not inside and local in form):
            depth_in_form += 1
        elif inside or local not in frames:
            inside += 1
            pieces.append(f"<{name} {attributes}>")

    def end(_: str) -> None:
        nonlocal inside, depth_in_form
        if depth_in_form:
            depth_in_form -= 1
        elif inside:
            inside -= 1

    def characters(xml: str) -> None:
        if inside and not depth_in_form:
            pieces.append(xml)

    def remark(*words: str) -> None:
        if not depth_in_form:
            pieces.append(f"<!{' '.join(words)}>")

    _parse_xml_refusing_entities(
        xml, on_start=start, on_end=end, on_characters=characters, on_remark=remark
    )
    return "".join(pieces).encode("utf-8", "surrogatepass")


def first_xml_values(xml: bytes, elements: Collection[str]) -> dict[str, str]:
    """Return the text of the first of every wanted element that has any."""
    values: dict[str, str] = {}
    open_: list[str] = []

    def start(name: str, _: dict[str, str]) -> None:
        open_.append(name[name.find(":") + 1 :])

    def characters(xml: str) -> None:
        if open_ and open_[-1] in elements and xml.strip():
            values.setdefault(open_[-1], " ".join(xml.split()))

    _parse_xml_refusing_entities(
        xml, on_start=start, on_end=lambda _: open_.pop(), on_characters=characters
    )
    return values


def xml_attributes(xml: bytes, element: str) -> list[dict[str, str]]:
    """Return the attributes of all elements with a name, in order."""
    attributes: list[dict[str, str]] = []

    def start(name: str, values: dict[str, str]) -> None:
        if name[name.find(":") + 1 :] == element:
            attributes.append(values)

    _parse_xml_refusing_entities(xml, on_start=start)
    return attributes
